// Any legal answer will do: all four games in one file.
import { DominionBot, PippipBot, rank, run, SerpentBot, WichitaBot } from "pips-sdk";

const KING = 13;

/** `count` of these, any of them. */
function some(bot, list, count) {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(Math.floor(bot.random() * left.length), 1)[0]);
}

class RandomSerpent extends SerpentBot {
  give(view) {
    return some(this, view.playable, 3);
  }

  reveal(view) {
    return some(this, view.playable, 3);
  }

  lead(view) {
    return this.pick(view.playable);
  }

  answer(view) {
    return this.pick(view.playable);
  }
}

class RandomPippip extends PippipBot {
  call(view) {
    return some(this, view.callable, Math.floor(this.random() * (view.callable.length + 1)));
  }

  play(view) {
    return this.pick(view.playable);
  }
}

class RandomWichita extends WichitaBot {
  draw() {
    return this.random() < 0.5;
  }

  /** Cards that add up to the dice, in whatever order they come; kings stay in the hand. */
  lay(view) {
    const target = view.dice[0] + view.dice[1];
    const stacks = [];
    let stack = [];
    for (const card of some(this, view.hand, view.hand.length)) {
      if (rank(card) === KING) continue;
      const sum = stack.reduce((total, other) => total + rank(other), rank(card));
      if (sum <= target) stack.push(card);
      if (sum === target) {
        stacks.push(stack);
        stack = [];
      }
    }
    return stacks;
  }
}

class RandomDominion extends DominionBot {
  resign() {
    return this.random() < 0.5;
  }

  declare() {
    return this.random() < 0.5;
  }

  reinforce(view) {
    return this.pick(view.cells);
  }

  remove(view) {
    return this.pick(view.cells);
  }

  attack(view) {
    return this.pick(view.mustAttack ? view.attacks : [null, ...view.attacks]);
  }

  conquer(view) {
    return Math.floor(this.random() * (view.conquest.most + 1));
  }

  advance(view) {
    return this.some(view.advances);
  }

  deploy(view) {
    return this.some(view.deployments);
  }

  /** One of these moves, or none, with any number of armies. */
  some(moves) {
    const move = this.pick([null, ...moves]);
    return move && { ...move, count: 1 + Math.floor(this.random() * move.count) };
  }
}

run(RandomSerpent, RandomPippip, RandomWichita, RandomDominion);
