#include <fmt/format.h>

#include <cstdint>

#include "longrun/base/input_error.h"
#include "longrun/data/named_bandits.h"
#include "longrun/simulate/world.h"
#include "python/src/parts.h"
#include "python/src/watched.h"

namespace longrun {
namespace {

Bandit bandit_by_name(const std::string& name, const std::string& noise) {
  Bandit bandit = named_bandit(name);
  bandit.noise = parse_noise(noise);
  return bandit;
}

Bandit bandit_from_rewards(const Rows& rewards, std::vector<std::string> arm_names, std::string name,
                           const std::string& noise) {
  if (rewards.shape(0) == 0 || rewards.shape(1) == 0) throw InputError("a bandit needs at least one arm and one pull");
  if (arm_names.size() != rewards.shape(0)) {
    throw InputError(fmt::format("{} names for {} arms", arm_names.size(), rewards.shape(0)));
  }
  Bandit bandit{.name = std::move(name),
                .arm_names = std::move(arm_names),
                .arms = {},
                .noise = parse_noise(noise),
                .recorded_noise = nullptr,
                .horizon = static_cast<Pulls>(rewards.shape(1))};
  for (std::size_t arm = 0; arm < rewards.shape(0); ++arm) {
    const double* row = rewards.data() + arm * rewards.shape(1);
    for (std::size_t pull = 0; pull < rewards.shape(1); ++pull) {
      if (row[pull] >= 0 && row[pull] <= 1) continue;
      throw InputError(fmt::format("arm {}: reward {} of pull {} is outside [0, 1]", arm, row[pull], pull + 1));
    }
    bandit.arms.push_back(Curve::from_rewards({row, row + rewards.shape(1)}));
  }
  return bandit;
}

constexpr Pulls kMostRewards = Pulls{1} << 31;  // 16 GiB

auto mean_rewards(const Bandit& bandit, Pulls pulls) {
  check_horizon(bandit, pulls);
  if (pulls > kMostRewards / bandit.arm_count()) {
    throw InputError(fmt::format("{} pulls of {} arms are too many for an array", pulls, bandit.arm_count()));
  }
  std::vector<double> rewards;
  rewards.reserve(bandit.arms.size() * static_cast<std::size_t>(pulls));
  for (const Curve& curve : bandit.arms) {
    for (Pulls pull = 1; pull <= pulls; ++pull) rewards.push_back(curve.reward(pull));
  }
  return numpy_array(std::move(rewards), bandit.arms.size(), pulls);
}

/// A world whose mistakes are errors.
class CheckedWorld {
 public:
  CheckedWorld(const Bandit& bandit, Pulls horizon, std::uint64_t seed, std::uint32_t replicate)
      : horizon_(horizon), world_(checked(bandit, horizon), seed, replicate) {}

  double pull(Arm arm) {
    if (made_ == horizon_) throw InputError(fmt::format("all {} pulls are made", horizon_));
    ++made_;
    return world_.pull(arm);
  }
  Arm arms() const { return static_cast<Arm>(world_.pulls().size()); }
  const std::vector<Pulls>& pulls() const { return world_.pulls(); }
  double earned() const { return world_.earned(); }

 private:
  static Bandit checked(const Bandit& bandit, Pulls horizon) {
    check_horizon(bandit, horizon);
    constexpr Pulls kAtOnce = 1 << 20;  // too few pulls to be worth a thread
    if (horizon <= kAtOnce) return bandit.tabulated(horizon);
    Bandit ready;
    watched([&](const auto&) { ready = bandit.tabulated(horizon); });
    return ready;
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
  nb::class_<CheckedWorld>(
      module, "World",
      "One replicate of a bandit, being played. Noise is keyed by (seed, replicate, arm, pull), not by time: two "
      "policies that make the same pull see the same reward.\n\nBandit.world() makes one.")
      .def(
          "pull", [](CheckedWorld& self, nb::handle arm) { return self.pull(arm_from(arm, self.arms())); },
          "arm"_a.none(), nb::sig("def pull(self, arm: typing.SupportsIndex) -> float"),
          "Pulls `arm` once more and returns what is observed.")
      .def("__copy__", [](const CheckedWorld& self) { return CheckedWorld(self); })
      .def(
          "__deepcopy__", [](const CheckedWorld& self, nb::handle) { return CheckedWorld(self); }, "memo"_a)
      .def_prop_ro("pulls", &CheckedWorld::pulls, "How often every arm was pulled.")
      .def_prop_ro("earned", &CheckedWorld::earned,
                   "Sum of the mean rewards of all pulls made, the return of the run. Noise plays no part in it.");
  module.def(
      "world",
      [](const Bandit& bandit, Pulls horizon, std::uint64_t seed, std::uint32_t replicate) {
        return CheckedWorld(bandit, horizon, seed, replicate);
      },
      "bandit"_a, "horizon"_a, "seed"_a, "replicate"_a);
}

}  // namespace longrun
