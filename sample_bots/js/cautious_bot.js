// Serpent: ranks that are close make points, so the director lays them side by side and the defender does not.
// Pip-Pip!: takes a trick only where nobody can beat it any more, and otherwise gives away little.
import { PippipBot, rank, run, SerpentBot, suit } from "pips-sdk";

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The one of the list with the least worth. */
const least = (list, worth) => list.reduce((best, one) => (worth(one) < worth(best) ? one : best));

/** Three for equal ranks, two for neighbours on the circle, one for the next but one, else nothing. */
function closeness(card, other) {
  const apart = Math.abs(card - other) % 13;
  return Math.max(0, 3 - Math.min(apart, 13 - apart));
}

class CautiousSerpent extends SerpentBot {
  give(view) {
    return this.worst(view.playable);
  }

  reveal(view) {
    return this.worst(view.playable);
  }

  lead(view) {
    return this.best(view);
  }

  answer(view) {
    return this.best(view);
  }

  /** The three that fit the others least. */
  worst(cards) {
    const fit = (card) => sum(cards.map((other) => closeness(card, other)));
    return [...cards].sort((a, b) => fit(a) - fit(b)).slice(0, 3);
  }

  best(view) {
    const left = view.myRow[view.myRow.indexOf(null) - 1];
    const beside = [left, view.lead].filter((card) => card !== undefined);
    const wanted = view.director === view.seat ? -1 : 1;
    return least(view.playable, (card) => wanted * sum(beside.map((other) => closeness(card, other))));
  }
}

const POINTS = { 2: 11, 1: 10, 13: 5, 12: 4, 11: 3 }; // by rank; the others bring nothing
const RANKS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1, 2]; // the highest last

const points = (card) => POINTS[rank(card)] ?? 0;
const height = (card) => RANKS.indexOf(rank(card));

class CautiousPippip extends PippipBot {
  play(view) {
    const isLast = view.trick.length === view.points.length - 1;
    const winning = isLast ? view.playable.filter((card) => this.wins(card, view)) : [];
    const worth = (card) => 40 * points(card) + 20 * (suit(card) === view.trumps) + height(card);
    return least(winning.length ? winning : view.playable, worth);
  }

  /** Whether no card of the trick beats this one; of two equal cards the later one is higher. */
  wins(card, { trick, trumps }) {
    const strength = (one) => (suit(one) === trumps ? 20 : suit(one) === suit(trick[0]) ? 1 : 0) * (1 + height(one));
    return trick.every((other) => strength(other) <= strength(card));
  }
}

run(CautiousSerpent, CautiousPippip);
