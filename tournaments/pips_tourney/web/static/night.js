// A night's page: the standings and their columns, the cross-table, the bots.
import { ratingBars } from "./charts.js";
import { count, h, percent, quiet, scroll, seatWord, signed, span, table, time } from "./dom.js";
import { lossesOf, luckOfBot, luckOfContest } from "./lessons.js";
import { botLink, chance, difference, eloInterval, eloText, pairPath, tabs } from "./ratings.js";
import { podium, rounds, winner } from "./rounds.js";
import { about, views } from "./state.js";

const night = () => about.night;

const overallFirst = () => [...night().tables.filter((one) => !one.game), ...night().tables.filter((one) => one.game)];
const contests = () => night().tables.filter((one) => one.game);
const byLabel = (label) => contests().find((one) => one.label === label) || contests()[0];

/** The wider half of an interval; near the cap one side is cut. */
const widerSide = (margin) => Math.max(margin.high - margin.mean, margin.mean - margin.low);
const lead = (margin) =>
  !margin ? "" : signed(margin.mean, 1) + (margin.low === null ? "" : ` ± ${widerSide(margin).toFixed(1)}`);
const eloValue = (row) => row.elo ?? row.low ?? row.high;
const faultsText = (faults) =>
  Object.entries(faults)
    .map(([kind, number]) => `${number} ${kind}`)
    .join(", ") || "none";

/** What a row says of a bot that no fence has held, is another one's copy, or above the sample bot to beat. */
const marks = (row) =>
  [
    row.above_boss && "★ above greedy",
    row.unfenced && "unfenced",
    row.same_files_as && `the same files as ${row.same_files_as}`,
  ]
    .filter(Boolean)
    .map((mark) => h("span.quiet", ` (${mark})`));

// The meaning of each column's heading, in a sentence.
const HELP = {
  elo: "how strong a bot is: a bot with 200 more wins about three matches in four.",
  sure: "with a chance of 95 % the true Elo is in this range. Two bots whose ranges overlap a lot may be equally strong.",
  next: "the chance that it is truly stronger than the bot below it.",
  points: "its share of its matches; a draw is half a win.",
  margin: "by how much it leads at the end of a match, on average, in points of the game.",
  seats: "its points in the first seat, the second, and so on.",
  matches: "those that count. A deal counts when each of its bots has had the cards of every seat.",
  faults: "crashes, and answers that are late or not legal. Each costs the match.",
};
export const standings = (one) => {
  const many = one.rows.some((row) => row.points_by_seat.length > 1);
  const columns = [
    { name: "#", value: (row) => -row.rank, cell: (row) => row.rank, kind: "number" },
    { name: "Bot", value: (row) => row.bot, cell: (row) => [botLink(row.bot), ...marks(row)], head: true },
    { name: "Elo", value: eloValue, cell: (row) => h("b", eloText(row)), kind: "number", help: HELP.elo },
    { name: "", said: "Rating and interval", cell: ratingBars(one.rows), kind: "wide spare" },
    { name: "95 %", value: (row) => row.low, cell: eloInterval, kind: "middle", help: HELP.sure },
    {
      name: "Better than next",
      value: (row) => row.better_than_next,
      cell: (row) =>
        row.why ? h("span", { title: row.why }, chance(row.better_than_next)) : chance(row.better_than_next),
      kind: "number spare",
      help: HELP.next,
    },
    {
      name: "Points",
      value: (row) => row.points_percent,
      as: (part) => `${part.toFixed(1)} %`,
      kind: "number",
      help: HELP.points,
    },
    one.rows.some((row) => row.margin) && {
      name: "Margin",
      value: (row) => row.margin?.mean,
      cell: (row) => lead(row.margin),
      kind: "number spare",
      help: HELP.margin,
    },
    many && {
      name: "By seat",
      said: "By seat",
      cell: (row) => row.points_by_seat.map(percent).join(" "),
      kind: "text spare",
      help: HELP.seats,
    },
    { name: "Matches", value: (row) => row.matches, kind: "number", help: HELP.matches },
    {
      name: "Faults",
      value: (row) => Object.values(row.faults).reduce((a, b) => a + b, 0),
      cell: (row) => faultsText(row.faults),
      kind: "text",
      help: HELP.faults,
    },
  ].filter(Boolean);
  return table(`standings-${one.label}`, `Standings: ${one.label}`, columns, one.rows, { className: "standings" });
};

const notes = (one) => [...(one.notes || []), ...night().decided].map((note) => h("p.note", note));
const counted = (one) =>
  `${count(one.counted, "match", "matches")} counted${one.counted < one.scheduled ? ` of ${one.scheduled.toLocaleString("en")}` : ""}`;

