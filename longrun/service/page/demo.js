// A study to try: loans to four groups, whose outcomes come late. It is made through the interface, as by any client.

import { send, studyPath } from "./client.js";

export const DEMO = "demo-lending";
const MONTHS = 15;
const LOANS_PER_MONTH = 12;
const SD = 0.08; // of the noise
const SEED = 2026;

/** The share of a loan that is repaid, by the number of loans that the group has had. */
export const GROUPS = {
  "Small farms": (pull) => 0.3 + 0.5 * (1 - Math.exp(-pull / 25)), // learns to use loans
  Workshops: () => 0.58,
  Shops: (pull) => 0.35 + 0.35 * Math.exp(-pull / 20), // too much debt
  Commuters: (pull) => 0.4 + 0.12 * (1 - Math.exp(-pull / 10)),
};

const SPECIFICATION = {
  name: DEMO,
  title: "Demo: lending to four groups",
  arms: Object.keys(GROUPS),
  budget: 600,
  scale: [0, 1],
  seed: SEED,
};

/** Returns a number from 0 to 1 that depends only on the seed, the decision and the purpose. */
function randomNumber(decision, purpose) {
  let state = (SEED * 0x9e3779b1 + decision * 0x85ebca6b + purpose * 0xc2b2ae35) >>> 0;
  for (let k = 0; k < 3; ++k) {
    state = Math.imul(state ^ (state >>> 16), 0x45d9f3b) >>> 0;
    state = (state ^ (state >>> 13)) >>> 0;
  }
  return (state + 0.5) / 2 ** 32;
}

function normalNumber(decision) {
  const radius = Math.sqrt(-2 * Math.log(randomNumber(decision, 1)));
  return radius * Math.cos(2 * Math.PI * randomNumber(decision, 2));
}

/** Returns what becomes of a loan: in which month the outcome is known, and the reward. */
function outcomeOf({ id, arm, pull }, month) {
  const repaid = GROUPS[arm](pull) + SD * normalNumber(id);
  return {
    decision: id,
    reward: Number(Math.min(1, Math.max(0, repaid)).toFixed(3)),
    known: month + 1 + Math.floor(3 * randomNumber(id, 3)),
  };
}

/**
 * Creates the study and tells it 15 months of loans. Keys are the same each time: a demo that was interrupted continues,
 * and nothing is recorded twice.
 */
export async function makeDemo(onProgress) {
  await send("POST", "/v1/studies", SPECIFICATION, `${DEMO} created`);
  let open = [];
  for (let month = 1; month <= MONTHS; ++month) {
    onProgress((month - 1) / MONTHS);
    const key = `${DEMO} month ${month}`;
    const { decisions } = await send("POST", studyPath(DEMO, "decisions"), { count: LOANS_PER_MONTH }, key);
    open.push(...decisions.map((decision) => outcomeOf(decision, month)));
    const outcomes = open.filter(({ known }) => known <= month);
    open = open.filter(({ known }) => known > month);
    if (!outcomes.length) continue;
    const rows = outcomes.map(({ decision, reward }) => ({ decision, reward }));
    await send("POST", studyPath(DEMO, "outcomes"), { outcomes: rows }, `${key} outcomes`);
  }
  onProgress(1);
}
