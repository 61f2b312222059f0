"""Policies written in Python: what an error leaves, constraints, and how simulate() takes its arguments."""

import pickle

import numpy as np
import pandas
import pytest

import longrun

BANDIT = longrun.Bandit("inc_dec_3", longrun.Gaussian(0.05))


class Alternates:
    def __init__(self, setting):
        self.step, self.setting = 0, setting

    def ask(self):
        self.step += 1
        return self.step % 2

    def tell(self, arm, reward):
        pass


class FailsLate(Alternates):
    def tell(self, arm, reward):
        if (self.setting.horizon, self.setting.seed, self.step) == (200, 2, 150):
            raise KeyError("late")


def test_an_error_that_comes_late_loses_nothing(monkeypatch):
    monkeypatch.setattr(longrun._core, "simulate", lambda *arguments: pytest.fail("policies of the catalog play later"))
    with pytest.raises(longrun.PolicyError) as caught:
        longrun.simulate(BANDIT, ["spo", Alternates, FailsLate], [100, 200], seeds=3)
    error = caught.value
    assert str(error) == "policy FailsLate: KeyError: 'late' (bandit inc_dec_3, horizon 200, seed 2, step 150)"
    assert (error.policy, error.bandit, error.horizon, error.seed, error.step) == ("FailsLate", "inc_dec_3", 200, 2, 150)
    assert isinstance(error.__cause__, KeyError) and "raise KeyError" in error.details
    records = error.records
    assert list(zip(records["policy"].tolist(), records["horizon"].tolist(), records["seed"].tolist())) == [
        *(("Alternates", horizon, seed) for horizon in (100, 200) for seed in (1, 2, 3)),
        *(("FailsLate", 100, seed) for seed in (1, 2, 3)),
        ("FailsLate", 200, 1),
    ]
    monkeypatch.undo()
    whole = longrun.simulate(BANDIT, Alternates, [100, 200], seeds=3)
    mine = records.select(policy="Alternates")
    assert all(np.array_equal(mine[name], whole[name]) for name in whole)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.records.runs == 10


class Restricted(Alternates):
    """Chooses at random among the allowed arms, and knows what was given up."""

    def __init__(self, setting):
        self.chance, self.pending = setting.rng(), [0] * setting.arms

    def ask(self, among):
        assert among == sorted(among)
        arm = int(self.chance.choice(among))
        self.pending[arm] += 1
        return arm

    def tell(self, arm, reward):
        self.pending[arm] -= 1
        assert self.pending[arm] >= 0

    cancel = lambda self, arm: self.tell(arm, 0)  # noqa: E731


class RestrictedGreedy:
    """The policy greedy of the catalog: the largest last reward per unit of cost, each arm once first."""

    def __init__(self, setting):
        self.policy = longrun.policy("ucb", arms=setting.arms, horizon=setting.horizon, noise=setting.noise)

    def ask(self, among):
        return among[0]

    def tell(self, arm, reward):
        pass


CONSTRAINTS = longrun.Constraints(units_per_round=5, costs=[1, 2, 1, 3], minimum_share={0: 0.1}, minimum_pulls={3: 4}, unavailable={1: [(5, 9)]})


def test_a_policy_in_python_plays_under_constraints():
    bandit = longrun.Bandit("recommender_B", longrun.Gaussian(0.05))
    records = longrun.simulate(bandit, [Restricted, "spo"], 300, seeds=4, constraints=CONSTRAINTS)
    assert (records["pulls"] @ [1, 2, 1, 3] <= 300).all()
    assert (records["pulls"][:, 3] >= 4).all() and (records["pulls"][:, 0] >= 0.1 * 290).all()
    own, theirs = records.select(policy="Restricted"), records.select(policy="spo")
    assert np.array_equal(own["optimum"], theirs["optimum"])
    assert np.allclose(own["regret"], own["optimum"] - own["earned"], atol=1e-9) and (own["regret"] >= 0).all()
    means = bandit.rewards(300).cumsum(axis=1)
    for pulls, earned in zip(own["pulls"], own["earned"]):
        assert earned == pytest.approx(sum(means[arm, count - 1] for arm, count in enumerate(pulls) if count))


@pytest.mark.parametrize(
    "values", [{"minimum_pulls": {0: 0}}, {"costs": {1: 1}}, {"costs": [1, 1]}, {"minimum_share": [0, 0]}], ids=str
)
def test_constraints_whose_named_values_are_the_defaults_constrain_nothing(values):
    none = longrun.Constraints(**values)
    records = longrun.simulate(BANDIT, [Alternates, "spo"], 20, constraints=none)  # whose ask() takes no arms
    plain = longrun.simulate(BANDIT, [Alternates, "spo"], 20)
    assert all(np.array_equal(records[name], plain[name]) for name in plain)


def test_rounds_are_asked_for_before_their_rewards_are_told():
    calls = []

    class Logged(RestrictedGreedy):
        def ask(self, among):
            calls.append("ask")
            return among[0]

        def tell(self, arm, reward):
            calls.append("tell")

    longrun.simulate(BANDIT, Logged, 20, constraints=longrun.Constraints(units_per_round=5))
    assert calls == (["ask"] * 5 + ["tell"] * 5) * 4


def test_a_choice_outside_the_allowed_arms_is_an_error():
    class Wrong(RestrictedGreedy):
        def ask(self, among):
            return 1

    with pytest.raises(longrun.PolicyError, match=r"policy Wrong: ask\(among\) returned arm 1, which is not one of `among` .*step 1\)"):
        longrun.simulate(BANDIT, Wrong, 20, constraints=longrun.Constraints(unavailable={1: [(1, 5)]}))


