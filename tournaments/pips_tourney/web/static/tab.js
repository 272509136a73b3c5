// Plays bots: Python in a worker of its own. Ending the worker ends everything in it.
const MOST_BYTES = 2 ** 30;
const extractDir = "/lib/python3.14/site-packages";

// A bot that takes too much memory gets a MemoryError before the browser ends the page.
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + 65536 * pages > MOST_BYTES) throw new RangeError("there is no more memory");
  return grow.call(this, pages);
};

let handle = null;
async function begin({ runtime, wheels, lock }) {
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  const packed = wheels.map(async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address} cannot be loaded: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const python = await loadPyodide({ indexURL: runtime, stdin: () => null, lockFileContents: lock });
  for (const each of packed) python.unpackArchive(await each, "wheel", { extractDir });
  handle = python.pyimport("pips_tourney.web.browser.tab").handle;
}

onmessage = async ({ data }) => {
  try {
    if (data.kind === "begin") {
      await begin(data);
      postMessage({ kind: "ready" });
    } else handle(JSON.stringify(data), (text) => postMessage(JSON.parse(text)));
  } catch (error) {
    postMessage({ kind: "broken", error: String(error.message || error) });
  }
};
