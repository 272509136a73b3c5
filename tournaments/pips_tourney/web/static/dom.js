// Elements, and changes of a page that keep focus, scroll and hover.
import { get, hooks, redraw } from "./state.js";

const SVG = "http://www.w3.org/2000/svg";

// h("button.wide", {onclick: f}, "text", child, [children]): "wide" is a class. The properties may be left out, and
// null and false children are. A button with `onclick` sends no form.
export const h = (name, ...parts) => made((tag) => document.createElement(tag), name, parts);
export const svg = (name, ...parts) => made((tag) => document.createElementNS(SVG, tag), name, parts);
// A paragraph of less weight.
export const quiet = (...children) => h("p.quiet", children);

function made(create, name, parts) {
  const [tag, ...classes] = name.split("."),
    node = create(tag);
  const props = parts[0]?.constructor === Object ? parts.shift() : {};
  node.$on = {};
  if (classes.length) node.setAttribute("class", classes.join(" "));
  if (tag === "button" && props.onclick) node.type = "button";
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node[name] = node.$on[name] = value;
    else if (name === "vars") for (const [key, part] of Object.entries(value)) node.style.setProperty(`--${key}`, part);
    else if (name === "value") node.value = node.$value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of parts.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  if (tag === "select" && node.$value !== undefined) node.value = node.$value;
  return node;
}

// A picture determined by its name: drawn once, then copied. A picture already in place stays.
const pictures = {};
export const picture = (name, draw) => {
  const copy = (pictures[name] ??= draw()).cloneNode(true);
  copy.$on = {};
  copy.$same = name;
  return copy;
};

const tagOf = (node) => node.nodeName.toLowerCase();

// Make `old` look and behave like `next`, with few changes. Returns the element now in the page.
const patch = (old, next) => {
  if (next.$same !== undefined && old.$same === next.$same) return old;
  if (
    old.nodeType !== next.nodeType ||
    old.nodeName !== next.nodeName ||
    keyOf(old) !== keyOf(next) ||
    next.$same !== old.$same
  ) {
    old.replaceWith(next);
    return next;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return old;
  }
  for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const name of next.getAttributeNames()) {
    const value = next.getAttribute(name);
    if (name === "style")
      old.style.cssText = next.style.cssText; // the page's policy refuses it as an attribute
    else if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of Object.keys(old.$on || {})) if (!next.$on[name]) old[name] = null;
  Object.assign(old, next.$on);
  old.$on = next.$on;
  const before = [...old.childNodes],
    after = [...next.childNodes];
  after.forEach((child, place) => (place < before.length ? patch(before[place], child) : old.append(child)));
  before.slice(after.length).forEach((child) => child.remove());
  if (next.$value !== undefined && (old !== document.activeElement || tagOf(old) === "select")) old.value = next.$value;
  return old;
};

const keyOf = (node) => (node.dataset ? node.dataset.key : undefined);

// Put contents into an element. Contents of the same kind are patched.
export const show = (parent, ...nodes) => {
  const wanted = nodes.flat(Infinity).filter(Boolean),
    before = [...parent.childNodes];
  wanted.forEach((node, place) => (place < before.length ? patch(before[place], node) : parent.append(node)));
  before.slice(wanted.length).forEach((node) => node.remove());
};

