// Circles: what no order of the bots explains. Nothing where luck alone may have made it.
"use strict";
(() => {
  const { h, table, percent } = Pips;

  const points = (share) => `${(100 * share).toFixed(1)} %`;
  const bot = (name, of) => ({
    name,
    value: (row) => row[of],
    cell: (row) => Pips.botLink(row[of]),
    head: of === "bot",
  });

  function line(found) {
    if (!found.circle.length) return "Some bots do better or worse against others than their Elos say.";
    const [a, b, c] = found.circle;
    return `${a} beats ${b}, ${b} beats ${c}, ${c} beats ${a}: no order of these three is the whole story.`;
  }

  const lottery = (one, found) =>
    table(
      `lottery-${one.label}`,
      `Maximal lottery: ${one.label}`,
      [
        bot("Bot", "bot"),
        { name: "Share", value: (row) => row.share, cell: (row) => percent(row.share), kind: "number" },
        {
          name: "95 %",
          value: (row) => row.low,
          cell: (row) => `${percent(row.low)} to ${percent(row.high)}`,
          kind: "middle",
        },
      ],
      found.lottery,
      { start: { column: 1, down: 1 } },
    );

  const problems = (one, found) =>
    table(
      `problems-${one.label}`,
      `Problem opponents: ${one.label}`,
      [
        bot("Bot", "bot"),
        bot("Opponent", "opponent"),
        { name: "Points", value: (row) => row.score, cell: (row) => points(row.score), kind: "number" },
        { name: "As its Elo says", value: (row) => row.expected, cell: (row) => points(row.expected), kind: "number" },
      ],
      found.problems,
    );

  // What of a contest goes in circles; null where nothing does.
  Pips.circles = (one) => {
    const found = one.circles;
    if (!found || !found.found) return null;
    return h(
      "section",
      { class: "circles", "data-key": `circles-${one.label}` },
      h("h2", null, "Circles"),
      h("p", null, line(found)),
      h(
        "p",
        { class: "quiet" },
        `${points(found.share)} of the variance between pairs is cyclic, 95 % ${points(found.low)} to ${points(found.high)}. Luck alone makes as much with a chance of ${(100 * found.fits).toFixed(2)} %.`,
      ),
      h("h3", null, "Maximal lottery"),
      h("p", { class: "quiet" }, "No bot beats on the mean whoever draws a bot by these shares."),
      lottery(one, found),
      found.problems.length
        ? [
            h("h3", null, "Problem opponents"),
            h(
              "p",
              { class: "quiet" },
              "Worse than their Elos say, and none of them by luck, with 95 % for all together.",
            ),
            problems(one, found),
          ]
        : null,
    );
  };
})();
