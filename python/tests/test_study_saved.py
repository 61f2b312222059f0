"""Studies that are copied, pickled, saved as bytes and continued."""

import copy
import pickle
import random

import pytest

import longrun
from studies import ARMS, new_study, play


def random_program(seed):
    """Return a study after random commands, of which some fail."""
    chance = random.Random(seed)
    names = [info.name for info in longrun.policies() if not info.needs_plan]
    constraints = longrun.Constraints(units_per_round=chance.choice([1, 1, 3]), minimum_share=chance.choice([0, {0: 0.2}]))
    keep = chance.choice([True, True, True, 6, False])
    scale = chance.choice([(0, 1), (-3, 5)])
    study = longrun.Study(
        ARMS[: chance.randint(1, 3)], chance.randint(1, 60), noise=longrun.Gaussian(0.1), policy=chance.choice(names), scale=scale,
        constraints=constraints, seed=seed, keep_events=keep,
    )  # fmt: skip
    decisions = []

    def reward():
        return scale[0] + chance.random() * (scale[1] - scale[0]) if chance.random() < 0.95 else 1e6

    def some_decision():
        pending = list(study.pending)
        return chance.choice(pending if pending and chance.random() < 0.8 else [0, 1, *decisions])

    commands = [
        lambda: decisions.extend(study.decide()),
        lambda: decisions.extend(study.decide(chance.randint(1, 3), arms=chance.sample(study.arms, 1))),
        lambda: study.observe(some_decision(), reward()),
        lambda: study.observe(some_decision(), reward()),
        lambda: study.lose(some_decision()),
        lambda: study.void(some_decision()),
        lambda: study.correct(some_decision(), chance.choice(["lost", "void", reward()])),
        lambda: study.record(chance.choice(study.arms), reward()),
        lambda: study.set_unavailable(chance.sample(study.arms, chance.randint(0, len(study.arms)))),
        lambda: study.add_arm(chance.choice(["west", "north", "new"])),
        lambda: study.extend_budget(chance.randint(0, 9)),
        lambda: study.change_noise(chance.choice([None, 0.1, longrun.Gaussian(0.3)])),
        lambda: study.change_constraints(minimum_share={chance.choice(study.arms): chance.choice([0, 0.2, 0.5])}),
        lambda: study.change_constraints(unavailable={0: [(chance.randint(1, 20), 25)]}),
    ]
    for _ in range(chance.randint(0, 60)):
        before = study.snapshot()
        try:
            chance.choice(commands)()
        except ValueError as error:
            assert "\n" not in str(error) and study.snapshot() == before
    return study, keep is True


def continued(study):
    """Return the decisions of some more commands, and the state after them."""
    study.extend_budget(10)
    study.set_unavailable([])
    decisions = []
    while not study.done:
        decisions.append(study.decide())
        for decision in decisions[-1]:
            study.observe(decision, study.scale[0])
    return decisions, study.last_event, study.snapshot()


@pytest.mark.parametrize("seed", range(300))
def test_copies_pickles_events_and_snapshots_of_random_programs_continue_as_the_original(seed):
    study, keeps_all = random_program(seed)
    others = [
        copy.copy(study),
        copy.deepcopy(study),
        pickle.loads(pickle.dumps(study)),
        pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(study)))),
    ]
    for other in others:
        assert other.events == study.events
    others.append(longrun.Study.from_snapshot(study.snapshot()))
    if keeps_all:
        others.append(longrun.Study.from_json_lines(study.to_json_lines()))
        half = study.last_event // 2
        lines = study.to_json_lines().splitlines(keepends=True)
        if not any('"corrected"' in line for line in lines):
            begun = longrun.Study.from_json_lines("".join(lines[: half + 1]))
            later = longrun.Study.from_snapshot(begun.snapshot())
            later.replay(study.to_json_lines(half + 1))
            others.append(later)
        assert study.to_pandas()["outcome"].eq("pending").sum() == len(study.pending)
    expected = continued(study)
    for other in others:
        assert other.differences == [] and continued(other) == expected


def test_decisions_are_those_of_the_original_in_copies_and_pickles():
    study = new_study()
    (decision,) = study.decide()
    for other in (copy.copy(study), pickle.loads(pickle.dumps(study)), study):
        other.observe(pickle.loads(pickle.dumps(decision)), 0.5)
        assert other.pending == {}


def test_a_pickle_keeps_what_corrections_need_and_a_snapshot_does_not():
    study = new_study()
    play(study, 50)
    pickled, restored = pickle.loads(pickle.dumps(study)), longrun.Study.from_snapshot(study.snapshot())
    pickled.correct(3, "lost")
    study.correct(3, "lost")
    assert pickled.snapshot() == study.snapshot()
    with pytest.raises(ValueError, match="the outcome of decision 3 is no longer kept"):
        restored.correct(3, "lost")
    assert len(restored.snapshot()) < 5_000


def test_old_events_can_be_dropped():
    study = new_study(keep_events=10)
    play(study, 50)
    first = study.events[0]["seq"]
    assert 80 < first <= 91 and study.last_event == 100
    with pytest.raises(ValueError, match=f"the events before event {first} are not kept; start at {first} or later"):
        study.to_json_lines()
    with pytest.raises(ValueError, match="are not kept"):
        study.to_pandas()
    assert len(study.to_json_lines(first).splitlines()) == 101 - first
    study.correct(50, "lost")
    whole = new_study()
    play(whole, 50)
    whole.correct(50, "lost")
    assert whole.snapshot() == study.snapshot()
    few = new_study(keep_events=False)
    play(few, 50)
    assert len(few.events) <= 2
