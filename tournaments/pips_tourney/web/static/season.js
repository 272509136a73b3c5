// The season: places over the nights, versions on one line, who improved, and each night.
import { h, percent, quiet, signed, span, table } from "./dom.js";
import { standings } from "./night.js";
import { botLink, chance } from "./ratings.js";
import { about, get, redraw, views } from "./state.js";

let season = null,
  asked = false,
  failed = "";

async function load() {
  asked = true;
  try {
    season = await get("api/season");
  } catch (error) {
    failed = error.message;
  }
  redraw();
}

// The table with a night's places: the overall table, if there is one.
const main = (night) => night.tables.find((one) => !one.game) || night.tables[0];
const rowOf = (night, each) => main(night).rows.find((row) => row.bot === each.names[night.number]);
const day = (night) => night.when.begun;

// A bot's place in a night, the change since its last night, and a mark for a new version.
function place(each, nights, number) {
  const row = rowOf(nights[number], each);
  if (!row) return "";
  const earlier = nights.slice(0, number).filter((night) => rowOf(night, each));
  const before = earlier.length ? rowOf(earlier.at(-1), each).rank : row.rank;
  const version = each.versions[nights[number].number];
  const changed = earlier.length > 0 && each.versions[earlier.at(-1).number] !== version;
  const moved = before - row.rank;
  return [
    h("b", row.rank),
    moved !== 0 && [
      h(
        "span",
        { class: `moved ${moved > 0 ? "up" : "down"}`, "aria-hidden": "true" },
        ` ${moved > 0 ? "▲" : "▼"}${Math.abs(moved)}`,
      ),
      h("span.unseen", moved > 0 ? `, up ${moved}` : `, down ${-moved}`),
    ],
    changed && h("small.version", { title: "It had changed since its last night" }, `version ${version}`),
  ];
}

function places() {
  const nights = season.nights;
  return table(
    "season",
    "Places in each night",
    [
      { name: "Bot", value: (each) => each.bot, cell: (each) => botLink(Object.values(each.names).at(-1)), head: true },
      ...nights.map((night, number) => ({
        name: `Night ${night.number}`,
        value: (each) => -(rowOf(night, each) || { rank: 1e6 }).rank,
        cell: (each) => place(each, nights, number),
        kind: "number",
      })),
      { name: "Season Elo", value: (each) => each.season?.elo, as: (elo) => h("b", Math.round(elo)), kind: "number" },
      {
        name: "95 %",
        cell: (each) => (each.season ? span(each.season, Math.round) : ""),
        said: "95 %",
        kind: "middle",
      },
    ],
    season.bots.filter((each) => nights.some((night) => rowOf(night, each))),
    { start: { column: nights.length + 1, down: 1 }, className: "season" },
  );
}

function improved() {
  if (!season.improved.length) return quiet("No bot has changed between the nights, or too little was played to tell.");
  return [
    table(
      "improved",
      "Last version against first",
      [
        { name: "Bot", value: (each) => each.bot, cell: (each) => botLink(each.bot), head: true },
        { name: "Nights", value: (each) => each.to, cell: (each) => `${each.from} → ${each.to}`, kind: "number" },
        { name: "Elo", value: (each) => each.elo, as: (elo) => signed(elo), kind: "number" },
        { name: "95 %", value: (each) => each.low, cell: (each) => span(each), kind: "middle" },
        { name: "Chance that it is better", value: (each) => each.better, as: chance, kind: "number" },
      ],
      season.improved,
    ),
    quiet(
      "The last version against the first, both rated over all nights. A bot that never changed is not listed: its place moves with the others.",
    ),
  ];
}

// The forecast of the remaining matches: first place, all places, and results of pairs.
const forecast = (one) => [
  table(
    `forecast-${one.label}`,
    `Forecast: ${one.label}, ${one.matches_left} matches to come`,
    [
      { name: "Bot", value: (each) => each.bot, cell: (each) => botLink(each.bot), head: true },
      ...one.bots.map((_, at) => ({
        name: at ? `Place ${at + 1}` : "First",
        value: (each) => each.places[at],
        as: chance,
        kind: "number",
      })),
    ],
    one.bots,
    { start: { column: 1, down: 1 } },
  ),
  table(
    `forecast-pairs-${one.label}`,
    `Pairs: ${one.label}`,
    [
      { name: "Bot", value: (each) => each.a, cell: (each) => botLink(each.a), head: true },
      { name: "Against", value: (each) => each.b, cell: (each) => botLink(each.b) },
      { name: "Points", value: (each) => each.score, as: percent, kind: "number" },
      { name: "90 %", value: (each) => each.low, cell: (each) => span(each, percent), kind: "middle" },
      { name: "Ahead", value: (each) => each.ahead, as: chance, kind: "number" },
    ],
    one.pairs,
  ),
];

// The forecasts before the nights, compared with the results and with simpler ratings.
const reckoning = (one) => [
  table(
    `reckoning-${one.label}`,
    `Forecasts and what came: ${one.label}`,
    [
      { name: "Model", value: (each) => each.model, head: true },
      { name: "Log loss", value: (each) => -each.log_loss, cell: (each) => each.log_loss.toFixed(4), kind: "number" },
      {
        name: "Forecast, and true",
        cell: (each) => each.calibration.map(([said, came]) => `${percent(said)}: ${percent(came)}`).join(", "),
        kind: "text",
      },
    ],
    one.models,
  ),
  quiet(
    `${percent(one.held_90)} of ${one.pairs} results of pairs came within the 90 % that were forecast. Who came first, night after night, had been given: ${one.firsts.map((each) => `${each.bots.join(" and ")} ${chance(each.chance)}`).join(", ")}.`,
  ),
];

const nightList = () =>
  h(
    "ul.nights",
    season.nights.map((night) => {
      const [best] = main(night).rows;
      return h(
        "li",
        h("a", { href: `#/season/${night.number}` }, `Night ${night.number}`),
        ` ${day(night)}`,
        best ? `: ${best.bot} ${night.over ? "came first" : "leads"}` : "",
      );
    }),
  );

function oneNight(night) {
  return [
    h("p.back", h("a", { href: "#/season" }, "The season")),
    h("h1", `Night ${night.number}`),
    quiet(`${day(night)}. With its matches and replays: `, h("code", `pips-tourney serve ${night.file}`)),
    night.tables.map((one) => [h("h2", one.label), one.rows.length ? standings(one) : quiet("Nothing counted.")]),
  ];
}

views.season = ([number]) => {
  if (season === null && typeof about.season === "object") season = about.season;
  if (season === null) {
    if (!asked) load();
    return [
      h("h1", "Season"),
      failed ? h("p.note", `The season cannot be read: ${failed}.`) : quiet("All nights are being read …"),
    ];
  }
  const night = season.nights.find((each) => String(each.number) === number);
  if (night) return oneNight(night);
  return [
    h("h1", "Season"),
    number && h("p.note", `There is no night ${number}.`),
    places(),
    h("h2", "Who improved most"),
    improved(),
    season.forecast.length > 0 && [h("h2", "Forecast"), season.forecast.map(forecast)],
    season.reckoning.length > 0 && [h("h2", "What came of forecasts"), season.reckoning.map(reckoning)],
    h("h2", "Nights"),
    nightList(),
  ];
};