// A table whose columns sort. A column: {name, value(row), cell(row), kind: "number"|"text"}; `as` makes a known value a cell.
const sorted = {};
export const table = (
  id,
  caption,
  columns,
  rows,
  { start = null, first = 0, most = Infinity, className = "" } = {},
) => {
  const by = sorted[id] || start;
  let shown = [...rows];
  if (by) {
    const value = columns[by.column].value;
    shown.sort((a, b) => by.down * compare(value(b), value(a)));
  }
  const head = columns.map((column, place) => {
    const how = by && by.column === place ? (by.down > 0 ? "descending" : "ascending") : null;
    const shape = { class: column.kind || "text", scope: "col", "aria-sort": how };
    if (!column.value) return h("th", shape, column.name || h("span.unseen", column.said));
    const turn = () => {
      const down = by && by.column === place ? -by.down : column.kind === "number" ? 1 : -1;
      sorted[id] = { column: place, down };
      redraw();
    };
    const mark = h("span.mark", { "aria-hidden": "true" }, how ? (by.down > 0 ? "▾" : "▴") : "");
    return h("th", shape, h("button", { onclick: turn }, column.name, mark));
  });
  const body = shown.slice(first, first + most).map((row) =>
    h(
      "tr",
      columns.map((column) => {
        const value = column.value && column.value(row);
        const cell = column.cell ? column.cell(row) : column.as ? (known(value) ? column.as(value) : "") : value;
        return h(
          column.head ? "th" : "td",
          {
            class: column.kind || "text",
            scope: column.head ? "row" : null,
            title: column.head && typeof cell === "string" && cell.length > 14 ? cell : null,
          },
          cell,
        );
      }),
    ),
  );
  const words = columns.filter((column) => column.help);
  return [
    scroll(
      caption,
      h(
        "table",
        { class: className || null },
        h("caption.unseen", caption),
        h("thead", h("tr", head)),
        h("tbody", body),
      ),
    ),
    words.length > 0 &&
      h(
        "details.words",
        { "data-key": `words-${id}` },
        h("summary", "? What the columns mean"),
        words.map(({ name, help }) => h("p", h("b", name), `: ${help}`)),
      ),
  ];
};

const known = (value) => value !== null && value !== undefined;
function compare(a, b) {
  if (a === b) return 0;
  if (!known(a)) return -1;
  if (!known(b)) return 1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b));
}

// What is wider than the page scrolls by itself.
export const scroll = (label, ...children) =>
  h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, children);

export const labelled = (label, control) => h("label.field", h("span", label), control);
// An option is a value with its words, or words alone.
export const select = (label, options, value, change) => {
  const of = (option) => {
    const [key, text = key] = [option].flat();
    return h("option", { value: key }, text);
  };
  return labelled(label, h("select", { value, onchange: (event) => change(event.target.value) }, options.map(of)));
};

// Results computed on request, by address: nothing yet, {waiting}, {error} or {found}.
const requests = {};
export const requested = (address) => requests[address] || {};
export const request = (address) => requests[address] || compute(address);
async function compute(address) {
  requests[address] = { waiting: true };
  await null; // a view that is being drawn may ask
  redraw();
  requests[address] = await ((hooks.local && hooks.local(address)) || get(address)).then(
    (found) => ({ found }),
    (error) => ({ error: error.message }),
  );
  redraw();
}
// A button that requests a result, then the progress, then the result as `inside` shows it.
export const onRequest = (address, button, inside) => {
  const { waiting, error, found } = requested(address);
  const asks = (words) => h("button.analyse", { onclick: () => compute(address) }, words);
  if (waiting) return h("p.quiet", { role: "status" }, "It is being analysed …");
  if (error) return [h("p.note", error), asks("Try again")];
  return found ? inside(found) : asks(button);
};

export const percent = (share) => (known(share) ? `${Math.round(100 * share)} %` : "–");
export const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many || `${one}s`}`;
export const timeLeft = (s) =>
  s < 90 ? `${s} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
/**
 * An interval in words, if both of its ends are known.
 * @param {{low: ?number, high: ?number}} ends
 * @param {(end: number) => string | number} words
 */
export const span = ({ low, high }, words = signed) =>
  known(low) && known(high) ? `${words(low)} to ${words(high)}` : "";
export const signedPercent = (part) => `${signed(100 * part, 1)} %`;
export const signed = (number, digits = 0) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(digits)}`;
// A costly answer, and its cost as part of a win.
export const costWords = ({ said, better_said, cost, interval }) => {
  const [low, high] = interval.map((part) => (100 * part).toFixed(1));
  return `${said}. Better: ${better_said}. It cost ${(100 * cost).toFixed(1)} % of a win (${low} to ${high}).`;
};
export const time = (ms) =>
  ms === null
    ? ""
    : ms < 0.1
      ? `${Math.round(1000 * ms)} µs`
      : ms < 10
        ? `${ms.toFixed(2)} ms`
        : ms < 10000
          ? `${Math.round(ms)} ms`
          : `${(ms / 1000).toFixed(1)} s`;
const NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
export const seatWord = (place) => NTH[place] ?? `${place + 1}th`;
export const say = (text) => {
  document.getElementById("said").textContent = text;
};
