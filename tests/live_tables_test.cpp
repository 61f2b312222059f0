// The tables of docs/studies.md: what lost and late outcomes, and rounds of many pulls, do to every policy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "longrun/data/named_bandits.h"
#include "longrun/decide/study/study.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play_constrained.h"
#include "tests/long_tests.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// Expects that docs/studies.md has these lines.
void expect_in_document(const std::string& table) {
  const std::string document = content(kSource / "docs" / "studies.md");
  EXPECT_NE(document.find(table), std::string::npos) << "docs/studies.md does not have this table:\n" << table;
}

constexpr Pulls kBudget = 1'000;
constexpr int kRuns = 50;

/// Plays one study of two arms that pay 0.3 and 0.7, with noise of sd 0.1. Each outcome arrives `delay` rounds later or
/// is reported as lost. Returns the share of the better arm.
double share_of_the_better_arm(std::string_view policy, int percent_lost, std::size_t delay, unsigned seed) {
  Study study({.arms = {"worse", "better"},
               .budget = kBudget,
               .noise = Gaussian{0.1},
               .policy = std::string(policy),
               .seed = seed});
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.1);
  std::deque<Decision> awaited;
  while (!study.done()) {
    awaited.push_back(study.decide().decisions[0]);
    if (awaited.size() <= delay) continue;
    const Decision decision = awaited.front();
    awaited.pop_front();
    const bool lost = static_cast<int>(random() % 100) < percent_lost;
    const double reward = (decision.arm == 1 ? 0.7 : 0.3) + noise(random);
    study.settle(decision.id, lost ? Outcome::lost() : Outcome::observed(reward));
  }
  return static_cast<double>(study.pulls(1)) / static_cast<double>(kBudget);
}

TEST(LiveTables, LostAndLateOutcomesStarveTheBetterArmAsTheDocumentSays) {
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "the table needs all runs";
  std::string table =
      "| policy | 5 %, 1 | 5 %, 10 | 5 %, 100 | 30 %, 1 | 30 %, 10 | 30 %, 100 |\n|---|---|---|---|---|---|---|\n";
  for (const PolicyEntry& entry : policy_catalog()) {
    if (entry.traits.needs_plan || !entry.traits.variant_of.empty()) continue;
    table += fmt::format("| {} |", entry.name);
    for (const int percent_lost : {5, 30}) {
      for (const std::size_t delay : {1U, 10U, 100U}) {
        int starved = 0;
        for (unsigned seed = 0; seed < kRuns; ++seed) {
          starved += share_of_the_better_arm(entry.name, percent_lost, delay, seed) < 0.1 ? 1 : 0;
        }
        table += fmt::format(" {} % |", 100 * starved / kRuns);
        const bool must_not =
            entry.name == "foresight" || entry.name == "spo" || entry.name == "ucb" || entry.name == "greedy";
        EXPECT_TRUE(!must_not || starved == 0) << entry.name << ", " << percent_lost << " %, delay " << delay;
      }
    }
    table += '\n';
  }
  expect_in_document(table);
}

/// Returns the mean regret of 30 runs.
double mean_regret(std::string_view policy, const Bandit& bandit, Pulls units_per_round) {
  constexpr std::uint64_t kSeeds = 30;
  const double best = optimal_allocation(bandit, 5'000, {}).value;
  double regret = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Setting setting{.arms = bandit.arm_count(), .horizon = 5'000, .noise = bandit.noise, .seed = seed};
    const RunResult result =
        play_constrained(World(bandit, seed), PolicyChoice(policy), setting, {.units_per_round = units_per_round});
    regret += (best - result.earned) / kSeeds;
  }
  return regret;
}

TEST(LiveTables, RoundsOfManyPullsHaveTheRegretThatTheDocumentSays) {
  if (sanitizer_slowdown() > 1) GTEST_SKIP() << "the table needs all runs";
  constexpr const char* kBandits[] = {"const_1", "const_2", "const_3", "const_4", "const_5", "inc_dec_3"};
  std::string table = "| policy |";
  for (const char* name : kBandits) table += fmt::format(" {} |", name);
  table += "\n|---|---|---|---|---|---|---|\n";
  for (const char* policy :
       {"foresight", "spo", "greedy", "one-step-optimistic", "ucb", "d-ucb", "sw-ucb", "r-ed-ucb", "raw-ucb", "fewa"}) {
    table += fmt::format("| {} |", policy);
    for (const char* name : kBandits) {
      Bandit bandit = named_bandit(name).tabulated(5'000);
      bandit.noise = Bernoulli{};
      const double alone = mean_regret(policy, bandit, 1);
      table += fmt::format(" {:.0f}: {:.2f}, {:.2f} |", alone, mean_regret(policy, bandit, 20) / alone,
                           mean_regret(policy, bandit, 100) / alone);
    }
    table += '\n';
  }
  expect_in_document(table);
}

}  // namespace
}  // namespace longrun
