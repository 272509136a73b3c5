// Charts, drawn as SVG for the available width.
"use strict";
(() => {
  const { svg } = Pips;

  // The colour of a line, by its number.
  Pips.color = (number) => `var(--c${number % 8})`;

  // The ends of an axis, rounded outwards, and its ticks.
  Pips.scale = (values, steps = 5) => {
    let low = Math.min(...values),
      high = Math.max(...values);
    if (!(high > low)) [low, high] = [low - 50, high + 50];
    const rough = (high - low) / steps,
      power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((times) => times * power >= rough);
    low = Math.floor(low / step) * step;
    high = Math.ceil(high / step) * step;
    const marks = [];
    for (let mark = low; mark <= high + step / 2; mark += step) marks.push(Math.round(mark * 1e6) / 1e6);
    return { low, high, marks, at: (value) => (value - low) / (high - low) };
  };

  // A rating with its interval, on the scale of its table. A bound has only one end.
  Pips.ratingBar = (row, scale) => {
    const at = (value) => 100 * Math.min(1, Math.max(0, scale.at(value)));
    const open = row.low === null || row.high === null;
    const left = row.low === null ? 0 : at(row.low),
      right = row.high === null ? 100 : at(row.high);
    const known = row.elo !== null || row.low !== null || row.high !== null;
    return svg(
      "svg",
      { class: `bar${open ? " open" : ""}`, viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("line", { class: "base", x1: 0, x2: 100, y1: 8, y2: 8 }),
      known &&
        !(open && row.elo !== null) &&
        svg("rect", { class: "span", x: left, y: 4, width: Math.max(0.6, right - left), height: 8 }),
      row.elo !== null && svg("rect", { class: "dot", x: at(row.elo) - 0.6, y: 1, width: 1.2, height: 14 }),
    );
  };

  // A line chart, drawn for type of 16 pixels and scaled with the page's type. `draw` gets width and height.
  Pips.chart = (label, wide, height, draw, props) => {
    const times = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const width = wide / times;
    const shape = { width: wide, height: Math.round(height * times), viewBox: `0 0 ${width} ${height}` };
    return svg("svg", { class: "lines", ...shape, role: "img", "aria-label": label, ...props }, draw(width, height));
  };
})();
