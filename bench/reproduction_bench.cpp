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

void one_policy(benchmark::State& state, const std::string& name) {
  const Pulls horizon = 20'000;
  Bandit bandit = named_bandit("inc_dec_3").tabulated(horizon);
  bandit.noise = Gaussian{.sd = 0.05};
  const auto observed = std::make_shared<const ObservationTable>(observe_all(bandit, 2021, 1, horizon));
  const Setting setting{.arms = 2,
                        .horizon = horizon,
                        .noise = bandit.noise,
                        .seed = 2021,
                        .replicate = 1,
                        .plan = optimal_allocation(bandit, horizon).pulls};
  const PolicyChoice policy(name);
  const RunResult drawn = play(policy, bandit, setting);
  const RunResult shared = play_on(policy, World(bandit, observed), setting, std::span(&horizon, 1))[0];
  if (drawn.pulls != shared.pulls) return state.SkipWithError("runs with drawn and with tabulated observations differ");
  for (auto _ : state) {
    benchmark::DoNotOptimize(play_on(policy, World(bandit, observed), setting, std::span(&horizon, 1)));
  }
  count_steps(state, static_cast<double>(horizon) * static_cast<double>(state.iterations()));
}

const bool kPoliciesRegistered = [] {
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string name(entry.name);
    benchmark::RegisterBenchmark(("policy/" + name).c_str(), one_policy, name)->MinTime(0.2);
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
/// policies that do not use the horizon, deterministic runs once), so that the difference is the overhead of the
/// engine.
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
          const auto play = [&](std::size_t h, std::span<const Pulls> horizons) {
            const Setting setting{.arms = bandit.arm_count(),
                                  .horizon = config.horizons[h],
                                  .noise = noise,
                                  .half_width = config.half_width.at(noise, config.horizons[h]),
                                  .seed = config.seed,
                                  .replicate = seed,
                                  .plan = policy.entry().traits.needs_plan ? best[h].pulls : std::vector<Pulls>{}};
            double earned = 0;
            for (const RunResult& result : play_on(policy, World(bandit, observed), setting, horizons)) {
              earned += result.earned;
            }
            return earned;
          };
          double earned = 0;
          if (policy.entry().traits.uses_horizon || config.half_width.depends_on_horizon()) {
            for (std::size_t h = 0; h < config.horizons.size(); ++h) earned += play(h, {&config.horizons[h], 1});
          } else {
            earned = play(config.horizons.size() - 1, config.horizons);
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
  for (auto _ : state) {
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
  for (auto _ : state) {
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
  for (auto _ : state) {
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

const Claims kClaims{
    {"the paper on one thread: engine and store / play loop alone", "paper_engine/1", "paper_bare", 1.1, false},
    {"the paper: one thread / two threads", "paper_engine/1", "paper_engine/2", 1.8, true},
};

}  // namespace
}  // namespace longrun
