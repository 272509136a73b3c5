// Charts, drawn as SVG for the available width.
import { svg } from "./dom.js";

// The colour of a line, by its number.
export const color = (number) => `var(--c${number % 8})`;

// Where a value lies on an axis whose ends are rounded outwards.
const scaleOf = (values) => {
  let low = Math.min(...values),
    high = Math.max(...values);
  if (!(high > low)) [low, high] = [low - 50, high + 50];
  const rough = (high - low) / 5,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough);
  low = Math.floor(low / step) * step;
  high = Math.ceil(high / step) * step;
  return (value) => (value - low) / (high - low);
};

// Draws the rating of each of these rows with its interval, on one scale.
export const ratingBars = (rows) => {
  const values = rows.flatMap((row) => [row.elo, row.low, row.high]).filter((value) => value !== null);
  const scale = scaleOf(values);
  return (row) => values.length > 0 && bar(row, scale);
};
// A bound has only one end.
const bar = (row, scale) => {
  const at = (value) => 100 * Math.min(1, Math.max(0, scale(value)));
  const open = row.low === null || row.high === null;
  const left = row.low === null ? 0 : at(row.low),
    right = row.high === null ? 100 : at(row.high);
  const known = row.elo !== null || row.low !== null || row.high !== null;
  return svg(
    "svg",
    { class: `bar${open ? " open" : ""}`, viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line.base", { x1: 0, x2: 100, y1: 8, y2: 8 }),
    known &&
      !(open && row.elo !== null) &&
      svg("rect.span", { x: left, y: 4, width: Math.max(0.6, right - left), height: 8 }),
    row.elo !== null && svg("rect.dot", { x: at(row.elo) - 0.6, y: 1, width: 1.2, height: 14 }),
  );
};

// A line chart, drawn for type of 16 pixels and scaled with the page's type. `draw` gets width and height.
export const chart = (label, wide, height, draw, props) => {
  const times = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const width = wide / times;
  const shape = { width: wide, height: Math.round(height * times), viewBox: `0 0 ${width} ${height}` };
  return svg("svg", { class: "lines", ...shape, role: "img", "aria-label": label, ...props }, draw(width, height));
};