function circleLine(found) {
  if (!found.circle.length) return "Some bots do better or worse against others than their Elos say.";
  const [a, b, c] = found.circle;
  return `${a} beats ${b}, ${b} beats ${c}, ${c} beats ${a}: no order of these three is the whole story.`;
}

// The circles of a contest; null if there are none.
const circles = (one) => {
  const found = one.circles;
  if (!found || !found.found) return null;
  return h(
    "section.circles",
    { "data-key": `circles-${one.label}` },
    h("h2", "Circles"),
    h("p", `${circleLine(found)} The chance that luck alone does as much is ${(100 * found.fits).toFixed(2)} %.`),
  );
};

views.standings = ([label]) => {
  const all = overallFirst(),
    one = all.find((each) => each.label === label) || all[0];
  return [
    h("h1", "Standings"),
    tabs("standings", one, all),
    winner(one),
    one.rows.length ? standings(one) : quiet("Nothing counts yet: a deal counts when it was played from every seat."),
    quiet(`${counted(one)}. The bar is the 95 % interval, the mark in it the rating.`),
    rounds(one),
    circles(one),
    notes(one),
    luckOfContest(one),
  ];
};

const MANY = 9,
  CROWD = 20;
// The cross-table: the row's bot against the column's.
export const cross = (one) => {
  const bots = one.rows.map((row) => row.bot);
  const cell = (bot, other) => {
    const record = one.against && one.against[bot] && one.against[bot][other];
    if (bot === other || !record) return h("td.none", { "aria-label": "not played" }, bot === other ? "" : "–");
    const [above, level, below] = record,
      share = (above + level / 2) / (above + level + below),
      far = difference(one, bot, other);
    const between = span(far || {});
    const told =
      `${bot} against ${other}: ${above} above, ${level} level, ${below} below` +
      (far && far.elo !== null ? `; Elo ${signed(far.elo)}${between ? `, 95 % ${between}` : ""}` : "");
    return h(
      "td",
      {
        class: `heat ${share >= 0.5 ? "up" : "down"}`,
        vars: { heat: `${Math.round(70 * Math.abs(share - 0.5))}%` },
        title: told,
      },
      h(
        "a",
        { href: `#/${pairPath(bot, other, one.label)}`, "aria-label": `${told}. Their deals` },
        h("b", Math.round(100 * share), h("span.unit", " %")),
        h("small", `${above}–${level}–${below}`),
        h("small.interval", between || " "),
      ),
    );
  };
  return scroll(
    `Cross-table: ${one.label}`,
    h(
      "table",
      { class: `cross${bots.length > MANY ? " many" : ""}${bots.length > CROWD ? " crowd" : ""}` },
      h("caption.unseen", `Cross-table of ${one.label}: the row's bot against the column's`),
      h(
        "thead",
        h(
          "tr",
          h("td"),
          bots.map((bot) => h("th", { scope: "col", title: bot }, h("span", bot))),
        ),
      ),
      h(
        "tbody",
        bots.map((bot) =>
          h(
            "tr",
            h("th", { scope: "row" }, botLink(bot)),
            bots.map((other) => cell(bot, other)),
          ),
        ),
      ),
    ),
  );
};

const CROSS_NOTE =
  "Each field: the share of the points that the row's bot took from the column's, how often it was placed above, level and below, " +
  "and the 95 % interval of the difference in Elo. It leads to their deals, side by side.";
views.cross = ([label]) => {
  const one = byLabel(label);
  return [h("h1", "Cross-table"), tabs("cross", one, contests()), cross(one), quiet(CROSS_NOTE)];
};

const faultList = (bot, one) =>
  Object.entries(one.bots[bot].first_faults).map(([kind, [match, sentence]]) =>
    h(
      "li",
      h("b", `${one.bots[bot].faults[kind]} × ${kind}`),
      `, first in `,
      h("a", { href: `#/match/${match}/fault` }, `match ${match.slice(0, 8)}`),
      sentence && `: ${sentence}`,
    ),
  );

