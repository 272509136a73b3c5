// The four games' bots: their views, and their answers as the contract has them. Each
// method answers one kind of question. It has a legal default, so a bot overrides the
// ones that it cares about.
import { Bot, check, when } from "./bot.js";

const below = (limit) => (value) => Number.isInteger(value) && value >= 0 && value < limit;
const [isCount, isCard, isSuit] = [255, 52, 4].map(below);
/** Whether it is an array, without holes, whose items all satisfy `is`. */
const isListOf = (is) => (values) => Array.isArray(values) && [...values].every(is);
const isCards = isListOf(isCard);
const bytes = (values) => Buffer.from(values);
const orNull = (values) => values.map((value) => (value === 255 ? null : value));

/** For example, [1, 2, 3, 4] by source and target gives two objects with both keys. */
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
    const [hands, maxHands] = [view.hands || 8, view.maxHands || 28]; // 0 is the default
    const rows = { myRow: orNull(view.myRow), otherRow: orNull(view.otherRow) };
    const isOne = kind === "lead" || kind === "answer";
    const expected = isOne ? "a card (0 to 51)" : "an array of three cards (each 0 to 51)";
    return when(this[kind]({ ...view, ...rows, lead: view.lead[0], hands, maxHands }), (got) => {
      check(this, kind, isOne ? isCard(got) : isCards(got), expected, got);
      return { [kind]: bytes(isOne ? [got] : got) };
    });
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
    return when(this[view.kind](view), (got) => {
      if (view.kind === "draw") {
        check(this, "draw", typeof got === "boolean", "true or false", got);
        return { draw: got };
      }
      check(this, "lay", isListOf(isCards)(got), "an array of stacks, each an array of cards (0 to 51)", got);
      return { lay: { stacks: got.map(bytes) } };
    });
  }
}

export class PippipBot extends Bot {
  static game = "pippip";

  /** The suits of pairs to call now, in order, from `view.callable`; [] for none. */
  call(view) {
    return view.callable;
  }

  /** The card to lead or follow with: one of `view.playable`. */
  play(view) {
    return view.playable[0];
  }

  /**
   * `view.faceUp` and `view.suitLimits` are by seat. If two cards are equal, the one
   * face up is played.
   */
  choose(view) {
    const suitLimits = grouped(view.suitLimits, 0, 1, 2, 3).map((limits) => Object.values(limits));
    const windows = view.windows === "unspecified" ? "house" : view.windows;
    return when(this[view.kind]({ ...view, suitLimits, windows }), (got) => {
      if (view.kind === "call") {
        check(this, "call", isListOf(isSuit)(got), "an array of suits (0 to 3), such as view.callable or []", got);
        return { call: bytes(got) };
      }
      check(this, "play", isCard(got), "a card (0 to 51), such as view.playable[0]", got);
      return { [view.faceUp[view.seat].includes(got) ? "playFaceUp" : "play"]: bytes([got]) };
    });
  }
}

/** By kind of move, the view's field with the moves, and the parts of a move. */
const MOVES = {
  attack: ["attacks", ["source", "target"]],
  advance: ["advances", ["source", "target", "count"]],
  deploy: ["deployments", ["cell", "count"]],
};

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

  /**
   * A red king: the cell of `view.cells` to get an army, or null for none, if
   * `view.optionalArmy`.
   */
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
    const seen = {
      ...view,
      owners: orNull(view.owners),
      turned: view.turned[0],
      resigning: !view.noResigning,
      conquest: grouped(view.conquest, "source", "target", "most")[0],
      ...Object.fromEntries(Object.values(MOVES).map(([moves, names]) => [moves, grouped(view[moves], ...names)])),
    };
    return when(this[kind](seen), (got) => this.#action(view, got));
  }

  /** The contract's form of what a method returned. */
  #action(view, got) {
    const { kind } = view;
    if (kind === "resign" || kind === "declare") {
      check(this, kind, typeof got === "boolean", "true or false", got);
      return got ? { [kind]: {} } : { passed: {} };
    }
    if (kind === "reinforce" && got === null && view.optionalArmy) return { passed: {} };
    if (kind === "conquer" || kind === "reinforce" || kind === "remove") {
      check(this, kind, isCount(got), kind === "conquer" ? "a number of armies" : "one of view.cells", got);
      return { [kind]: got };
    }
    const [moves, names] = MOVES[kind];
    const isMove = got === null || names.every((name) => isCount(got?.[name]));
    check(this, kind, isMove, `null, or { ${names.join(", ")} } as in view.${moves}`, got);
    return got === null ? { passed: {} } : { [kind]: got };
  }
}
