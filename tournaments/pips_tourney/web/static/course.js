// The course of a match: the expected result, luck and costly answers of every seat.
import { chart, color } from "./charts.js";
import { costWords, h, onRequest, quiet, request, requested, signedPercent, svg } from "./dom.js";
import { about, redraw } from "./state.js";

const MARKED = 6;

const percent = (part) => `${(100 * part).toFixed(1)} %`;

const address = (id) => `api/match/${id}/course`;
// The course of a match, if it was requested and has arrived.
export const courseOf = (id) => requested(address(id)).found;

// What the page of a lost match begins with: the frame at which a seat lost most by one answer, else by luck.
export const worstFrame = (id, seat) => {
  request(address(id));
  const course = courseOf(id);
  if (!course) return 0;
  const hopes = course.expected.map((parts) => parts[seat] ?? parts[0]),
    falls = hopes.map((hope, step) => (step ? hope - hopes[step - 1] : 1));
  const own = course.mistakes.find((each) => String(each.seat) === seat); // the costliest is the first
  return frameOf(course, seat, (own ? own.step : falls.indexOf(Math.min(...falls))) - 1);
};
// The costly answers that are asked for in this frame, above the board.
export const costlyHere = (id, match, { seat, now }, isWorst) => {
  const course = courseOf(id);
  if (!course) return isWorst && onRequest(address(id), "Analyse this match", () => null);
  const here = course.mistakes.filter((each) => frameOf(course, seat, each.step - 1) === now);
  if (isWorst && !here.length)
    return quiet("No answer here is a mistake beyond doubt: at this moment luck cost it most.");
  return here.map((each) => h("p.costly", costly(id, each, match.names[each.seat])));
};

const frameOf = (course, seat, step) => course.frames[seat][Math.max(0, step)];
// The frames with the questions of costly answers, in the order of the match.
export const mistakeFrames = (course, seat) =>
  course ? [...new Set(course.mistakes.map((each) => frameOf(course, seat, each.step - 1)))].sort((a, b) => a - b) : [];

// The events with the most luck, the greatest first.
const greatest = (course) =>
  course.luck
    .map((each) => {
      const place = each.gains.reduce((best, gain, at) => (gain > each.gains[best] ? at : best), 0);
      return { ...each, place, gain: each.gains[place] };
    })
    .filter((each) => each.gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MARKED);

function graph(course, names, { seat, now, last, to, width: wide }) {
  const left = 46,
    right = 12,
    top = 8,
    bottom = 16;
  const draw = (width, height) => {
    const px = (frame) => left + (frame / Math.max(1, last)) * (width - left - right);
    const py = (part) => top + (1 - part) * (height - top - bottom);
    return [
      [0, 0.5, 1].map((part) => [
        svg("line.grid", { x1: left, x2: width - right, y1: py(part), y2: py(part) }),
        svg("text.end", { x: left - 8, y: py(part) + 4 }, `${100 * part} %`),
      ]),
      svg("line.at", { x1: px(now), x2: px(now), y1: top, y2: height - bottom }),
      names.map((name, place) => {
        const points = course.expected.map((parts, step) => [frameOf(course, seat, step), parts[place]]);
        return svg(
          "polyline.line",
          {
            vars: { c: color(place) },
            points: points.map(([frame, part]) => `${px(frame).toFixed(1)},${py(part).toFixed(1)}`).join(" "),
          },
          svg("title", name),
        );
      }),
      greatest(course).map(({ step, place, gain }) => {
        const x = px(frameOf(course, seat, step)),
          y = height - bottom + 4;
        return svg(
          "path.luck",
          { vars: { c: color(place) }, d: `M${x - 5} ${y + 9}h10l-5 -9z` },
          svg("title", `Luck: ${names[place]} ${signedPercent(gain)}`),
        );
      }),
      course.mistakes.map((each) => {
        const frame = frameOf(course, seat, each.step - 1);
        return svg(
          "circle.mistake",
          { vars: { c: color(each.seat) }, cx: px(frame), cy: py(course.expected[each.step - 1][each.seat]), r: 6 },
          svg("title", `${names[each.seat]} gave away ${percent(each.cost)}`),
        );
      }),
    ];
  };
  const jump = (event) => {
    const box = event.currentTarget.getBoundingClientRect(),
      width = event.currentTarget.viewBox.baseVal.width;
    const at = ((event.clientX - box.left) / box.width) * width;
    to(Math.round(((at - left) / (width - left - right)) * last));
  };
  const label = "The expected result of every seat over the match";
  return chart(label, wide, 110, draw, { class: "lines course", onclick: jump });
}

// The course as a strip beside the board.
export const courseStrip = (id, match, view) => {
  const course = courseOf(id);
  return course && graph(course, match.names, view);
};

// The section below a replay. `view`: the seat that watches, the current frame, and `to`.
export const courseSection = (id, match, view) => {
  if (about.mode === "report" || (id.startsWith("own-") && !about.workshop)) return null;
  return h(
    "section.course",
    h("h2", "Where it was decided"),
    onRequest(address(id), "Analyse this match", (course) => inside(id, course, match, view)),
  );
};
// A costly answer: the reader chooses first, then sees the cost.
const tried = {};
function costly(id, each, name) {
  const key = `${id}/${each.step}`;
  const choose = (words) => {
    tried[key] = words;
    redraw();
  };
  if (tried[key])
    return [
      h("b", tried[key] === each.better_said ? "You chose the better one. " : "That is what it did. "),
      `${name}: ${costWords(each)}`,
    ];
  return [
    `${name}. What would you do? `,
    [each.said, each.better_said].sort().map((words) => h("button.try", { onclick: () => choose(words) }, words)),
  ];
}
function inside(id, course, match, view) {
  const item = (frame, words) => h("li", h("button", { onclick: () => view.to(frame) }, `Step ${frame}`), " ", words);
  return [
    h(
      "p.quiet.seats",
      "Expected result: ",
      match.names.map((name, place) => [
        h("span.seat", { vars: { c: color(place) } }, name),
        ` (luck ${signedPercent(course.luck_in_all[place])}) `,
      ]),
    ),
    h("h3", "Costly answers"),
    course.mistakes.length
      ? h(
          "ol.moments",
          course.mistakes.map((each) =>
            item(frameOf(course, view.seat, each.step - 1), costly(id, each, match.names[each.seat])),
          ),
        )
      : quiet("No answer is a mistake beyond doubt."),
    h("h3", "Greatest luck"),
    h(
      "ol.moments",
      greatest(course).map(({ step, place, gain }) =>
        item(frameOf(course, view.seat, step), `${match.names[place]} ${signedPercent(gain)}`),
      ),
    ),
    quiet(
      "The lines know all cards. A cost is judged from what the seat could know, by the play of the sample bots, with an interval of 95 % for all answers listed. Luck is compared with eight redraws only, by a value function: it is uncertain too, and its interval is not shown.",
    ),
  ];
}
