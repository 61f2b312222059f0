// The cost of reproducing the paper: time per step of each policy, overhead of engine and store over the play loop,
// speed-up by a second thread, and memory.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "bench/report.h"
#include "longrun/data/named_bandits.h"
#include "longrun/experiment/engine.h"
#include "longrun/experiment/paper.h"
#include "longrun/report/report.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

// ---- each policy on the task that dominates the paper: two arms, noise, 20,000 pulls

constexpr Pulls kLongest = 20'000;
constexpr std::size_t kRunsInTurn = 8;

Bandit noisy_pair() {
  Bandit bandit = named_bandit("inc_dec_3").tabulated(kLongest);
  bandit.noise = Gaussian{.sd = 0.05};
  return bandit;
}

std::shared_ptr<const ObservationTable> observations_of(const Bandit& bandit) {
  return std::make_shared<const ObservationTable>(observe_all(bandit, 2021, 1, kLongest));
}

Setting setting_of(const Bandit& bandit, Pulls horizon) {
  return {.arms = 2,
          .horizon = horizon,
          .noise = bandit.noise,
          .seed = 2021,
          .replicate = 1,
          .plan = optimal_allocation(bandit, horizon).pulls};
}

void one_policy(benchmark::State& state, const std::string& name) {
  const Pulls horizon = kLongest;
  const Bandit bandit = noisy_pair();
  const auto observed = observations_of(bandit);
  const Setting setting = setting_of(bandit, horizon);
  const PolicyChoice policy(name);
  const RunResult drawn = play(policy, bandit, setting);
  const RunResult shared = play_on(policy, World(bandit, observed), setting, std::span(&horizon, 1))[0];
  if (drawn.pulls != shared.pulls) return state.SkipWithError("runs with drawn and with tabulated observations differ");
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(play_on(policy, World(bandit, observed), setting, std::span(&horizon, 1)));
  }
  count_steps(state, static_cast<double>(horizon) * static_cast<double>(state.iterations()));
}

/// Plays a policy at several horizons in turn, as experiments do.
void horizons_in_turn(benchmark::State& state, const std::string& name) {
  const Bandit bandit = noisy_pair();
  const World world(bandit, observations_of(bandit));
  const PolicyChoice policy(name);
  std::vector<Setting> settings;
  double steps = 0;
  for (auto left_out = static_cast<Pulls>(kRunsInTurn); left_out-- > 0;) {
    settings.push_back(setting_of(bandit, kLongest - left_out * kLongest / 100));
    steps += static_cast<double>(settings.back().horizon);
  }
  const std::vector<RunResult> results = play_each_on(policy, world, settings);
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const Pulls horizon = settings[k].horizon;
    if (results[k].pulls != play_on(policy, world, settings[k], std::span(&horizon, 1))[0].pulls)
      return state.SkipWithError("runs in turn and separate runs differ");
  }
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(play_each_on(policy, world, settings));
  count_steps(state, steps * static_cast<double>(state.iterations()));
}

const bool kPoliciesRegistered = [] {
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string name(entry.name);
    benchmark::RegisterBenchmark(("policy/" + name).c_str(), one_policy, name)->MinTime(0.05)->Repetitions(10);
    if (!entry.traits.uses_horizon) continue;
    benchmark::RegisterBenchmark(("in_turn/" + name).c_str(), horizons_in_turn, name)->MinTime(0.05)->Repetitions(10);
  }
  return true;
}();

// ---- the whole paper

std::vector<Config> paper() {
  std::vector<Config> configs;
  for (const EmbeddedFile& file : paper_experiments()) {
    Config config = parse_config(file.text, std::string(file.name));
    if (config.illustrations.empty()) configs.push_back(std::move(config));
  }
  return configs;
}

std::uint64_t steps_of(const std::vector<Config>& configs) {
  std::uint64_t steps = 0;
  for (const Config& config : configs) steps += config.steps();
  return steps;
}

/// Makes all runs of an experiment without store, threads and units, and returns the sum of their returns. It avoids
/// the same repeated work as the engine does (the optimum once per bandit, observations once per seed, one pass for
/// policies that do not use the horizon, deterministic runs once, horizons in turn), so that the difference is the
/// overhead of the engine.
double bare_play(const Config& config) {
  double total = 0;
  for (const BanditChoice& choice : config.bandits) {
    Bandit bandit;
    std::vector<Allocation> best;
    const auto prepare = [&](std::uint32_t seed) {
      bandit = choice.at(seed).tabulated(config.horizons.back());
      const BestAllocations all(known_arms(bandit, config.horizons.back()));
      best.clear();
      for (const Pulls horizon : config.horizons) best.push_back(all.at(horizon));
    };
    if (!choice.per_seed) prepare(1);
    for (const Noise& noise : config.noises) {
      const bool deterministic = !choice.per_seed && std::holds_alternative<NoNoise>(noise);
      std::map<std::string, double> once;
      for (std::uint32_t seed = 1; seed <= config.seeds; ++seed) {
        if (choice.per_seed) prepare(seed);
        bandit.noise = noise;
        const auto observed =
            std::make_shared<const ObservationTable>(observe_all(bandit, config.seed, seed, config.horizons.back()));
        for (const PolicyChoice& policy : config.policies) {
          const bool repeats = deterministic && !policy.entry().traits.randomized;
          if (repeats && once.contains(policy.text())) {
            total += once[policy.text()];
            continue;
          }
          const auto setting = [&](std::size_t h) {
            return Setting{.arms = bandit.arm_count(),
                           .horizon = config.horizons[h],
                           .noise = noise,
                           .half_width = config.half_width.at(noise, config.horizons[h]),
                           .seed = config.seed,
                           .replicate = seed,
                           .plan = policy.entry().traits.needs_plan ? best[h].pulls : std::vector<Pulls>{}};
          };
          const World world(bandit, observed);
          double earned = 0;
          if (policy.entry().traits.uses_horizon || config.half_width.depends_on_horizon()) {
            std::vector<Setting> in_turn;
            for (std::size_t h = 0; h < config.horizons.size(); ++h) {
              in_turn.push_back(setting(h));
              if (in_turn.size() < kRunsInTurn && h + 1 < config.horizons.size()) continue;
              for (const RunResult& result : play_each_on(policy, world, in_turn)) earned += result.earned;
              in_turn.clear();
            }
          } else {
            for (const RunResult& result : play_on(policy, world, setting(config.horizons.size() - 1), config.horizons))
              earned += result.earned;
          }
          if (repeats) once[policy.text()] = earned;
          total += earned;
        }
      }
    }
  }
  return total;
}

