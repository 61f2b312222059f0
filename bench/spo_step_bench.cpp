// The time of a step of SPO under noise for several horizons, compared with drawing the noise and reading the curve.
#include <array>
#include <optional>

#include "bench/report.h"
#include "longrun/data/named_bandits.h"
#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/spo.h"
#include "longrun/simulate/play.h"
#include "longrun/solve/optimistic_future.h"

namespace longrun {
namespace {

/// A policy that pulls two arms in turn: the time of its step is that of the world.
class InTurn {
 public:
  Arm choose() { return next_ = 1 - next_; }
  void observe(Arm, double reward) { benchmark::DoNotOptimize(reward); }

 private:
  Arm next_ = 1;
};

/// Returns the bandit of the paper's Figure 1: under Gaussian noise both arms are soon classified as falling.
Bandit falling_bandit(Pulls horizon) {
  Bandit bandit = named_bandit("inc_dec_3").tabulated(horizon);
  bandit.noise = Gaussian{.sd = 0.05};
  return bandit;
}

/// Returns rising arms. With intervals of kWide, (*) remains feasible and every step solves it.
Bandit rising_bandit(Pulls horizon) {
  Bandit bandit = named_bandit("inc_1_alpha_0.1").tabulated(horizon);
  bandit.noise = Gaussian{.sd = 0.05};
  return bandit;
}
constexpr double kWide = 0.3;  // six standard deviations

/// Returns the same arms with the noise that is cheapest to draw: the ratio to floor_step() is then largest.
Bandit cheap_noise_bandit(Pulls horizon) {
  Bandit bandit = rising_bandit(horizon);
  bandit.noise = Uniform{.bound = 0.1};
  return bandit;
}

/// Returns whether a short run makes the decisions of SPO with every bound solved from scratch.
bool decides_right(const Bandit& bandit, std::optional<double> half_width) {
  const Pulls horizon = 300;
  const Setting setting{.arms = 2, .horizon = horizon, .noise = bandit.noise, .half_width = half_width};
  std::vector<Arm> trace(static_cast<std::size_t>(horizon));
  play(PolicyChoice("spo"), bandit, setting, trace);
  World world(bandit, setting.seed);
  const double width = setting.resolved_half_width();
  std::array<std::vector<Band>, 2> bands;
  std::array<std::optional<double>, 2> fallen_to;
  for (Pulls step = 0; step < horizon; ++step) {
    const Arm arm = trace[static_cast<std::size_t>(step)];
    if (step >= 10) {  // after floor(ln 300) = 5 initial pulls each
      std::array<double, 2> futures{};
      for (std::size_t i = 0; i < 2; ++i) {
        const auto bound = fallen_to[i] ? std::nullopt : optimistic_future(bands[i], horizon - step);
        futures[i] = bound ? *bound : *fallen_to[i] * static_cast<double>(horizon - step);
      }
      if (futures[static_cast<std::size_t>(arm)] < futures[static_cast<std::size_t>(1 - arm)]) return false;
    }
    const auto i = static_cast<std::size_t>(arm);
    const double reward = world.pull(arm);
    bands[i].push_back({reward - width, reward + width});
    if (fallen_to[i] || !optimistic_future(bands[i], 1)) fallen_to[i] = reward + width;
  }
  return true;
}

template <class MakePolicy>
void time_policy(benchmark::State& state, const Bandit& bandit, std::optional<double> half_width,
                 MakePolicy make_policy) {
  const Pulls horizon = state.range(0);
  std::uint32_t replicate = 0;
  double steps = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Setting setting{.arms = 2,
                          .horizon = horizon,
                          .noise = bandit.noise,
                          .half_width = half_width,
                          .seed = 1,
                          .replicate = replicate++};
    benchmark::DoNotOptimize(play(World(bandit, setting.seed, setting.replicate), make_policy(setting), horizon));
    steps += static_cast<double>(horizon);
  }
  count_steps(state, steps);
}

/// A bandit to measure SPO on.
struct Kind {
  std::string name;
  Bandit (*bandit)(Pulls);
  std::optional<double> half_width;
  double bar;     // on the ratio of a step of SPO to floor_step()
  bool promised;  // only for the paper's noise
};

/// Measures the part of a step that no policy can avoid: drawing the noise and reading the curve.
void floor_step(benchmark::State& state, const Kind& kind) {
  time_policy(state, kind.bandit(state.range(0)), kind.half_width, [](const Setting&) { return InTurn{}; });
}

void spo_step(benchmark::State& state, const Kind& kind) {
  if (!decides_right(kind.bandit(300), kind.half_width)) {
    return state.SkipWithError("spo differs from a run with every bound solved from scratch");
  }
  time_policy(state, kind.bandit(state.range(0)), kind.half_width,
              [](const Setting& setting) { return make_spo<Refresh::every_arm>(setting, {}); });
}

[[maybe_unused]] const bool kSpoStepRegistered = [] {
  const auto add = [](const std::string& name, auto run, const Kind& kind) {
    auto* bench = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, kind); });
    bench->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Repetitions(5);
  };
  for (const Kind& kind :
       {Kind{"falling", falling_bandit, std::nullopt, 2.5, true}, Kind{"rising", rising_bandit, kWide, 8, true},
        Kind{"rising_cheap_noise", cheap_noise_bandit, std::nullopt, 10, false}}) {
    add("floor_step_" + kind.name, floor_step, kind);
    add("noisy_spo_step_" + kind.name, spo_step, kind);
    const std::string spo = "noisy_spo_step_" + kind.name + "/";
    for (const std::string horizon : {"10000", "1000000", "10000000"}) {
      claims().push_back({"noisy two-arm SPO step / floor step, " + kind.name + ", T = " + horizon, spo + horizon,
                          "floor_step_" + kind.name + "/" + horizon, kind.bar, false, kind.promised});
    }
    claims().push_back({"noisy two-arm SPO step, " + kind.name + ", T = 10^7 / T = 10^4", spo + "10000000",
                        spo + "10000", 1.5, false});
  }
  return true;
}();

}  // namespace
}  // namespace longrun
