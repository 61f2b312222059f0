#include "longrun/report/advice/backtest_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <sstream>

#include "longrun/data/csv_curves.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/report/advice/backtest_figure.h"
#include "longrun/report/advice/backtest_json.h"
#include "longrun/simulate/backtest/arm_order.h"
#include "tests/scratch.h"
#include "tests/simulated_log.h"

namespace longrun {
namespace {

using nlohmann::json;

BacktestSpec backtest_spec(const History& history, Pulls horizon, const std::vector<std::string>& policies) {
  return {.history = history,
          .horizon = horizon,
          .policies = {policies.begin(), policies.end()},
          .replicates = 40,
          .resamples = 20};
}

std::string joined_text(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

bool says_so(const std::vector<std::string>& sentences, const std::string& part) {
  return joined_text(sentences).find(part) != std::string::npos;
}

TEST(BacktestReport, NamesTheBestPolicyAndThoseThatTheLogTellsFromIt) {
  const BacktestSpec spec =
      backtest_spec(column_log(three_hills(Gaussian{.sd = 0.1}), 1, 400), 400, {"ucb", "spo", "spo:failure=0.05"});
  const Backtest result = backtest(spec);
  const std::vector<std::string> sentences = backtest_conclusions(spec, result);
  const std::string best = result.rows[result.best].name;
  EXPECT_TRUE(best.starts_with("spo")) << best;
  EXPECT_TRUE(says_so(sentences, best + " earns 0.")) << joined_text(sentences);
  EXPECT_TRUE(says_so(sentences, "The log supports that it earns more than ucb")) << joined_text(sentences);
  EXPECT_TRUE(says_so(sentences, "The log itself earned 0.")) << joined_text(sentences);
  for (const BacktestRow& row : result.rows) {
    if (row.reference || row.name == best) continue;
    EXPECT_EQ(says_so({sentences[1]}, row.name), row.clearly_behind) << joined_text(sentences);
  }
  EXPECT_TRUE(backtest_warnings(spec, result).empty()) << joined_text(backtest_warnings(spec, result));
}

TEST(BacktestReport, ADifferenceThatMayBeChanceIsCalledSo) {
  Bandit bandit = three_levels(Gaussian{.sd = 0.2});
  bandit.arms[0] = bandit.arms[2] = bandit.arms[1];  // no policy is better than another
  const BacktestSpec spec = backtest_spec(column_log(bandit, 1, 100), 100, {"greedy", "ucb"});
  const Backtest result = backtest(spec);
  const std::vector<std::string> sentences = backtest_conclusions(spec, result);
  EXPECT_EQ(sentences[1], "The log does not show that it earns more than " + result.rows[1 - result.best].name +
                              ": the difference may be chance.");
  EXPECT_FALSE(says_so(sentences, "supports"));
  ASSERT_TRUE(result.by_chance);
  EXPECT_TRUE(says_so({backtest_meaning(spec, result)}, "and the difference exceeds 0.0"));
  const json object = json::parse(backtest_json(spec, result));
  EXPECT_EQ(object["by_chance"].get<double>(), *result.by_chance);
  for (const json& policy : object["policies"]) EXPECT_EQ(policy["clearly_behind"], false);
}

TEST(BacktestReport, JsonHasASeedThatADoubleCannotHoldAsText) {
  BacktestSpec spec = backtest_spec(column_log(three_levels(NoNoise{}), 1, 10), 10, {"ucb"});
  const Backtest result = backtest(spec);
  spec.seed = std::uint64_t{1} << 53U;
  EXPECT_EQ(json::parse(backtest_json(spec, result))["seed"], 9007199254740992U);
  spec.seed += 1;
  EXPECT_EQ(json::parse(backtest_json(spec, result))["seed"], "9007199254740993");
}

TEST(BacktestReport, WarnsWhereThePullsGoBeyondTheData) {
  const History history = column_log(three_levels(Gaussian{.sd = 0.05}), 1, 60);
  const BacktestSpec far = backtest_spec(history, 600, {"greedy"});
  const Backtest result = backtest(far);
  const std::vector<std::string> warnings = backtest_warnings(far, result);
  const std::string share = std::to_string(std::lround(100 * result.rows[0].extrapolated));
  EXPECT_TRUE(says_so(warnings, share + " % of greedy's pulls, 70 % of those of the equal split, 90 % of those of the "
                                        "optimum lie beyond the data of their arm"))
      << joined_text(warnings);
  EXPECT_TRUE(says_so(warnings, "there the curve is assumed to stay at its last value"));
  const BacktestSpec near = backtest_spec(history, 60, {"greedy"});
  EXPECT_FALSE(says_so(backtest_warnings(near, backtest(near)), "beyond the data"));
}

TEST(BacktestReport, NamesArmsWithTooFewPulls) {
  History history = column_log(three_levels(Gaussian{.sd = 0.05}), 1, 60);
  history.pulls.resize(123);  // 3 of arm 2
  const BacktestSpec left_out = backtest_spec(history, 60, {"ucb"});
  EXPECT_TRUE(says_so(backtest_warnings(left_out, backtest(left_out)),
                      "Left out, because fewer than 5 rewards do not determine a curve: arm 'high' with 3 rewards. No "
                      "policy can choose it here."));
  history = column_log(three_levels(Gaussian{.sd = 0.05}), 1, 60);
  history.pulls.resize(132);
  const BacktestSpec few = backtest_spec(history, 12, {"ucb"});
  EXPECT_TRUE(says_so(backtest_warnings(few, backtest(few)),
                      "Too few rewards for a reliable curve (fewer than 30): arm 'high' with 12 rewards."));
}

TEST(BacktestReport, PullsWithoutAKnownRewardAreNoData) {
  const Bandit bandit = three_hills(Gaussian{.sd = 0.05});
  History pending = column_log(bandit, 1, 300);
  for (std::size_t i = 140; i < 300; ++i) pending.pulls[i].reward = std::nullopt;  // of the arm 'late'
  History cut = pending;
  cut.pulls.erase(cut.pulls.begin() + 140, cut.pulls.begin() + 300);
  const BacktestSpec with_pending = backtest_spec(pending, 280, {"spo", "ucb"});
  const BacktestSpec without = backtest_spec(cut, 280, {"spo", "ucb"});
  const Backtest a = backtest(with_pending);
  const Backtest b = backtest(without);
  for (std::size_t row = 0; row < a.rows.size(); ++row) {
    EXPECT_EQ(a.rows[row].extrapolated, b.rows[row].extrapolated);
    EXPECT_EQ(a.rows[row].reward.value, b.rows[row].reward.value);
  }
  EXPECT_GT(a.rows.back().extrapolated, 0.1) << "the optimum pulls the hill whose rewards are pending";
  for (std::size_t policy = 0; policy < 2; ++policy) {
    for (std::size_t order = 0; order < kArmOrders; ++order) {
      EXPECT_EQ(a.replays[policy].columns[order].rewards, b.replays[policy].columns[order].rewards);
      EXPECT_EQ(a.replays[policy].columns[order].exhausted, b.replays[policy].columns[order].exhausted);
    }
  }
  EXPECT_TRUE(
      std::any_of(a.replays.begin(), a.replays.end(), [](const auto& each) { return each.columns[0].exhausted; }));
  EXPECT_TRUE(
      says_so(backtest_conclusions(with_pending, a), "over 740 pulls instead of 280; 160 further pulls are pending."));
  EXPECT_TRUE(says_so(backtest_warnings(with_pending, a), "160 of 900 pulls are pending (160 of 300 of arm 'late')"));
  EXPECT_FALSE(says_so(backtest_warnings(without, b), "pending"));
  BacktestSpec with_lost = with_pending;
  PastPull& first = *std::find_if(with_lost.history.pulls.begin(), with_lost.history.pulls.end(),
                                  [](const PastPull& pull) { return !pull.reward; });
  first.lost = true;
  EXPECT_TRUE(says_so(backtest_warnings(with_lost, backtest(with_lost)), "160 of 900 pulls are pending or lost ("));
  for (PastPull& pull : with_lost.history.pulls) pull.lost = !pull.reward;
  EXPECT_TRUE(says_so(backtest_conclusions(with_lost, backtest(with_lost)), "; 160 further pulls are lost."));
  const json object = json::parse(backtest_json(with_pending, a));
  EXPECT_EQ(object["log"]["pending"], 160);
  EXPECT_EQ(object["arms"][0]["pulls"], 300);
  EXPECT_EQ(object["arms"][0]["pending"], 160);
}

TEST(BacktestReport, AReplaySkipsPendingRewardsBetweenKnownOnes) {
  History history = column_log(three_levels(Gaussian{.sd = 0.05}), 1, 60);
  for (std::size_t i = 0; i < history.pulls.size(); i += 10) history.pulls[i].reward = std::nullopt;
  const BacktestSpec spec = backtest_spec(history, 50, {"ucb"});
  const Backtest result = backtest(spec);
  const Replay& replay = result.replays[0].columns[0];
  EXPECT_GT(replay.unknown, 0);
  EXPECT_EQ(std::ssize(replay.rewards) + replay.unknown, 50) << "all pulls of the horizon are made";
  EXPECT_FALSE(replay.exhausted);
  EXPECT_EQ(json::parse(backtest_json(spec, result))["replays"][0]["columns"][0]["pulls"], 50);
  EXPECT_TRUE(says_so({backtest_text(spec, result)}, "Pulls whose reward is not known do not count in the mean."));
}

TEST(BacktestReport, PoliciesThatTieAreSaidToEarnTheSame) {
  const BacktestSpec spec = backtest_spec(column_log(three_hills(NoNoise{}), 1, 100), 100, {"spo", "foresight"});
  const Backtest result = backtest(spec);
  const std::vector<std::string> sentences = backtest_conclusions(spec, result);
  EXPECT_TRUE(says_so(sentences, "over 100 pulls, exactly as much as foresight.")) << joined_text(sentences);
  EXPECT_FALSE(says_so(sentences, "more than every other policy"));
  EXPECT_FALSE(says_so(sentences, "may be chance"));
}

TEST(BacktestReport, WarnsOfAFarTooWideScale) {
  BacktestSpec spec = backtest_spec(column_log(three_levels(Gaussian{.sd = 0.05}), 1, 60), 60, {"ucb"});
  EXPECT_FALSE(says_so(backtest_warnings(spec, backtest(spec)), "a small part of the scale"));
  spec.scale = {.minimum = 0, .maximum = 100};
  EXPECT_TRUE(says_so(backtest_warnings(spec, backtest(spec)), "a small part of the scale from 0 to 100"));
}

TEST(BacktestReport, WarnsOfRewardsThatNoSinglePeakedCurveFollows) {
  Bandit bandit = three_levels(Gaussian{.sd = 0.05});
  std::vector<double> waves(200);
  for (std::size_t i = 0; i < waves.size(); ++i) waves[i] = 0.5 + 0.3 * std::sin(static_cast<double>(i) / 15);
  bandit.arms[0] = Curve::from_rewards(waves);
  const BacktestSpec spec = backtest_spec(column_log(bandit, 1, 200), 200, {"ucb"});
  const std::vector<std::string> warnings = backtest_warnings(spec, backtest(spec));
  EXPECT_TRUE(says_so(warnings, "The rewards of arm 'low' change in a way that no single-peaked curve follows"));
  EXPECT_FALSE(says_so(warnings, "The rewards of arm 1"));
}

/// Returns a log of four arms that take turns, whose reward is `mean` of the row, with noise of sd 0.03.
History log_in_time(const std::function<double(int)>& mean) {
  History history{.arm_names = {"a", "b", "c", "d"}, .pulls = {}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  for (int row = 0; row < 400; ++row) history.pulls.push_back({row % 4, mean(row) + noise(random)});
  return history;
}

TEST(BacktestReport, HasTheCautionsOfARecommendationAboutJumpsAndSeasons) {
  const auto has_both = [](const History& history, const std::string& part) {
    const BacktestSpec spec = backtest_spec(history, 100, {"greedy", "ucb"});
    const std::vector<std::string> warnings = backtest_warnings(spec, backtest(spec));
    EXPECT_TRUE(says_so(warnings, part)) << joined_text(warnings);
    const Question question{.history = history, .horizon = 800};
    EXPECT_TRUE(says_so(cautions(question, recommend(question)), part));
    return joined_text(warnings);
  };
  const std::string jump =
      has_both(log_in_time([](int row) { return row < 200 ? 0.3 : 0.7; }), "Arm 'a' grows faster later than before");
  EXPECT_EQ(jump.find("count here"), std::string::npos) << "a curve is fitted to all rewards: " << jump;
  has_both(
      log_in_time([](int row) { return 0.5 + 0.06 * std::sin(row * 8 * std::numbers::pi / 400); }),
      "The rewards of different arms rise and fall together from row to row: by a standard deviation of about 0.0");
  const BacktestSpec level = backtest_spec(log_in_time([](int) { return 0.5; }), 100, {"greedy", "ucb"});
  EXPECT_TRUE(backtest_warnings(level, backtest(level)).empty());
}

TEST(BacktestReport, WhereAllCurvesAreOneLevelThereIsNothingToCompare) {
  for (const double reward : {0.0, 0.3}) {
    History history{.arm_names = {"a", "b", "c"}, .pulls = {}};
    for (int row = 0; row < 120; ++row) history.pulls.push_back({row % 3, reward});
    const BacktestSpec spec = backtest_spec(history, 120, {"foresight", "spo", "ucb", "greedy"});
    const std::vector<std::string> sentences = backtest_conclusions(spec, backtest(spec));
    EXPECT_EQ(sentences.at(0), reward == 0 ? "The curves that are fitted to the arms are level and equal: every policy "
                                             "earns 0.000 per pull, whatever it pulls. There is nothing to compare."
                                           : "The curves that are fitted to the arms are level and equal: every policy "
                                             "earns 0.300 per pull, whatever it pulls. There is nothing to compare.");
    EXPECT_FALSE(says_so(sentences, "chance")) << joined_text(sentences);
  }
}

TEST(BacktestReport, WarnsIfChoicesWereNotRandom) {
  BacktestSpec spec = backtest_spec(random_log(three_levels(Gaussian{.sd = 0.05}), 2, 600), 100, {"ucb"});
  spec.random_choices = true;
  EXPECT_FALSE(says_so(backtest_warnings(spec, backtest(spec)), "contradicts"));
  EXPECT_FALSE(says_so(backtest_warnings(spec, backtest(spec)), "replay by rejection")) << "level arms";
  spec.history = column_log(three_levels(Gaussian{.sd = 0.05}), 2, 200);
  EXPECT_TRUE(
      says_so(backtest_warnings(spec, backtest(spec)), "The log contradicts that arms were chosen independently"));
  spec.history = random_log(three_hills(Gaussian{.sd = 0.05}), 2, 600);
  EXPECT_TRUE(says_so(backtest_warnings(spec, backtest(spec)), "Prefer the replay of columns."));
  for (PastPull& pull : spec.history.pulls) {
    if (pull.arm == 2 && pull.reward > 0.45) pull.arm = 0;
  }
  EXPECT_TRUE(says_so(backtest_warnings(spec, backtest(spec)), "the numbers of pulls differ too much"));
}

TEST(BacktestReport, TextCsvAndJsonHaveTheSameNumbers) {
  BacktestSpec spec = backtest_spec(random_log(three_hills(Gaussian{.sd = 0.1}), 4, 300), 0, {"ucb", "greedy"});
  spec.random_choices = true;
  const Backtest result = backtest(spec);
  const json object = json::parse(backtest_json(spec, result));
  std::istringstream csv(backtest_csv(result));
  std::string line;
  std::getline(csv, line);
  EXPECT_TRUE(line.starts_with("policy,reference,reward,reward_low,reward_high,behind_best,"));
  const auto columns = std::count(line.begin(), line.end(), ',');
  for (const json& policy : object["policies"]) {
    ASSERT_TRUE(std::getline(csv, line));
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns);
    std::istringstream cells(line);
    std::string name;
    std::string reference;
    std::string reward;
    std::getline(cells, name, ',');
    std::getline(cells, reference, ',');
    std::getline(cells, reward, ',');
    EXPECT_EQ(policy["policy"], name);
    EXPECT_EQ(policy["reward"]["value"].get<double>(), std::stod(reward));
  }
  EXPECT_EQ(object["policies"].size(), 4U);
  EXPECT_EQ(object["horizon"], 300);
  EXPECT_EQ(object["replays"][0]["rejection"]["rows"], 300);
  EXPECT_EQ(object["warnings"], json(backtest_warnings(spec, result)));
  const std::string text = backtest_text(spec, result);
  for (const std::string part : {"reward (80 %)", "equal split", "optimum", "late ", "Replay of columns",
                                 "Replay by rejection", "What the log does not support:"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(BacktestReport, ExportedCurvesAreTheFittedBandit) {
  const BacktestSpec spec = backtest_spec(column_log(three_hills(Gaussian{.sd = 0.3}), 4, 100), 150, {"ucb"});
  const Backtest result = backtest(spec);
  std::istringstream text(backtest_curves_csv(result));
  const Bandit bandit = read_csv_curves("curves.csv", text);
  EXPECT_EQ(bandit.arm_names, spec.history.arm_names);
  EXPECT_EQ(bandit.horizon, 150);
  for (std::size_t arm = 0; arm < 3; ++arm) {
    for (Pulls pull = 1; pull <= 150; ++pull)
      ASSERT_EQ(bandit.arms[arm].reward(pull), result.bandit.arms[arm].reward(pull));
  }
}

TEST(BacktestFigure, HasAPanelPerArmAndTheCurvesOfTheFit) {
  const BacktestSpec spec = backtest_spec(column_log(three_hills(Gaussian{.sd = 0.1}), 4, 100), 300, {"ucb", "spo"});
  const Backtest result = backtest(spec);
  const std::string folder = scratch_path("backtest_figure");
  write_backtest_figure(spec, result, "log", folder);
  const std::string script = content(folder + "/log.gp");
  for (const char* part : {"arm late, 100 pulls", "arm level, 100 pulls", "reward per pull over 300 pulls",
                           "'equal split'", "assumed beyond the data"}) {
    EXPECT_NE(script.find(part), std::string::npos) << part;
  }
  std::istringstream beyond(content(folder + "/data/log.1.beyond.tsv"));
  std::string line;
  std::getline(beyond, line);
  double pull = 0;
  double reward = 0;
  beyond >> pull >> reward;
  EXPECT_EQ(pull, 100);
  EXPECT_NEAR(reward, result.fit.arms[1].end_reward(), 1e-12);
  std::istringstream fitted(content(folder + "/data/log.0.fitted.tsv"));
  std::getline(fitted, line);
  const std::vector<double> curve = result.fit.arms[0].values(100);
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(fitted >> pull >> reward);
    EXPECT_EQ(pull, i);
    EXPECT_NEAR(reward, curve[static_cast<std::size_t>(i - 1)], 1e-12);
  }
}

TEST(BacktestFigure, ShowsTheArmsThatTheBestPolicyPullsMost) {
  Bandit bandit{.name = "many", .arm_names = {}, .arms = {}, .noise = Gaussian{.sd = 0.02}, .recorded_noise = nullptr};
  for (int arm = 0; arm < 20; ++arm) {
    bandit.arm_names.push_back("item " + std::to_string(arm));
    bandit.arms.emplace_back(Constant{arm == 17 ? 0.9 : 0.2});
  }
  const BacktestSpec spec = backtest_spec(column_log(bandit, 4, 20), 200, {"greedy"});
  const std::string folder = scratch_path("backtest_many");
  write_backtest_figure(spec, backtest(spec), "log", folder);
  const std::string script = content(folder + "/log.gp");
  EXPECT_NE(script.find("arm item 17"), std::string::npos);
  EXPECT_NE(script.find("the 12 of 20 arms that greedy pulls most"), std::string::npos);
}

}  // namespace
}  // namespace longrun
