// What can be seen without a referee; with one the conformance kit looks at this SDK, as at every other.
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hints } from "../hints.js";
import { Bot, GameBot, CARDS, cardName, DominionBot, PippipBot, rank, SerpentBot, suit, WichitaBot } from "../index.js";
import { Promised } from "../promised.js";

const SDK = new URL("../index.js", import.meta.url);

/** The action for a view, in the contract's words, by a bot with these methods. */
function asked(base, view, methods = {}) {
  const botClass = class MyBot extends base {};
  Object.assign(botClass.prototype, methods);
  return new botClass().ask(1, view);
}

test("cards have ranks, suits and names", () => {
  assert.deepEqual(["AC", "KC", "10D", "QS"], [0, 12, 22, 50].map(cardName));
  assert.deepEqual([rank(0), rank(51), suit(0), suit(51)], [1, 13, 0, 3]);
  assert.equal(new Set(CARDS.map(cardName)).size, 52);
});

test("luck is the same for the same question, and another for the next", () => {
  const bot = new (class extends SerpentBot {
    lead = () => this.pick([...CARDS]) + this.random();
    choose = (view) => [this.lead(view), this.lead(view)];
  })();
  bot.begin(0, 2, {}, Buffer.alloc(32, 7));
  const [first, again, next] = [bot.ask(1, {}), bot.ask(1, {}), bot.ask(2, {})];
  assert.deepEqual(first, again);
  assert.notDeepEqual(first, next);
  assert.ok(first.every((drawn) => drawn >= 0 && drawn < 52));
});

test("what a constructor draws changes nothing of a match's luck", () => {
  class Plain extends SerpentBot {
    onStart() {
      this.drawn = this.random();
    }
  }
  class Eager extends Plain {
    early = this.random();
  }
  const [plain, eager] = [new Plain(), new Eager()];
  for (const bot of [plain, eager]) bot.begin(0, 2, {}, Buffer.alloc(32, 7));
  assert.equal(eager.drawn, plain.drawn);
});

const SERPENT = { kind: "lead", playable: [3, 4, 5, 6], lead: [], myRow: [9, 255], otherRow: [255, 255] };

test("Serpent: one card, or three, and empty cells are null", () => {
  assert.deepEqual(asked(SerpentBot, SERPENT), { lead: Buffer.from([3]) });
  assert.deepEqual(asked(SerpentBot, { ...SERPENT, kind: "answer" }), { answer: Buffer.from([3]) });
  assert.deepEqual(asked(SerpentBot, { ...SERPENT, kind: "give" }), { give: Buffer.from([3, 4, 5]) });
  assert.deepEqual(asked(SerpentBot, { ...SERPENT, kind: "reveal" }), { reveal: Buffer.from([3, 4, 5]) });
  asked(SerpentBot, SERPENT, {
    lead(view) {
      assert.deepEqual([view.myRow, view.otherRow, view.lead], [[9, null], [null, null], undefined]);
      return 3;
    },
  });
});

test("Wichita: drawing on, and stacks", () => {
  assert.deepEqual(asked(WichitaBot, { kind: "draw" }), { draw: false });
  assert.deepEqual(asked(WichitaBot, { kind: "lay" }), { lay: { stacks: [] } });
  const stacks = asked(WichitaBot, { kind: "lay" }, { lay: () => [[1, 2], [3]] });
  assert.deepEqual(stacks, { lay: { stacks: [Buffer.from([1, 2]), Buffer.from([3])] } });
});

test("Pip-Pip!: calls, and cards that are hidden or lie face up", () => {
  const view = { seat: 1, callable: [2, 0], playable: [7, 8], faceUp: [[], [7]], suitLimits: [1, 2, 3, 4, 5, 6, 7, 8] };
  assert.deepEqual(asked(PippipBot, { ...view, kind: "call" }), { call: Buffer.from([2, 0]) });
  assert.deepEqual(asked(PippipBot, { ...view, kind: "play" }), { playFaceUp: Buffer.from([7]) });
  const play = (seen) =>
    assert.deepEqual(seen.suitLimits, [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]) ?? 8;
  assert.deepEqual(asked(PippipBot, { ...view, kind: "play" }, { play }), { play: Buffer.from([8]) });
});

