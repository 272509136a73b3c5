/**
 * Write a bot for Pips in JavaScript: extend a game's class and run it.
 *
 *     import { run, SerpentBot } from "pips-sdk";
 *
 *     class MyBot extends SerpentBot {
 *       lead(view) {
 *         return view.playable.at(-1);
 *       }
 *     }
 *     run(MyBot);
 */
export { Bot, GameBot } from "./bot.js";
export { CARDS, cardName, rank, suit, SUITS } from "./cards.js";
export { DominionBot, PippipBot, SerpentBot, WichitaBot } from "./games.js";
export { run } from "./play.js";
