// Circles: what no order of the bots explains. Nothing where luck alone may have made it.
"use strict";
(() => {
  const { h } = Pips;

  function line(found) {
    if (!found.circle.length) return "Some bots do better or worse against others than their Elos say.";
    const [a, b, c] = found.circle;
    return `${a} beats ${b}, ${b} beats ${c}, ${c} beats ${a}: no order of these three is the whole story.`;
  }

  // What of a contest goes in circles; null where nothing does.
  Pips.circles = (one) => {
    const found = one.circles;
    if (!found || !found.found) return null;
    return h(
      "section",
      { class: "circles", "data-key": `circles-${one.label}` },
      h("h2", null, "Circles"),
      h("p", null, `${line(found)} Luck alone makes as much with a chance of ${(100 * found.fits).toFixed(2)} %.`),
    );
  };
})();
