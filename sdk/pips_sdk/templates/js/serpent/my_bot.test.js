// Tests of MyBot: run `node --test` in this folder.
import assert from "node:assert";
import { test } from "node:test";
import { MyBot } from "./my_bot.js";

const [AS, KC, FIVE] = [39, 12, 4]; // the ace of spades, the king and the five of clubs
const view = { seat: 0, playable: [KC, FIVE], lead: AS, myRow: [null, null, null, null, null, null] };

test("the director answers with a rank that is near", () => {
  assert.equal(new MyBot().answer({ ...view, director: 0 }), FIVE);
});

test("the defender answers with one that is far away", () => {
  assert.equal(new MyBot().answer({ ...view, director: 1 }), KC);
});