test("Dominion: moves by name, null to pass", () => {
  const view = {
    owners: [0, 255],
    turned: [],
    attacks: [1, 2, 3, 4],
    cells: [5, 6],
    conquest: [1, 2, 9],
    advances: [1, 2, 3],
    deployments: [7, 2],
    mustAttack: true,
    hadArmies: [true, false],
  };
  const answers = {
    resign: { passed: {} },
    declare: { passed: {} },
    reinforce: { reinforce: 5 },
    remove: { remove: 5 },
    attack: { attack: { source: 1, target: 2 } },
    conquer: { conquer: 1 },
    advance: { passed: {} },
    deploy: { deploy: { cell: 7, count: 2 } },
  };
  for (const [kind, action] of Object.entries(answers)) assert.deepEqual(asked(DominionBot, { ...view, kind }), action);
  const resign = (seen) => seen.hadArmies[0];
  assert.deepEqual(asked(DominionBot, { ...view, kind: "resign" }, { resign }), { resign: {} });
  const yes = { declare: () => true, advance: (seen) => seen.advances[0] };
  assert.deepEqual(asked(DominionBot, { ...view, kind: "declare" }, yes), { declare: {} });
  const advance = { source: 1, target: 2, count: 3 };
  assert.deepEqual(asked(DominionBot, { ...view, kind: "advance" }, yes), { advance });
});

test("a wrong answer is told in a sentence", () => {
  const wrong = (base, view, methods, told) => assert.throws(() => asked(base, view, methods), { message: told });
  const forgot = "MyBot.lead() must return a card (0 to 51), but it returned undefined (did it forget its `return`?)";
  wrong(SerpentBot, SERPENT, { lead() {} }, forgot);
  const give = { ...SERPENT, kind: "give" };
  const three = "MyBot.give() must return an array of three cards (each 0 to 51), but it returned 3";
  wrong(SerpentBot, give, { give: () => 3 }, three);
  wrong(WichitaBot, { kind: "draw" }, { draw: () => 1 }, "MyBot.draw() must return true or false, but it returned 1");
  const stacks = "MyBot.lay() must return an array of stacks, each an array of cards (0 to 51), but it returned [1]";
  wrong(WichitaBot, { kind: "lay" }, { lay: () => [1] }, stacks);
  for (const kind of ["choose", "constructor", "seat"]) wrong(GameBot, { kind }, {}, `MyBot has no method ${kind}()`);
  wrong(Bot, {}, {}, "MyBot extends Bot itself: extend a game's class, or GameBot");
});

const NO_CARDS = [-1, 52, 99, 254, 255, 1.5, "7", null, [3]];
const NO_LISTS = [{}, 3, null, "3", [52, 1, 2], [1, , 2], [-1]];

test("what is no card is told, and not sent", () => {
  const told = /^MyBot\.\w+\(\) must return .*\(.*0 to 51\).*, but it returned /;
  const refused = (base, view, got) => {
    assert.throws(() => asked(base, view, { [view.kind]: () => got }), { message: told });
  };
  const play = { kind: "play", seat: 0, faceUp: [[], []], suitLimits: [] };
  for (const got of NO_CARDS) {
    for (const kind of ["lead", "answer"]) refused(SerpentBot, { ...SERPENT, kind }, got);
    refused(PippipBot, play, got);
  }
  for (const got of NO_LISTS) {
    for (const kind of ["give", "reveal"]) refused(SerpentBot, { ...SERPENT, kind }, got);
    refused(WichitaBot, { kind: "lay" }, [got]);
  }
  refused(WichitaBot, { kind: "lay" }, [[1], , [2]]);
});

test("what is no suit is told, and not sent", () => {
  const view = { kind: "call", seat: 0, faceUp: [[], []], suitLimits: [] };
  for (const got of [[4], [0, 51], [0, , 1], 2, {}]) {
    const told = `MyBot.call() must return an array of suits (0 to 3), such as view.callable or [], but it returned `;
    const message = told + JSON.stringify(got);
    assert.throws(() => asked(PippipBot, view, { call: () => got }), { message });
  }
});

