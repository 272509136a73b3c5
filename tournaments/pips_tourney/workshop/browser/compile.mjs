// Compiles modules with the Python of a tab: node compile.mjs FOLDER LOCK compiled.py [FROM TO HOME]...
import { readFileSync, writeFileSync } from "node:fs";

const [folder, lock, script, ...words] = process.argv.slice(2);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${folder}/`, lockFileContents: JSON.parse(lock) });
const extractDir = "/lib/python3.14/site-packages";
const archives = [];
while (words.length) archives.push(words.splice(0, 3));
const read = (path) => new Uint8Array(readFileSync(path));
for (const [from, , home] of archives) if (!home) python.unpackArchive(read(from).buffer, "wheel", { extractDir });
python.globals.set("handle", python.pyimport("pips_tourney.web.browser.tab").handle);
python.runPython(`${readFileSync(script, "utf8")}\nfiles = used(handle)`);
for (const [from, to, home] of archives) {
  python.globals.set("data", python.toPy(read(from)));
  python.globals.set("home", home);
  writeFileSync(to, python.runPython("compiled(bytes(data), home, files)").toJs());
}
