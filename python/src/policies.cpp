#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "longrun/base/archive.h"
#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/decide/live_policy.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/policy/catalog.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

/// The arguments of a policy.
struct Recipe {
  std::string policy;
  Arm arms = 1;
  Pulls horizon = 1;
  Noise noise{};
  std::optional<double> half_width;
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  std::vector<Pulls> plan;
  RewardScale scale{};

  std::unique_ptr<LivePolicy> make() const {
    const PolicyChoice choice(policy);
    check_plan(choice.entry().traits.needs_plan);
    return make_policy(choice, {.arms = arms,
                                .horizon = horizon,
                                .noise = noise,
                                .half_width = half_width,
                                .seed = seed,
                                .replicate = replicate,
                                .plan = plan});
  }

 private:
  void check_plan(bool is_needed) const {
    if (!is_needed && !plan.empty())
      throw InputError(fmt::format("plan: policy '{}' follows none; leave it out", policy));
    if (!is_needed) return;
    if (plan.size() != static_cast<std::size_t>(arms)) {
      throw InputError(fmt::format("policy '{}' needs a plan with the pulls of each of the {} arms", policy, arms));
    }
    Pulls left = horizon;  // exact, however large the numbers are
    for (const Pulls pulls : plan) left = pulls <= left ? left - pulls : -1;
    if (left != 0) throw InputError(fmt::format("plan: its pulls must add up to the horizon, {}", horizon));
  }
};

/// A policy and its arguments. A pickle holds the arguments and the state of the policy as bytes.
class Policy {
 public:
  using State = std::tuple<std::string, std::string, Arm, Pulls, std::string, std::optional<double>, std::uint64_t,
                           std::uint32_t, std::vector<Pulls>, double, double, nb::bytes>;

  explicit Policy(Recipe recipe)
      : recipe_(std::move(recipe)), policy_(recipe_.make()), scale_(checked_scale(recipe_)), names_(recipe_.arms) {}

  /// Returns the arm to pull next, restricted to some arms, ascending; an empty list stands for all arms.
  Arm ask(const std::vector<Arm>& among = {}) {
    check_left();
    const Arm arm = among.empty() ? policy_->choose() : policy_->choose({.arms = among});
    ++pulls_;
    ++changes_;
    return arm;
  }
  /// Returns the arms of the next pulls: so many, or as many as the horizon has left. An error changes nothing, also
  /// that of Ctrl-C. Other threads of Python run meanwhile, if that takes long.
  std::vector<Arm> ask(Pulls count, const std::vector<Arm>& among) {
    check_left();
    count = std::min(count, recipe_.horizon - pulls_);
    if (takes_long(count)) {
      Policy trial = *this;
      std::vector<Arm> arms;
      run_interruptible([&](const auto&) { arms = trial.arms_of_next(count, among); });
      if (changes_ + arms.size() == trial.changes_) {  // no other thread has used the policy
        *this = std::move(trial);
        return arms;
      }
      check_left();
      count = std::min(count, recipe_.horizon - pulls_);
    }
    return arms_of_next(count, among);
  }
  /// Settles a pending pull of the arm; without one, the pull counts as made elsewhere.
  void tell(Arm arm, double reward) {
    const bool is_pending = policy_->pending(arm) > 0;
    if (!is_pending) check_left();
    const double unit = scale_.add(arm, reward, names_);
    ++changes_;
    if (is_pending) {
      policy_->observe(arm, unit);
    } else {
      policy_->add(arm, unit);
      ++pulls_;
    }
  }
  void lose(Arm arm) {
    policy_->lose(arm);
    ++changes_;
  }
  void cancel(Arm arm) {
    policy_->cancel(arm);
    --pulls_;
    ++changes_;
  }
  Pulls pending(Arm arm) const { return policy_->pending(arm); }

  const Recipe& recipe() const { return recipe_; }

