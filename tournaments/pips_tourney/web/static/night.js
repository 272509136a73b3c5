// A night's page: the standings and their columns, the cross-table, the bots.
"use strict";
(() => {
  const { h, table, percent, signed, count, quiet } = Pips;
  const night = () => Pips.about.night,
    own = () => Pips.about.own || [];
  Pips.views = {};

  Pips.botLink = (bot) =>
    night().bots.includes(bot)
      ? h(
          "a",
          {
            href: `#/bots/${encodeURIComponent(bot)}`,
            title: bot.length > 14 ? bot : null,
            class: own().includes(bot) ? "own" : null,
          },
          bot,
          own().includes(bot) && h("span.unseen", " (yours)"),
        )
      : bot;

  // Tabs to the same page of each contest.
  const tabs = (Pips.tabs = (page, shown, all) =>
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
    ));
  const overallFirst = () => [
    ...night().tables.filter((one) => !one.game),
    ...night().tables.filter((one) => one.game),
  ];
  const contests = () => night().tables.filter((one) => one.game);
  const byLabel = (label) => contests().find((one) => one.label === label) || contests()[0];

  const eloText = (Pips.eloText = (row) => {
    if (row.elo !== null) return String(Math.round(row.elo));
    const limit = row.bound === ">" ? row.low : row.high;
    return limit === null ? "?" : `${row.bound} ${Math.round(limit)}`;
  });
  const interval = (Pips.eloInterval = (row) => row.note || (row.bound ? "" : Pips.span(row, Math.round)));
  const chance = (Pips.chance = (share) =>
    share === null ? "" : share > 0.999 ? "> 99.9 %" : share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`);
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
  Pips.standings = (one) => {
    const many = one.rows.some((row) => row.points_by_seat.length > 1);
    const columns = [
      { name: "#", value: (row) => -row.rank, cell: (row) => row.rank, kind: "number" },
      { name: "Bot", value: (row) => row.bot, cell: (row) => [Pips.botLink(row.bot), ...marks(row)], head: true },
      { name: "Elo", value: eloValue, cell: (row) => h("b", eloText(row)), kind: "number", help: HELP.elo },
      { name: "", said: "Rating and interval", cell: Pips.ratingBars(one.rows), kind: "wide spare" },
      { name: "95 %", value: (row) => row.low, cell: interval, kind: "middle", help: HELP.sure },
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
  Pips.circles = (one) => {
    const found = one.circles;
    if (!found || !found.found) return null;
    return h(
      "section.circles",
      { "data-key": `circles-${one.label}` },
      h("h2", "Circles"),
      h("p", `${circleLine(found)} The chance that luck alone does as much is ${(100 * found.fits).toFixed(2)} %.`),
    );
  };

  Pips.views.standings = ([label]) => {
    const all = overallFirst(),
      one = all.find((each) => each.label === label) || all[0];
    return [
      h("h1", "Standings"),
      tabs("standings", one, all),
      Pips.winner(one),
      one.rows.length
        ? Pips.standings(one)
        : quiet("Nothing counts yet: a deal counts when it was played from every seat."),
      quiet(`${counted(one)}. The bar is the 95 % interval, the mark in it the rating.`),
      Pips.rounds(one),
      Pips.circles(one),
      notes(one),
      Pips.luckOfContest(one),
    ];
  };

  // How far bot `a` is above `b` in Elo, in whichever order the standings name them.
  Pips.difference = (one, a, b) => {
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

  const MANY = 9,
    CROWD = 20;
  // The cross-table: the row's bot against the column's.
  Pips.cross = (one) => {
    const bots = one.rows.map((row) => row.bot);
    const cell = (bot, other) => {
      const record = one.against && one.against[bot] && one.against[bot][other];
      if (bot === other || !record) return h("td.none", { "aria-label": "not played" }, bot === other ? "" : "–");
      const [above, level, below] = record,
        share = (above + level / 2) / (above + level + below),
        far = Pips.difference(one, bot, other);
      const between = Pips.span(far || {});
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
          { href: `#/${Pips.pairPath(bot, other, one.label)}`, "aria-label": `${told}. Their deals` },
          h("b", Math.round(100 * share), h("span.unit", " %")),
          h("small", `${above}–${level}–${below}`),
          h("small.interval", between || " "),
        ),
      );
    };
    return Pips.scroll(
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
              h("th", { scope: "row" }, Pips.botLink(bot)),
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
  Pips.views.cross = ([label]) => {
    const one = byLabel(label);
    return [h("h1", "Cross-table"), tabs("cross", one, contests()), Pips.cross(one), quiet(CROSS_NOTE)];
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
      h("h2", one.label, row && h("span.quiet", ` ${eloText(row)}${interval(row) ? ` (${interval(row)})` : ""}`)),
      table(
        `met-${bot}-${one.label}`,
        `${bot} against each opponent, ${one.label}`,
        [
          { name: "Against", value: (each) => each.opponent, cell: (each) => Pips.botLink(each.opponent), head: true },
          {
            name: "Points",
            value: (each) => each.share,
            cell: (each) =>
              h(
                "a",
                { href: `#/${Pips.pairPath(bot, each.opponent, one.label)}`, title: "Their deals" },
                percent(each.share),
              ),
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
          ([points, matches], seat) => `${seat ? ", " : ""}${Pips.seatWord(seat)} ${percent(points)} of ${matches}`,
        ),
        ".",
      ),
      about.median_ms !== null &&
        h("p", `Answer times: median ${Pips.time(about.median_ms)}, p99 ${Pips.time(about.p99_ms)}.`),
      faults.length ? h("div.faults", h("h3", "Faults"), h("ul", faults)) : quiet("No faults."),
    );
  }

  // What a member of a place can do with a bot that its author has published.
  function against(bot) {
    const { numbers, form, scrimmage } = Pips.about.against || { numbers: {} };
    if (!Object.hasOwn(numbers, bot)) return null;
    const hidden = (name, value) => h("input", { type: "hidden", name, value });
    const { game } = contests().find((one) => one.against && one.against[bot]) || contests()[0];
    return h(
      "form.filter",
      { method: "post", action: scrimmage },
      h("a.primary", { href: `#/play?against=${encodeURIComponent(bot)}&game=${game}` }, "Play against it"),
      form &&
        !Pips.about.own.includes(bot) && [
          hidden("form", form),
          hidden("against", numbers[bot]),
          h("button.quiet", { title: "Unrated. The result comes on My bot." }, "20 deals of my bot against it"),
        ],
    );
  }

  Pips.bot = (bot) => contests().map((one) => botInContest(bot, one));
  Pips.views.bots = ([name]) => {
    const bots = night().bots;
    if (bots.includes(name)) {
      return [
        h("p.back", h("a", { href: "#/standings" }, "Standings")),
        h("h1", name),
        against(name),
        Pips.bot(name),
        Pips.lossesOf(name),
        Pips.luckOfBot(name),
        h("p", h("a", { href: `#/matches?bot=${encodeURIComponent(name)}` }, `Matches of ${name}`)),
      ];
    }
    return Pips.views.standings([]);
  };

  // Everything in one page: the report's first page, and the printed version.
  Pips.views.all = () => {
    const all = overallFirst();
    const chosen = Object.values(Pips.about.replays || {});
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
        Pips.winner(all[0]),
        Pips.podium(all[0]),
      ),
      all.map((one) =>
        h(
          "section.sheet",
          { "data-key": `s-${one.label}` },
          h("h2", `Standings: ${one.label}`),
          one !== all[0] && Pips.winner(one), // the first contest's winner is on the front
          one.rows.length ? Pips.standings(one) : "nothing counts yet",
          quiet(counted(one)),
          Pips.rounds(one, "h3"),
          notes(one),
        ),
      ),
      contests().map((one) =>
        h("section.sheet", { "data-key": `c-${one.label}` }, h("h2", `Cross-table: ${one.label}`), Pips.cross(one)),
      ),
      quiet(CROSS_NOTE),
      night().bots.map((bot) => h("section.sheet", { "data-key": `b-${bot}` }, h("h2.name", bot), Pips.bot(bot))),
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
      h("section.sheet", Pips.views.matches([], new URLSearchParams(), "h2")),
    ];
  };
})();
