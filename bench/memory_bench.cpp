// The memory of every policy per arm, after noisy rewards of each arm, and of foresight with a million arms.
#include <fmt/format.h>
#include <malloc.h>

#include <cmath>
#include <string_view>
#include <type_traits>

#include "bench/report.h"
#include "longrun/base/random_numbers.h"
#include "longrun/policy/static_catalog.h"

namespace longrun {
namespace {

constexpr Pulls kPullsPerArm = 16;
constexpr double kMostBytesPerArm = 1500;

std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

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
  const std::size_t before = heap_in_use();
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
  return chosen >= 0 && chosen < arms ? static_cast<double>(heap_in_use() - before) / arms : NAN;
}

template <class Make>
void memory(benchmark::State& state, Make make) {
  double bytes = 0;
  for (auto _ : state) bytes = bytes_per_arm(make, static_cast<Arm>(state.range(0)));
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

[[maybe_unused]] const auto kRegistered = [] {
  const auto all = per_policy<bool>([](const auto& entry) {
    using Entry = std::remove_cvref_t<decltype(entry)>;
    add(
        entry.entry.name, [](const Setting& setting) { return Entry::make(setting, {}); }, 10'000);
    return true;
  });
  add(
      "foresight", [](const Setting& setting) { return make_foresight(setting, {}); }, 1'000'000);
  return all;
}();

}  // namespace
}  // namespace longrun
