"""One meaning of seed: everything with the same seed and root seed has the same random numbers."""

import dataclasses

import numpy as np
import pytest

import longrun

BANDIT = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))


class Recorder:
    settings: list = []

    def __init__(self, setting):
        self.settings.append(setting)
        self.rewards = []

    def ask(self):
        return 0

    def tell(self, arm, reward):
        self.rewards.append(reward)


@pytest.mark.parametrize("root_seed", [0, 7])
def test_simulate_world_and_environment_with_the_same_seed_are_the_same_world(root_seed):
    rewards = []

    class First(Recorder):
        settings = []

        def tell(self, arm, reward):
            rewards.append(reward)

    longrun.simulate(BANDIT, First, 50, seeds=[3], root_seed=root_seed)
    (*_, setting) = First.settings
    assert (setting.seed, setting.root_seed) == (3, root_seed)
    world = BANDIT.world(50, seed=3, root_seed=root_seed)
    assert [world.pull(0) for _ in range(50)] == rewards
    env = longrun.env.RestedBandit(BANDIT, horizon=50, root_seed=root_seed)
    env.reset(seed=3)
    assert [env.step(0)[1] for _ in range(50)] == rewards


@pytest.mark.parametrize("name", ["exp3", "foresight"])
def test_a_policy_with_the_seed_of_its_setting_repeats_the_run(name):
    class Same(Recorder):
        settings = []

        def __init__(self, setting):
            policy = longrun.policy(
                name, arms=setting.arms, horizon=setting.horizon, noise=setting.noise, seed=setting.seed, root_seed=setting.root_seed
            )
            self.ask, self.tell = policy.ask, policy.tell

    records = longrun.simulate(BANDIT, {"own": Same, "theirs": name}, 300, seeds=4, root_seed=2)
    own, theirs = records.select(policy="own"), records.select(policy="theirs")
    assert np.array_equal(own["pulls"], theirs["pulls"]) and len({tuple(row) for row in own["pulls"].tolist()}) > 1


def test_the_seed_of_a_setting_and_its_generator_differ_from_run_to_run():
    class Recorded(Recorder):
        settings = []

    longrun.simulate(BANDIT, Recorded, [10, 20], seeds=5)
    played = Recorded.settings[-10:]
    assert [setting.seed for setting in played] == [1, 2, 3, 4, 5] * 2
    numbers = [setting.rng().random() for setting in played]
    assert len(set(numbers)) == 5, "one for each seed"
    again = [dataclasses.replace(setting) for setting in played[:5]]
    assert numbers[:5] == [setting.rng().random() for setting in again], "the same whenever it is repeated"
    one = played[0]
    others = [one.rng(1), longrun.Setting(2, 10, longrun.NoNoise(), 0.0, one.seed, 1).rng()]
    assert len({one.rng().random(), *(other.random() for other in others)}) == 3


def test_a_policy_that_seeds_numpy_from_its_setting_plays_different_runs():
    class Random(Recorder):
        settings = []

        def __init__(self, setting):
            self.chance = np.random.default_rng(setting.seed)

        def ask(self):
            return int(self.chance.integers(2))

        def tell(self, arm, reward):
            pass

    assert len(set(longrun.simulate("inc_dec_3", Random, 100, seeds=5)["pulls_0"].tolist())) > 1


def test_the_document_has_a_row_for_every_place_with_a_seed():
    from conftest import ROOT

    text = (ROOT / "docs" / "python.md").read_text()
    table = text[text.index("### Seeds") : text.index("### Several bandits")]
    for place in ("longrun.simulate", "Bandit.world", "longrun.policy", "Setting", "setting.rng()", "RestedBandit.reset", "longrun play", "longrun.Study"):
        assert place in table, place


def test_a_generator_continues_from_call_to_call():
    setting = longrun.Setting(2, 10, longrun.NoNoise(), 0.0, 3)
    numbers = [setting.rng().random() for _ in range(5)]
    other = dataclasses.replace(setting)
    assert numbers == other.rng().random(5).tolist() and len(set(numbers)) == 5
    assert setting.rng() is setting.rng() and setting.rng(1) is not setting.rng() and setting == other
    assert hash(setting) == hash(other) and "generators" not in repr(setting)

    class InAsk:
        def __init__(self, setting):
            self.setting = setting

        def ask(self):
            return int(self.setting.rng().integers(2))

        def tell(self, arm, reward):
            pass

    records = longrun.simulate("inc_dec_3", InAsk, 100, seeds=5)
    assert (records["pulls"] > 20).all() and records["pulls"].tolist() == longrun.simulate("inc_dec_3", InAsk, 100, seeds=5)["pulls"].tolist()
