#include <fmt/format.h>

#include <cstdint>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/data/named_bandits.h"
#include "longrun/simulate/world.h"
#include "python/src/interruptible.h"
#include "python/src/parts.h"

namespace longrun {
namespace {

Bandit bandit_by_name(const std::string& name, const NoiseTuple& noise) {
  Bandit bandit = named_bandit(name);
  bandit.noise = noise_from(noise);
  return bandit;
}

Bandit bandit_from_rewards(const Rows& rewards, std::vector<std::string> arm_names, std::string name,
                           const NoiseTuple& noise) {
  if (rewards.shape(0) == 0 || rewards.shape(1) == 0) throw InputError("a bandit needs at least one arm and one pull");
  if (arm_names.size() != rewards.shape(0)) {
    throw InputError(fmt::format("{} arm names are given for {} arms", arm_names.size(), rewards.shape(0)));
  }
  Bandit bandit{.name = std::move(name),
                .arm_names = std::move(arm_names),
                .arms = {},
                .noise = noise_from(noise),
                .recorded_noise = nullptr,
                .horizon = static_cast<Pulls>(rewards.shape(1))};
  for (std::size_t arm = 0; arm < rewards.shape(0); ++arm) {
    const double* row = rewards.data() + arm * rewards.shape(1);
    for (std::size_t pull = 0; pull < rewards.shape(1); ++pull) {
      if (row[pull] >= 0 && row[pull] <= 1) continue;
      const std::string& arm_name = bandit.arm_names[arm];
      const std::string label = arm_name == fmt::format("arm {}", arm) ? arm_name : fmt::format("arm '{}'", arm_name);
      throw InputError(fmt::format("curves: {}: reward {} of pull {} is outside [0, 1]", label, row[pull], pull + 1));
    }
    bandit.arms.push_back(Curve::from_rewards({row, row + rewards.shape(1)}));
  }
  return bandit;
}

constexpr Pulls kMostRewards = Pulls{1} << 31;  // of one array: 16 GiB
constexpr Pulls kNoThread = 1 << 20;            // so few pulls take too little time to need a thread

auto mean_rewards(const Bandit& bandit, Pulls pulls) {
  check_horizon(bandit, pulls);
  if (pulls > kMostRewards / bandit.arm_count()) {
    throw InputError(fmt::format("{} pulls of {} arms are too many for an array; at most {} rewards are accepted",
                                 pulls, bandit.arm_count(), kMostRewards));
  }
  std::vector<double> rewards;
  const auto compute = [&] {
    rewards.reserve(bandit.arms.size() * static_cast<std::size_t>(pulls));
    for (const Curve& curve : bandit.arms) {
      for (Pulls pull = 1; pull <= pulls; ++pull) {
        if (pull % kStepsPerCancellationCheck == 0) throw_if_cancelled();
        rewards.push_back(curve.reward(pull));
      }
    }
  };
  if (pulls <= kNoThread / bandit.arm_count()) {
    compute();
  } else {
    run_interruptible([&](const auto&) { compute(); });
  }
  return numpy_array(std::move(rewards), bandit.arms.size(), pulls);
}

/// A World that throws InputError for a pull beyond its horizon.
class CheckedWorld {
 public:
  CheckedWorld(const Bandit& bandit, Pulls horizon, std::uint64_t seed, std::uint32_t replicate)
      : horizon_(horizon), world_(checked(bandit, horizon), seed, replicate) {}

  double pull(Arm arm) {
    if (made_ == horizon_) throw InputError(fmt::format("all {} pulls of the horizon have been made", horizon_));
    ++made_;
    return world_.pull(arm);
  }
  Arm arms() const { return static_cast<Arm>(world_.pulls().size()); }
  const std::vector<Pulls>& pulls() const { return world_.pulls(); }
  double earned() const { return world_.earned(); }
  std::string repr() const {
    return fmt::format("<longrun.World of {} arms, {} of {} pulls made>", arms(), made_, horizon_);
  }

 private:
  static Bandit checked(const Bandit& bandit, Pulls horizon) {
    check_horizon(bandit, horizon);
    if (horizon <= kNoThread) return bandit.tabulated(horizon);
    Bandit tabulated;
    run_interruptible([&](const auto&) { tabulated = bandit.tabulated(horizon); });
    return tabulated;
  }

  Pulls horizon_;
  Pulls made_ = 0;
  World world_;
};

}  // namespace

void add_bandit(nb::module_& module) {
  nb::class_<Bandit>(module, "Bandit")
      .def_ro("name", &Bandit::name)
      .def_ro("arm_names", &Bandit::arm_names)
      .def_ro("horizon", &Bandit::horizon)
      .def_prop_ro("longest_horizon", &Bandit::longest_horizon)
      .def("rewards", &mean_rewards, "pulls"_a);
  module.def("bandit_by_name", &bandit_by_name, "name"_a, "noise"_a);
  module.def("bandit_from_rewards", &bandit_from_rewards, "rewards"_a, "arm_names"_a, "name"_a, "noise"_a);
}

void add_world(nb::module_& module) {
  nb::class_<CheckedWorld>(module, "World",
                           R"(One replicate of a bandit that is being played.

Its noise is a function of (seed, replicate, arm, pull), not of time: two policies that make the same pull observe the
same reward. `Bandit.world` creates a world.
)")
      .def(
          "pull", [](CheckedWorld& self, nb::handle arm) { return self.pull(arm_from(arm, self.arms())); },
          "arm"_a.none(), nb::sig("def pull(self, arm: typing.SupportsIndex) -> float"),
          R"(Pull `arm` once and return the observed reward.

Parameters
----------
arm : int
    Number of the arm, from 0.

Returns
-------
float
    The observed reward.

Raises
------
ValueError
    If the arm does not exist, or all pulls of the horizon have been made.
)")
      .def("__copy__", [](const CheckedWorld& self) { return CheckedWorld(self); })
      .def(
          "__deepcopy__", [](const CheckedWorld& self, nb::handle) { return CheckedWorld(self); }, "memo"_a)
      .def("__repr__", &CheckedWorld::repr)
      .def(
          "__reduce__",
          [](const CheckedWorld&) -> nb::object {
            throw nb::type_error(
                "a World cannot be pickled; Bandit.world() creates it again, and copy.copy() copies it");
          },
          nb::sig("def __reduce__(self) -> typing.NoReturn"))
      .def_prop_ro("pulls", &CheckedWorld::pulls, "Number of pulls of each arm.")
      .def_prop_ro("earned", &CheckedWorld::earned, "Sum of the mean rewards, without noise, of all pulls made.");
  module.def(
      "world",
      [](const Bandit& bandit, Pulls horizon, std::uint64_t seed, std::uint32_t replicate) {
        return CheckedWorld(bandit, horizon, seed, replicate);
      },
      "bandit"_a, "horizon"_a, "seed"_a, "replicate"_a);
}

}  // namespace longrun
