// The four games' bots: what a view is to them, and what the contract makes of their answers.
// Each method is a kind of question and has a legal default, so a bot overrides just the ones it cares about.
import { Bot, check } from "./bot.js";

const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 255;
const isList = (values) => Array.isArray(values) && values.every(isCount);
const bytes = (values) => Buffer.from(values);
const orNull = (values) => values.map((value) => (value === 255 ? null : value));

/** [1, 2, 3, 4] by source and target is two objects, each with both. */
function grouped(values, ...names) {
  const groups = [];
  for (let at = 0; at < values.length; at += names.length) {
    groups.push(Object.fromEntries(names.map((name, place) => [name, values[at + place]])));
  }
  return groups;
}

/** Cards are numbers; cards.js has their ranks, suits and names. */
export class SerpentBot extends Bot {
  static game = "serpent";

  /** Director: three cards of `view.playable` for the defender, face up. */
  give(view) {
    return view.playable.slice(0, 3);
  }

  /** Director: three cards of `view.playable` to turn face up. */
  reveal(view) {
    return view.playable.slice(0, 3);
  }

  /** The first card of a column: one of `view.playable`. */
  lead(view) {
    return view.playable[0];
  }

  /** The answer to `view.lead`: one of `view.playable`. */
  answer(view) {
    return view.playable[0];
  }

  /** In `view.myRow` and `view.otherRow` null is an empty cell. */
  choose(view) {
    const { kind } = view;
    const got = this[kind]({ ...view, myRow: orNull(view.myRow), otherRow: orNull(view.otherRow), lead: view.lead[0] });
    const isOne = kind === "lead" || kind === "answer";
    check(this, kind, isOne ? isCount(got) : isList(got), isOne ? "a card" : "an array of three cards", got);
    return { [kind]: bytes(isOne ? [got] : got) };
  }
}

export class WichitaBot extends Bot {
  static game = "wichita";

  /** Whether to draw on, up to the higher die. */
  draw(view) {
    return false;
  }

  /** The stacks to lay down, arrays of cards of `view.hand`; [] for none. */
  lay(view) {
    return [];
  }

  choose(view) {
    const got = this[view.kind](view);
    if (view.kind === "draw") {
      check(this, "draw", typeof got === "boolean", "true or false", got);
      return { draw: got };
    }
    check(this, "lay", Array.isArray(got) && got.every(isList), "an array of stacks, each an array of cards", got);
    return { lay: { stacks: got.map(bytes) } };
  }
}

export class PippipBot extends Bot {
  static game = "pippip";

  /** The suits of the pairs to call now, in order: some or all of `view.callable`; [] for none. */
  call(view) {
    return view.callable;
  }

  /** The card to lead or follow with: one of `view.playable`. */
  play(view) {
    return view.playable[0];
  }

  /** `view.faceUp` and `view.suitLimits` are by seat. Of two equal cards the one that lies face up is played. */
  choose(view) {
    const suitLimits = grouped(view.suitLimits, 0, 1, 2, 3).map((limits) => Object.values(limits));
    const got = this[view.kind]({ ...view, suitLimits });
    if (view.kind === "call") {
      check(this, "call", isList(got), "an array of suits, such as view.callable or []", got);
      return { call: bytes(got) };
    }
    check(this, "play", isCount(got), "a card, such as view.playable[0]", got);
    return { [view.faceUp[view.seat].includes(got) ? "playFaceUp" : "play"]: bytes([got]) };
  }
}

/** A cell is its number, row by row from the top left, from 0. */
export class DominionBot extends Bot {
  static game = "dominion";

  /** You have no armies left: leave the match? */
  resign(view) {
    return false;
  }

  /** Turn a card, and attack at least once? */
  declare(view) {
    return false;
  }

  /** A red king: the cell of `view.cells` that gets an army. */
  reinforce(view) {
    return view.cells[0];
  }

  /** A black king: the cell of `view.cells` that loses one. */
  remove(view) {
    return view.cells[0];
  }

  /** One of `view.attacks`; null for no more, not if `view.mustAttack`. */
  attack(view) {
    return view.mustAttack ? view.attacks[0] : null;
  }

  /** How many armies move in, 0 to `view.conquest.most`? */
  conquer(view) {
    return 1;
  }

  /** One of `view.advances`, with its count or a smaller one; or null. */
  advance(view) {
    return null;
  }

  /** One of `view.deployments`, with its count or a smaller one; or null. */
  deploy(view) {
    return view.deployments[0];
  }

  /** In `view.owners` null is nobody. */
  choose(view) {
    const { kind } = view;
    const got = this[kind]({
      ...view,
      owners: orNull(view.owners),
      turned: view.turned[0],
      attacks: grouped(view.attacks, "source", "target"),
      conquest: grouped(view.conquest, "source", "target", "most")[0],
      advances: grouped(view.advances, "source", "target", "count"),
      deployments: grouped(view.deployments, "cell", "count"),
    });
    if (kind === "resign" || kind === "declare") {
      check(this, kind, typeof got === "boolean", "true or false", got);
      return got ? { [kind]: {} } : { passed: {} };
    }
    if (kind === "conquer" || kind === "reinforce" || kind === "remove") {
      check(this, kind, isCount(got), kind === "conquer" ? "a number of armies" : "one of view.cells", got);
      return { [kind]: got };
    }
    const isMove = got === null || (typeof got === "object" && isList(Object.values(got)));
    check(this, kind, isMove, "one of those in the view, or null", got);
    return got === null ? { passed: {} } : { [kind]: got };
  }
}
