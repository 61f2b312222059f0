// The command `optimum` of the built binary.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "longrun/data/named_bandits.h"
#include "longrun/simulate/optimum.h"
#include "tests/cli_output.h"

namespace longrun {
namespace {

using nlohmann::json;

TEST(CommandLineOptimum, IsTheOneOfTheLibrary) {
  for (const std::string bandit : {"inc_3_alpha_1", "inc_dec_1", "const_2", "recommender_B"}) {
    const std::string text = output({"optimum", "--bandit", bandit, "--horizon", "1500", "--json"});
    EXPECT_EQ(json_keys(text), (std::vector<std::string>{"horizon", "optimum", "arm_names", "pulls", "method"}));
    const json best = json::parse(text);
    const Allocation expected = optimal_allocation(named_bandit(bandit), 1500);
    EXPECT_EQ(best["horizon"], 1500);
    EXPECT_EQ(best["optimum"].get<double>(), expected.value);
    EXPECT_EQ(best["pulls"].get<std::vector<Pulls>>(), expected.pulls);
    EXPECT_EQ(best["method"], name(expected.method));
    EXPECT_EQ(best["arm_names"].get<std::vector<std::string>>(), named_bandit(bandit).arm_names);
  }
}

TEST(CommandLineOptimum, AllAsJsonIsOneObjectPerLine) {
  const std::string curves = written("tea.csv", "\"tea, black\",coffee\n0.25,0.75\n0.5,0.75\n");
  EXPECT_EQ(output({"optimum", "--curves", curves, "--all", "--json"}),
            R"({"horizon":1,"optimum":0.75,"arm_names":["tea, black","coffee"],"pulls":[0,1]})"
            "\n"
            R"({"horizon":2,"optimum":1.5,"arm_names":["tea, black","coffee"],"pulls":[0,2]})"
            "\n");
  EXPECT_EQ(output({"optimum", "--curves", curves, "--all"}),
            "horizon,optimum,\"tea, black\",coffee\n1,0.75,0,1\n2,1.5,0,2\n");
}

TEST(CommandLineOptimum, AllEndsWithTheOptimum) {
  for (const std::string bandit : {"inc_1", "inc_dec_3", "const", "recommender_A"}) {
    json best = json_output({"optimum", "--bandit", bandit, "--horizon", "800", "--json"});
    best.erase("method");
    const std::vector<std::string> all =
        lines_of(output({"optimum", "--bandit", bandit, "--horizon", "800", "--all", "--json"}));
    ASSERT_EQ(all.size(), 800U) << bandit;
    const json last = json::parse(all.back());
    EXPECT_EQ(last["horizon"], best["horizon"]);
    EXPECT_EQ(last["pulls"], best["pulls"]) << bandit;
    EXPECT_NEAR(last["optimum"], best["optimum"], 1e-12 * best["optimum"].get<double>()) << bandit;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const json row = json::parse(all[i]);
      const auto pulls = row["pulls"].get<std::vector<std::size_t>>();
      ASSERT_EQ(row["horizon"], i + 1);
      ASSERT_EQ(std::accumulate(pulls.begin(), pulls.end(), std::size_t{0}), i + 1);
    }
  }
}

TEST(CommandLineOptimum, TextIsATableAndAllIsCsv) {
  const std::string curves = written("tea.csv", "tea,coffee\n0.25,0.75\n0.5,0.75\n0.5,0.125\n");
  const std::string text = output({"optimum", "--curves", curves});
  for (const char* part : {"horizon   3\n", "optimum   1.75\n", "tea\n", "coffee\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(output({"optimum", "--curves", curves, "--all"}),
            "horizon,optimum,tea,coffee\n1,0.75,0,1\n2,1.5,0,2\n3,1.75,1,2\n");
}

}  // namespace
}  // namespace longrun
