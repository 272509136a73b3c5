// Rounds: the bracket of a knockout, the tables of a Swiss tournament.
import { count, h, percent, scroll } from "./dom.js";
import { botLink, eloInterval, eloText } from "./ratings.js";
import { about } from "./state.js";

export const isBracket = (one) => (one.rounds || []).some((round) => round.through);
const bots = (table) => table.map((each) => each.bot);

// The tables of a round, in the order in which their winners meet, so that lines do not cross.
function ordered(rounds) {
  const shown = rounds.map((round) => [...round.tables]);
  for (let number = rounds.length - 2; number >= 0; number -= 1) {
    const next = shown[number + 1].flatMap(bots);
    const place = (table) =>
      Math.min(...bots(table).map((bot) => (next.includes(bot) ? next.indexOf(bot) : Infinity)), 1e6);
    shown[number].sort((a, b) => place(a) - place(b));
  }
  return shown;
}

function names(one, number) {
  const left = one.rounds.length - number;
  if (!isBracket(one)) return `Round ${number + 1}`;
  const whole = one.rounds[number].tables.length;
  if (left === 1 && whole === 1) return "Final";
  return whole === 2 && left <= 2 ? "Semi-finals" : `Round ${number + 1}`;
}

const seat = (each, through, decided) => {
  const on = through && through.includes(each.bot);
  return h(
    "li",
    { class: decided ? (on ? "on" : through ? "out" : "") : "" },
    h("span.bot", botLink(each.bot)),
    h(
      "span.points",
      each.points === null ? "" : percent(each.points),
      on && decided ? h("span.unseen", " goes on") : "",
    ),
  );
};

// All rounds so far, one column each.
export const rounds = (one, level = "h2") => {
  if (!one.rounds || !one.rounds.length) return null;
  const shown = isBracket(one) ? ordered(one.rounds) : one.rounds.map((round) => round.tables);
  return h(
    "section.rounds-of",
    { "data-key": `rounds-${one.label}` },
    h(level, isBracket(one) ? "Bracket" : "Rounds"),
    scroll(
      `${isBracket(one) ? "Bracket" : "Rounds"}: ${one.label}`,
      h(
        "ol",
        { class: `rounds${isBracket(one) ? " bracket" : ""}` },
        one.rounds.map((round, number) => {
          const decided = round.tables.every((table) => table.every((each) => each.points !== null));
          return h(
            "li.round",
            h("h3", names(one, number)),
            h(
              "div.tables",
              shown[number].map((table) =>
                h(
                  "ul.table",
                  [...table]
                    .sort((a, b) => (b.points ?? 0) - (a.points ?? 0))
                    .map((each) => seat(each, round.through, decided)),
                  table.some((each) => round.by_seed?.includes(each.bot)) && h("li.byes", "the seed decided"),
                ),
              ),
              round.byes.length > 0 &&
                h(
                  "p.byes",
                  round.byes.length > 1 ? "Without a match: " : "Sits out: ",
                  round.byes.map((bot, place) => [place ? ", " : "", botLink(bot)]),
                ),
            ),
          );
        }),
      ),
    ),
  );
};

// The winners, in a sentence. Empty until it is certain that no match follows.
export const winner = (one) => {
  const night = about.night,
    first = one.rows[0];
  if (!night.over || !first) return null;
  const last = isBracket(one) ? one.rounds.at(-1) : null;
  if (last && !(last.through && last.through.length === 1)) return null;
  const level = !last && one.rows[1]?.rank === first.rank;
  const final = last && last.tables.flat().find((each) => each.bot === first.bot);
  const share = last ? final?.points : first.points_percent && first.points_percent / 100;
  const matches = last ? "" : ` in ${count(first.matches, "match", "matches")}`;
  const points = Number.isFinite(share) ? ` with ${percent(share)} of the points${matches}` : "";
  return h(
    "p.winner",
    h("span.laurel", { "aria-hidden": "true" }, "★ "),
    h("b", first.bot),
    level
      ? ` and ${one.rows[1].bot} are level at the top`
      : ` has won ${last ? "the final" : one.game ? one.label : "the night"}`,
    level ? "" : points,
    last?.by_seed ? "; the seed decided." : ".",
  );
};

// Three steps, the first in the middle. Bots that share a place share a step.
export const podium = (one) => {
  if (!about.night.over || one.rows.length < 2) return null;
  const steps = [1, 2, 3].map((step) =>
    one.rows
      .slice(0, 4)
      .filter((each, at) => Math.min(each.rank, 3) === step && (at < 3 || each.rank === one.rows[2].rank)),
  );
  return h(
    "ol.podium",
    { "aria-label": "The first three" },
    [1, 0, 2]
      .filter((step) => steps[step].length)
      .map((step) =>
        h(
          "li",
          { class: `step${step + 1}` },
          steps[step].map((each) => h("span.bot", { title: each.bot }, each.bot)),
          h(
            "span.block",
            h("b", step + 1),
            steps[step].length === 1 && [
              h("small", `${eloText(steps[step][0])} Elo`),
              h("small", eloInterval(steps[step][0])),
            ],
          ),
        ),
      ),
  );
};
