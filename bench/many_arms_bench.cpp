// The time of a step and the memory of SPO without noise, with up to a million arms.
#include <malloc.h>

#include <algorithm>

#include "bench/report.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/spo.h"

namespace longrun {
namespace {

/// Returns arms of three shapes with random parameters.
Bandit many_arms(Arm arms) {
  Bandit bandit{.name = "many", .arm_names = {}, .arms = {}, .recorded_noise = nullptr};
  bandit.arms.reserve(static_cast<std::size_t>(arms));
  const StreamKey key{.seed = 1, .purpose = Purpose::instance};
  for (Arm arm = 0; arm < arms; ++arm) {
    const auto bits = random_block(key, static_cast<std::uint64_t>(arm));
    const double height = unit_interval(bits[0]);
    const double speed = unit_interval(bits[1]);
    switch (arm % 3) {
      case 0:
        bandit.arms.emplace_back(SaturatingPower{height, height, 0.1 + speed});
        break;
      case 1:
        bandit.arms.emplace_back(CappedPower{height, 1 + 500 * speed, 1});
        break;
      default:
        bandit.arms.emplace_back(Novelty{0.5 * height, 0.05 * speed, 0.99, 0.02});
        break;
    }
  }
  return bandit;
}

std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Returns whether every arm that lazy evaluation chooses has the largest index.
bool decides_right() {
  const Bandit bandit = many_arms(200);
  const Setting setting{.arms = 200, .horizon = 4'000};
  SinglePeakedOptimism lazy = make_spo<Refresh::every_arm>(setting, {});
  SpoRule rule(setting, {}, Refresh::every_arm);
  Ledger ledger(setting);
  World world(bandit, 0);
  for (Pulls step = 0; step < setting.horizon; ++step) {
    const Arm arm = lazy.choose();
    if (step >= 200 * rule.initial_pulls()) {
      for (Arm other = 0; other < 200; ++other) {
        if (rule.index(other, ledger) > rule.index(arm, ledger)) return false;
      }
    }
    const double reward = world.pull(arm);
    lazy.observe(arm, reward);
    ledger.add(arm);
    rule.observe(arm, reward, ledger);
  }
  return true;
}

void noise_free_spo_step(benchmark::State& state) {
  if (!decides_right()) return state.SkipWithError("an arm with a smaller index was pulled");
  const auto arms = static_cast<Arm>(state.range(0));
  const Pulls steps = 2'000'000;  // after the initial pulls
  const Bandit bandit = many_arms(arms);
  double made = 0;
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    const Pulls initial = 2;
    const Setting setting{.arms = arms, .horizon = arms * initial + steps};
    World world(bandit, 0);
    const std::size_t before = heap_in_use();
    SinglePeakedOptimism policy = make_spo<Refresh::every_arm>(setting, Parameters({{"initial_pulls", initial}}));
    for (Pulls step = 0; step < arms * initial; ++step) {
      const Arm arm = policy.choose();
      policy.observe(arm, world.pull(arm));
    }
    const Arm first = policy.choose();  // builds the heap
    policy.observe(first, world.pull(first));
    state.ResumeTiming();
    for (Pulls step = 1; step < steps; ++step) {
      const Arm arm = policy.choose();
      policy.observe(arm, world.pull(arm));
    }
    made += static_cast<double>(steps - 1);
    bytes = std::max(bytes, heap_in_use() - before);
  }
  count_steps(state, made);
  if (static_cast<double>(bytes) > 200.0 * arms) return state.SkipWithError("more than 200 bytes per arm");
  state.counters["bytes_per_arm"] = static_cast<double>(bytes) / arms;
}

BENCHMARK(noise_free_spo_step)->Arg(100)->Arg(10'000)->Arg(1'000'000)->Iterations(1)->Repetitions(3);

const Claims kManyArmsClaims{
    {"noise-free SPO step, 10^6 arms / 100 arms", "noise_free_spo_step/1000000", "noise_free_spo_step/100", 10, false}};

}  // namespace
}  // namespace longrun
