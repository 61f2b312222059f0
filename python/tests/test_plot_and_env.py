import copy

import gymnasium
import matplotlib
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import longrun


def test_regret_is_drawn_with_the_colours_of_the_report(tmp_path):
    bandit = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
    records = longrun.simulate(bandit, ["spo", "exp3", "spo@released"], [100, 200, 300], seeds=5)
    ax = longrun.plot.regret(records)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert {name: line.get_color() for name, line in lines.items()} == {"spo": "#d55e00", "exp3": "#e69f00", "spo@released": "#d55e00"}
    mine = (records["policy"] == "spo") & (records["horizon"] == 200)
    assert lines["spo"].get_ydata()[1] == pytest.approx(records["regret"][mine].mean() / 200)
    assert len(ax.collections) == 3, "a band per policy"
    ax.figure.savefig(tmp_path / "regret.png")
    assert longrun.plot.regret(records.to_pandas(), ax=ax, per_step=False) is ax
    matplotlib.pyplot.close("all")


def test_no_two_policies_of_a_figure_have_the_same_style():
    names = ["d-ucb:discount=0.9", "d-ucb:discount=0.99", "A", "mine", "x", "spo", *(f"own {i}" for i in range(10))]
    looks = list(longrun.plot.styles(names).values())
    assert all(look not in looks[:i] for i, look in enumerate(looks))
    assert looks[0] == longrun.plot.style(names[0]) and looks[5]["color"] == "#d55e00"


@pytest.mark.filterwarnings("ignore:.*render modes")
def test_the_environment_passes_gymnasiums_own_check():
    check_env(longrun.env.RestedBandit(longrun.Bandit("recommender_B", longrun.Gaussian(0.05)), horizon=500))


def test_the_environment_can_be_made_by_name():
    assert longrun.env.RestedBandit  # importing it registers it
    env = gymnasium.make("longrun/RestedBandit-v0", bandit="recommender_B", horizon=5)
    env.reset(seed=1)
    assert [env.step(0)[2] for _ in range(5)] == [False] * 4 + [True]


def test_an_episode_equals_a_run():
    bandit = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))
    env = longrun.env.RestedBandit(bandit, horizon=300)
    for replicate in range(2):
        observation, _ = env.reset(seed=4 if replicate == 0 else None)
        policy = longrun.policy("spo", arms=2, horizon=300, noise=bandit.noise, seed=4, replicate=replicate)
        ended = False
        while not ended:
            arm = policy.ask()
            observation, reward, ended, _, info = env.step(arm)
            policy.tell(arm, reward)
        records = longrun.simulate(bandit, ["spo"], [300], seeds=[replicate], seed=4)
        assert info["regret"] == records["regret"][0]
        assert np.allclose(observation * 300, records["pulls"][0])
    with pytest.raises(ValueError, match="all 300 pulls of the horizon have been made"):
        env.step(0)


def test_an_environment_can_be_copied_midway():
    env = longrun.env.RestedBandit(longrun.Bandit("recommender_B", longrun.Gaussian(0.05)), horizon=20)
    env.reset(seed=2)
    env.step(1)
    other = copy.deepcopy(env)
    assert [env.step(1)[1] for _ in range(5)] == [other.step(1)[1] for _ in range(5)]
    assert env.step(0)[0].tolist() != other.step(2)[0].tolist()
