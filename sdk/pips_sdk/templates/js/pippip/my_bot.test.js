// Tests of MyBot: run `node --test` in this folder.
import assert from "node:assert";
import { test } from "node:test";
import { MyBot } from "./my_bot.js";

const [THREE_OF_CLUBS, ACE_OF_CLUBS, TWO_OF_CLUBS, THREE_OF_HEARTS] = [2, 0, 1, 28];
const HEARTS = 2;

test("it takes a trick that has points, with the card that brings most itself", () => {
  const view = { trick: [ACE_OF_CLUBS], playable: [THREE_OF_CLUBS, TWO_OF_CLUBS], trumps: HEARTS };
  assert.equal(new MyBot().play(view), TWO_OF_CLUBS);
});

test("a small trump beats the ace of another suit", () => {
  const view = { trick: [ACE_OF_CLUBS], trumps: HEARTS };
  assert.ok(new MyBot().wins(THREE_OF_HEARTS, view));
  assert.ok(!new MyBot().wins(THREE_OF_CLUBS, view));
});
