#include "longrun/experiment/internal/config_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longrun/experiment/config.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

/// An experiment in lines 1 to 3.
const std::string kBeforeChecks =
    "bandits = ['inc_1']\nhorizons = [10, 20]\n"
    "policies = ['spo', 'greedy', 'd-ucb:discount=0.9', 'optimal', 'spo@released']\n";

Config config_with(const std::string& more) { return parse_config(kBeforeChecks + more, "x.toml"); }
std::vector<Check> checks_of(const std::string& checks) { return config_with("checks = " + checks + "\n").checks; }

/// Returns the error of checks that begin in line 4, or "no error".
std::string error_of_checks(const std::string& checks) {
  std::string text = error_of([&] { checks_of(checks); });
  EXPECT_TRUE(text == "no error" || text.starts_with("x.toml: line ")) << text;
  return text;
}
/// Returns the same for one check without its brackets.
std::string error_of_check(const std::string& check) { return error_of_checks("[{" + check + "}]"); }

void expect_same(const Check& a, const Check& b) {
  EXPECT_EQ(a.says, b.says);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.measure, b.measure);
  EXPECT_EQ(a.against, b.against);
  EXPECT_EQ(a.every, b.every);
  EXPECT_EQ(a.factor, b.factor);
  EXPECT_EQ(a.slack, b.slack);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.to, b.to);
  EXPECT_EQ(a.since, b.since);
}

// ---- valid checks

TEST(ConfigChecks, ReadsEveryField) {
  const auto checks = checks_of(R"([
  {says = "first", policy = "spo", against = [
    "greedy", "d-ucb:discount=0.9"], factor = 0.5, slack = 0.25, from = 0.125, to = 0.75},
  {says = "second", policy = "greedy", since = 0.1},
])");
  ASSERT_EQ(checks.size(), 2U);
  expect_same(checks[0], {.says = "first",
                          .policy = "spo",
                          .against = {"greedy", "d-ucb:discount=0.9"},
                          .factor = 0.5,
                          .slack = 0.25,
                          .from = 0.125,
                          .to = 0.75});
  expect_same(checks[1], {.says = "second", .policy = "greedy", .since = 0.1});
}

TEST(ConfigChecks, AMissingKeyHasADefault) {
  expect_same(checks_of("[{says = 's', policy = 'spo', slack = 0.5}]")[0],
              {.says = "s", .policy = "spo", .against = {}, .factor = 1, .slack = 0.5, .from = 0, .to = 1, .since = 0});
  expect_same(checks_of("[{says = 's', policy = 'spo', since = 0.5}]")[0],
              {.says = "s", .policy = "spo", .against = {}, .factor = 1, .slack = 0, .from = 0, .to = 1, .since = 0.5});
  EXPECT_TRUE(config_with("").checks.empty());
}

TEST(ConfigChecks, AllIsEveryOtherPolicyThatIsNeitherOptimalNorAVariant) {
  EXPECT_EQ(checks_of("[{says = 's', policy = 'spo', against = 'all'}]")[0].against,
            (std::vector<std::string>{"greedy", "d-ucb:discount=0.9"}));
  EXPECT_EQ(checks_of("[{says = 's', policy = 'greedy', against = 'all'}]")[0].against,
            (std::vector<std::string>{"spo", "d-ucb:discount=0.9"}));
  EXPECT_EQ(checks_of("[{says = 's', policy = 'spo@released', against = 'all'}]")[0].against,
            (std::vector<std::string>{"spo", "greedy", "d-ucb:discount=0.9"}));
}

TEST(ConfigChecks, VariantsAndTheOptimumMayBeNamed) {
  EXPECT_EQ(checks_of("[{says = 's', policy = 'spo', against = ['spo@released', 'optimal']}]")[0].against,
            (std::vector<std::string>{"spo@released", "optimal"}));
}

TEST(ConfigChecks, PoliciesGivenAsTablesAreNamedByTheirText) {
  const Config config = parse_config(R"(
bandits = ["inc_1"]
horizons = [10]
policies = ["spo", {name = "d-ucb", discount = 0.5}]
checks = [{says = "s", policy = "spo", against = ["d-ucb:discount=0.5"]}]
)",
                                     "x.toml");
  EXPECT_EQ(config.checks[0].against, std::vector<std::string>{"d-ucb:discount=0.5"});
}

