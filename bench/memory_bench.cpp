// The memory of every policy per arm, after noisy rewards of each arm, and of foresight with a million arms; that of
// some policies against the number of arms and the horizon, for the figure in docs/performance.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "bench/report.h"
#include "longrun/base/random_numbers.h"
#include "longrun/data/named_bandits.h"
#include "longrun/policy/static_catalog.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

constexpr Arm kArms = 10'000;
constexpr Pulls kPullsPerArm = 16;
constexpr double kMostBytesPerArm = 1500;

/// Returns a setting with so long a horizon that every policy keeps what a long run needs.
Setting setting_of(Arm arms) {
  return {.arms = arms,
          .horizon = 100 * Pulls{arms},
          .noise = Gaussian{.sd = 0.05},
          .plan = std::vector<Pulls>(static_cast<std::size_t>(arms), 100)};
}

/// Returns the bytes that a policy has allocated per arm after kPullsPerArm rewards of each arm, or NaN if it then
/// chooses no arm of the problem. The arms rise slowly: a policy forgets much of an arm once it falls.
template <class Make>
double bytes_per_arm(Make make, Arm arms) {
  const Setting setting = setting_of(arms);
  const std::size_t before = allocated_bytes();
  auto policy = make(setting);
  std::vector<double> noise(static_cast<std::size_t>(arms + arms % 2));
  for (Pulls pull = 1; pull <= kPullsPerArm; ++pull) {
    normal_numbers({.seed = static_cast<std::uint64_t>(pull)}, 0, noise);
    for (Arm arm = 0; arm < arms; ++arm) {
      policy.observe(arm, 0.01 * static_cast<double>(pull) + 0.05 * noise[static_cast<std::size_t>(arm)]);
    }
  }
  const Arm chosen = policy.choose();  // fills the heaps of indices
  noise = {};
  return chosen >= 0 && chosen < arms ? static_cast<double>(allocated_bytes() - before) / arms : NAN;
}

/// Returns the bytes that a policy has allocated per arm at the end of a run with two arms, or NaN if a reward is
/// missing.
template <class Make>
double bytes_per_arm_after_run(Make make, Pulls horizon) {
  Bandit bandit = named_bandit("inc_1_alpha_0.5");
  bandit.noise = Gaussian{.sd = 0.05};
  World world(bandit, 1);
  const Setting setting{.arms = bandit.arm_count(),
                        .horizon = horizon,
                        .noise = bandit.noise,
                        .plan = {horizon - horizon / 2, horizon / 2}};
  const std::size_t before = allocated_bytes();
  auto policy = make(setting);
  double earned = 0;
  for (Pulls step = 0; step < horizon; ++step) {
    const Arm arm = policy.choose();
    const double reward = world.pull(arm);
    policy.observe(arm, reward);
    earned += reward;
  }
  return std::isfinite(earned) ? static_cast<double>(allocated_bytes() - before) / setting.arms : NAN;
}

template <class Make>
void memory_after_run(benchmark::State& state, Make make) {
  double bytes = 0;
  for ([[maybe_unused]] auto _ : state) bytes = bytes_per_arm_after_run(make, state.range(0));
  if (!std::isfinite(bytes)) return state.SkipWithError("a reward is missing");
  state.counters["bytes_per_arm"] = bytes;
}

template <class Make>
void memory(benchmark::State& state, Make make) {
  double bytes = 0;
  for ([[maybe_unused]] auto _ : state) bytes = bytes_per_arm(make, static_cast<Arm>(state.range(0)));
  if (!(bytes <= kMostBytesPerArm)) return state.SkipWithError("more than 1,500 bytes, or a choice that is not an arm");
  state.counters["bytes_per_arm"] = bytes;
}

template <class Make>
void add(std::string_view name, Make make, Arm arms) {
  benchmark::RegisterBenchmark(fmt::format("memory/{}", name).c_str(),
                               [make](benchmark::State& state) { memory(state, make); })
      ->Arg(arms)
      ->Iterations(1);
}

/// Adds the measurements of the figure.
template <class Make>
void add_for_figure(std::string_view name, Make make) {
  for (const Arm arms : kShownArms) {
    if (arms != kArms) add(name, make, arms);
  }
  auto* bench = benchmark::RegisterBenchmark(fmt::format("memory_by_horizon/{}", name).c_str(),
                                             [make](benchmark::State& state) { memory_after_run(state, make); });
  for (const Pulls horizon : kShownHorizons) bench->Arg(horizon);
  bench->Iterations(1);
}

[[maybe_unused]] const auto kMemoryRegistered = [] {
  const auto all = per_policy<bool>([](const auto& entry) {
    using Entry = std::remove_cvref_t<decltype(entry)>;
    const auto make = [](const Setting& setting) { return Entry::make(setting, {}); };
    add(entry.entry.name, make, kArms);
    if (std::ranges::find(kShownPolicies, entry.entry.name) != std::end(kShownPolicies)) {
      add_for_figure(entry.entry.name, make);
    }
    return true;
  });
  add(
      "foresight", [](const Setting& setting) { return make_foresight(setting, {}); }, 1'000'000);
  return all;
}();

}  // namespace
}  // namespace longrun
