"""Every mistake in the use of a study raises a ValueError with a message of one line, and changes nothing."""

import copy
import math
import pickle

import numpy as np
import pandas
import pytest

import longrun

ARMS = ["north", "south", "east"]


def new_study(**options):
    return longrun.Study(ARMS, budget=300, noise=0.1, **options)


def started():
    """Return a study with the decisions 1 (observed), 2 (lost) and 3 (pending), and these."""
    study = new_study()
    decisions = study.decide(3)
    study.observe(1, 0.5)
    study.lose(2)
    return study, decisions


def made_by_another():
    return new_study().decide(3)[2]


def damaged_pickle(damage):
    state = damage(started()[0]._log.__getstate__())
    longrun._core.StudyLog.__new__(longrun._core.StudyLog).__setstate__(state)


NOT_SETTLED = "lose.. reports a reward that never arrives$"
SNAPSHOT = started()[0].snapshot()
LINES = started()[0].to_json_lines()
ON_ANOTHER_SCALE = longrun.Study(["a", "b"], 9, scale=(0, 40))

MISTAKES = {
    "unknown decision": (lambda s, d: s.observe(4, 0.5), "^there is no decision 4; the last one is 3$"),
    "decision 0": (lambda s, d: s.lose(0), "^there is no decision 0; the last one is 3$"),
    "negative decision": (lambda s, d: s.lose(-1), "^decision -1: must be a Decision or its number$"),
    "another reward": (lambda s, d: s.observe(1, 0.6), "^decision 1 has another outcome already: observed 0.5; correct it if that is wrong$"),
    "reward of a lost pull": (lambda s, d: s.observe(2, 0.6), "^decision 2 has another outcome already: lost"),
    "lost after observed": (lambda s, d: s.lose(d[0]), "^decision 1 has another outcome already: observed 0.5"),
    "correction of a pending decision": (lambda s, d: s.correct(3, 0.5), "^decision 3 is pending; report its outcome$"),
    "correction of an unknown decision": (lambda s, d: s.correct(9, 0.5), "^there is no decision 9; the last one is 3$"),
    "correction to a word": (lambda s, d: s.correct(1, "voided"), "^outcome 'voided': must be a reward, 'lost' or 'void'$"),
    "correction off the scale": (lambda s, d: s.correct(1, 50), "^reward 50 of arm 'north' is further outside the scale"),
    "correction to nan": (lambda s, d: s.correct(1, np.nan), '^reward nan: is not a finite number; "lost" is the outcome'),
    "reward off the scale": (lambda s, d: s.observe(3, 61), "^reward 61 of arm 'east' is further outside the scale 0 to 1 than noise explains"),
    "reward nan": (lambda s, d: s.observe(3, float("nan")), f"^reward nan: is not a finite number; {NOT_SETTLED}"),
    "reward nan of NumPy": (lambda s, d: s.observe(3, np.float64("nan")), f"^reward nan: is not a finite number; {NOT_SETTLED}"),
    "reward NA of pandas": (lambda s, d: s.observe(3, pandas.NA), f"^reward <NA>: is not a finite number; {NOT_SETTLED}"),
    "reward None": (lambda s, d: s.observe(3, None), f"^reward None: is not a finite number; {NOT_SETTLED}"),
    "reward infinite": (lambda s, d: s.observe(3, np.inf), "^reward inf: is not a finite number"),
    "reward as text": (lambda s, d: s.observe(3, "0.5"), "^reward '0.5': must be a number$"),
    "reward as array": (lambda s, d: s.observe(3, np.array([0.5])), "^reward array.*: must be a number$"),
    "reward as list": (lambda s, d: s.observe(3, [0.5, [1]]), "^reward .0.5, .1..: must be a number$"),
    "reward as series": (lambda s, d: s.observe(3, pandas.Series([0.5, 1])), "^reward 0 .*: must be a number$"),
    "reward complex": (lambda s, d: s.observe(3, 0.5j), "^reward 0.5j: must be a number$"),
    "reward complex of NumPy": (lambda s, d: s.observe(3, np.complex64(0.5)), "^reward .0.5.0j.: must be a number$"),
    "reward as time": (lambda s, d: s.observe(3, pandas.Timestamp(2024, 1, 1)), "^reward Timestamp.*: must be a number$"),
    "reward as NumPy time": (lambda s, d: s.observe(3, np.datetime64(1, "ns")), "^reward .*: must be a number$"),
    "reward as function": (lambda s, d: s.correct(1, abs), "^reward <built-in function abs>: must be a number$"),
    "reward NaT of pandas": (lambda s, d: s.observe(3, pandas.NaT), f"^reward NaT: is not a finite number; {NOT_SETTLED}"),
    "reward huge": (lambda s, d: s.observe(3, 10**400), "^reward 10{56}[.]{3}: is not a finite number"),
    "bool on another scale": (
        lambda s, d: ON_ANOTHER_SCALE.record("a", True),
        "^reward True: counts as 1 or 0 on the scale 0 to 1 only; the scale is 0 to 40$",
    ),
    "decision as bool": (lambda s, d: s.observe(True, 0.5), "^decision True: must be a Decision or its number$"),
    "decision as half": (lambda s, d: s.observe(2.5, 0.5), "^decision 2.5: must be a Decision or its number$"),
    "decision as text": (lambda s, d: s.observe("3", 0.5), "^decision '3': must be a Decision or its number$"),
    "decision None": (lambda s, d: s.lose(None), "^decision None: must be a Decision or its number$"),
    "decision huge": (lambda s, d: s.lose(2**70), "^decision 1180591620717411303424: must be a Decision or its number$"),
    "arm as decision": (lambda s, d: s.observe("east", 0.5), "^decision 'east': is an arm; record.. takes pulls that"),
    "list as decision": (lambda s, d: s.correct(s.decide(), 0.5), "^decision: is a list of 1; give one decision, such as its element 0$"),
    "decision of another study": (
        lambda s, d: s.observe(made_by_another(), 0.5),
        "^decision 3: was made by another study; give its number, if this study made it too$",
    ),
    "decision of an earlier copy": (
        lambda s, d: copy.copy(s).observe(longrun.Decision(3, "north", 0, 1, "choice"), 0.5),
        "^decision 3 of this study pulls arm 'east', not the arm at position 0; it is another study's decision$",
    ),
    "arm typo": (lambda s, d: s.record("norht", 0.5), "^arm 'norht': is not an arm; did you mean 'north'.$"),
    "arm unknown": (lambda s, d: s.record("moon", 0.5), "^arm 'moon': is not an arm; arms are 'north', 'south', 'east'$"),
    "position or decision": (lambda s, d: s.record(1, 0.5), "^arm 1: must be the name of an arm, such as 'north'; observe.. takes decisions$"),
    "record of a decision": (lambda s, d: s.record(d[2], 0.5), "^arm: decision 3 was made by a study; observe.. takes its reward$"),
    "record without reward": (lambda s, d: s.record("east", None), "^reward None: is not a finite number; a pull without"),
    "arms empty": (lambda s, d: s.decide(arms=[]), "^arms: none is given; leave `arms` out for a choice between all arms$"),
    "arms typo": (lambda s, d: s.decide(arms=["north", "sout"]), "^arm 'sout': is not an arm; did you mean 'south'.$"),
    "arms too high": (lambda s, d: s.decide(arms=[3]), "^arm 3: is not one of 0..2$"),
    "arms negative": (lambda s, d: s.decide(arms=[-1]), "^arm -1: must be a whole number"),
    "arms mask": (lambda s, d: s.decide(arms=[True, False, True]), "^arm True: must be a name, or a number from 0$"),
    "arms of decisions": (lambda s, d: s.decide(arms=d), "^arm: Decision.*is a decision; its arm is 'north'$"),
    "arms None": (lambda s, d: s.set_unavailable(None), "^arms None: must be a list of arms$"),
    "count 0": (lambda s, d: s.decide(0), "^count 0: must be a whole number from 1$"),
    "count negative": (lambda s, d: s.decide(-1), "^count -1: must be a whole number from 1$"),
    "count as arms": (lambda s, d: s.decide(["north"]), "^count .'north'.: must be a whole number from 1$"),
    "count negative and huge": (lambda s, d: s.decide(-(2**70)), "^count -1180591620717411303424: must be a whole number from 1$"),
    "count as half": (lambda s, d: s.decide(1.5), "^count 1.5: must be a whole number from 1$"),
    "count as bool": (lambda s, d: s.decide(True), "^count True: must be a whole number from 1$"),
    "count huge": (lambda s, d: s.decide(2**70), "^count 1180591620717411303424: must be a whole number from 1 and below 2.63$"),
    "all unavailable": (lambda s, d: (s.set_unavailable(ARMS), s.decide()), "^no arm can be pulled now"),
    "budget spent": (lambda s, d: spent_study().decide(), "^the budget of 2 units is spent; extend it to go on$"),
    "budget exceeded": (lambda s, d: spent_study().record("a", 0.5), "^the budget of 2 units has 0 left, too few for a pull of arm 'a'"),
    "name taken": (lambda s, d: s.add_arm("north"), "^'north' is an arm of the study already; names must differ$"),
    "name empty": (lambda s, d: s.add_arm(""), "^arms: an arm has an empty name"),
    "name as number": (lambda s, d: s.add_arm(3), "^name 3: must be a string$"),
    "name not Unicode": (lambda s, d: s.add_arm("\ud800"), "^name .*: is not valid Unicode$"),
    "units 0": (lambda s, d: s.extend_budget(0), "^units 0: must be a whole number from 1$"),
    "units negative": (lambda s, d: s.extend_budget(-5), "^units -5: must be a whole number from 1$"),
    "units too many": (lambda s, d: s.extend_budget(2**62), "^units: 4611686018427387904 is not in 1..[0-9]+$"),
    "noise unknown": (lambda s, d: s.change_noise("gausian:0.1"), "gausian"),
    "noise as bool": (lambda s, d: s.change_noise(True), "^noise True: must be a noise"),
    "noise that contradicts": (lambda s, d: s.change_noise("bernoulli"), "^noise: bernoulli contradicts what was reported: reward 0.5 of arm"),
    "no constraint": (lambda s, d: s.change_constraints(), "^nothing is changed; give minimum_pulls, minimum_share or unavailable$"),
    "constraint of an unknown arm": (lambda s, d: s.change_constraints(minimum_share={"nort": 0.1}), "^minimum_share: arm 'nort'"),
    "shares above 1": (lambda s, d: s.change_constraints(minimum_share=0.4), "^minimum_share: the shares of all 3 arms add up to 1.2, more than 1$"),
    "minima above the budget": (lambda s, d: s.change_constraints(minimum_pulls=10**6), "^minimum_pulls: at least .* units are needed, but only .* are left$"),
    "start negative": (lambda s, d: s.to_json_lines(-1), "^start -1: must be a whole number from 0$"),
    "end negative": (lambda s, d: s.to_json_lines(0, -1), "^end -1: must be a whole number from 0$"),
    "event too high": (lambda s, d: event_at(s, 4), "index out of range"),
    "arms as text": (lambda s, d: longrun.Study("ab", 5), "^arms 'ab': must be a list of names, or their number$"),
    "arms as set": (lambda s, d: longrun.Study({"a", "b"}, 5), "^arms: a set has no order; give a list of names$"),
    "arms as numbers": (lambda s, d: longrun.Study([101, 102], 5), "^arms: 101 must be a string; numbers would be confused with the numbers of arms$"),
    "no arms": (lambda s, d: longrun.Study([], 5), "^arms: none; a study needs at least one arm$"),
    "same arms": (lambda s, d: longrun.Study(["a", "a"], 5), "^arms: 'a' is given twice; names must differ$"),
    "budget 0": (lambda s, d: longrun.Study(["a"], 0), "^budget 0: must be a whole number from 1$"),
    "arms as bool": (lambda s, d: longrun.Study(True, 5), "^arms True: must be a whole number from 1$"),
    "arms 0": (lambda s, d: longrun.Study(0, 5), "^arms 0: must be a whole number from 1$"),
    "budget as bool": (lambda s, d: longrun.Study(["a"], True), "^budget True: must be a whole number from 1$"),
    "budget as half": (lambda s, d: longrun.Study(["a"], 2.5), "^budget 2.5: must be a whole number"),
    "noise as bool": (lambda s, d: longrun.Study(["a"], 5, noise=True), "^noise True: must be a noise, a standard deviation, or None"),
    "noise unknown": (lambda s, d: longrun.Study(["a"], 5, noise="normal"), "normal"),
    "noise of the rewards' scale": (lambda s, d: longrun.Study(["a"], 5, noise=12, scale=(0, 40)), "^noise 12: a number is accepted on the scale 0 to 1 only; .* write longrun.Gaussian.0.3.$"),
    "policy typo": (lambda s, d: longrun.Study(["a"], 5, policy="forsight"), "did you mean 'foresight'"),
    "policy that needs noise": (lambda s, d: longrun.Study(["a"], 5, policy="spo"), "^policy: 'spo' needs the noise of the rewards; state it"),
    "policy that needs curves": (lambda s, d: longrun.Study(["a"], 5, policy="optimal"), "needs known reward curves"),
    "n as text": (lambda s, d: s.ask("n"), "^n 'n': must be a whole number from 1$"),
    "n that takes minutes": (lambda s, d: s.ask(10**9), "^n 1000000000: must be a whole number from 1 to 1000000$"),
    "n 0": (lambda s, d: s.ask(0, unavailable="north"), "^n 0: must be a whole number from 1$"),
    "arms as data frame": (lambda s, d: longrun.Study(pandas.DataFrame({"north": [1]}), 5), "^arms: is a data frame; give a list of names"),
    "scale infinite": (lambda s, d: longrun.Study(["a"], 5, scale=(0, math.inf)), "^scale .0, inf.: must be two finite numbers, the smaller one first$"),
    "scale of three": (lambda s, d: longrun.Study(["a"], 5, scale=(0, 1, 2)), "^scale .0, 1, 2.: must be two numbers, .minimum, maximum.$"),
    "scale of one": (lambda s, d: longrun.Study(["a"], 5, scale=5), "^scale 5: must be two numbers"),
    "scale as text": (lambda s, d: longrun.Study(["a"], 5, scale="01"), "^scale '01': must be two numbers, .minimum, maximum.$"),
    "scale of texts": (lambda s, d: longrun.Study(["a"], 5, scale=(0, "1")), "^scale .0, '1'.: must be two numbers"),
    "scale as dictionary": (lambda s, d: longrun.Study(["a"], 5, scale={0: 5, 1: 6}), "^scale .0: 5, 1: 6.: must be two numbers"),
    "scale as set": (lambda s, d: longrun.Study(["a"], 5, scale={0, 1}), "^scale .0, 1.: must be two numbers"),
    "scale backwards": (lambda s, d: longrun.Study(["a"], 5, scale=(1, 0)), "^scale .1, 0.: must be two finite numbers, the smaller one first$"),
    "constraints as dictionary": (lambda s, d: longrun.Study(["a"], 5, constraints={"costs": 2}), "must be longrun.Constraints"),
    "constraint of a missing arm": (lambda s, d: longrun.Study(["a"], 5, constraints=longrun.Constraints(costs={3: 2})), "arm 3"),
    "constraint of an unknown name": (
        lambda s, d: longrun.Study(ARMS, 5, constraints=longrun.Constraints(costs={"norht": 2})),
        "^costs: arm 'norht': is not an arm; did you mean 'north'.$",
    ),
    "count under constraints": (
        lambda s, d: longrun.Study(2, 9, constraints=longrun.Constraints(units_per_round=3)).decide(2),
        "^count: is 2, but under constraints a round of 3 units is decided; leave it out$",
    ),
    "n under constraints": (
        lambda s, d: longrun.Study(2, 9, constraints=longrun.Constraints(units_per_round=3)).ask(2),
        "^n: is 2, but under constraints a round of 3 units is decided; leave it out$",
    ),
    "n under constraints, without an arm": (
        lambda s, d: longrun.Study(2, 9, constraints=longrun.Constraints(units_per_round=3)).ask(2, unavailable=1),
        "^n: is 2, but under constraints a round of 3 units is decided; leave it out$",
    ),
    "keep_events negative": (lambda s, d: new_study(keep_events=-1), "^keep_events -1: must be a whole number"),
    "keep_events None": (lambda s, d: new_study(keep_events=None), "^keep_events None: must be a whole number"),
    "no snapshot": (lambda s, d: longrun.Study.from_snapshot(b"PK"), "^the bytes are not a snapshot of a study$"),
    "snapshot as text": (lambda s, d: longrun.Study.from_snapshot("PK"), "^data 'PK': must be the bytes of a snapshot$"),
    "pickle as snapshot": (lambda s, d: longrun.Study.from_snapshot(pickle.dumps(s)), "^the bytes are not a snapshot of a study$"),
    "snapshot cut off": (lambda s, d: longrun.Study.from_snapshot(SNAPSHOT[:-1]), "^the snapshot is damaged or incomplete$"),
    "snapshot damaged": (lambda s, d: longrun.Study.from_snapshot(SNAPSHOT[:50] + b"?" + SNAPSHOT[51:]), "^the snapshot is damaged or incomplete$"),
    "pickle cut off": (lambda s, d: damaged_pickle(lambda b: b[:-1]), "^the pickled study is damaged or incomplete$"),
    "pickle damaged": (lambda s, d: damaged_pickle(lambda b: b.replace(b"0.5", b"0.6")), "^the pickled study is damaged or incomplete$"),
    "pickle empty": (lambda s, d: damaged_pickle(lambda b: b""), "^the pickled study is damaged or incomplete$"),
    "lines empty": (lambda s, d: longrun.Study.from_json_lines(""), "^the text is empty; a study begins with a line 'created'$"),
    "lines as bytes": (lambda s, d: longrun.Study.from_json_lines(LINES.encode()), "^text b.{50,60}[.]{3}: must be a string, such as that of to_json_lines..$"),
    "lines cut off": (lambda s, d: longrun.Study.from_json_lines(LINES[:-5]), "^line 4: the last line is incomplete; cut the text after its last line break$"),
    "replay cut off": (lambda s, d: s.replay('{"seq":4,"event":"sett'), "^line 1: the last line is incomplete; cut the text after its last line break$"),
    "line damaged": (lambda s, d: longrun.Study.from_json_lines(LINES[:-5] + "\n"), "^line 4: the line is not a JSON object$"),
    "line missing": (lambda s, d: longrun.Study.from_json_lines(without_line(LINES, 2)), "^line 3: seq: 3; the next event is number 2$"),
    "event that does not follow": (
        lambda s, d: s.replay('{"seq":4,"event":"settled","decision":9,"outcome":"lost"}'),
        "^event 4: there is no decision 9; the last one is 3$",
    ),
    "replay from the start": (lambda s, d: s.replay(LINES), "^line 1: seq: missing$"),
    "replay of old events": (lambda s, d: s.replay(without_line(LINES, 0)), "^line 1: seq: 1; the next event is number 4$"),
    "snapshot without its past": (lambda s, d: longrun.Study.from_snapshot(SNAPSHOT).to_json_lines(), "^the events before event 4 are not kept"),
}  # fmt: skip


