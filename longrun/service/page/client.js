// Requests to the service. A request waits for a lost connection and a busy server, and is repeated with the same key.

const PROBE_PAUSE = 1000; // milliseconds between attempts to reach the server
const PROBE_TIMEOUT = 5000; // of an attempt
const TIMEOUT = 30000; // milliseconds until a request without an answer is repeated
const LONG_TIMEOUT = 300000; // of a plan and of other answers that are computed, and of a table, which may be large
const MOST_SILENT = 40000; // of a stream, which says every 15 seconds that it is alive
const MOST_BUSY_ANSWERS = 20; // 503 in a row, after which the error is shown

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A request that the service refused: what is wrong and, if known, the field (a JSON pointer). */
export class Problem extends Error {
  constructor(status, { title, detail, field } = {}) {
    super(detail ?? title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.field = field ?? "";
  }
}

/** The connection to the server. Dispatches "lost" and "restored". */
class Connection extends EventTarget {
  #restored = null; // a promise while the connection is lost

  /** Resolves when the server can be reached. */
  check() {
    this.#restored ??= this.#wait().finally(() => {
      this.#restored = null;
    });
    return this.#restored;
  }

  async #wait() {
    for (let lost = false; ; lost = true) {
      try {
        const response = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PROBE_TIMEOUT) });
        if (response.ok) {
          if (lost) this.dispatchEvent(new Event("restored"));
          return;
        }
      } catch {
        // The server cannot be reached: asked again below.
      }
      if (!lost) this.dispatchEvent(new Event("lost"));
      await pause(PROBE_PAUSE);
    }
  }
}

export const connection = new Connection();

/** The token that the service may need. It is kept until the window is closed. Dispatches "wanted". */
class Access extends EventTarget {
  #given = null; // a promise while a token is wanted, and the function that resolves it
  #resolve = null;

  get token() {
    return sessionStorage.getItem("longrun token") ?? "";
  }
  set token(token) {
    sessionStorage.setItem("longrun token", token);
    this.#resolve?.();
    this.#given = null;
  }

  /** Resolves when there is another token than `refused`. */
  want(refused, reason) {
    if (this.token !== refused) return Promise.resolve();
    this.#given ??= new Promise((resolve) => {
      this.#resolve = resolve;
      this.dispatchEvent(new CustomEvent("wanted", { detail: reason }));
    });
    return this.#given;
  }
}

export const access = new Access();

/** Returns a new random text. */
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function problemOf(response, text) {
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Not from the service, but from a proxy: only the status is known.
  }
  return new Problem(response.status, problem);
}

const withToken = (headers, token) => (token ? { ...headers, authorization: `Bearer ${token}` } : headers);

async function request(path, { timeout = TIMEOUT, headers, ...options }) {
  for (let busy = 0; ; ) {
    let response;
    let text;
    const { token } = access;
    try {
      const signal = AbortSignal.timeout(timeout);
      response = await fetch(path, { ...options, headers: withToken(headers, token), cache: "no-store", signal });
      text = await response.text();
    } catch {
      await connection.check();
      await pause(200);
      continue;
    }
    if (response.status === 503 && busy < MOST_BUSY_ANSWERS) {
      ++busy;
      await pause(1000 * (Number(response.headers.get("retry-after")) || 1));
      continue;
    }
    if (response.status === 401) {
      await access.want(token, problemOf(response, text).message);
      continue;
    }
    if (!response.ok) throw problemOf(response, text);
    return text;
  }
}

/** Returns the JSON at a path. */
export const get = async (path) => JSON.parse(await request(path, {}));

/** Returns the JSON at a path whose answer is computed, which may take a while. */
export const getComputed = async (path) => JSON.parse(await request(path, { timeout: LONG_TIMEOUT }));

export const getText = (path) => request(path, { timeout: LONG_TIMEOUT });

/** Returns the lines of JSON at a path. */
export async function getLines(path) {
  const text = await request(path, {});
  return text
    .split("\n")
    .filter((line) => line)
    .map((line) => JSON.parse(line));
}

/** Changes something: sends an object as JSON, or a text as CSV. A request that names what it records has no key (null). */
export async function send(method, path, body, key = newKey()) {
  const isTable = typeof body === "string";
  const headers = { "content-type": isTable ? "text/csv" : "application/json" };
  if (key !== null) headers["idempotency-key"] = key;
  const timeout = isTable ? LONG_TIMEOUT : TIMEOUT;
  return JSON.parse(await request(path, { method, headers, timeout, body: isTable ? body : JSON.stringify(body) }));
}

/**
 * Follows the stream of server-sent events at a path: calls `onBytes` when something arrives, and `onEvents` when that
 * has events. Returns when the stream ends, and throws if it is not possible, fails or is silent: a proxy may pass on the
 * headers and hold back the rest. It is no EventSource, because that sends no token.
 */
export async function followEvents(path, { onBytes, onEvents, signal }) {
  const silent = new AbortController();
  const listen = () => setTimeout(() => silent.abort(), MOST_SILENT);
  let timer = listen();
  try {
    const headers = withToken({ accept: "text/event-stream" }, access.token);
    const response = await fetch(path, {
      headers,
      cache: "no-store",
      signal: AbortSignal.any([signal, silent.signal]),
    });
    if (!response.ok) throw new Problem(response.status);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = listen();
      onBytes();
      const messages = (rest + value).split("\n\n");
      rest = messages.pop();
      if (messages.some((message) => !message.startsWith(":"))) onEvents(); // not only that the server is alive
    }
  } finally {
    clearTimeout(timer);
  }
}

export const studyPath = (name, rest = "") => `/v1/studies/${encodeURIComponent(name)}${rest ? `/${rest}` : ""}`;