  State state() const {
    Writer writer;
    writer.write_checked(pulls_);
    writer.write_checked(scale_);
    policy_->save(writer);
    const Recipe& r = recipe_;
    return {LONGRUN_VERSION, r.policy,         r.arms,
            r.horizon,       to_text(r.noise), r.half_width,
            r.seed,          r.replicate,      r.plan,
            r.scale.minimum, r.scale.maximum,  nb::bytes(writer.bytes().data(), writer.bytes().size())};
  }
  static Policy resumed(const State& state) {
    const auto& [version, policy, arms, horizon, noise, half_width, seed, replicate, plan, minimum, maximum, bytes] =
        state;
    Policy resumed({policy, arms, horizon, parse_noise(noise), half_width, seed, replicate, plan, {minimum, maximum}});
    try {
      Reader reader(std::string_view(bytes.c_str(), bytes.size()));
      reader.read_checked(resumed.pulls_);
      reader.read_checked(resumed.scale_);
      resumed.policy_->load(reader);
      reader.check_end();
    } catch (const InputError&) {
      throw InputError(fmt::format(
          "the pickled policy is damaged, or longrun {}, which pickled it, saved another state than longrun {} reads",
          version, LONGRUN_VERSION));
    }
    return resumed;
  }

 private:
  /// Returns whether so many pulls may take long enough for Ctrl-C. The time of most pulls is proportional to the arms.
  bool takes_long(Pulls count) const {
    constexpr Pulls kManyPulls = 1 << 10;
    constexpr Pulls kManyArms = 1 << 20;  // of all pulls together; fewer take about 10 ms
    return count > kManyPulls || count > kManyArms / recipe_.arms;
  }
  void check_left() const {
    if (pulls_ >= recipe_.horizon)
      throw InputError(fmt::format("all {} pulls of the horizon are made or pending", recipe_.horizon));
  }
  std::vector<Arm> arms_of_next(Pulls count, const std::vector<Arm>& among) {
    std::vector<Arm> arms;
    for (Pulls made = 0; made < count; ++made) {
      throw_if_cancelled();
      arms.push_back(ask(among));
    }
    return arms;
  }
  static ScaleCheck checked_scale(const Recipe& recipe) {
    check(recipe.scale, recipe.noise);
    return ScaleCheck(recipe.scale, recipe.noise, recipe.arms);
  }

  Recipe recipe_;
  PolicyState policy_;
  Pulls pulls_ = 0;          // made, lost and pending ones included; at most the horizon
  std::size_t changes_ = 0;  // calls that have changed the state
  ScaleCheck scale_;
  std::vector<std::string> names_;  // none, for messages
};

std::vector<nb::object> items_of(nb::handle list) {
  std::vector<nb::object> items;
  for (const nb::handle item : list) items.push_back(nb::borrow(item));
  return items;
}

/// Returns the elements of an iterable, or the object itself if it is none. Text is not an iterable of arms.
std::vector<nb::object> items_or_one(nb::handle object) {
  const bool is_text = nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object);
  const bool is_scalar = nb::hasattr(object, "ndim") && nb::cast<int>(object.attr("ndim")) == 0;
  if (is_text || is_scalar || !nb::hasattr(object, "__iter__")) return {nb::borrow(object)};
  return items_of(object);
}

/// Returns the arms that a choice is restricted to, ascending; an empty list stands for all arms.
std::vector<Arm> allowed_arms(nb::handle among, nb::handle unavailable, Arm arms) {
  if (among.is_none() && unavailable.is_none()) return {};
  std::set<Arm> allowed;
  if (among.is_none()) {
    for (Arm arm = 0; arm < arms; ++arm) allowed.insert(arm);
  } else {
    for (const nb::object& arm : items_or_one(among)) allowed.insert(arm_from(arm, arms));
  }
  if (!unavailable.is_none()) {
    for (const nb::object& arm : items_or_one(unavailable)) allowed.erase(arm_from(arm, arms));
  }
  if (allowed.empty()) throw InputError("among and unavailable: leave no arm to choose from");
  return {allowed.begin(), allowed.end()};
}