TEST(ConfigChecks, SectionsAreAccepted) {
  const auto checks =
      config_with(
          "[[checks]]\nsays = 'a'\npolicy = 'spo'\nslack = 1\n[[checks]]\nsays = 'b'\npolicy = 'greedy'\nslack = 1\n")
          .checks;
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[1].policy, "greedy");
}

TEST(ConfigChecks, WrittenOutTheyReadTheSame) {
  const auto checks = checks_of(R"([
  {says = "plain", policy = "spo", slack = 0.5},
  {says = "pulls", policy = "spo", measure = "first_arm", against = ["optimal"], every = true},
  {says = 'With "quotes", a \ and é', policy = "spo", against = [
    "greedy", "d-ucb:discount=0.9"], factor = 0.3333333333333333, slack = 1e-9, from = 0.1, to = 0.30000000000000004},
  {says = """two
lines""", policy = "d-ucb:discount=0.9", since = 1e-9, factor = 1e6},
  {says = "ends", policy = "spo@released", against = ["spo", "optimal"], from = 1, to = 1, slack = 1, factor = 0},
])");
  const std::string written = to_toml(checks);
  const auto read = config_with(written).checks;
  ASSERT_EQ(read.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) expect_same(read[i], checks[i]);
  EXPECT_EQ(to_toml(read), written);
  EXPECT_EQ(to_toml(std::vector<Check>{}), "");
  // As a part of the whole.
  const Config config = config_with(written);
  const Config again = parse_config(to_toml(config), "elsewhere.toml");
  ASSERT_EQ(again.checks.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) expect_same(again.checks[i], checks[i]);
}

// ---- what can be wrong

TEST(ConfigCheckMistakes, OnPolicies) {
  EXPECT_EQ(error_of_check("says = 's', policy = 'gredy'"),
            "x.toml: line 4: checks[0].policy: \"gredy\" is not a policy of this experiment; allowed: spo, greedy, "
            "d-ucb:discount=0.9, "
            "optimal, spo@released; did you mean 'greedy'?");
  EXPECT_TRUE(error_of_check("says = 's', policy = 'ucb'")
                  .starts_with("x.toml: line 4: checks[0].policy: \"ucb\" is not a policy of this experiment; "))
      << "a policy of the catalog, but not of this experiment";
  EXPECT_EQ(error_of_check("says = 's', policy = 3"),
            "x.toml: line 4: checks[0].policy: 3 is not a text; allowed: a policy of this experiment");
  EXPECT_TRUE(
      error_of_checks(
          "[\n{says = 's', policy = 'spo', slack = 1},\n{says = 's', policy = 'spo', against = ['greedy',\n'gredy']}]")
          .starts_with("x.toml: line 7: checks[1].against[1]: \"gredy\" is not a policy of this experiment; "));
}

TEST(ConfigCheckMistakes, OnAgainst) {
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = ['spo']"),
            "x.toml: line 4: checks[0].against[0]: \"spo\" is the policy itself; allowed: other policies");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = ['greedy', 'greedy']"),
            "x.toml: line 4: checks[0].against[1]: \"greedy\" is given twice; allowed: each policy once");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', factor = 2"),
            "x.toml: line 4: checks[0].factor: 2 has nothing to multiply; allowed: with 'against' or 'since'");
}

TEST(ConfigCheckMistakes, OnTheMeasure) {
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', measure = 'regrte'"),
            "x.toml: line 4: checks[0].measure: \"regrte\" is not a measure; allowed: \"regret\" or \"first_arm\"; did "
            "you mean 'regret'?");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', every = 1"),
            "x.toml: line 4: checks[0].every: 1 is neither true nor false; allowed: true, false");
}

TEST(ConfigCheckMistakes, OnTheShapeOfAgainst) {
  EXPECT_EQ(
      error_of_check("says = 's', policy = 'spo', against = 'greedy'"),
      "x.toml: line 4: checks[0].against: \"greedy\" is not a list of policies; allowed: \"all\", or a list such as "
      "[\"greedy\"]");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = 1"),
            "x.toml: line 4: checks[0].against: 1 is not a list; allowed: \"all\", or a list such as [\"greedy\"]");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = []"),
            "x.toml: line 4: checks[0].against: [] is empty; allowed: \"all\", or a list such as [\"greedy\"]");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = [1]"),
            "x.toml: line 4: checks[0].against[0]: 1 is not a text; allowed: a policy of this experiment");
}

