import copy
import pickle

import gymnasium
import matplotlib
import numpy as np
import pandas
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
        policy = longrun.policy("spo", arms=2, horizon=300, noise=bandit.noise, seed=4, root_seed=replicate)
        ended = False
        while not ended:
            arm = policy.ask()
            observation, reward, ended, _, info = env.step(arm)
            policy.tell(arm, reward)
        records = longrun.simulate(bandit, ["spo"], [300], seeds=[4], root_seed=replicate)
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


def test_an_environment_takes_functions_noise_and_a_replicate():
    functions = longrun.env.RestedBandit([lambda m: 1 - 1 / m, lambda m: 0.5], horizon=30)
    functions.reset(seed=1)
    assert functions.horizon == 30 and functions.step(1)[1] == 0.5
    made = gymnasium.make("longrun/RestedBandit-v0", bandit="inc_dec_3", horizon=50, noise="gaussian:0.05")
    bandit = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))

    def rewards(env, **reset):
        env.reset(**reset)
        return [env.step(0)[1] for _ in range(20)]

    def world(seed, root_seed):
        started = bandit.world(50, seed=seed, root_seed=root_seed)
        return [started.pull(0) for _ in range(20)]

    assert rewards(made, seed=4) == world(4, 0)
    assert rewards(made) == world(4, 1), "the next replicate"
    assert rewards(made, options={"replicate": 7}) == world(4, 7)
    assert rewards(made, seed=5, options={"replicate": 2}) == world(5, 2)
    assert made.unwrapped.bandit.noise == longrun.Gaussian(0.05)
    assert longrun.env.RestedBandit(bandit, noise=longrun.NoNoise()).bandit.noise == longrun.NoNoise()


def test_an_environment_can_be_pickled_midway():
    env = longrun.env.RestedBandit(longrun.Bandit("recommender_B", longrun.Gaussian(0.05)), horizon=20)
    before = pickle.loads(pickle.dumps(env))
    assert before.reset(seed=2)[0].tolist() == env.reset(seed=2)[0].tolist()
    for arm in (1, 0, 1, 3):
        env.step(arm)
    other = pickle.loads(pickle.dumps(env))
    plain = [(observation.tolist(), reward, ended, info) for observation, reward, ended, _, info in (env.step(step % 4) for step in range(16))]
    again = [(observation.tolist(), reward, ended, info) for observation, reward, ended, _, info in (other.step(step % 4) for step in range(16))]
    assert plain == again and plain[-1][2] and "regret" in plain[-1][3]


def test_the_interval_of_one_horizon_is_drawn():
    records = longrun.simulate(longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05)), ["spo", "exp3"], 200, seeds=8)
    ax = longrun.plot.regret(records)
    assert len(ax.containers) == 2, "a bar for each policy"
    for policy, container in zip(("spo", "exp3"), ax.containers):
        mean, low, high = longrun._core.estimate(records.select(policy=policy)["regret"] / 200)
        (bar,) = container.lines[2]
        ends = bar.get_segments()[0][:, 1]
        assert ends.tolist() == pytest.approx([low, high]) and high > low
        assert container.lines[0].get_ydata()[0] == pytest.approx(mean)
    assert ax.get_legend_handles_labels()[1] == ["spo", "exp3"]
    matplotlib.pyplot.close("all")


def test_several_bandits_are_drawn_side_by_side_and_random_ones_together():
    records = longrun.simulate(["inc_1", "inc_2", "inc_3"], "spo", [20, 40], seeds=2)
    axes = longrun.plot.regret(records, per_step=False)
    assert [ax.get_title() for ax in axes] == ["inc_1", "inc_2", "inc_3"]
    for ax, bandit in zip(axes, ["inc_1", "inc_2", "inc_3"]):
        mine = records.select(bandit=bandit, horizon=40)["regret"].mean()
        assert ax.get_lines()[0].get_ydata()[-1] == pytest.approx(mine)
    random = longrun.simulate(lambda seed: longrun.Bandit(f"random_peaked_{seed}"), "spo", [20, 40], seeds=3)
    ax = longrun.plot.regret(random)
    assert ax.get_lines()[0].get_ydata()[0] == pytest.approx(random.select(horizon=20)["regret"].mean() / 20)
    matplotlib.pyplot.close("all")


def test_a_long_legend_is_beside_the_axes():
    names = [info.name for info in longrun.policies() if not info.needs_plan][:8]
    ax = longrun.plot.regret(longrun.simulate("inc_1", names, [20, 30]))
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1
    assert ax.get_legend().get_window_extent().x1 <= ax.figure.bbox.x1, "within the figure"
    matplotlib.pyplot.close("all")


def test_a_seed_of_numpy_is_the_same_seed():
    env = longrun.env.RestedBandit(longrun.Bandit("inc_1", 0.1), 5)
    rewards = []
    for seed in (3, np.int64(3), np.uint32(3)):
        env.reset(seed=seed)
        rewards.append(env.step(0)[1])
    assert rewards[0] == rewards[1] == rewards[2]


@pytest.mark.parametrize("true", [True, np.True_])
def test_a_truth_value_is_no_action(true):
    env = longrun.env.RestedBandit(longrun.Bandit("inc_1"), 5)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="^action True: must be a whole number from 0$"):
        env.step(true)


def test_a_world_says_what_it_is_and_how_it_is_copied():
    world = longrun.Bandit("inc_dec_3").world(100)
    world.pull(0)
    assert repr(world) == "<longrun.World of 2 arms, 1 of 100 pulls made>"
    with pytest.raises(TypeError, match="^a World cannot be pickled; Bandit.world.. creates it again, and copy.copy.. copies it$"):
        pickle.dumps(world)
    assert copy.copy(world).pull(1) == copy.deepcopy(world).pull(1) == world.pull(1)


def test_a_run_that_is_drawn_twice_is_an_error():
    records = longrun.simulate("inc_1", ["spo", "greedy"], [20, 40], seeds=3).to_pandas()
    longrun.plot.regret(records)
    with pytest.raises(ValueError, match="^records: bandit inc_1, noise none, policy spo, horizon 20, seed 1: is given twice, with the same regret; leave out the copies of runs$"):
        longrun.plot.regret(pandas.concat([records, records]))
