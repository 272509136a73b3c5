// MyBot plays Dominion. How well? `pips-bot play my_bot greedy` tells.
import { DominionBot, rank, run } from "pips-sdk";

/**
 * Every match is played by a new MyBot, so what you keep in `this` lasts for one match. `view` is all that you may know; by
 * cell it has for example `view.playfield`, `view.owners` and `view.armies`. A card is a number; `rank(card)` is 1 for an
 * ace, 13 for a king. What you do not write, such as `conquer` and `advance`, is done by DominionBot in a simple way.
 */
export class MyBot extends DominionBot {
  /** Turn a card, and attack at least once? */
  declare(view) {
    return this.lead(view, this.best(view)) > 0;
  }

  /** One of `view.attacks`; null to stop, unless `view.mustAttack`. */
  attack(view) {
    const best = this.best(view);
    return view.mustAttack || this.lead(view, best) > 0 ? best : null;
  }

  /** The attack in which we are stronger by most. */
  best(view) {
    return [...view.attacks].sort((a, b) => this.lead(view, b) - this.lead(view, a))[0];
  }

  lead(view, { source, target }) {
    return this.strength(view, source) - this.strength(view, target);
  }

  /** The card and the armies on it; the rules know more that counts. */
  strength(view, cell) {
    return rank(view.playfield[cell]) + view.armies[cell];
  }

  /** As many armies as possible. */
  deploy(view) {
    return [...view.deployments].sort((a, b) => b.count - a.count)[0];
  }
}

run(MyBot);
