// The time of a decision and its outcome in a study, compared with the bare policy behind virtual calls, and the size
// and time of a snapshot.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "bench/report.h"
#include "longrun/data/named_bandits.h"
#include "longrun/decide/study/study.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/policy/foresight/foresight.h"
#include "longrun/policy/greedy.h"
#include "longrun/simulate/world.h"

namespace longrun {
namespace {

constexpr Pulls kStudyHorizon = 10'000;

Bandit two_arms() {
  Bandit bandit = named_bandit("inc_dec_3").tabulated(kStudyHorizon);
  bandit.noise = Gaussian{0.05};
  return bandit;
}

/// The smallest interface that asks for an arm and takes its reward.
class Asked {
 public:
  virtual ~Asked() = default;
  virtual Arm ask() = 0;
  virtual void tell(Arm arm, double reward) = 0;
};
template <class Policy>
class AskedPolicy final : public Asked {
 public:
  explicit AskedPolicy(Policy policy) : policy_(std::move(policy)) {}
  Arm ask() override { return policy_.choose(); }
  void tell(Arm arm, double reward) override { policy_.observe(arm, reward); }

 private:
  Policy policy_;
};

Setting setting_of(const Bandit& bandit) { return {.arms = 2, .horizon = kStudyHorizon, .noise = bandit.noise}; }

std::unique_ptr<Asked> asked(const std::string& policy, const Setting& setting) {
  if (policy == "greedy") return std::make_unique<AskedPolicy<Greedy>>(make_greedy(setting, {}));
  return std::make_unique<AskedPolicy<Foresight>>(make_foresight(setting, {}));
}

std::vector<Pulls> ask_and_tell(const std::string& policy, const Bandit& bandit,
                                const std::shared_ptr<const ObservationTable>& observed) {
  World world(bandit, observed);
  const auto asking = asked(policy, setting_of(bandit));
  for (Pulls step = 0; step < kStudyHorizon; ++step) {
    const Arm arm = asking->ask();
    asking->tell(arm, world.pull(arm));
  }
  return world.pulls();
}

StudySpec spec_of(const std::string& policy, const Bandit& bandit) {
  return {.arms = bandit.arm_names, .budget = kStudyHorizon, .noise = bandit.noise, .policy = policy};
}

void ask_tell_pair(benchmark::State& state, const std::string& policy) {
  const Bandit bandit = two_arms();
  const auto observed = std::make_shared<const ObservationTable>(observe_all(bandit, 1, 0, kStudyHorizon));
  time_runs(state, kStudyHorizon, [&] { return ask_and_tell(policy, bandit, observed); });
}

void study_pair(benchmark::State& state, const std::string& policy) {
  const Bandit bandit = two_arms();
  const auto observed = std::make_shared<const ObservationTable>(observe_all(bandit, 1, 0, kStudyHorizon));
  const auto play = [&] {
    StudyLog log(spec_of(policy, bandit));
    World world(bandit, observed);
    for (Pulls step = 0; step < kStudyHorizon; ++step) {
      const Decision decision = std::get<Decided>(*log.handle(Decide{})).decisions[0];
      log.handle(Report{decision.id, Outcome::observed(world.pull(decision.arm))});
    }
    return world.pulls();
  };
  if (play() != ask_and_tell(policy, bandit, observed)) {
    return state.SkipWithError("the study decides otherwise than its policy");
  }
  time_runs(state, kStudyHorizon, play);
}

/// Returns a study of four arms after `pulls` pulls.
Study four_arms_after(Pulls pulls) {
  StudySpec spec{.arms = {"a", "b", "c", "d"}, .budget = 2 * pulls, .noise = Gaussian{0.05}};
  Study study(spec);
  for (Pulls pull = 0; pull < pulls; ++pull) {
    const auto arm = static_cast<Arm>(pull % 4);
    study.observe(arm, 0.2 * arm + 0.001 * static_cast<double>(pull * 7919 % 101));
  }
  return study;
}

void load_snapshot(benchmark::State& state) {
  constexpr Pulls kPulls = 10'000'000;
  constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
  const std::string bytes = snapshot(four_arms_after(kPulls));
  if (bytes.size() >= kMostBytes) return state.SkipWithError(fmt::format("{} bytes", bytes.size()).c_str());
  if (snapshot(restored(bytes)) != bytes) return state.SkipWithError("a restored study differs");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(restored(bytes));
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

void one_millisecond(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
}

BENCHMARK_CAPTURE(ask_tell_pair, foresight, "foresight")->Repetitions(3);
BENCHMARK_CAPTURE(study_pair, foresight, "foresight")->Repetitions(3);
BENCHMARK_CAPTURE(ask_tell_pair, greedy, "greedy")->Repetitions(3);
BENCHMARK_CAPTURE(study_pair, greedy, "greedy")->Repetitions(3);
BENCHMARK(load_snapshot)->Repetitions(3);
BENCHMARK(one_millisecond)->Repetitions(3);

const Claims kStudyClaims{{"decision and outcome in a study, with its events / ask and tell; foresight, two arms",
                           "study_pair/foresight", "ask_tell_pair/foresight", 2, false},
                          {"the same; greedy", "study_pair/greedy", "ask_tell_pair/greedy", 2, false, false},
                          {"loading a snapshot of foresight after 10^7 pulls of 4 arms / one millisecond",
                           "load_snapshot", "one_millisecond", 1, false}};

}  // namespace
}  // namespace longrun
