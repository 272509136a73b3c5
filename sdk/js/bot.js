import { createHash } from "node:crypto";

/** The base of the four games' classes. A new instance is made for every match. */
export class Bot {
  /** The game that a class plays, by its name. */
  static game = "";

  seat = 0; // this bot's seat, from 0
  seats = 0; // how many play
  options = {}; // the game's
  #seed = Buffer.alloc(32);
  #number = 0;
  #drawn = 0;

  /** The match begins; `seat`, `seats` and `options` are set. */
  onStart() {}

  /** An event this seat may see: `event.kind` and `event.value`, as in the contract. */
  onEvent(event) {}

  /** The match is over: `places` and `scores` by seat. */
  onFinish(outcome) {}

  /**
   * A number from 0 to 1, 1 excluded. Use no other randomness: a question that is
   * asked again then gets the same numbers. It has the match's luck from `onStart` on.
   * In the constructor it has no seed yet, and draws the same numbers every time.
   */
  random() {
    const count = Buffer.alloc(16);
    count.writeUInt32BE(this.#number, 4);
    count.writeUInt32BE(this.#drawn++, 12);
    return createHash("sha256").update(this.#seed).update(count).digest().readUIntBE(0, 6) / 2 ** 48;
  }

  /** One of these; all are equally likely. */
  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  /** Called by the SDK before `onStart`. */
  begin(seat, seats, options, seed) {
    Object.assign(this, { seat, seats, options });
    this.#seed = seed;
    this.#number = this.#drawn = 0; // discards what its constructor drew
    return this.onStart();
  }

  /** Called by the SDK: the action for question `number`, as the contract has it. */
  ask(number, view) {
    this.#number = number;
    this.#drawn = 0;
    return this.choose(view);
  }

  /**
   * Answer a question. The games' classes call one method per kind of question. Such a
   * method may be async. Until its promise is kept, other tables are asked.
   */
  choose(view) {
    throw new TypeError(`${this.constructor.name} extends Bot itself: extend a game's class, or GameBot`);
  }
}

/**
 * The base of bots of any other game, which a class names as its `game`. A method answers
 * the kind of question that it is named after. Views, events and actions are the JSON of
 * docs/lines.md: the method returns an action such as `{ kind: "roll" }`.
 */
export class GameBot extends Bot {
  choose(view) {
    const { kind } = view;
    if (kind in GameBot.prototype || typeof this[kind] !== "function")
      throw new TypeError(`${this.constructor.name} has no method ${kind}()`);
    return when(this[kind](view), (got) => {
      check(this, kind, typeof got?.kind === "string", 'an action, such as { kind: "roll" }', got);
      return got;
    });
  }
}

/** Go on with what a bot's method returned: at once, or when its promise is kept. */
export function when(got, goOn) {
  return typeof got?.then === "function" ? Promise.resolve(got).then(goOn) : goOn(got);
}

/** A function by its name, and not by all its code. */
const named = (got) => (typeof got === "function" ? `[Function: ${got.name}]` : String(got));

/** Throw unless a method's result `holds`; `expected` says what it should have been. */
export function check(bot, method, holds, expected, got) {
  if (holds) return;
  const hint = got === undefined ? " (did it forget its `return`?)" : "";
  const told = typeof got === "object" || typeof got === "string" ? JSON.stringify(got) : named(got);
  throw new TypeError(`${bot.constructor.name}.${method}() must return ${expected}, but it returned ${told}${hint}`);
}
