// The stream to the referee: docs/protocol.md in code. A bot's author only calls `run`.
import { closeSync, existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { Bot, when } from "./bot.js";
import { hints } from "./hints.js";
import { Promised } from "./promised.js";

const PROTOCOL_VERSION = 1;
const SEND_AFTER_MS = 2; // a finished answer does not wait longer for the next one
const SDK = new URL(".", import.meta.url).href;
const STANDARD = 2; // descriptors up to this one stay open
const CONTRACT = [".", "../../proto", "../.."] // beside a bot, in a checkout, in an installed package
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(`${folder}/pips/v1/referee.proto`));

/** A stack's line with file and line number; no file of Node's, no async frame. */
const FRAME = /^ +at (?!async )(?:[^(\n]*\()?(file:.*|\/.*|[A-Z]:\\.*):(\d+):\d+\)?$/gm;

class StartError extends Error {}

/** Play all matches with these bots, one class a game, until the stream ends. */
export async function run(...bots) {
  if (process.env.NODE_TEST_CONTEXT || /\.test\.\w+$/.test(process.argv[1])) return; // imported by a bot's own test
  try {
    const byGame = checked(bots);
    if (process.env.PIPS_DESCRIBE) {
      console.log(JSON.stringify(bots.map((bot) => ({ name: bot.name, game: bot.game, hints: hints(bot) }))));
    } else {
      const [address, token] = referee();
      for (const hint of bots.flatMap(hints)) console.error(`hint: ${hint}`);
      await play(address, token, byGame);
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(`${basename(process.argv[1])}: ${error.message}`);
    process.exitCode = process.env.PIPS_DESCRIBE ? 1 : 2; // one that does not know the word ends with 2 too
  }
}

function checked(bots) {
  const byGame = new Map();
  if (!CONTRACT)
    throw new StartError(
      `there is no pips/v1 beside ${fileURLToPath(SDK)}: npm copied the SDK; npm install --install-links=false links it`,
    );
  if (!bots.length) throw new StartError("run() was given no bot: give it your class, as in run(MyBot)");
  for (const bot of bots) {
    if (bot instanceof Bot)
      throw new StartError(`run() takes the class itself, without new: run(${bot.constructor.name})`);
    if (!(bot?.prototype instanceof Bot) || !bot.game) {
      throw new StartError(`run() was given ${bot?.name ?? bot}, which extends no game's class, and not GameBot`);
    }
    if (byGame.has(bot.game)) {
      throw new StartError(
        `${byGame.get(bot.game).name} and ${bot.name} both play ${bot.game}: run() takes one a game`,
      );
    }
    byGame.set(bot.game, bot);
  }
  return byGame;
}

/** The channel's credentials; PIPS_CA: certificates to check a distant referee. */
function credentials() {
  const { PIPS_CA: ca } = process.env;
  if (ca === undefined) return grpc.credentials.createInsecure();
  try {
    return grpc.credentials.createSsl(ca ? readFileSync(ca) : null);
  } catch (error) {
    throw new StartError(`the certificates in ${ca} (PIPS_CA) cannot be read: ${error.message}`);
  }
}

/** gRPC's channel options; the certificate's name: PIPS_TLS_NAME, or the host. */
function channelOptions() {
  const { PIPS_CA: ca, PIPS_TLS_NAME: name } = process.env;
  return {
    "grpc.enable_http_proxy": 0,
    "grpc.enable_retries": 0,
    "grpc.max_receive_message_length": -1,
    ...(ca !== undefined && name ? { "grpc.ssl_target_name_override": name } : {}),
  };
}

/** The referee's address and this bot's token. */
function referee() {
  const { PIPS_REFEREE: address, PIPS_TOKEN_FD: descriptor } = process.env;
  if (!address) {
    const file = basename(process.argv[1]);
    throw new StartError(
      "there is no referee to play at (PIPS_REFEREE is not set). A bot is started by a tournament: " +
        `try \`pips-bot play ${/\s/.test(file) ? JSON.stringify(file) : file} greedy\``,
    );
  }
  if (!/^\d+$/.test(descriptor ?? "")) return [address, Buffer.alloc(0)];
  try {
    const token = readFileSync(Number(descriptor));
    if (Number(descriptor) > STANDARD) closeSync(Number(descriptor));
    return [address, token];
  } catch (error) {
    throw new StartError(`the token could not be read from descriptor ${descriptor}: ${error.message}`);
  }
}

async function play(address, token, bots) {
  const contract = loadSync("pips/v1/referee.proto", {
    includeDirs: [CONTRACT],
    enums: String,
    longs: Number,
    defaults: true,
    oneofs: true,
  });
  const { RefereeService } = grpc.loadPackageDefinition(contract).pips.v1;
  const client = new RefereeService(address, credentials(), channelOptions());
  const stream = client.play();
  const botName = [...bots.values()].map((bot) => bot.name).join(", ");
  const games = [...bots.keys()];
  const gamesWithoutEvents = games.filter((game) => !hears(bots.get(game)));
  stream.write({ hello: { protocolVersion: PROTOCOL_VERSION, botName, games, token, gamesWithoutEvents } });
  const tables = new Map();
  const promised = new Promised((answers) => stream.write({ answers }));
  let welcomed = false;
  try {
    for await (const message of stream) {
      welcomed = true; // the first message is the welcome, and may bring tables too
      if (message.ping.length) await send(stream, { pong: message.ping });
      for (const start of message.starts) tables.set(start.table, new Table(bots.get(start.game), start));
      if (message.questions.length) await answer(stream, tables, message.questions, promised);
      for (const finish of message.finishes) {
        tables.get(finish.table).finish(finish);
        tables.delete(finish.table);
        promised.drop(finish.table);
      }
    }
  } catch (error) {
    if (error.code === undefined) throw error;
    if (!welcomed) throw new StartError(`the referee at ${address} did not let the bot in: ${error.details}`);
    if (error.code === grpc.status.ABORTED) throw new StartError(`the referee ended the stream: ${error.details}`);
  } finally {
    promised.clear();
    client.close();
  }
}

/**
 * Answer the questions. A bot that returns a promise answers when it is kept; meanwhile
 * the questions of other tables, and pings, go on.
 */
async function answer(stream, tables, questions, promised) {
  let answers = [];
  let firstAt = 0;
  for (const question of questions) {
    if (answers.length && performance.now() - firstAt > SEND_AFTER_MS) {
      await send(stream, { answers });
      answers = [];
    }
    const begun = performance.now();
    const timed = (given) => ({ ...given, thoughtUs: Math.round(1000 * (performance.now() - begun)) });
    const given = when(tables.get(question.table).ask(question), timed);
    if (given instanceof Promise || promised.isWaiting) {
      if (answers.length) await send(stream, { answers });
      answers = [];
      promised.add(question, given);
      continue;
    }
    if (!answers.length) firstAt = begun;
    answers.push(given);
  }
  if (answers.length) await send(stream, { answers });
}

/**
 * Wait until the answers are sent. They leave when the loop turns, and a thinking bot
 * keeps the loop from turning.
 */
const send = (stream, message) => new Promise((sent) => stream.write(message, () => setImmediate(sent)));

/** Whether the class has its own onEvent; the referee sends events to no other. */
const hears = (botClass) => botClass.prototype.onEvent !== Bot.prototype.onEvent;

/**
 * One match of one bot instance. An error of its code costs only that match. Hooks may
 * be async: the next question waits for them.
 */
class Table {
  constructor(botClass, { game, seat, seats, options, rngSeed, told }) {
    this.game = game;
    const begin = () => {
      this.bot = new botClass();
      return when(this.bot.begin(seat, seats, inside(options, game), rngSeed), () => this.hear(told));
    };
    this.begun = attempt(begin, (error) => {
      console.error(withoutOurs(error));
      this.broken = oneLine(error);
    });
  }

  ask(question) {
    return when(this.begun, () => this.answer(question));
  }

  answer({ table, number, view, events }) {
    if (this.broken) return { table, number, failed: this.broken };
    const seen = inside(view, this.game);
    const choose = () => {
      // As in log_marks.py: at which question the bot prints something.
      if (process.env.PIPS_LOG_QUESTIONS) process.stderr.write(`\x1e${seen.seat} ${number}\n`);
      const action = when(this.hear(events), () => this.bot.ask(number, seen));
      const sent = (action) => (view.other ? { other: Buffer.from(JSON.stringify(action)) } : { [this.game]: action });
      return when(action, (action) => ({ table, number, action: sent(action) }));
    };
    return attempt(choose, (error) => {
      const name = this.bot.constructor.name;
      console.error(`\n${name} failed at question ${number} (${seen.kind}) of a match of ${this.game}:`);
      console.error(JSON.stringify(seen), "\n", withoutOurs(error));
      return { table, number, failed: oneLine(error) };
    });
  }

  /** The match is over: an error has nothing left to lose. */
  finish({ places, scores, events, fault }) {
    const end = () => when(this.hear(events), () => this.bot.onFinish({ places, scores }));
    if (!this.broken) when(this.begun, () => attempt(end, console.error));
    if (fault) console.error(`${this.bot?.constructor.name} lost a match of ${this.game} by a fault: ${fault}`);
  }

  hear(events) {
    if (!hears(this.bot.constructor)) return;
    let heard;
    for (const sent of events) {
      const event = sent.other ? JSON.parse(sent.other) : sent[this.game];
      const value = sent.other ? event : plain(event[event.kind]);
      heard = when(heard, () => this.bot.onEvent({ kind: event.kind, value }));
    }
    return heard;
  }
}

/** What a step gives, now or by a promise; where it fails, what `failed` makes of its error. */
function attempt(step, failed) {
  try {
    const got = when(step(), (kept) => kept);
    return got instanceof Promise ? got.catch(failed) : got;
  } catch (error) {
    return failed(error);
  }
}

/** Its stack, without the frames of the SDK; what is no error as it is. */
function withoutOurs(error) {
  if (typeof error?.stack !== "string") return error;
  const lines = error.stack.split("\n");
  return lines.filter((line) => !/^ +at /.test(line) || !line.includes(SDK)).join("\n");
}

/** `TypeError: what it said (at my_bot.js:12)`: the bot's own deepest line, if any. */
function oneLine(error) {
  for (const [, file, line] of String(error?.stack).matchAll(FRAME)) {
    const place = file.startsWith("file:") ? file : pathToFileURL(file).href;
    if (!place.startsWith(SDK) && !place.includes("/node_modules/")) {
      return `${error} (at ${basename(fileURLToPath(place))}:${line})`;
    }
  }
  return error instanceof Error
    ? String(error)
    : `it threw ${JSON.stringify(error)}: throw new Error(...) tells the line`;
}

/** What a message holds of a game, as plain values; a game without messages of its own comes as JSON. */
const inside = (message, game) => (message.other ? JSON.parse(message.other) : plain(message[game]));

/** A message as plain values: bytes as arrays of numbers, KIND_LEAD as "lead". */
function plain(value) {
  if (Buffer.isBuffer(value)) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "string") return value.replace(/^[A-Z]+_/, "").toLowerCase();
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}
