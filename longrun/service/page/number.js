// Numbers that people type. The browser's own number fields drop a decimal comma silently: 71,2 becomes 712.

const POINT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const COMMA = /^[+-]?(\d*),(\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}([ \u00a0\u202f'’.,]\d{3})+([.,]\d*)?$/;

/** Returns whether a decimal comma could also separate thousands: 1,234 but not 0,234 or 71,2. */
const isAmbiguous = (whole, fraction) => /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3;

/**
 * Reads a number with a decimal point, or with a decimal comma that can mean nothing else. Returns {value}, or {problem}:
 * what is wrong with the text.
 */
export function readNumber(text) {
  const typed = text.trim().replace(/^[−–]/, "-");
  if (!typed) return { problem: "missing" };
  if (POINT.test(typed)) return finite(Number(typed), typed);
  const comma = COMMA.exec(typed);
  if (comma && !isAmbiguous(comma[1], comma[2])) return finite(Number(typed.replace(",", ".")), typed);
  if (comma) {
    const [decimal, grouped] = [typed.replace(",", "."), typed.replace(",", "")];
    return { problem: `'${typed}' can mean ${decimal} or ${grouped}; write one of these` };
  }
  if (GROUPED.test(typed)) {
    return {
      problem: `'${typed}' has a separator of thousands; write only digits and a decimal point, such as 1234.5`,
    };
  }
  return { problem: `'${typed}' is not a number; write digits and a decimal point, such as 71.2` };
}

const finite = (value, typed) =>
  Number.isFinite(value) ? { value } : { problem: `'${typed}' is too large for a number` };

/** Reads a whole number. A point or a comma is refused in every one: 10.000 can mean 10 or 10000. */
function readWhole(text) {
  const read = readNumber(text);
  if (read.problem || (Number.isSafeInteger(read.value) && !/[.,]/.test(text))) return read;
  return { problem: `'${text.trim()}' is not a whole number; write it with digits only` };
}

/** Reads a number of units. Refuses 1.000, which can mean 1 or 1000, as readNumber() refuses 1,000. */
function readUnits(text) {
  const typed = text.trim();
  const read = readNumber(text);
  if (read.problem || !/^[1-9]\d{0,2}(\.000)+$/.test(typed)) return read;
  return { problem: `'${typed}' can mean ${read.value} or ${typed.replaceAll(".", "")}; write one of these` };
}

/** How the numbers of a field are read, by their kind. */
export const READERS = { decimal: readNumber, whole: readWhole, units: readUnits };

/** Returns how a text with a decimal comma is read, or with a point that could separate thousands; or an empty text. */
export function readingOf(text, kind = "decimal") {
  const { value } = READERS[kind](text);
  const point = /^\s*[+\-−–]?(\d+)\.(\d+)\s*$/.exec(text);
  const isSaid = text.includes(",") || (point && isAmbiguous(point[1], point[2]));
  return value !== undefined && isSaid ? `read as ${value}` : "";
}
