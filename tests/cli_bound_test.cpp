// The command `bound` of the built binary.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/cli_output.h"
#include "tests/golden.h"
#include "tests/paths.h"

namespace longrun {
namespace {

using nlohmann::json;

TEST(CommandLineBound, AgreesWithHighs) {
  const std::vector<json> golden = golden_lines("star_lp.jsonl");
  std::string questions;
  for (const json& row : golden) {
    questions += json{{"lower", row["lower"]}, {"upper", row["upper"]}, {"remaining", row["remaining"]}}.dump() + "\n";
  }
  const std::vector<std::string> answers = lines_of(output({"bound"}, questions));
  ASSERT_EQ(answers.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const json bound = json::parse(answers[i])["bound"];
    ASSERT_EQ(bound.is_null(), golden[i]["bound"].is_null()) << "line " << i + 1;
    if (bound.is_null()) continue;
    const double expected = golden[i]["bound"];
    EXPECT_NEAR(bound.get<double>(), expected, 1e-6 * std::max(1.0, expected)) << "line " << i + 1;
  }
}

TEST(CommandLineBound, SkipsBlankLines) {
  EXPECT_EQ(output({"bound"}, ""), "");
  EXPECT_EQ(output({"bound"},
                   "\n{\"lower\":[0.1,0.3],\"upper\":[0.2,0.4],\"remaining\":10}\r\n  \n"
                   "{\"upper\":[0.6,0.2],\"remaining\":10,\"lower\":[0.5,0.1]}"),
            "{\"bound\":9.7}\n{\"bound\":null}\n");
}

TEST(CommandLineBound, AFolderAsInputIsAFailureOfTheSystem) {
  const Finished run = Process({"/bin/bash", "-c", fmt::format("{} bound < /", kBinary)}).finished();
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err, "longrun: standard input: cannot be read: Is a directory\n");
}

TEST(CommandLineBound, AnswersEachLineBeforeItReadsTheNext) {
  // With all input read first, `read` would wait for an answer and time out.
  const std::string script = fmt::format(
      "coproc {} bound; "
      "for upper in 0.2 0.3; do "
      "  echo '{{\"lower\":[0.1],\"upper\":['$upper'],\"remaining\":1}}' >&${{COPROC[1]}}; "
      "  read -t 60 -u ${{COPROC[0]}} answer && echo \"$answer\"; "
      "done",
      kBinary);
  const Finished run = Process({"/bin/bash", "-c", script}).finished();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(lines_of(run.out).size(), 2U) << run.out;
  for (const std::string& line : lines_of(run.out)) EXPECT_TRUE(json::parse(line)["bound"].is_number()) << line;
}

}  // namespace
}  // namespace longrun