TEST(ConfigCheckMistakes, OnAllWithoutOtherPolicies) {
  // It would read as a check against 'slack' alone.
  try {
    parse_config(
        "bandits = ['inc_1']\nhorizons = [10]\npolicies = ['spo', 'optimal', 'spo@released']\n"
        "checks = [{says = 's', policy = 'spo', against = 'all'}]\n",
        "x.toml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "x.toml: line 4: checks[0].against: \"all\" leaves no policy to compare with; allowed: a list of "
                 "policies of this experiment");
  }
}

TEST(ConfigCheckMistakes, OnBothAgainstAndSince) {
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = ['greedy'], since = 0.1"),
            "x.toml: line 4: checks[0]: has both 'against' and 'since'; allowed: one of them");
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', against = 'all', since = 0.1"),
            "x.toml: line 4: checks[0]: has both 'against' and 'since'; allowed: one of them");
}

TEST(ConfigCheckMistakes, OnNumbers) {
  const auto complain = [](const std::string& field) { return error_of_check("says = 's', policy = 'spo', " + field); };
  EXPECT_EQ(complain("factor = 'half'"),
            "x.toml: line 4: checks[0].factor: \"half\" is not a number; allowed: a finite number");
  EXPECT_EQ(complain("factor = -1"),
            "x.toml: line 4: checks[0].factor: -1 is out of range; allowed: a number from 0 to 1000000");
  EXPECT_EQ(complain("factor = nan"),
            "x.toml: line 4: checks[0].factor: nan is not a number; allowed: a finite number");
  EXPECT_EQ(complain("slack = 1.5"),
            "x.toml: line 4: checks[0].slack: 1.5 is out of range; allowed: a number from 0 to 1");
  EXPECT_EQ(complain("slack = -0.1"),
            "x.toml: line 4: checks[0].slack: -0.1 is out of range; allowed: a number from 0 to 1");
  EXPECT_EQ(complain("from = 2"), "x.toml: line 4: checks[0].from: 2 is out of range; allowed: a number from 0 to 1");
  EXPECT_EQ(complain("from = 0.5, to = 0.25"),
            "x.toml: line 4: checks[0].to: 0.25 is out of range; allowed: a number from 0.5 to 1");
  EXPECT_EQ(complain("to = true"), "x.toml: line 4: checks[0].to: true is not a number; allowed: a finite number");
  EXPECT_EQ(complain("since = 0"),
            "x.toml: line 4: checks[0].since: 0 is out of range; allowed: a number from 1e-09 to 1");
  EXPECT_EQ(complain("since = inf"), "x.toml: line 4: checks[0].since: inf is not a number; allowed: a finite number");
}

TEST(ConfigCheckMistakes, OnMissingKeys) {
  EXPECT_EQ(error_of_check("policy = 'spo'"), "x.toml: line 4: checks[0]: says is missing; allowed: a sentence");
  EXPECT_EQ(error_of_check("says = 's'"),
            "x.toml: line 4: checks[0]: policy is missing; allowed: a policy of this experiment");
  EXPECT_EQ(error_of_check("says = ['s'], policy = 'spo'"),
            "x.toml: line 4: checks[0].says: a list is not a text; allowed: a sentence");
}

TEST(ConfigCheckMistakes, OnABoundOfZero) {
  const std::string never =
      "x.toml: line 4: checks[0]: can never hold; allowed: with 'against', 'since', or a 'slack' above 0";
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo'"), never);
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', measure = 'first_arm', slack = 0, from = 0.5"), never);
  for (const char* with : {"against = ['greedy']", "since = 0.5"}) {
    EXPECT_EQ(
        error_of_check(fmt::format("says = 's', policy = 'spo', factor = 0, {}", with)),
        "x.toml: line 4: checks[0]: can never hold, because 'factor' and 'slack' are 0; allowed: one of them above "
        "0");
    EXPECT_EQ(error_of_check(fmt::format("says = 's', policy = 'spo', factor = 0, slack = 0.1, {}", with)), "no error");
  }
}

TEST(ConfigCheckMistakes, OnTheirShapeAndKeys) {
  constexpr std::string_view kForm =
      R"(a list such as [{says = "SPO beats greedy choice", policy = "spo", against = ["greedy"], from = 0.5}])";
  EXPECT_EQ(error_of_checks("'spo wins'"),
            fmt::format("x.toml: line 4: checks: \"spo wins\" is not a list; allowed: {}", kForm));
  EXPECT_EQ(error_of_checks("[]"), fmt::format("x.toml: line 4: checks: [] is empty; allowed: {}", kForm));
  EXPECT_EQ(error_of_checks("{says = 's', policy = 'spo'}"),
            fmt::format("x.toml: line 4: checks: a table is not a list; allowed: {}", kForm));
  EXPECT_EQ(error_of_checks("[{says = 's', policy = 'spo', slack = 1},\n 'spo wins']"),
            fmt::format("x.toml: line 5: checks[1]: \"spo wins\" is not a check; allowed: {}", kForm));
  EXPECT_EQ(error_of_check("says = 's', policy = 'spo', agianst = ['greedy']"),
            "x.toml: line 4: checks[0].agianst: is not a key here; allowed: says, policy, measure, against, factor, "
            "slack, from, "
            "to, every, since; did you mean 'against'?");
}

