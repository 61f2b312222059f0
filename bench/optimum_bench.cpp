// The time to compute the exact optimum, compared with the plain dynamic program.
#include <cmath>

#include "bench/report.h"
#include "longrun/base/random.h"
#include "longrun/model/curve.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

constexpr Pulls kOptimumHorizon = 20'000;

/// Returns eight arms that rise and fall with different heights and times, like inc_dec.
std::vector<Curve> peaked_arms() {
  std::vector<Curve> arms;
  for (std::uint64_t arm = 0; arm < 8; ++arm) {
    const auto bits = random_block({.seed = 3, .purpose = Purpose::instance}, arm);
    const double height = 0.5 + 0.5 * unit_interval(bits[0]);
    const double turn = 300 + 2'500 * unit_interval(bits[1]);
    const double speed = 6 / turn;
    arms.push_back(
        Curve(RiseAndFall{speed, speed / 10, height, height / 3, turn, -0.0015 * height}).tabulated(kOptimumHorizon));
  }
  return arms;
}

const std::vector<Curve> kOptimumArms = peaked_arms();

KnownArms known_arms() {
  return {.arms = static_cast<Arm>(kOptimumArms.size()), .horizon = kOptimumHorizon, .reward = [](Arm arm, Pulls pull) {
            return kOptimumArms[static_cast<std::size_t>(arm)].reward(pull);
          }};
}

void optimum_by_dynamic_program(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(best_allocation_by_dynamic_program(known_arms()));
}

void optimum(benchmark::State& state) {
  const Allocation fast = best_allocation(known_arms());
  if (fast.method != AllocationMethod::single_peaked)
    return state.SkipWithError("the single-peaked method was not used");
  if (std::abs(fast.value - best_allocation_by_dynamic_program(known_arms()).value) > 1e-9) {
    return state.SkipWithError("the value differs from that of the dynamic program");
  }
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(best_allocation(known_arms()));
}

void optimum_of_every_horizon(benchmark::State& state) {
  const double value = best_allocation_by_dynamic_program(known_arms()).value;
  if (std::abs(BestAllocations(known_arms()).value(kOptimumHorizon) - value) > 1e-9 * value) {
    return state.SkipWithError("the value differs from that of the dynamic program");
  }
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(BestAllocations(known_arms()).value(kOptimumHorizon));
}

BENCHMARK(optimum_by_dynamic_program)->Iterations(1)->Repetitions(3);
BENCHMARK(optimum)->Repetitions(3);
BENCHMARK(optimum_of_every_horizon)->Repetitions(3);

const Claims kOptimumClaims{
    {"optimum of 8 single-peaked arms, T = 20000, dynamic program / best_allocation", "optimum_by_dynamic_program",
     "optimum", 30, true},
    {"the same for all horizons up to T", "optimum_by_dynamic_program", "optimum_of_every_horizon", 30, true},
};

}  // namespace
}  // namespace longrun
