// MyBot plays Wichita. How well? `pips-bot play my_bot greedy` tells.
import { rank, run, WichitaBot } from "pips-sdk";

const FULL_HAND = 8;
const KING = 13;

/**
 * Every match is played by a new MyBot, so what you keep in `this` lasts for one match. `view` is all that you may know,
 * for example `view.hand`, `view.dice` and `view.stockSize`. A card is a number; `rank(card)` is 1 for an ace, 13 for a
 * king.
 */
export class MyBot extends WichitaBot {
  /** You have drawn for the lower die: draw on, for the higher one? */
  draw(view) {
    return view.hand.length < FULL_HAND;
  }

  /** Pairs that make the sum of the dice, by adding or by subtracting. What do kings do? Try stacks of three. */
  lay(view) {
    const target = view.dice[0] + view.dice[1];
    const left = view.hand.filter((card) => rank(card) !== KING);
    const stacks = left.filter((card) => rank(card) === target).map((card) => [card]);
    let cards = left.filter((card) => rank(card) !== target);
    for (const one of cards) {
      const other = cards.find((card) => card !== one && this.makes(target, rank(one), rank(card)));
      if (other === undefined || !cards.includes(one)) continue;
      stacks.push([one, other]);
      cards = this.without(this.without(cards, one), other);
    }
    return stacks;
  }

  makes(target, a, b) {
    return a + b === target || Math.abs(a - b) === target;
  }

  /** The cards less one of these: with several packs there may be two of it. */
  without(cards, card) {
    return cards.filter((_, place) => place !== cards.indexOf(card));
  }
}

run(MyBot);
