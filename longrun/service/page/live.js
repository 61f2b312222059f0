// Follows the log of a study: by its stream of events or, if that does not work, by asking.

import { connection, followEvents, get, studyPath } from "./client.js";

const POLL_PAUSE = 3000; // milliseconds
export const STATE_AGE = 3600000; // milliseconds after which a state is loaded again: outcomes become overdue
const MOST_FAILED_STREAMS = 3; // in a row, after which the study is polled

/** Calls `onState` with the state of a study: at first, after each change, and when the last one is old. */
export class Follower {
  #study;
  #onState;
  #stream = null;
  #timer = null;
  #renewal = null;
  #failed = 0;
  #closed = false;
  #loading = null; // the last call of #load()
  #again = false; // whether the state has changed while it was loaded

  constructor(study, onState, onError) {
    this.#study = study;
    this.#onState = onState;
    this.onError = onError;
    document.addEventListener("visibilitychange", this.#follow);
    connection.addEventListener("restored", this.#follow);
    this.#renewal = setInterval(() => document.hidden || this.reload(), STATE_AGE);
    this.#follow();
  }

  /** Whether changes are shown at once. */
  get isLive() {
    return this.#stream !== null;
  }

  close() {
    this.#closed = true;
    clearInterval(this.#renewal);
    document.removeEventListener("visibilitychange", this.#follow);
    connection.removeEventListener("restored", this.#follow);
    this.#stop();
  }

  /** Loads the state again; several calls at the same time cause one or two requests. */
  reload() {
    this.#again = true;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load() {
    let state = null;
    while (this.#again) {
      this.#again = false;
      try {
        state = await get(studyPath(this.#study));
      } catch (problem) {
        if (!this.#closed) this.onError(problem);
        return null;
      }
      if (this.#closed) return null;
      this.#onState(state);
    }
    return state;
  }

  #stop() {
    this.#stream?.abort();
    this.#stream = null;
    clearTimeout(this.#timer);
  }

  // A hidden page closes its stream: a browser opens only a few connections to a server, for all pages together.
  #follow = async () => {
    this.#stop();
    if (this.#closed || document.hidden) return;
    const state = await this.reload();
    if (this.#closed || document.hidden || state === null) return;
    this.#stop();
    if (this.#failed >= MOST_FAILED_STREAMS) this.#poll();
    else this.#listen(state.seq);
  };

  async #listen(seq) {
    const stream = new AbortController();
    this.#stream = stream;
    try {
      await followEvents(studyPath(this.#study, `events?after=${seq}`), {
        onBytes: () => {
          this.#failed = 0;
        },
        onEvents: () => this.reload(),
        signal: stream.signal,
      });
    } catch {
      // The stream is not possible, or the connection is lost: looked at again below.
    }
    if (stream !== this.#stream) return; // it was stopped here
    this.#stop();
    ++this.#failed;
    await connection.check();
    if (this.#stream === null) this.#timer = setTimeout(this.#follow, 200);
  }

  #poll() {
    this.#timer = setTimeout(async () => {
      await this.reload();
      if (!this.#closed && !document.hidden) this.#poll();
    }, POLL_PAUSE);
  }
}

/** Returns a function that calls `act`, which may be asynchronous, at most once per `milliseconds` and never twice at the same time. */
export function throttled(act, milliseconds) {
  let isRunning = false;
  let isWanted = false;
  return async function run() {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    try {
      while (isWanted) {
        isWanted = false;
        await Promise.all([act(), new Promise((resolve) => setTimeout(resolve, milliseconds))]);
      }
    } finally {
      isRunning = false;
    }
  };
}
