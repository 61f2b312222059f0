"""Makes lending.csv, advertisements.csv and training.csv, the data of docs/recommend.md.

python3 datasets/make_examples.py writes them; with --check it compares them with the files that are there.
"""

import math
import pathlib
import random
import statistics
import sys

FOLDER = pathlib.Path(__file__).parent


def growing(start, end, pulls):
    """A mean reward that grows from start to end, most of it within this many pulls."""
    return lambda n: end - (end - start) * math.exp(-n / pulls)


def lending():
    """Loans in rounds of 40: 1 if it was repaid, 0 if not, empty while it is not known."""
    chance = random.Random(11)
    groups = {
        "Small farms": growing(0.35, 0.85, 60),
        "Workshops": lambda n: 0.62,
        "Shops": lambda n: 0.75 - 0.25 * min(1, n / 90),
        "Commuters": growing(0.5, 0.6, 20),
    }
    made = dict.fromkeys(groups, 0)
    rows = ["month,group,repaid"]
    for month in range(1, 11):
        for loan in range(40):
            group = list(groups)[loan % len(groups)]
            made[group] += 1
            repaid = int(chance.random() < groups[group](made[group]))
            known = month < 10 or loan < 24
            rows.append(f"{month},{group},{repaid if known else ''}")
    return rows


def advertisements():
    """Views of advertisements: 1 if it was clicked. People tire of some, others need time."""
    chance = random.Random(3)
    rates = {
        "sale": lambda n: 0.040 * math.exp(-n / 1500),
        "brand": growing(0.008, 0.030, 900),
        "plain": lambda n: 0.018,
    }
    made = dict.fromkeys(rates, 0)
    rows = ["campaign,clicked"]
    for _ in range(6000):
        campaign = chance.choice(list(rates))
        made[campaign] += 1
        rows.append(f"{campaign},{int(chance.random() < rates[campaign](made[campaign]))}")
    return rows


def training():
    """Scores of participants from 0 to 100. One score has its decimal point in the wrong place."""
    chance = random.Random(5)
    noise = statistics.NormalDist(0, 4)
    scores = {"short course": lambda n: 62, "apprenticeship": growing(45, 80, 15), "self-study": lambda n: 58 - 0.6 * n}
    rows = ["programme;score"]
    for n in range(1, 26):
        for programme, mean in scores.items():
            score = mean(n) + noise.inv_cdf(chance.random())
            rows.append(f"{programme};{score / 10 if (n, programme) == (17, 'short course') else score:.1f}")
    return rows


def main():
    for make in (lending, advertisements, training):
        file = FOLDER / f"{make.__name__}.csv"
        text = "\n".join(make()) + "\n"
        if "--check" not in sys.argv:
            file.write_text(text)
        elif file.read_text() != text:
            sys.exit(f"{file.name} is not what {pathlib.Path(__file__).name} makes")


main()
