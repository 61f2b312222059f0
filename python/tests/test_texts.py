"""Labels and other texts with line breaks, control characters, halves of surrogate pairs and great length."""

import warnings

import pytest

import longrun

CURVES = [[0.1] * 30, [0.5] * 30]
HISTORY = [("tea", 0.2), ("coffee", 0.5)] * 10
TEXTS = {"line break": "a\nb", "zero": "a\x00b", "escape": "\x1b[31m", "surrogate": "\ud800", "long": "x" * 10_000, "empty": "", "blank": " "}
LONGEST = 300  # characters of a message


def study():
    return longrun.Study(["tea", "coffee"], 100, noise=0.1)


def recommend(history=HISTORY, **options):
    return longrun.recommend(history, **{"horizon": 100, **options})


ENTRIES = {
    "Study": lambda text: longrun.Study([text, "tea"], 100).ask(),
    "Study of a policy": lambda text: longrun.Study(2, 100, policy=text),
    "Study.add_arm": lambda text: study().add_arm(text),
    "Study.record": lambda text: study().record(text, 0.5),
    "Study.tell": lambda text: study().tell([text], [0.5]),
    "Study.ask": lambda text: study().ask(among=text),
    "Study.constraints": lambda text: longrun.Study(["tea", "coffee"], 100, constraints=longrun.Constraints(costs={text: 2})),
    "Study.noise": lambda text: longrun.Study(2, 100, noise=text),
    "Study.plan": lambda text: study().plan(text, futures=100),
    "Study.from_json_lines": longrun.Study.from_json_lines,
    "recommend": lambda text: recommend(arms=[text, "tea", "coffee"]),
    "recommend of labels": lambda text: recommend([(text, 0.5), ("tea", 0.2)] * 5),
    "recommend of an unknown label": lambda text: recommend([(text, 0.5)], arms=["tea"]),
    "recommend of a file": recommend,
    "recommend of a policy": lambda text: recommend(policy=text),
    "recommend without an arm": lambda text: recommend(unavailable_now=text),
    "plan": lambda text: longrun.plan(HISTORY, arms=[text, "tea", "coffee"], horizon=30, futures=100),
    "backtest": lambda text: longrun.backtest(HISTORY + [(text, 0.5)] * 10, horizon=20, policies="greedy", replicates=1, resamples=0),
    "backtest of a policy": lambda text: longrun.backtest(HISTORY, policies=[text]),
    "Bandit": lambda text: longrun.Bandit(text),
    "Bandit of names": lambda text: longrun.Bandit(CURVES, arm_names=[text, "tea"]),
    "Bandit with a name": lambda text: longrun.Bandit(CURVES, name=text),
    "simulate": lambda text: longrun.simulate({text: CURVES}, "spo", 5),
    "simulate of a policy": lambda text: longrun.simulate("inc_1", text, 5),
    "simulate of a labelled policy": lambda text: longrun.simulate("inc_1", {text: "spo"}, 5).summary(),
    "simulate of a half-width": lambda text: longrun.simulate("inc_1", "spo", 5, half_width=text),
    "policy": lambda text: longrun.policy(text, arms=2, horizon=9),
    "Records.select": lambda text: longrun.simulate("inc_1", "spo", 5).select(policy=text),
    "Records column": lambda text: longrun.simulate("inc_1", "spo", 5)[text],
    "plot.style": lambda text: longrun.plot.style(text),
    "Client": lambda text: longrun.Client(text),
}


LABELS = {"Study", "Study.add_arm", "Study.record", "Study.tell", "Study.ask", "Study.constraints", "recommend", "recommend of labels",
          "recommend of an unknown label", "recommend without an arm", "plan", "backtest", "Bandit of names", "simulate",
          "simulate of a labelled policy", "Records.select", "Records column"}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_text_is_accepted_or_refused_in_one_line(entry, kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            ENTRIES[entry](TEXTS[kind])
        except (ValueError, KeyError, OSError) as error:
            assert not isinstance(error, UnicodeError), repr(error)
            message = str(error)
            assert message.isprintable(), repr(message[:LONGEST])
            assert len(message) <= (LONGEST if entry in LABELS else LONGEST + 2 * len(TEXTS[kind])), message[:LONGEST]
            if kind == "surrogate" and not isinstance(error, KeyError):
                assert message.endswith("is not valid Unicode") or "\\ud800" in message
    assert all("\n" not in str(each.message) for each in caught)


@pytest.mark.parametrize("entry", ["Study", "Study.add_arm", "recommend", "plan", "backtest", "Bandit of names", "simulate", "simulate of a labelled policy"])
def test_a_label_is_valid_unicode_of_at_most_500_characters(entry):
    with pytest.raises(ValueError, match=r"'\\ud800'.* is not valid Unicode$"):
        ENTRIES[entry]("\ud800")
    with pytest.raises(ValueError, match="has 501 characters; at most 500 are accepted$"):
        ENTRIES[entry]("é" * 501)
    ENTRIES[entry]("é" * 500)
