// The conformance bot in JavaScript, run against the transcripts. docs/protocol.md says
// how it answers.
import { DominionBot, PippipBot, rank, run, SerpentBot, WichitaBot } from "./index.js";

const FAILS = 7;
const IS_LATE = 8;
const IS_SLOW = 9;
const SLOW_MS = 50;

class Serpent extends SerpentBot {
  lead(view) {
    return this.first(view);
  }

  answer(view) {
    return this.first(view);
  }

  first(view) {
    if (this.options.maxTiebreaks === FAILS) throw new Error("I was told to fail");
    if (this.options.maxTiebreaks === IS_LATE)
      return new Promise((kept) => setTimeout(kept, SLOW_MS, view.playable[0]));
    const began = performance.now();
    while (this.options.maxTiebreaks === IS_SLOW && performance.now() - began < SLOW_MS);
    return view.playable[0];
  }
}

class Wichita extends WichitaBot {
  heard = 0;

  onEvent() {
    this.heard += 1;
  }

  draw() {
    return this.heard % 2 === 0;
  }

  lay(view) {
    return view.hand.filter((card) => rank(card) === view.dice[0] + view.dice[1]).map((card) => [card]);
  }
}

class Pippip extends PippipBot {
  heard = 0;

  onEvent() {
    this.heard += 1;
  }

  call(view) {
    return this.heard % 2 === 0 ? view.callable : [];
  }
}

class Dominion extends DominionBot {
  declare() {
    return true;
  }

  reinforce(view) {
    return view.optionalArmy ? null : view.cells[0];
  }

  attack(view) {
    return view.attacks[0];
  }

  conquer(view) {
    return view.conquest.most;
  }

  advance(view) {
    return view.advances[0];
  }

  deploy(view) {
    return view.deployments[0];
  }
}

run(Serpent, Wichita, Pippip, Dominion);