/// A temporary folder that the destructor removes.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("longrun-bench-" + std::to_string(getpid()))) { clear(); }
  ~Folder() { clear(); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void clear() const { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void run_all(const std::vector<Config>& configs, const Folder& folder, int threads) {
  Store store(folder.path(), Store::Access::write);
  run_experiments(configs, store, {.threads = threads});
}

/// Returns whether the returns that the engine records add up to those of bare_play().
bool engine_agrees() {
  std::vector<Config> few;
  for (Config config : paper()) {
    if (config.name != "inc_dec_3" && config.name != "fico_utility") continue;
    config.horizons = {config.horizons[3], config.horizons[10]};
    config.seeds = 3;
    few.push_back(config);
  }
  const Folder folder;
  run_all(few, folder, 2);
  double recorded = 0;
  Store(folder.path(), Store::Access::read).for_each([&](const RunRecord& record) { recorded += record.earned; });
  double played = 0;
  for (const Config& config : few) played += bare_play(config);
  return recorded > 0 && std::abs(played - recorded) <= 1e-9 * recorded;
}

/// Resets the peak memory of the process.
void start_measuring() { std::ofstream("/proc/self/clear_refs") << "5"; }
/// Returns the peak memory of the process since start_measuring(), in MB.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

void paper_bare(benchmark::State& state) {
  if (!engine_agrees()) return state.SkipWithError("the returns of the engine differ from those of the play loop");
  const std::vector<Config> configs = paper();
  for ([[maybe_unused]] auto _ : state) {
    for (const Config& config : configs) benchmark::DoNotOptimize(bare_play(config));
  }
  count_steps(state, static_cast<double>(steps_of(configs)) * static_cast<double>(state.iterations()));
}
BENCHMARK(paper_bare)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

void paper_engine(benchmark::State& state) {
  if (!engine_agrees()) return state.SkipWithError("the returns of the engine differ from those of the play loop");
  const std::vector<Config> configs = paper();
  const Folder folder;
  start_measuring();
  for ([[maybe_unused]] auto _ : state) {
    folder.clear();
    run_all(configs, folder, static_cast<int>(state.range(0)));
  }
  count_steps(state, static_cast<double>(steps_of(configs)) * static_cast<double>(state.iterations()));
  state.counters["peak MB"] = peak_megabytes();
}
/// Powers of two up to the number of cores, and 2 in any case.
void thread_counts(benchmark::internal::Benchmark* bench) {
  for (unsigned threads = 1; threads <= std::max(2U, std::thread::hardware_concurrency()); threads *= 2) {
    bench->Arg(threads);
  }
}
BENCHMARK(paper_engine)->Apply(thread_counts)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

/// Measures the whole of `longrun reproduce`, not a step of it.
void reproduction(benchmark::State& state) {
  const std::vector<Config> configs = paper();
  const Folder folder;
  start_measuring();
  for ([[maybe_unused]] auto _ : state) {
    folder.clear();
    ReportWriter writer(folder.path());
    {
      Store store(folder.path(), Store::Access::write);
      const auto draw = [&](std::size_t experiment, TaskPool& pool) { writer.add(configs[experiment].name, pool); };
      run_experiments(configs, store, {.on_recorded = draw});
    }
    writer.finish();
  }
  state.counters["steps/s"] = benchmark::Counter(
      static_cast<double>(steps_of(configs)) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["peak MB"] = peak_megabytes();
}
BENCHMARK(reproduction)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

const Claims kReproductionClaims{
    {"step of greedy, two arms / of optimal", "policy/greedy", "policy/optimal", 1.5, false},
    {"step of one-step-optimistic, two arms / of optimal", "policy/one-step-optimistic", "policy/optimal", 2, false},
    {"step of spo, two arms that are soon classified as falling / of optimal", "policy/spo", "policy/optimal", 4,
     false},
    {"step of ucb, two arms / of optimal", "policy/ucb", "policy/optimal", 3, false, false},
    {"step of d-ucb, two arms / of optimal", "policy/d-ucb", "policy/optimal", 3, false, false},
    {"step of sw-ucb, two arms / of optimal", "policy/sw-ucb", "policy/optimal", 3, false, false},
    {"step of r-exp3, one run / eight horizons in turn", "policy/r-exp3", "in_turn/r-exp3", 2, true},
    {"the paper on one thread: engine and store / play loop alone", "paper_engine/1", "paper_bare", 1.1, false},
    {"the paper: one thread / two threads", "paper_engine/1", "paper_engine/2", 1.8, true},
};

}  // namespace
}  // namespace longrun
