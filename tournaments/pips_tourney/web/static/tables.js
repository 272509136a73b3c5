// The boards of some matches in progress. They are updated only while they are shown.
import { draw } from "./boards.js";
import { count, h, quiet } from "./dom.js";
import { about, redraw, views } from "./state.js";

let source = null,
  told;

function follow() {
  source = new EventSource("tables");
  source.addEventListener("tables", (event) => {
    told = JSON.parse(event.data);
    redraw();
  });
}
export const followTables = () => {
  if (!source) follow();
};
export const tablesTold = () => told;
export const stopTables = () => {
  if (source) source.close();
  source = null;
};

const board = (one) =>
  h(
    "article.live",
    { "data-key": one.id },
    h("h2", one.names.join(" – "), h("span.quiet", ` ${one.contest}`)),
    h("p.say", one.say),
    draw(one.game, one.table, { names: one.names, seat: null }),
  );

views.tables = () => {
  followTables();
  const title = h("h1", "Tables"),
    alone = (text) => [title, quiet(text)];
  if (told === undefined) return alone("They are being looked at …");
  if (told === null)
    return alone(
      about.night.over
        ? "The night is over: nothing is being played."
        : "The tables are known where the night is played with --web; here only what is stored can be seen.",
    );
  return [
    title,
    quiet(
      `${count(told.list.length, "match", "matches")} under way. ${told.open ? "All cards are shown." : "Only matches that are the last of their deals are drawn, and only cards that lie open."}`,
    ),
    h("div.boards", told.boards.map(board)),
  ];
};
