#include "longrun/report/arena/arena.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "longrun/base/input_error.h"
#include "longrun/experiment/engine.h"
#include "longrun/report/arena/arena_report.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

constexpr const char* kArena = R"(
policies = ["spo", "greedy", "exp3", "optimal"]
noise = ["gaussian:0.05", "bernoulli"]
seeds = 4

[[family]]
name = "one"
bandits = ["inc_dec_3", "recommender_A"]
horizons = [50, 200]

[[family]]
name = "two"
bandits = ["random_peaked_*"]
noise = ["gaussian:0.1"]
horizons = [300]
)";

class ArenaOf : public ::testing::Test {
 protected:
  ArenaOf() : store_(fresh_folder(), Store::Access::write) {
    for (const Config& config : configs_) {
      run_experiment(config, store_, {.threads = 2});
      arena_.add(Results(store_, config));
    }
  }

  static std::string fresh_folder(const char* what = "") {
    std::string path = scratch_path(::testing::UnitTest::GetInstance()->current_test_info()->name()) + what;
    std::filesystem::remove_all(path);
    return path;
  }

  /// Records the first unit of an experiment, and returns the experiment.
  const Config& begun(const Config& config) {
    store_.begin(config, {}, false);
    store_.add(config, 0, run_unit(config, unit_at(config, 0)));
    store_.commit();
    return config;
  }

  std::vector<Config> configs_ = parse_configs(kArena, "x.toml");
  Store store_;
  Arena arena_;
};

TEST_F(ArenaOf, ScoresFollowTheirDefinitions) {
  // Mean regret per step by experiment, cell and policy, from the records alone.
  std::map<std::string, std::map<std::string, std::map<std::string, double>>> regrets;
  store_.for_each([&](const RunRecord& r) {
    regrets[r.experiment][fmt::format("{} {} {}", r.bandit, r.noise, r.horizon)][r.policy] +=
        r.regret / static_cast<double>(r.horizon) / 4;
  });
  ASSERT_EQ(regrets["x.one"].size(), 8U);
  const std::vector<ArenaRow> rows = arena_.views()[0].rows;
  ASSERT_EQ(rows.size(), 3U) << "all but the reference";
  for (const ArenaRow& row : rows) {
    double log_g = 0;
    double sum = 0;
    double spo_sum = 0;
    double worst = 0;
    std::size_t number = 0;
    for (const char* family : {"x.one", "x.two"}) {
      double family_log = 0;
      double family_sum = 0;
      double family_spo = 0;
      const auto cells = static_cast<double>(regrets[family].size());
      for (auto& [cell, by_policy] : regrets[family]) {
        const double ratio = (by_policy[row.policy] + 2e-4) / (by_policy["spo"] + 2e-4);
        worst = std::max(worst, ratio);
        family_log += std::log(ratio) / cells;
        family_sum += by_policy[row.policy] / cells;
        family_spo += by_policy["spo"] / cells;
      }
      EXPECT_NEAR(row.families[number].g.mean, std::exp(family_log), 1e-9);
      EXPECT_NEAR(row.families[number].m.mean, family_sum / family_spo, 1e-9);
      ++number;
      log_g += family_log / 2;
      sum += family_sum;
      spo_sum += family_spo;
    }
    EXPECT_NEAR(row.overall.g.mean, std::exp(log_g), 1e-9) << row.policy;
    EXPECT_NEAR(row.overall.m.mean, sum / spo_sum, 1e-9) << row.policy;
    EXPECT_NEAR(row.worst_ratio, worst, 1e-9);
    EXPECT_LE(row.overall.g.low, row.overall.g.mean);
    EXPECT_GE(row.overall.g.high, row.overall.g.mean);
    if (row.policy == "spo") {
      EXPECT_EQ(row.overall.g.low, 1);
      EXPECT_EQ(row.overall.m.high, 1);
    } else {
      EXPECT_LT(row.overall.g.low, row.overall.g.high) << "seeds differ";
    }
  }
}

TEST_F(ArenaOf, RowsAreSortedBestFirst) {
  const std::vector<ArenaScores> views = arena_.views();
  const std::vector<ArenaRow>& rows = views[0].rows;
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i - 1].overall.g.mean, rows[i].overall.g.mean);
  const std::string table = arena_markdown(views);
  EXPECT_LT(table.find("| " + rows[0].policy + " |"), table.find("| " + rows[2].policy + " |"));
  EXPECT_NE(table.find(" one | two |"), std::string::npos);
  EXPECT_NE(arena_text(views[0]).find("worst cell"), std::string::npos);
}

TEST_F(ArenaOf, TheDocumentDefinesTheScoresInLinesOfAtMost100Columns) {
  std::vector<ArenaScores> views = arena_.views();
  EXPECT_NE(arena_markdown(views).find("records of seeds 1 to 4."), std::string::npos) << arena_markdown(views);
  views[0].seeds = "seeds 1000001 to 1000030";
  const std::string table = arena_markdown(views);
  EXPECT_NE(table.find("Below 1 is better than SPO."), std::string::npos) << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with('|') || line.size() <= 100) << line;
  }
}

