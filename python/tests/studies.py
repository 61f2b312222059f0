"""A study for tests."""

import random

import longrun

ARMS = ["north", "south", "east"]


def new_study(**options):
    return longrun.Study(ARMS, **{"budget": 300, "noise": 0.1, **options})


def play(study, steps, seed=1):
    """Decide one by one, each with a reward at once. Return the arms."""
    chance = random.Random(seed)
    arms = []
    for _ in range(steps):
        (decision,) = study.decide()
        arms.append(decision.arm)
        study.observe(decision, 0.2 + 0.2 * decision.index + chance.gauss(0, 0.1))
    return arms
