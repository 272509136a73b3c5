// MyBot plays GAME_TITLE. How well? `pips-bot play my_bot random` tells.
import { GameBot, run } from "pips-sdk";

/**
 * Every match is played by a new MyBot, so what you keep in `this` lasts for one match. `view` is all that you may know.
 * A method answers the kind of question that it is named after: every_kind. It returns an action as JSON, such as
 * `{ kind: "roll" }`; the rulebook says which there are.
 */
export class MyBot extends GameBot {
  static game = "GAME";

  first_kind(view) {
    return { kind: "TODO" };
  }
}

run(MyBot);
