// What does the whole paper cost: how many steps per second each policy makes, what engine and store add to the bare
// play loop, what a second thread brings, and how much memory it takes?
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "bench/report.h"
#include "longrun/data/named_bandits.h"
#include "longrun/experiment/engine.h"
#include "longrun/experiment/paper.h"
#include "longrun/report/report.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play.h"

namespace longrun {
namespace {

// ---- each policy alone, on the work that dominates the paper: two arms, noise, 20,000 pulls

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
  if (drawn.pulls != shared.pulls) return state.SkipWithError("shared observations change the run");
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

/// All runs of an experiment and nothing else: no store, no threads, no units. Saves the same work as the engine does
/// (the optimum once per bandit, observations once per seed, one pass where the horizon is not used, certain runs
/// once), so that what is left is the engine's own cost. Returns the sum of all returns.
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
      const bool certain = !choice.per_seed && std::holds_alternative<NoNoise>(noise);
      std::map<std::string, double> once;
      for (std::uint32_t seed = 1; seed <= config.seeds; ++seed) {
        if (choice.per_seed) prepare(seed);
        bandit.noise = noise;
        const auto observed =
            std::make_shared<const ObservationTable>(observe_all(bandit, config.seed, seed, config.horizons.back()));
        for (const PolicyChoice& policy : config.policies) {
          const bool repeats = certain && !policy.entry().traits.randomized;
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
            for (const RunResult& outcome : play_on(policy, World(bandit, observed), setting, horizons)) {
              earned += outcome.earned;
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

/// A folder that is gone when the benchmark is over.
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
  for (const Config& config : configs) run_experiment(config, store, {.threads = threads});
}

/// The engine records what the bare loop plays.
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

/// Largest memory the process had since start_measuring(), in MB.
void start_measuring() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

void paper_bare(benchmark::State& state) {
  if (!engine_agrees()) return state.SkipWithError("the engine records other returns than the bare loop makes");
  const std::vector<Config> configs = paper();
  for (auto _ : state) {
    for (const Config& config : configs) benchmark::DoNotOptimize(bare_play(config));
  }
  count_steps(state, static_cast<double>(steps_of(configs)) * static_cast<double>(state.iterations()));
}
BENCHMARK(paper_bare)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

void paper_engine(benchmark::State& state) {
  if (!engine_agrees()) return state.SkipWithError("the engine records other returns than the bare loop makes");
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
BENCHMARK(paper_engine)->Arg(1)->Arg(2)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

/// Everything that `longrun reproduce` does; the time of the whole, not of a step.
void reproduction(benchmark::State& state) {
  const std::vector<Config> configs = paper();
  const Folder folder;
  start_measuring();
  for (auto _ : state) {
    folder.clear();
    run_all(configs, folder, 0);
    write_report(folder.path());
  }
  state.counters["steps/s"] = benchmark::Counter(
      static_cast<double>(steps_of(configs)) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["peak MB"] = peak_megabytes();
}
BENCHMARK(reproduction)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

const Claims kClaims{
    {"the paper on one thread: engine and store / bare play loop", "paper_engine/1", "paper_bare", 1.1, false},
    {"the paper: one thread / two threads", "paper_engine/1", "paper_engine/2", 1.8, true},
};

}  // namespace
}  // namespace longrun
