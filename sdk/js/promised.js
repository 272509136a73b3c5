// Answers that bots have promised. Promises are kept in any order; the referee gets
// the answers in the order of the questions.
const LONGEST_MS = 2 ** 31 - 1; // of a timer

/** The promised answers, and those that have to wait for them. */
export class Promised {
  #write;
  #queue = []; // { table, number, timeLeftMs, answer }, first asked first
  #timer;

  /** `write` sends a list of answers. */
  constructor(write) {
    this.#write = write;
  }

  get isWaiting() {
    return this.#queue.length > 0;
  }

  /** Put a question's answer, or the promise of it, behind those to earlier questions. */
  add({ table, number, timeLeftMs }, given) {
    const place = { table, number, timeLeftMs, answer: given instanceof Promise ? undefined : given };
    if (this.#queue.push(place) === 1) this.#watch();
    if (place.answer !== undefined) return this.#send();
    given.then((kept) => {
      place.answer ??= kept; // unless it was given up
      this.#send();
    });
  }

  /** A match is over: an answer that it still has open was taken back. */
  drop(table) {
    if (!this.#queue.some((place) => place.table === table)) return;
    const wasFirst = this.#queue[0].table === table;
    this.#queue = this.#queue.filter((place) => place.table !== table);
    this.#send();
    if (wasFirst) this.#watch();
  }

  /** The stream has ended: nobody waits any more. */
  clear() {
    this.#queue = [];
    clearTimeout(this.#timer);
  }

  /**
   * Send the answers for which no earlier one is open. The first goes alone, because
   * answers in one message share its time; those behind it were ready.
   */
  #send() {
    const open = this.#queue.findIndex(({ answer }) => answer === undefined);
    const ready = this.#queue.splice(0, open < 0 ? this.#queue.length : open).map(({ answer }) => answer);
    if (!ready.length) return;
    this.#write(ready.slice(0, 1));
    if (ready.length > 1) this.#write(ready.slice(1));
    this.#watch();
  }

  /** The first question's clock alone runs. When its time is over, those behind it go on. */
  #watch() {
    clearTimeout(this.#timer);
    const [head] = this.#queue;
    if (!head?.timeLeftMs) return;
    const { table, number, timeLeftMs } = head;
    const giveUp = () => {
      const failed = `it did not answer within ${timeLeftMs} ms`;
      console.error(`table ${table}, question ${number}: ${failed}`);
      head.answer = { table, number, failed };
      this.#send();
    };
    this.#timer = setTimeout(giveUp, Math.min(timeLeftMs, LONGEST_MS));
  }
}
