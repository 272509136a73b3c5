// Tests of MyBot: run `node --test` in this folder.
import assert from "node:assert";
import { test } from "node:test";
import { MyBot } from "./my_bot.js";

const [ACE, KING] = [0, 12]; // of clubs
const view = { playfield: [KING, ACE], armies: [3, 1], mustAttack: false };

test("it attacks where it is stronger", () => {
  const attacks = [{ source: 0, target: 1 }];
  assert.deepEqual(new MyBot().attack({ ...view, attacks }), attacks[0]);
});

test("it stops where it is not", () => {
  assert.equal(new MyBot().attack({ ...view, attacks: [{ source: 1, target: 0 }] }), null);
});