/// Records rewards: of an arm, or of several. An error changes nothing.
void record_rewards(Policy& policy, nb::handle arm, nb::handle reward) {
  const Arm arms = policy.recipe().arms;
  const auto [minimum, maximum] = policy.recipe().scale;
  if (PyLong_CheckExact(arm.ptr())) {
    policy.tell(arm_from(arm, arms), reward_from(reward, minimum, maximum));
    return;
  }
  const nb::object told = nb::module_::import_("longrun._study_checks").attr("told_of")(arm, reward, "arm");
  const std::vector<nb::object> pulled = items_of(told[0]);
  const std::vector<nb::object> rewards = items_of(told[1]);
  if (pulled.size() == 1) {
    policy.tell(arm_from(pulled[0], arms), reward_from(rewards[0], minimum, maximum));
    return;
  }
  Policy trial = policy;
  for (std::size_t i = 0; i < pulled.size(); ++i)
    trial.tell(arm_from(pulled[i], arms), reward_from(rewards[i], minimum, maximum));
  policy = std::move(trial);
}

}  // namespace

void add_policy(nb::module_& module) {
  const char* ask = R"(Return the arm to pull next, or the arms of the next pulls.

The pulls are pending from now on.

Parameters
----------
n : int, optional
    Number of pulls; if the horizon has fewer left, as many as it has. By default, one arm is returned, not a list.
among : int or iterable of int, optional
    The arms that the choice is restricted to. By default, all arms.
unavailable : int or iterable of int, optional
    Arms that cannot be pulled this time.

Returns
-------
int or list of int
    Number of the arm, from 0; with `n`, a list of arms.

Raises
------
ValueError
    If an arm does not exist, none is left to choose from, or all pulls of the horizon are made or pending.
)";
  const char* tell = R"(Record the reward of a pending pull of `arm`.

Without a pending pull of the arm, the reward is that of a pull that was not asked for. `tell` and `update` are the same.
Of several rewards, all are recorded, or none if one of them is refused.

Parameters
----------
arm : int or iterable of int
    Number of the arm, from 0; or one for each reward.
reward : float or iterable of float
    The observed reward, or one for each arm, in their order. The index of a pandas.Series must be that of the arms, the
    arms themselves, or 0, 1, ...

Raises
------
ValueError
    If an arm does not exist, a reward is not finite or not on the scale of the policy, the numbers of arms and rewards
    differ, or all pulls of the horizon are made or pending and the arm has none that is pending.
)";
  const std::string of_a_pending_pull = R"(
Parameters
----------
arm : int
    Number of the arm, from 0.

Raises
------
ValueError
    If the arm has no pending pull.
)";
  const std::string lose = "Record that the reward of a pending pull of `arm` never arrives.\n" + of_a_pending_pull;
  const std::string cancel = "Record that a pending pull of `arm` was not made.\n" + of_a_pending_pull;
  const char* pending = R"(Return the pending pulls of `arm`.

Parameters
----------
arm : int
    Number of the arm, from 0.