test("a move in Dominion has all that it is made of", () => {
  const view = { owners: [], turned: [], attacks: [], cells: [], conquest: [], advances: [], deployments: [] };
  const moves = {
    attack: ["{ source, target } as in view.attacks", [{ source: 1 }, { source: 1, to: 2 }]],
    advance: ["{ source, target, count } as in view.advances", [{ source: 1, target: 2 }]],
    deploy: ["{ cell, count } as in view.deployments", [{ cell: 1 }, { cell: 1, count: "2" }, { cell: 1, count: -1 }]],
  };
  for (const [kind, [expected, wrong]] of Object.entries(moves)) {
    for (const got of [...wrong, {}, [], [3, 4], [1, 2, 3], 7, undefined, true]) {
      const told = `MyBot.${kind}() must return null, or ${expected}, but it returned `;
      assert.throws(
        () => asked(DominionBot, { ...view, kind }, { [kind]: () => got }),
        (error) => {
          return error instanceof TypeError && error.message.startsWith(told);
        },
      );
    }
    assert.deepEqual(asked(DominionBot, { ...view, kind }, { [kind]: () => null }), { passed: {} });
  }
});

/** What a file that says this does when it is started: its status and its last words. */
function started(text, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pips-"));
  try {
    writeFileSync(join(folder, "mine.mjs"), `import { Bot, run, SerpentBot } from "${SDK}";\n${text}`);
    const words = [join(folder, "mine.mjs")];
    const ended = spawnSync(process.execPath, words, { encoding: "utf-8", env: { PATH: process.env.PATH, ...env } });
    return [ended.status, ended.stderr, ended.stdout];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a bot that cannot start says why, and ends with status 2", () => {
  const bot = "class MyBot extends SerpentBot {}\n";
  const refused = {
    "run();": /was given no bot: give it your class, as in run\(MyBot\)/,
    "run(Bot);": /run\(\) was given Bot, which extends no game's class, and not GameBot/,
    "run(new (class MyBot extends SerpentBot {})());": /run\(\) takes the class itself, without new: run\(MyBot\)/,
    "run(7);": /run\(\) was given 7, which/,
    [`${bot}run(MyBot, MyBot);`]: /MyBot and MyBot both play serpent: run\(\) takes one a game/,
    [`${bot}run(MyBot);`]: /^mine\.mjs: there is no referee to play at \(PIPS_REFEREE is not set\)/,
  };
  for (const [text, told] of Object.entries(refused)) {
    const [status, said] = started(text);
    assert.equal(status, 2, said);
    assert.match(said, told);
  }
  const away = { PIPS_REFEREE: "unix:/nowhere/at/all", PIPS_TOKEN_FD: "77" };
  assert.match(started(`${bot}run(MyBot);`, away)[1], /the token could not be read from descriptor 77/);
  const [status, said] = started(`${bot}run(MyBot);`, { PIPS_REFEREE: "unix:/nowhere/at/all" });
  assert.equal(status, 2, said);
  assert.match(said, /the referee at unix:\/nowhere\/at\/all did not let the bot in/);
});

test("a bot describes itself", () => {
  const [status, , told] = started("run(class MyBot extends SerpentBot {});", { PIPS_DESCRIBE: "1" });
  assert.equal(status, 0);
  assert.equal(started("run(7);", { PIPS_DESCRIBE: "1" })[0], 1);
  assert.deepEqual(JSON.parse(told), [{ name: "MyBot", game: "serpent", hints: [] }]);
});

test("options that came later: their defaults, and an army declined", () => {
  asked(SerpentBot, SERPENT, {
    lead(view) {
      assert.deepEqual([view.hands, view.maxHands], [8, 28]);
      return 3;
    },
  });
  asked(
    SerpentBot,
    { ...SERPENT, hands: 2, maxHands: 4 },
    {
      lead(view) {
        assert.deepEqual([view.hands, view.maxHands], [2, 4]);
        return 3;
      },
    },
  );
  for (const [sent, windows] of [
    ["unspecified", "house"],
    ["fosdick", "fosdick"],
  ]) {
    asked(
      PippipBot,
      { kind: "call", callable: [2], suitLimits: [], windows: sent },
      {
        call(view) {
          assert.equal(view.windows, windows);
          return [];
        },
      },
    );
  }
  const king = {
    kind: "reinforce",
    cells: [4],
    owners: [0],
    turned: [38],
    conquest: [],
    attacks: [],
    advances: [],
    deployments: [],
  };
  const declines = { reinforce: () => null };
  assert.deepEqual(asked(DominionBot, { ...king, optionalArmy: true }, declines), { passed: {} });
  assert.deepEqual(asked(DominionBot, { ...king, optionalArmy: true }), { reinforce: 4 });
  assert.throws(() => asked(DominionBot, { ...king, optionalArmy: false }, declines), /must return one of view.cells/);
});