def rows(**options):
    return longrun.simulate(BANDIT, "spo", **options)["regret"].tolist()


def test_numbers_may_be_lists_arrays_indexes_generators_sets_or_one():
    expected = rows(horizons=[10, 20], seeds=[1, 2])
    for numbers in (lambda *n: iter(n), lambda *n: set(n), lambda *n: pandas.Index(n), lambda *n: pandas.Series(n), lambda *n: np.array(n), lambda *n: tuple(n)):
        assert rows(horizons=numbers(10, 20), seeds=numbers(1, 2)) == expected
    assert rows(horizons=range(10, 30, 10), seeds=2) == expected
    assert rows(horizons=10, seeds=2, threads=None) == expected[:2] == rows(horizons=np.int64(10), seeds=np.array(2), threads=2)


def test_policies_may_be_one_a_set_a_generator_an_index_or_have_labels():
    def names(policies):
        return list(dict.fromkeys(longrun.simulate(BANDIT, policies, 10)["policy"].tolist()))

    assert names("spo") == ["spo"] and names(Alternates) == ["Alternates"]
    assert names({"spo", "greedy", Alternates}) == ["Alternates", "greedy", "spo"], "a set in alphabetical order"
    assert names(name for name in ("spo", "greedy")) == names(pandas.Index(["spo", "greedy"])) == ["spo", "greedy"]
    assert names(np.array(["spo", "greedy"])) == ["spo", "greedy"]
    assert names({"b": "spo", "a": Alternates, "c": "spo"}) == ["b", "a", "c"]


def test_what_a_bandit_accepts_simulate_accepts():
    table = np.array([[0.1, 0.4, 0.6], [0.5, 0.5, 0.5]])
    functions = [lambda m: table[0, m - 1], lambda m: 0.5]
    frame = pandas.DataFrame(table.T, columns=["a", "b"])
    expected = longrun.simulate(longrun.Bandit(table), "spo", 3)
    for curves in (table, table.tolist(), list(table), frame, iter(table), functions, [table[0], functions[1]]):
        assert np.array_equal(longrun.simulate(curves, "spo", 3)["pulls"], expected["pulls"])


def test_several_bandits_are_simulated_like_each_alone():
    bandits = {"a": longrun.Bandit("inc_dec_3", 0.05), "b": longrun.Bandit("recommender_B", 0.05), "c": lambda seed: longrun.Bandit(f"random_peaked_{seed}", 0.05)}
    records = longrun.simulate(bandits, {"x": "spo", "own": Alternates}, [60, 30], seeds=3)
    assert records["bandit"].tolist() == ["a"] * 12 + ["b"] * 12 + ["c"] * 12
    for label, bandit in bandits.items():
        alone = longrun.simulate(bandit, ["spo", Alternates], [30, 60], seeds=3)
        mine = records.select(bandit=label)
        assert np.array_equal(mine["pulls"][:, : alone["pulls"].shape[1]], alone["pulls"])
        assert all(np.array_equal(mine[name], alone[name]) for name in ("noise", "horizon", "seed", "earned", "optimum", "regret"))
    listed = longrun.simulate([bandits["a"], "inc_1"], "spo", seeds=2)
    assert listed["bandit"].tolist() == ["inc_dec_3"] * 2 + ["inc_1"] * 2
    assert listed["horizon"].tolist() == [bandits["a"].horizon] * 2 + [longrun.Bandit("inc_1").horizon] * 2, "each its own"


def test_a_factory_that_returns_no_policy_late_loses_nothing():
    def sometimes(setting):
        return Alternates(setting) if setting.seed < 3 else None

    with pytest.raises(longrun.PolicyError, match="^policy sometimes: None lacks the methods ask.. and tell.arm, reward. .*seed 3, step 0.$") as caught:
        longrun.simulate(BANDIT, [Alternates, sometimes], 20, seeds=4)
    assert (caught.value.policy, caught.value.seed, caught.value.step) == ("sometimes", 3, 0)
    assert caught.value.records["policy"].tolist() == ["Alternates"] * 4 + ["sometimes"] * 2


@pytest.mark.parametrize("method, number", [("ask", 8), ("ask", 11), ("tell", 8), ("tell", 11)])
def test_the_step_of_an_error_under_constraints_is_that_of_its_pull(method, number):
    class Fails(RestrictedGreedy):
        calls = {"ask": 0, "tell": 0}  # noqa: RUF012

        def count(self, called):
            self.calls[called] += 1
            if called == method and self.calls[called] == number:
                raise KeyError(called)

        def ask(self, among):
            self.count("ask")
            return among[0]

        def tell(self, arm, reward):
            self.count("tell")

    with pytest.raises(longrun.PolicyError) as caught:
        longrun.simulate(BANDIT, Fails, 20, constraints=longrun.Constraints(units_per_round=5))
    assert caught.value.step == number


def test_records_without_runs_have_all_columns():
    def fails(setting):
        raise KeyError("at once")

    class FailsFirst(Alternates):
        def ask(self):
            raise KeyError("first")

    whole = longrun.simulate(BANDIT, "spo", 20)
    for policy in (fails, FailsFirst):
        with pytest.raises(longrun.PolicyError) as caught:
            longrun.simulate(BANDIT, policy, 20)
        records = caught.value.records
        assert records.runs == 0 and list(records)[:9] == list(whole)[:9] and records["pulls"].shape[0] == 0
        assert len(records.to_pandas()) == 0 and records.summary()["regret"].size == 0 and "0 runs" in repr(records)
        assert longrun.Records.concat([records, whole])["regret"].tolist() == whole["regret"].tolist()
        assert longrun.Records.concat([records, whole])["seed"].dtype == whole["seed"].dtype