Returns
-------
int
    Pulls that were asked for and have no outcome yet.
)";
  const auto next_arm = [](Policy& self, nb::handle among, nb::handle unavailable) {
    if (among.is_none() && unavailable.is_none()) return self.ask();
    return self.ask(allowed_arms(among, unavailable, self.recipe().arms));
  };
  const auto next_arms = [](Policy& self, nb::handle n, nb::handle among, nb::handle unavailable) {
    const std::vector<Arm> allowed = allowed_arms(among, unavailable, self.recipe().arms);
    return self.ask(count_from(n), allowed);
  };
  nb::class_<Policy>(module, "Policy",
                     R"(A policy outside the play loop.

A pull is pending from `ask` until `tell`, `lose` or `cancel`. Rewards may arrive late and in any order, or be of pulls
that were not asked for (a logged history). While pulls are pending, the policy decides as if they had paid what is
expected of their arms. The function `policy` creates a policy.

Copies and pickles keep the state exactly. A pickle holds the arguments of the policy and its state, for most policies a few kilobytes.
)")
      .def(
          "__init__",
          [](Policy*, const nb::args&, const nb::kwargs&) {
            throw nb::type_error(
                "Policy: is created by longrun.policy(), such as longrun.policy('spo', arms=2, horizon=100)");
          },
          nb::sig("def __init__(self) -> None"))
      .def("ask", next_arm, nb::kw_only(), "among"_a = nb::none(), "unavailable"_a = nb::none(),
           nb::sig("def ask(self, *, among: int | collections.abc.Iterable[int] | None = None, "
                   "unavailable: int | collections.abc.Iterable[int] | None = None) -> int"))
      .def("ask", next_arms, "n"_a.none(), "among"_a = nb::none(), "unavailable"_a = nb::none(),
           nb::sig("def ask(self, n: int, among: int | collections.abc.Iterable[int] | None = None, "
                   "unavailable: int | collections.abc.Iterable[int] | None = None) -> list[int]"),
           ask)
      .def(
          "select_arm", [](Policy& self) { return self.ask(); },
          "Return the arm to pull next. The same as `ask` without arguments.\n\nReturns\n-------\nint\n    Number of "
          "the arm, from 0.\n")
      .def("tell", &record_rewards, "arm"_a.none(), "reward"_a.none(),
           nb::sig("def tell(self, arm: typing.SupportsIndex | collections.abc.Iterable[typing.SupportsIndex], "
                   "reward: typing.SupportsFloat | collections.abc.Iterable[typing.SupportsFloat]) -> None"),
           tell)
      .def("update", &record_rewards, "arm"_a.none(), "reward"_a.none(),
           nb::sig("def update(self, arm: typing.SupportsIndex | collections.abc.Iterable[typing.SupportsIndex], "
                   "reward: typing.SupportsFloat | collections.abc.Iterable[typing.SupportsFloat]) -> None"),
           tell)
      .def(
          "lose", [](Policy& self, nb::handle arm) { self.lose(arm_from(arm, self.recipe().arms)); }, "arm"_a.none(),
          nb::sig("def lose(self, arm: typing.SupportsIndex) -> None"), lose.c_str())
      .def(
          "cancel", [](Policy& self, nb::handle arm) { self.cancel(arm_from(arm, self.recipe().arms)); },
          "arm"_a.none(), nb::sig("def cancel(self, arm: typing.SupportsIndex) -> None"), cancel.c_str())
      .def(
          "pending", [](const Policy& self, nb::handle arm) { return self.pending(arm_from(arm, self.recipe().arms)); },
          "arm"_a.none(), nb::sig("def pending(self, arm: typing.SupportsIndex) -> int"), pending)
      .def_prop_ro(
          "name", [](const Policy& self) { return self.recipe().policy; }, "Name of the policy, with its parameters.")
      .def_prop_ro(
          "arms", [](const Policy& self) { return self.recipe().arms; }, "Number of arms.")
      .def_prop_ro(
          "horizon", [](const Policy& self) { return self.recipe().horizon; }, "Total number of pulls.")
      .def("__copy__", [](const Policy& self) { return Policy(self); })
      .def(
          "__deepcopy__", [](const Policy& self, nb::handle) { return Policy(self); }, "memo"_a)
      .def("__getstate__", &Policy::state)
      .def("__setstate__", [](Policy& self, const Policy::State& state) { new (&self) Policy(Policy::resumed(state)); })
      .def("__repr__", [](const Policy& self) {
        const Recipe& recipe = self.recipe();
        return fmt::format("<longrun.Policy {}, {} arms, horizon {}>", recipe.policy, recipe.arms, recipe.horizon);
      });
  module.def(
      "policy",
      [](std::string policy, Arm arms, Pulls horizon, const NoiseTuple& noise, std::optional<double> half_width,
         std::uint64_t seed, std::uint32_t replicate, std::vector<Pulls> plan, std::tuple<double, double> scale) {
        return Policy(Recipe{std::move(policy),
                             arms,
                             horizon,
                             noise_from(noise),
                             half_width,
                             seed,
                             replicate,
                             std::move(plan),
                             {std::get<0>(scale), std::get<1>(scale)}});
      },
      "policy"_a, "arms"_a, "horizon"_a, "noise"_a, "half_width"_a.none(), "seed"_a, "replicate"_a, "plan"_a,
      "scale"_a);
}

}  // namespace longrun