def without_line(text, number):
    lines = text.splitlines(keepends=True)
    return "".join(lines[:number] + lines[number + 1 :])


def event_at(study, number):
    try:
        return study.events[number]
    except IndexError as error:
        raise ValueError(error) from None


def spent_study():
    study = longrun.Study(["a"], 2)
    study.decide(2)
    return study


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_raises_a_value_error_of_one_line_and_changes_nothing(mistake):
    make, message = MISTAKES[mistake]
    study, decisions = started()
    before = study.snapshot() if mistake not in ("list as decision", "all unavailable") else None
    with pytest.raises(ValueError, match=message) as caught:
        make(study, decisions)
    assert "\n" not in str(caught.value)
    assert before in (None, study.snapshot())


def test_a_pickle_of_damaged_bytes_is_rejected():
    with pytest.raises(ValueError, match="the pickled study is damaged or incomplete"):
        pickle.loads(pickle.dumps(started()[0]).replace(b'"lost"', b'"lo5t"'))


def test_an_error_about_arguments_has_their_names_and_the_problem():
    constraints = longrun.Constraints(minimum_pulls=6, minimum_share=0.4)
    for call, fields, problem in (
        (lambda: longrun.Study(2, 9, constraints=constraints), ("minimum_pulls", "minimum_share"), "12 units are needed"),
        (lambda: longrun.Study(2, 9, constraints=longrun.Constraints(minimum_share=0.6)), ("minimum_share",), "the shares of all 2 arms"),
        (lambda: longrun.Study(["a", "a"], 9), ("arms",), "'a' is given twice"),
        (lambda: longrun.Study(2, 9).plan(longrun.Constraints(minimum_share=0.6)), ("compare",), "minimum-share 0.6: "),
        (lambda: longrun.Study(2, 9, constraints=longrun.Constraints(units_per_round=3)).ask(2), ("n",), "is 2, but under constraints"),
        (lambda: longrun.policy("spo", arms=2, horizon=9, half_width="wide"), ("half_width",), "'wide' is not a number"),
    ):
        with pytest.raises(longrun.FieldError) as caught:
            call()
        error = caught.value
        assert isinstance(error, ValueError) and error.fields == fields and error.problem.startswith(problem), error
        assert str(error) == f"{', '.join(fields)}: {error.problem}"
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.fields, again.problem, str(again)) == (type(error), error.fields, error.problem, str(error))
