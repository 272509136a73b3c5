// The text field as an editor, and versions that wait: their part of the page comes anew.
"use strict";

const text = document.getElementById("text"),
  where = document.getElementById("where"),
  PAUSE_MS = 2000;
let leaving = false;

// Line and column of the cursor: messages of a check name lines.
function show() {
  const before = text.value.slice(0, text.selectionStart).split("\n");
  where.textContent = `Line ${before.length}, column ${before.at(-1).length + 1}`;
}
// Put something in place of what is selected, so that undo takes it back.
function put(words) {
  if (!document.execCommand("insertText", false, words))
    text.setRangeText(words, text.selectionStart, text.selectionEnd, "end");
}
if (text) {
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaving = true;
    else if (event.key === "Tab" && !leaving && !event.shiftKey) {
      event.preventDefault();
      put("    ");
    } else if (event.key === "Enter") {
      const line = text.value.slice(0, text.selectionStart).split("\n").at(-1);
      const indent = line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? "    " : "");
      if (indent) {
        event.preventDefault();
        put(`\n${indent}`);
      }
    } else if (event.key !== "Tab") leaving = false;
  });
  for (const name of ["keyup", "click", "input"]) text.addEventListener(name, show);
  show();
}

async function wait() {
  const shown = document.getElementById("versions");
  if (!("waits" in shown.dataset)) return;
  try {
    const answer = await fetch("/mine");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("versions");
    if (fresh && fresh.innerHTML !== shown.innerHTML) {
      if (!("waits" in fresh.dataset)) location.reload();
      else shown.replaceWith(fresh);
    }
  } catch {
    // the place is away for a moment
  }
  setTimeout(wait, PAUSE_MS);
}
setTimeout(wait, PAUSE_MS);
