// Charts, drawn as SVG for the available width.
"use strict";
(() => {
  const { svg, h, quiet } = Pips;
  const NAME = 15;
  const DASHES = ["", "7 4", "2 3", "10 3 2 3"];

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

  // An axis from 0 to the last value, with round ticks and no room after it.
  function until(high, steps) {
    const { marks } = Pips.scale([0, high], steps);
    return { low: 0, high, marks: marks.filter((mark) => mark <= high), at: (value) => value / high };
  }

  // A rating with its interval, on the scale of its table. A bound has one end only.
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

  // A picture of lines, drawn for type of 16 pixels and scaled with the page's. `draw` gets its width and height.
  Pips.chart = (label, wide, tallOf, draw, props) => {
    const times = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const width = wide / times,
      height = tallOf(width, times);
    const shape = { width: wide, height: Math.round(height * times), viewBox: `0 0 ${width} ${height}` };
    return svg("svg", { class: "lines", ...shape, role: "img", "aria-label": label, ...props }, draw(width, height));
  };

  // Lines over a common axis: [{name, color, points: [[x, y], ...]}]. Names are at the lines' ends.
  Pips.lines = (label, lines, { width: wide, tall = 0, x = "", y = "" }) => {
    // `tall`: the most of the window's height, as a share.
    const drawn = lines.filter((line) => line.points.length);
    const tallOf = (width, times) =>
      Math.round(Math.max(320, drawn.length * NAME + 70, Math.min((tall * window.innerHeight) / times, width / 2)));
    if (!drawn.length) return quiet("The lines begin when enough has been played.");
    return Pips.chart(label, wide, tallOf, (width, height) => inside(drawn, width, height, x, y));
  };

  function inside(drawn, width, height, x, y) {
    const narrow = width < 560,
      left = 46,
      right = narrow ? 78 : 120,
      top = 26,
      bottom = 40;
    const ys = Pips.scale(
      drawn.flatMap((line) => line.points.map((point) => point[1])),
      5,
    );
    const xs = until(Math.max(1, ...drawn.map((line) => line.points.at(-1)[0])), narrow ? 3 : 6);
    const px = (value) => left + xs.at(value) * (width - left - right);
    const py = (value) => top + (1 - ys.at(value)) * (height - top - bottom);
    const ends = drawn.map((line) => ({ line, y: py(line.points.at(-1)[1]) })).sort((a, b) => a.y - b.y);
    // Names keep their distance: they are pushed down where they would touch, then up from the bottom.
    ends.forEach((end, place) => {
      if (place) end.y = Math.max(end.y, ends[place - 1].y + NAME);
    });
    let floor = height - bottom;
    for (let place = ends.length - 1; place >= 0 && ends[place].y > floor; place -= 1) {
      ends[place].y = floor;
      floor -= NAME;
    }
    return [
      ys.marks.map((mark) => [
        svg("line", { class: "grid", x1: left, x2: width - right, y1: py(mark), y2: py(mark) }),
        svg("text", { class: "tick end", x: left - 8, y: py(mark) + 4 }, mark),
      ]),
      xs.marks.map((mark) =>
        svg("text", { class: "tick middle", x: px(mark), y: height - bottom + 18 }, mark.toLocaleString("en")),
      ),
      svg("text", { class: "tick middle", x: (left + width - right) / 2, y: height - 4 }, x),
      svg("text", { class: "tick end", x: left - 8, y: 12 }, y),
      drawn.map((line) =>
        svg(
          "polyline",
          {
            class: "line",
            vars: { c: line.color },
            "stroke-dasharray": DASHES[line.place % 4] || null,
            points: line.points.map(([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`).join(" "),
          },
          svg("title", null, `${line.name}: ${line.points.at(-1)[1]}`),
        ),
      ),
      drawn.map((line) =>
        svg("circle", {
          class: "end",
          vars: { c: line.color },
          r: 3.5,
          cx: px(line.points.at(-1)[0]),
          cy: py(line.points.at(-1)[1]),
        }),
      ),
      ends.map(({ line, y: where }) =>
        svg(
          "text",
          { class: "name", vars: { c: line.color }, x: px(line.points.at(-1)[0]) + 9, y: where + 4 },
          `${short(line.name, narrow ? 8 : 14)}`,
        ),
      ),
    ];
  }

  const short = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
})();
