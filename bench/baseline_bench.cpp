// The time of a step of each baseline policy at two horizons, and a check that steps do not allocate memory.
#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "bench/report.h"
#include "longrun/data/named_bandits.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/play.h"

namespace {
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> bytes_in_use{0};
}  // namespace
std::size_t allocated_bytes() { return bytes_in_use; }
// Not inlined: GCC 12 would warn that memory from malloc() is freed by free(), which is right here.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);  // NOLINT(cppcoreguidelines-no-malloc)
  if (memory == nullptr) throw std::bad_alloc();
  bytes_in_use += malloc_usable_size(memory);
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  bytes_in_use -= malloc_usable_size(memory);
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace longrun {
namespace {

constexpr const char* kBaselines[] = {"greedy", "one-step-optimistic", "exp3", "r-exp3", "d-ucb", "sw-ucb", "ucb"};

/// Returns ten constant arms: no arm is ever dropped, so the cost of a step stays the same during a run.
Bandit ten_arms() {
  Bandit bandit = named_bandit("const").tabulated(1'000);
  bandit.noise = Uniform{0.05};
  return bandit;
}

void baseline_step(benchmark::State& state, const char* name) {
  const Bandit bandit = ten_arms();
  const PolicyChoice policy(name);
  const Setting setting{.arms = 10, .horizon = state.range(0), .noise = bandit.noise};
  const Setting tenth{.arms = 10, .horizon = state.range(0) / 10, .noise = bandit.noise};
  if (play(policy, bandit, setting).pulls != play(policy, bandit, setting).pulls)
    return state.SkipWithError("two runs with the same seed differ");
  // Only the set-up allocates: the number of allocations does not depend on the length of the run.
  const std::size_t start = allocations;
  play(policy, bandit, tenth);
  const std::size_t short_run = allocations - start;
  play(policy, bandit, setting);
  const std::size_t long_run = allocations - start - short_run;
  if (long_run != short_run)
    return state.SkipWithError(
        fmt::format("{} allocations in {} steps, {} in a tenth of them", long_run, setting.horizon, short_run).c_str());
  time_runs(state, setting.horizon, [&] { return play(policy, bandit, setting); });
}

[[maybe_unused]] const bool kBaselineRegistered = [] {
  for (const char* name : kBaselines) {
    auto* bench = benchmark::RegisterBenchmark(name, [name](benchmark::State& state) { baseline_step(state, name); });
    bench->Arg(10'000)->Arg(1'000'000)->Repetitions(3);
    claims().push_back({fmt::format("{} step with 10 arms, T = 10^6 / T = 10^4", name), fmt::format("{}/1000000", name),
                        fmt::format("{}/10000", name), 1.5, false});
  }
  return true;
}();

}  // namespace
}  // namespace longrun
