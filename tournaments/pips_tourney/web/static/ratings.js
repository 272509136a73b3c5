// The names of bots and contests, and their ratings in words.
import { h, span } from "./dom.js";
import { about } from "./state.js";

export const botLink = (bot) =>
  about.night.bots.includes(bot)
    ? h(
        "a",
        {
          href: `#/bots/${encodeURIComponent(bot)}`,
          title: bot.length > 14 ? bot : null,
          class: (about.own || []).includes(bot) ? "own" : null,
        },
        bot,
        (about.own || []).includes(bot) && h("span.unseen", " (yours)"),
      )
    : bot;

// Tabs to the same page of each contest.
export const tabs = (page, shown, all) =>
  h(
    "nav.tabs",
    { "aria-label": "Contests" },
    all.map((one) =>
      h(
        "a",
        { href: `#/${page}/${encodeURIComponent(one.label)}`, "aria-current": one === shown ? "page" : null },
        one.label,
      ),
    ),
  );
export const eloText = (row) => {
  if (row.elo !== null) return String(Math.round(row.elo));
  const limit = row.bound === ">" ? row.low : row.high;
  return limit === null ? "?" : `${row.bound} ${Math.round(limit)}`;
};
export const eloInterval = (row) => row.note || (row.bound ? "" : span(row, Math.round));
export const chance = (share) =>
  share === null ? "" : share > 0.999 ? "> 99.9 %" : share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
// How far bot `a` is above `b` in Elo, in whichever order the standings name them.
export const difference = (one, a, b) => {
  const differences = one.differences || [];
  const found = differences.find((each) => each.a === a && each.b === b);
  if (found) return found;
  const back = differences.find((each) => each.a === b && each.b === a);
  const minus = (value) => (value === null ? null : -value);
  return (
    back && {
      ...back,
      elo: minus(back.elo),
      low: minus(back.high),
      high: minus(back.low),
      better: back.better === null ? null : 1 - back.better,
    }
  );
};

export const pairPath = (a, b, label = "") =>
  ["pair", a, b, label]
    .filter(Boolean)
    .map((part, place) => (place ? encodeURIComponent(part) : part))
    .join("/");