function botInContest(bot, one) {
  const row = one.rows.find((each) => each.bot === bot),
    about = one.bots[bot];
  const met = Object.entries(one.against[bot] || {}).map(([opponent, [above, level, below]]) => ({
    opponent,
    above,
    level,
    below,
    share: (above + level / 2) / (above + level + below),
  }));
  if (!about || !met.length) return null;
  const faults = faultList(bot, one);
  return h(
    "section.contest",
    { "data-key": one.label },
    h("h2", one.label, row && h("span.quiet", ` ${eloText(row)}${eloInterval(row) ? ` (${eloInterval(row)})` : ""}`)),
    table(
      `met-${bot}-${one.label}`,
      `${bot} against each opponent, ${one.label}`,
      [
        { name: "Against", value: (each) => each.opponent, cell: (each) => botLink(each.opponent), head: true },
        {
          name: "Points",
          value: (each) => each.share,
          cell: (each) =>
            h("a", { href: `#/${pairPath(bot, each.opponent, one.label)}`, title: "Their deals" }, percent(each.share)),
          kind: "number",
        },
        { name: "Above", value: (each) => each.above, kind: "number" },
        { name: "Level", value: (each) => each.level, kind: "number" },
        { name: "Below", value: (each) => each.below, kind: "number" },
      ],
      met,
    ),
    h(
      "p",
      "Points by seat: ",
      (one.seat_points[bot] || []).map(
        ([points, matches], seat) => `${seat ? ", " : ""}${seatWord(seat)} ${percent(points)} of ${matches}`,
      ),
      ".",
    ),
    about.median_ms !== null && h("p", `Answer times: median ${time(about.median_ms)}, p99 ${time(about.p99_ms)}.`),
    faults.length ? h("div.faults", h("h3", "Faults"), h("ul", faults)) : quiet("No faults."),
  );
}

// What a member of a place can do with a bot that its author has published.
function against(bot) {
  const { numbers, form, scrimmage } = about.against || { numbers: {} };
  if (!Object.hasOwn(numbers, bot)) return null;
  const hidden = (name, value) => h("input", { type: "hidden", name, value });
  const { game } = contests().find((one) => one.against && one.against[bot]) || contests()[0];
  return h(
    "form.filter",
    { method: "post", action: scrimmage },
    h("a.primary", { href: `#/play?against=${encodeURIComponent(bot)}&game=${game}` }, "Play against it"),
    form &&
      !about.own.includes(bot) && [
        hidden("form", form),
        hidden("against", numbers[bot]),
        h("button.quiet", { title: "Unrated. The result comes on My bot." }, "20 deals of my bot against it"),
      ],
  );
}

const contestsOf = (bot) => contests().map((one) => botInContest(bot, one));
views.bots = ([name]) => {
  const bots = night().bots;
  if (bots.includes(name)) {
    return [
      h("p.back", h("a", { href: "#/standings" }, "Standings")),
      h("h1", name),
      against(name),
      contestsOf(name),
      lossesOf(name),
      luckOfBot(name),
      h("p", h("a", { href: `#/matches?bot=${encodeURIComponent(name)}` }, `Matches of ${name}`)),
    ];
  }
  return views.standings([]);
};

// Everything in one page: the report's first page, and the printed version.
views.all = () => {
  const all = overallFirst();
  const chosen = Object.values(about.replays || {});
  return [
    h(
      "section.front",
      h("h1", night().league),
      quiet(
        night().when
          ? `${night().when.begun === night().when.ended ? night().when.ended : `${night().when.begun} to ${night().when.ended}`}. `
          : "",
        `${night().played.toLocaleString("en")} of ${count(night().scheduled, "match", "matches")} played, ${count(night().bots.length, "bot")}.`,
      ),
      winner(all[0]),
      podium(all[0]),
    ),
    all.map((one) =>
      h(
        "section.sheet",
        { "data-key": `s-${one.label}` },
        h("h2", `Standings: ${one.label}`),
        one !== all[0] && winner(one), // the first contest's winner is on the front
        one.rows.length ? standings(one) : "nothing counts yet",
        quiet(counted(one)),
        rounds(one, "h3"),
        notes(one),
      ),
    ),
    contests().map((one) =>
      h("section.sheet", { "data-key": `c-${one.label}` }, h("h2", `Cross-table: ${one.label}`), cross(one)),
    ),
    quiet(CROSS_NOTE),
    night().bots.map((bot) => h("section.sheet", { "data-key": `b-${bot}` }, h("h2.name", bot), contestsOf(bot))),
    chosen.length > 0 &&
      h(
        "section.sheet",
        h("h2", "Replays in this report"),
        h(
          "ul",
          chosen.map(([truth]) =>
            h(
              "li",
              h("a", { href: `#/match/${truth.id}` }, `${truth.title}: ${truth.names.join(", ")}`),
              ` ${truth.frames.at(-1).say}`,
            ),
          ),
        ),
      ),
    h("section.sheet", views.matches([], new URLSearchParams(), "h2")),
  ];
};
