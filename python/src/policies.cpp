#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

#include "longrun/base/input_error.h"
#include "longrun/decide/ask_tell.h"
#include "longrun/policy/catalog.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

/// The arguments of a policy.
struct Recipe {
  std::string policy;
  Arm arms = 1;
  Pulls horizon = 1;
  std::string noise;
  std::optional<double> half_width;
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  std::vector<Pulls> plan;

  std::unique_ptr<AskTell> make() const {
    const PolicyChoice choice(policy);
    if (choice.entry().traits.needs_plan && plan.size() != static_cast<std::size_t>(arms)) {
      throw InputError(fmt::format("policy '{}' needs a plan with the pulls of each of the {} arms", policy, arms));
    }
    return make_policy(choice, {.arms = arms,
                                .horizon = horizon,
                                .noise = parse_noise(noise),
                                .half_width = half_width,
                                .seed = seed,
                                .replicate = replicate,
                                .plan = plan});
  }
};

/// A policy that records its calls. A pickle holds the recipe and the calls. A policy depends on nothing else, so
/// repeating the calls restores exactly the same state. A call of ask() takes 4 bytes, a call of tell() 12.
class Policy {
 public:
  using State = std::tuple<std::string, std::string, Arm, Pulls, std::string, std::optional<double>, std::uint64_t,
                           std::uint32_t, std::vector<Pulls>, nb::bytes, nb::bytes>;

  explicit Policy(Recipe recipe) : recipe_(std::move(recipe)), policy_(recipe_.make()) {}

  Arm ask() {
    const Arm arm = policy_->choose();
    calls_.push_back(kAsked);
    return arm;
  }
  void tell(Arm arm, double reward) {
    policy_->observe(arm, reward);
    calls_.push_back(arm);
    rewards_.push_back(reward);
  }

  const Recipe& recipe() const { return recipe_; }

  State state() const {
    const auto bytes = [](const auto& values) {
      return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    };
    const Recipe& r = recipe_;
    return {LONGRUN_VERSION, r.policy,    r.arms, r.horizon,     r.noise,        r.half_width,
            r.seed,          r.replicate, r.plan, bytes(calls_), bytes(rewards_)};
  }
  static Policy resumed(const State& state) {
    const auto& [version, policy, arms, horizon, noise, half_width, seed, replicate, plan, calls, rewards] = state;
    if (version != LONGRUN_VERSION) {
      throw InputError(
          fmt::format("the policy was pickled by longrun {}; longrun {} cannot load it", version, LONGRUN_VERSION));
    }
    Policy resumed({policy, arms, horizon, noise, half_width, seed, replicate, plan});
    if (!resumed.replay(values<Arm>(calls), values<double>(rewards))) {
      throw InputError("the pickled policy is damaged: its rewards do not match its calls");
    }
    return resumed;
  }

 private:
  static constexpr Arm kAsked = -1;

  template <class Value>
  static std::vector<Value> values(const nb::bytes& bytes) {
    if (bytes.size() % sizeof(Value) != 0) throw InputError("the pickled policy is damaged: its data is incomplete");
    std::vector<Value> all(bytes.size() / sizeof(Value));
    std::memcpy(all.data(), bytes.c_str(), all.size() * sizeof(Value));
    return all;
  }
  /// Repeats the calls. Returns whether there is exactly one reward for each call of tell().
  bool replay(const std::vector<Arm>& calls, const std::vector<double>& rewards) {
    std::size_t used = 0;
    for (const Arm call : calls) {
      if (call == kAsked) {
        ask();
      } else {
        if (used == rewards.size()) return false;
        tell(call, rewards[used++]);
      }
    }
    return used == rewards.size();
  }

  Recipe recipe_;
  PolicyState policy_;
  std::vector<Arm> calls_;       // in order: kAsked, or the arm whose reward was told
  std::vector<double> rewards_;  // one per call of tell(), in order
};

}  // namespace

void add_policy(nb::module_& module) {
  const char* ask = R"(Return the arm to pull next.

From now on, the pull counts as made and its reward as in flight. `ask` and `select_arm` are the same.

Returns
-------
int
    Number of the arm, from 0.
)";
  const char* tell = R"(Record a reward of `arm`.

`tell` and `update` are the same.

Parameters
----------
arm : int
    Number of the arm, from 0.
reward : float
    The observed reward.

Raises
------
ValueError
    If the arm does not exist, or the reward is not finite.
)";
  const auto observe = [](Policy& self, nb::handle arm, nb::handle reward) {
    self.tell(arm_from(arm, self.recipe().arms), reward_from(reward));
  };
  nb::class_<Policy>(module, "Policy",
                     R"(A policy outside the play loop: ask it for an arm, tell it a reward.

Rewards may arrive late, in any order, for arms that the policy did not choose, or before the first call of `ask` (a
logged history). The function `policy` creates a policy.

Copies and pickles keep the state exactly. A pickle holds the arguments of the policy and all calls of `ask` and `tell`.
Loading repeats these calls, so it takes as long as they did.
)")
      .def(
          "__init__",
          [](Policy* self, std::string policy, Arm arms, Pulls horizon, std::string noise,
             std::optional<double> half_width, std::uint64_t seed, std::uint32_t replicate, std::vector<Pulls> plan) {
            new (self) Policy(Recipe{std::move(policy), arms, horizon, std::move(noise), half_width, seed, replicate,
                                     std::move(plan)});
          },
          "policy"_a, "arms"_a, "horizon"_a, "noise"_a, "half_width"_a.none(), "seed"_a, "replicate"_a, "plan"_a)
      .def("ask", &Policy::ask, ask)
      .def("select_arm", &Policy::ask, ask)
      .def("tell", observe, "arm"_a.none(), "reward"_a.none(),
           nb::sig("def tell(self, arm: typing.SupportsIndex, reward: typing.SupportsFloat) -> None"), tell)
      .def("update", observe, "arm"_a.none(), "reward"_a.none(),
           nb::sig("def update(self, arm: typing.SupportsIndex, reward: typing.SupportsFloat) -> None"), tell)
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
}

}  // namespace longrun
