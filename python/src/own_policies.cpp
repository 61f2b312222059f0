#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "longrun/base/input_error.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/world.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

/// A policy that is written in Python, for a run under constraints. `ask` receives the arms that a choice is restricted
/// to. Calls that no run makes are errors of the program.
class OwnPolicy : public LivePolicy {
 public:
  OwnPolicy(Arm arms, nb::object ask, nb::object tell, nb::object cancel)
      : ask_(std::move(ask)), tell_(std::move(tell)), cancel_(std::move(cancel)), pending_(arms, 0) {
    for (Arm arm = 0; arm < arms; ++arm) all_.push_back(arm);
  }

  Arm choose() override { return choose({.arms = all_}); }
  Arm choose(const Restriction& restriction) override {
    nb::list among;
    for (const Arm arm : restriction.arms) among.append(arm);
    const nb::object chosen = ask_(among);
    const Arm arm = arm_from(chosen, static_cast<Arm>(pending_.size()));
    if (!std::binary_search(restriction.arms.begin(), restriction.arms.end(), arm)) {
      throw InputError(fmt::format("ask(among) returned arm {}, which is not one of `among`", arm));
    }
    ++pending_[static_cast<std::size_t>(arm)];
    return arm;
  }
  void observe(Arm arm, double reward) override {
    --pending_[static_cast<std::size_t>(arm)];
    tell_(arm, reward);
  }
  void cancel(Arm arm) override {
    --pending_[static_cast<std::size_t>(arm)];
    cancel_(arm);
  }
  Pulls pending(Arm arm) const override { return pending_[static_cast<std::size_t>(arm)]; }

  void adopt(Arm) override { not_in_a_run(); }
  void lose(Arm) override { not_in_a_run(); }
  void add(Arm, double) override { not_in_a_run(); }
  void add_arm() override { not_in_a_run(); }
  void extend(Pulls) override { not_in_a_run(); }
  std::unique_ptr<LivePolicy> clone() const override { not_in_a_run(); }
  void save(Writer&) const override { not_in_a_run(); }
  void load(Reader&) override { not_in_a_run(); }
  std::uint64_t layout() const override { not_in_a_run(); }

 private:
  [[noreturn]] static void not_in_a_run() { throw std::logic_error("no run of a policy in Python makes this call"); }

  nb::object ask_, tell_, cancel_;
  std::vector<Pulls> pending_;  // [arm]
  std::vector<Arm> all_;        // all arms, ascending
};

/// Plays a policy that is written in Python under constraints, and returns the arm of each pull. The constraints are
/// satisfied as for every other policy: by ConstrainedPolicy.
std::vector<Arm> play_own(const Bandit& bandit, Pulls budget, const ConstraintFields& constraints, std::uint64_t seed,
                          std::uint32_t replicate, nb::object ask, nb::object tell, nb::object cancel) {
  check_horizon(bandit, budget);
  const Arm arms = bandit.arm_count();
  const PolicyChoice replaced(kDefaultPolicy);
  const Setting setting{.arms = arms, .horizon = budget, .noise = bandit.noise, .seed = seed, .replicate = replicate};
  ConstrainedPolicy constrained =
      ConstrainedPolicy(replaced, setting, constraints_from(constraints))
          .with_policy(std::make_unique<OwnPolicy>(arms, std::move(ask), std::move(tell), std::move(cancel)));
  World world(bandit.tabulated(budget), seed, replicate);
  std::vector<Arm> trace;
  while (!constrained.done()) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    for (const Arm arm : constrained.next_round()) {
      constrained.observe(arm, world.pull(arm));
      trace.push_back(arm);
    }
  }
  return trace;
}

}  // namespace

void add_own_policies(nb::module_& module) {
  module.def("play_own", &play_own, "bandit"_a, "budget"_a, "constraints"_a, "seed"_a, "replicate"_a, "ask"_a, "tell"_a,
             "cancel"_a);
}

}  // namespace longrun
