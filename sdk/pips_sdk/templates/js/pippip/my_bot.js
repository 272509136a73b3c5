// MyBot plays Pip-Pip!. How well? `pips-bot play my_bot greedy` tells.
import { PippipBot, rank, run, suit } from "pips-sdk";

const POINTS = { 2: 11, 1: 10, 13: 5, 12: 4, 11: 3 }; // by rank; the others bring nothing
const RANKS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1, 2]; // the highest last

const points = (card) => POINTS[rank(card)] ?? 0;

/**
 * Every match is played by a new MyBot, so what you keep in `this` lasts for one match. `view` is all that you may know,
 * for example `view.hidden`, `view.trick` and `view.trumps`. A card is a number; `rank(card)` is 1 for an ace, 13 for a
 * king. What you do not write is done by PippipBot in a simple way: its `call` calls every pair at once.
 */
export class MyBot extends PippipBot {
  /** The card to lead, or to follow with: one of `view.playable`. */
  play(view) {
    const worth = view.trick.reduce((sum, card) => sum + points(card), 0);
    const cheapestFirst = [...view.playable].sort((a, b) => points(a) - points(b));
    const winning = cheapestFirst.filter((card) => this.wins(card, view));
    return worth > 0 && winning.length ? winning.at(-1) : cheapestFirst[0];
  }

  /** Whether it is the highest of the trick so far: trumps first, then the suit that was led. */
  wins(card, view) {
    const led = suit(view.trick[0] ?? card);
    const height = (one) => RANKS.indexOf(rank(one)) + (suit(one) === view.trumps ? 40 : suit(one) === led ? 20 : 0);
    return view.trick.every((other) => height(other) <= height(card));
  }
}

run(MyBot);
