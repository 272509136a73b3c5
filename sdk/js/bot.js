import { createHash } from "node:crypto";

/** The base of the four games' classes. A new instance is made for every match. */
export class Bot {
  /** The game a class plays: "serpent", "wichita", "pippip" or "dominion". */
  static game = "";

  seat = 0; // this bot's seat, from 0
  seats = 0; // how many play
  options = {}; // the game's
  #seed = Buffer.alloc(32);
  #number = 0;
  #drawn = 0;

  /** The match begins; `seat`, `seats` and `options` are set. */
  onStart() {}

  /** Something happened that this seat may know of: `event.kind` says what, `event.value` how, as in the contract. */
  onEvent(event) {}

  /** The match is over: `places` and `scores` by seat. */
  onFinish(outcome) {}

  /**
   * From 0 to 1, 1 excluded. The only luck to use: it is the same again when the same question is asked again.
   * A match's luck is there from `onStart` on: in the constructor the bot has none yet, and draws the same every time.
   */
  random() {
    const count = Buffer.alloc(16);
    count.writeUInt32BE(this.#number, 4);
    count.writeUInt32BE(this.#drawn++, 12);
    return createHash("sha256").update(this.#seed).update(count).digest().readUIntBE(0, 6) / 2 ** 48;
  }

  /** Any of these, each as likely. */
  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  /** Called by the SDK before `onStart`. */
  begin(seat, seats, options, seed) {
    Object.assign(this, { seat, seats, options });
    this.#seed = seed;
    this.#number = this.#drawn = 0; // whatever its constructor drew
    this.onStart();
  }

  /** Called by the SDK: the action for question `number`, as the contract has it. */
  ask(number, view) {
    this.#number = number;
    this.#drawn = 0;
    return this.choose(view);
  }

  /** Answer a question. The games' classes call one method for each kind of question. */
  choose(view) {
    throw new TypeError(`${this.constructor.name} extends Bot itself: extend SerpentBot or another game's class`);
  }
}

/** Throw unless what a method returned holds; `expected` says what it should have been. */
export function check(bot, method, holds, expected, got) {
  if (holds) return;
  const hint = got === undefined ? " (did it forget its `return`?)" : "";
  const told = typeof got === "object" || typeof got === "string" ? JSON.stringify(got) : String(got);
  throw new TypeError(`${bot.constructor.name}.${method}() must return ${expected}, but it returned ${told}${hint}`);
}
