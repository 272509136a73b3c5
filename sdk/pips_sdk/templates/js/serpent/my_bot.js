// MyBot plays Serpent. How well? `pips-bot play my_bot greedy` tells.
import { rank, run, SerpentBot } from "pips-sdk";

/**
 * Every match is played by a new MyBot, so what you keep in `this` lasts for one match. `view` is all that you may know,
 * for example `view.hidden`, `view.myRow` and `view.otherRow`. A card is a number; `rank(card)` is 1 for an ace, 13 for
 * a king. What you do not write, such as `give` and `reveal`, is done by SerpentBot in a simple way.
 */
export class MyBot extends SerpentBot {
  /** The card to begin a column with. */
  lead(view) {
    return this.best(
      view,
      view.myRow.findLast((card) => card !== null),
    );
  }

  /** The card to answer `view.lead` with. */
  answer(view) {
    return this.best(view, view.lead);
  }

  /** Ranks that are close make points: the director wants them side by side, the defender does not. */
  best(view, neighbour) {
    if (neighbour === undefined) return view.playable[0]; // the very first card
    const isDirector = view.director === view.seat;
    const apart = (card) => Math.abs(rank(card) - rank(neighbour));
    const sorted = [...view.playable].sort((a, b) => apart(a) - apart(b));
    return isDirector ? sorted[0] : sorted.at(-1);
  }
}

run(MyBot);
