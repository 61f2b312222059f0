#pragma once

// A small experiment with many kinds of bandits, noises and policies, and functions that run and read it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "longrun/experiment/engine.h"
#include "longrun/experiment/store.h"
#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {

inline constexpr const char* kSmall = R"(
bandits = ["inc_dec_3", "recommender_B", "const_*"]
noise = ["none", "gaussian:0.05", "bernoulli"]
policies = ["spo", "greedy", "one-step-optimistic", "exp3", "r-exp3", "d-ucb", "sw-ucb:window=30", "ucb", "increasing", "optimal",
            "spo@released", "ucb@released"]
horizons = [1, 7, 40, 150, 400]
seeds = 4
seed = 11
)";

inline Config small_config(const std::string& text = kSmall) { return parse_config(text, "small.toml"); }

/// Returns small_config() with one part of its text replaced.
inline Config changed_config(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  return small_config(text.replace(text.find(from), from.size(), to));
}

/// Returns the path of a folder that does not exist yet.
inline std::string fresh_folder(const std::string& name) {
  std::string path = scratch_path(name);
  std::filesystem::remove_all(path);
  return path;
}

/// Returns every record as text.
inline std::string exported(const Store& store) {
  std::string text;
  store.for_each([&](const RunRecord& r) {
    text += fmt::format("{} {} {} {}:{} {} {} {} {} {} {}\n", r.experiment, r.bandit, r.noise, r.policy, r.parameters,
                        r.horizon, r.seed, fmt::join(r.pulls, ","), r.earned, r.optimum, r.regret);
  });
  return text;
}
inline std::string exported(const std::string& folder) { return exported(Store(folder, Store::Access::read)); }

/// Runs the whole experiment and returns its records as text.
inline std::string run_whole(const Config& config, const std::string& folder, int threads) {
  Store store(folder, Store::Access::write);
  const Progress progress = run_experiment(config, store, {.threads = threads});
  EXPECT_EQ(progress.runs_done, config.runs());
  EXPECT_EQ(progress.steps_done, config.steps());
  return exported(store);
}

}  // namespace longrun