TEST(ConfigCheckMistakes, ChecksOfPoliciesThatDoNotExistAreNotTheFirstThingWrong) {
  // Policies are read first: a typo there is not reported as one of the check.
  try {
    parse_config("bandits = ['inc_1']\nhorizons = [10]\nchecks = [{says = 's', policy = 'spo'}]\npolicies = ['sop']\n",
                 "x.toml");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("x.toml: line 4: policies[0]: unknown policy 'sop'"))
        << error.what();
  }
}

// ---- what makes two experiments the same

TEST(SameRuns, TitlesAndChecksDoNotMatter) {
  const Config plain = config_with("");
  for (const char* words : {"title = 'T'\n", "group = 'G'\n", "claim = 'C'\n", "# a comment\n",
                            "checks = [{says = 's', policy = 'spo', slack = 0.5}]\n",
                            "noise = ['none']\nseeds = 1\nseed = 0\nminimum_half_width = 0\n"}) {
    EXPECT_TRUE(same_runs(config_with(words), plain)) << words;
    EXPECT_TRUE(same_runs(plain, config_with(words))) << words;
  }
  EXPECT_TRUE(same_runs(parse_config(kBeforeChecks, "another/name.toml"), plain)) << "the store knows it by its name";
}

TEST(SameRuns, EverythingElseMatters) {
  const Config plain = config_with("");
  for (const char* more : {"seeds = 2\n", "seed = 1\n", "noise = ['gaussian:0.1']\n", "noise = ['none', 'bernoulli']\n",
                           "half_width = 0.1\n", "half_width = '2sd'\n", "minimum_half_width = 0.1\n",
                           "[[bandit]]\nname = 'mine'\narms = [{formula = 'constant', level = 0.5}]\n"}) {
    EXPECT_FALSE(same_runs(config_with(more), plain)) << more;
  }
  const auto with = [](const std::string& bandits, const std::string& horizons, const std::string& policies) {
    return parse_config("bandits = " + bandits + "\nhorizons = " + horizons + "\npolicies = " + policies + "\n",
                        "x.toml");
  };
  const Config base = with("['inc_1']", "[10, 20]", "['spo', 'greedy']");
  EXPECT_TRUE(same_runs(with("['inc_1']", "[20, 10]", "['spo', 'greedy']"), base)) << "horizons are sorted";
  EXPECT_FALSE(same_runs(with("['inc_2']", "[10, 20]", "['spo', 'greedy']"), base));
  EXPECT_FALSE(same_runs(with("['inc_1', 'inc_2']", "[10, 20]", "['spo', 'greedy']"), base));
  EXPECT_FALSE(same_runs(with("['inc_1']", "[10, 21]", "['spo', 'greedy']"), base));
  EXPECT_FALSE(same_runs(with("['inc_1']", "[10]", "['spo', 'greedy']"), base));
  EXPECT_FALSE(same_runs(with("['inc_1']", "[10, 20]", "['spo', 'ucb']"), base));
  EXPECT_FALSE(same_runs(with("['inc_1']", "[10, 20]", "['greedy', 'spo']"), base)) << "records go by number";
  EXPECT_FALSE(same_runs(with("['inc_1']", "[10, 20]", "['spo', 'd-ucb:discount=0.9']"),
                         with("['inc_1']", "[10, 20]", "['spo', 'd-ucb:discount=0.8']")));
  const auto arm = [](const std::string& level) {
    return parse_config(
        "horizons = [10]\npolicies = ['spo']\n[[bandit]]\nname = 'm'\narms = [{formula = 'constant', level = " + level +
            "}]\n",
        "x.toml");
  };
  EXPECT_TRUE(same_runs(arm("0.5"), arm("0.50")));
  EXPECT_FALSE(same_runs(arm("0.5"), arm("0.5000000000000001")));
}

}  // namespace
}  // namespace longrun