TEST_F(ArenaOf, ViewsAreTheLongestHorizonsAndTheKindsOfNoise) {
  const std::vector<ArenaScores> views = arena_.views();
  std::vector<std::string> names;
  names.reserve(views.size());
  for (const ArenaScores& view : views) names.push_back(view.cells);
  EXPECT_EQ(names, (std::vector<std::string>{"all cells", "longest horizons", "gaussian noise", "bernoulli noise"}));
  EXPECT_EQ(views[2].families, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(views[3].families, (std::vector<std::string>{"one"})) << "the other has no such noise";
  const std::string table = arena_markdown(views);
  for (const std::string& name : names) EXPECT_NE(table.find("\n## " + name + "\n"), std::string::npos) << name;
}

TEST_F(ArenaOf, FamiliesThatAreHeldOutAreScoredApartAndChangeNoOtherScore) {
  const std::vector<ArenaScores> before = arena_.views();
  Config unseen = configs_[1];
  unseen.name = "x.unseen";
  unseen.path = "x.unseen.toml";
  unseen.held_out = true;
  unseen.noises = {parse_noise("uniform:0.1")};
  run_experiment(unseen, store_, {.threads = 2});
  arena_.add(Results(store_, unseen));
  std::vector<ArenaScores> views = arena_.views();
  ASSERT_EQ(views.size(), before.size() + 1);
  const ArenaScores apart = views[1];
  EXPECT_EQ(apart.cells, kUnseenFamilies);
  EXPECT_EQ(apart.families, std::vector<std::string>{"unseen"});
  EXPECT_NE(arena_markdown(views).find("\n## families that tuning never saw\n"), std::string::npos);
  views.erase(views.begin() + 1);
  EXPECT_EQ(arena_markdown(views), arena_markdown(before));

  Arena alone;
  alone.add(Results(store_, unseen));
  ASSERT_EQ(alone.views().size(), 1U) << "never the scores of no families";
  EXPECT_EQ(arena_markdown(alone.views()), arena_markdown({apart}));
}

TEST_F(ArenaOf, AViewIsAnArenaOfOnlyItsCells) {
  // Runs depend on the seed only, not on the other cells of an experiment.
  std::string alone = kArena;
  for (const std::string_view other : {"50, ", "\"gaussian:0.05\", "}) alone.erase(alone.find(other), other.size());
  Store store(fresh_folder("_alone"), Store::Access::write);
  Arena arena;
  for (const Config& config : parse_configs(alone, "x.toml")) {
    run_experiment(config, store, {.threads = 2});
    arena.add(Results(store, config));
  }
  const auto same = [](const Estimate& a, const Estimate& b) {
    EXPECT_DOUBLE_EQ(a.mean, b.mean);
    EXPECT_DOUBLE_EQ(a.low, b.low);
    EXPECT_DOUBLE_EQ(a.high, b.high);
  };
  const std::vector<ArenaRow> some =
      arena_
          .scores("some", [](const ArenaCell& cell) { return cell.longest && to_text(cell.noise) != "gaussian:0.05"; })
          .rows;
  const std::vector<ArenaRow> whole = arena.views()[0].rows;
  ASSERT_EQ(some.size(), whole.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].policy, whole[i].policy);
    EXPECT_EQ(some[i].worst_cell, whole[i].worst_cell);
    same(some[i].overall.g, whole[i].overall.g);
    same(some[i].overall.m, whole[i].overall.m);
    ASSERT_EQ(some[i].families.size(), 2U);
    for (std::size_t f = 0; f < 2; ++f) {
      same(some[i].families[f].g, whole[i].families[f].g);
      same(some[i].families[f].m, whole[i].families[f].m);
    }
  }
}

TEST_F(ArenaOf, FamiliesWithoutACellThatCountsAreLeftOut) {
  const ArenaScores none = arena_.scores("none", [](const ArenaCell&) { return false; });
  EXPECT_TRUE(none.families.empty());
  EXPECT_TRUE(none.rows.empty());
  EXPECT_TRUE(Arena().views()[0].rows.empty());
}

TEST_F(ArenaOf, NamesTheSeedsOfItsFamiliesAndOfNoOther) {
  Config later = configs_[1];
  later.name = "x.later";
  later.path = "x.later.toml";
  later.first_seed = 11;
  arena_.add(Results(store_, begun(later)));
  EXPECT_EQ(arena_.views()[0].seeds, "seeds 1 to 4") << "the family is incomplete";
  run_experiment(later, store_, {.threads = 2});
  arena_.add(Results(store_, later));
  EXPECT_EQ(arena_.views()[0].seeds, "seeds 1 to 4 and 11 to 14");
  EXPECT_EQ(arena_.scores("none", [](const ArenaCell&) { return false; }).seeds, "no seeds");
  EXPECT_NE(arena_markdown(Arena().views()).find("from the records of no seeds."), std::string::npos);
}

TEST_F(ArenaOf, WithoutACompleteFamilyThereIsNoReport) {
  const std::string folder = fresh_folder("_begun");
  Store(folder, Store::Access::write).begin(configs_[0], {}, false);
  try {
    write_arena_report({configs_[0]}, folder);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), folder + ": no family of bandits is complete; run all seeds of a family with policy 'spo'");
  }
  for (const char* file : {"arena.md", "arena.html", "arena.gp"}) {
    EXPECT_FALSE(std::filesystem::exists(folder + "/" + file)) << file;
  }
}

TEST_F(ArenaOf, AnIncompleteFamilyIsNotScored) {
  Config more = configs_[0];
  more.name = "x.more";
  more.path = "x.more.toml";
  arena_.add(Results(store_, begun(more)));
  EXPECT_EQ(arena_.views()[0].families, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace longrun