test("an async method is awaited", async () => {
  const later = (value) => async () => value;
  assert.deepEqual(
    await asked(SerpentBot, { kind: "lead", playable: [7], myRow: [], otherRow: [], lead: [] }, { lead: later(7) }),
    { lead: Buffer.from([7]) },
  );
  assert.deepEqual(await asked(WichitaBot, { kind: "draw" }, { draw: later(true) }), { draw: true });
  await assert.rejects(
    async () => asked(WichitaBot, { kind: "draw" }, { draw: later(7) }),
    /must return true or false/,
  );
});

test("a misspelt method is named; a method that is used is not", () => {
  class MyBot extends SerpentBot {
    leed(view) {
      return view.playable[0];
    }
    answer(view) {
      return this.answers(view);
    }
    answers(view) {
      return view.playable[0];
    }
    value() {}
  }
  assert.deepEqual(hints(MyBot), ["MyBot has `leed`, which no question calls. Did you mean `lead`?"]);
  assert.deepEqual(hints(class Heir extends MyBot {}).length, 1);
  class Drawn extends WichitaBot {
    drawOn() {}
  }
  assert.deepEqual(hints(Drawn), ["Drawn has `drawOn`, which no question calls. Did you mean `draw`?"]);
  class Odd extends WichitaBot {
    draw() {
      console.log("draw?");
      return Math.random() < 0.5;
    }
  }
  assert.deepEqual(
    hints(Odd).map((hint) => hint.split(/[(.]/)[0]),
    ["Odd uses Math", "Odd prints"],
  );
});

/** Promised answers to questions at tables 1, 2, ..., how to keep them, and what was sent. */
function promises(count, timeLeftMs = 0) {
  const sent = [];
  const promised = new Promised((answers) => sent.push(answers));
  const keep = [];
  for (let table = 1; table <= count; table += 1) {
    promised.add({ table, number: 1, timeLeftMs }, new Promise((kept) => (keep[table] = () => kept(table))));
  }
  return { sent, promised, keep };
}

const turn = () => new Promise((passed) => setImmediate(passed));

test("promised answers are sent in the order of the questions", async () => {
  const { sent, promised, keep } = promises(4);
  for (const table of [3, 2]) keep[table]();
  promised.add({ table: 5, number: 1 }, 5); // given at once, behind promises
  await turn();
  assert.deepEqual(sent, []);
  keep[1]();
  await turn();
  assert.deepEqual(sent, [[1], [2, 3]]); // the slow one alone: answers in one message share its time
  keep[4]();
  await turn();
  assert.deepEqual(sent, [[1], [2, 3], [4], [5]]);
  assert.ok(!promised.isWaiting);
});

test("a match that is over holds up no other", async () => {
  const { sent, promised, keep } = promises(3);
  for (const table of [2, 3]) keep[table]();
  await turn();
  promised.drop(1);
  assert.deepEqual(sent, [[2], [3]]);
  keep[1]();
  await turn();
  assert.equal(sent.length, 2);
});

test("a promise that is never kept costs its own question", async (test) => {
  const clock = test.mock.method(globalThis, "setTimeout", () => {});
  const { sent, keep } = promises(3, 1000);
  for (const table of [2, 3]) keep[table]();
  await turn();
  assert.deepEqual(sent, []);
  const [giveUp, afterMs] = clock.mock.calls[0].arguments;
  assert.equal(afterMs, 1000);
  giveUp();
  const failed = "it did not answer within 1000 ms";
  assert.deepEqual(sent, [[{ table: 1, number: 1, failed }], [2, 3]]);
});
