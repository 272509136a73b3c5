// Tests of MyBot: run `node --test` in this folder.
import assert from "node:assert";
import { test } from "node:test";
import { MyBot } from "./my_bot.js";

const [TWO, THREE, FIVE, NINE, KING] = [1, 2, 4, 8, 12]; // of clubs

test("it lays cards that make five: alone, added, subtracted", () => {
  const view = { dice: [1, 4], hand: [TWO, THREE, FIVE, KING] };
  assert.deepEqual(new MyBot().lay(view), [[FIVE], [TWO, THREE]]);
});

test("it lays nothing when nothing makes five", () => {
  assert.deepEqual(new MyBot().lay({ dice: [1, 4], hand: [NINE, KING] }), []);
});
