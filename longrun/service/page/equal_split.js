// What an equal split would have earned, estimated from the rewards of the study.

const MOST_POINTS = 200;

/**
 * Returns a function: the sum of an arm's first `pulls` rewards, known ones and then expected ones; null if neither is
 * known. Equal shares need not be whole numbers.
 */
function sumOfFirst(rewards, course) {
  const known = rewards.length ? rewards.at(-1)[1] : 0;
  const expected = expectedAfter(known, rewards, course);
  return (pulls) => {
    let sum = 0;
    for (const [first, last, , mean] of rewards) {
      if (pulls <= first - 1) break;
      sum += mean * Math.min(last - first + 1, pulls - first + 1);
    }
    if (pulls <= known) return sum;
    const more = expected(pulls);
    return more === null ? null : sum + more;
  };
}

/** Returns a function: the sum of the expected rewards after the known ones. */
function expectedAfter(known, rewards, course) {
  if (!course.length) {
    if (!rewards.length) return () => null;
    const mean = rewards.at(-1)[3];
    return (pulls) => mean * (pulls - known);
  }
  const at = (pull) => {
    const next = course.findIndex((point) => point.pull >= pull);
    if (next === 0) return course[0].mean;
    if (next < 0) return course.at(-1).mean;
    const [a, b] = [course[next - 1], course[next]];
    return a.mean + ((b.mean - a.mean) * (pull - a.pull)) / (b.pull - a.pull);
  };
  const sums = [0]; // after 1, 2, ... pulls
  return (pulls) => {
    const whole = Math.floor(pulls - known);
    while (sums.length <= whole) sums.push(sums.at(-1) + at(known + sums.length));
    return sums[whole] + (pulls - known - whole) * at(known + whole + 1);
  };
}

/** Returns the total of an equal split after as many rewards as the study knows, as points {x, y}; empty if not known. */
export function equalSplit({ arms, total }, advice) {
  const sums = arms.map(({ rewards }, arm) => sumOfFirst(rewards, advice.arms[arm]?.expected_course ?? []));
  const step = Math.ceil(total.length / MOST_POINTS);
  const points = total
    .filter((_, k) => (total.length - 1 - k) % step === 0)
    .map(([, last]) => {
      const each = sums.map((sum) => sum(last / arms.length));
      return each.includes(null) ? null : { x: last, y: each.reduce((a, b) => a + b, 0) };
    });
  return points.includes(null) ? [] : points;
}
