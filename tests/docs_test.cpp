// The documents agree with the program: tables are complete, examples run, links point to files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "longrun/model/constraints.h"
#include "longrun/policy/catalog.h"
#include "tests/cli_output.h"
#include "tests/paths.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

void expect_contains(const std::string& document, const std::string& rows) {
  EXPECT_NE(content(kSource / document).find(rows), std::string::npos) << document << " should contain these rows:\n"
                                                                       << rows;
}

TEST(PoliciesPage, ListsTheCatalog) {
  std::string rows;
  for (const PolicyEntry& policy : policy_catalog())
    rows += fmt::format("| `{}` | {} |\n", policy.name, policy.summary);
  expect_contains("docs/policies.md", rows);
}

TEST(PoliciesPage, ListsEveryParameterWithItsRange) {
  const auto policies = nlohmann::json::parse(longrun_run({"policies", "--json"}).out);
  std::string rows;
  for (const auto& policy : policies) {
    const auto name = policy["name"].get<std::string>();
    if (!traits_of(name).variant_of.empty()) continue;  // has the parameters of its policy
    for (const auto& parameter : policy["parameters"]) {
      rows += fmt::format("| `{}` | `{}` | {} | {:g} | {:g} |\n", name, parameter["name"].get<std::string>(),
                          parameter["meaning"].get<std::string>(), parameter["minimum"].get<double>(),
                          parameter["maximum"].get<double>());
    }
  }
  EXPECT_NE(rows, "");
  expect_contains("docs/policies.md", rows);
}

TEST(ConstraintsPage, HasARowForEveryConstraint) {
  const std::string page = content(kSource / "docs" / "constraints.md");
  for (const ConstraintField& field : kConstraintFields) {
    std::string option(field.name);
    std::replace(option.begin(), option.end(), '_', '-');
    const std::regex row(fmt::format("\n\\|[^|\n]*\\| `--{}[^|\n]*\\| `{}` \\|", option, field.name));
    EXPECT_TRUE(std::regex_search(page, row)) << field.name;
  }
}

TEST(CommandLinePage, HasASectionForEverySubcommand) {
  const std::string help = longrun_run({"--help"}).out;
  const std::size_t list = help.find("Subcommands:\n");
  ASSERT_NE(list, std::string::npos);
  const std::string page = content(kSource / "docs" / "command-line.md");
  int subcommands = 0;
  for (const std::string& line : lines_of(help.substr(list + 13))) {
    if (line.empty()) break;
    if (line[2] == ' ') continue;  // the rest of a description
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_NE(page.find("\n### " + name + "\n"), std::string::npos) << name;
    ++subcommands;
  }
  EXPECT_GE(subcommands, 14);
}

/// Returns the anchors of a document's headings, as GitHub makes them.
std::set<std::string> anchors(const std::string& text) {
  std::set<std::string> result;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of("# "))) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    result.insert(anchor);
  }
  return result;
}

TEST(CommandLinePage, HasTheOutputFormatsOfEveryCommand) {
  const std::string page = content(kSource / "docs/command-line.md");
  const std::size_t table = page.find("## Output formats");
  ASSERT_NE(table, std::string::npos);
  const std::regex heading("\n### ([a-z]+)\n");
  int checked = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), heading), end; match != end; ++match) {
    const std::regex row("\n\\|[^|]*`" + (*match)[1].str() + "`[^|]*\\|");
    EXPECT_TRUE(std::regex_search(page.begin() + static_cast<std::ptrdiff_t>(table), page.end(), row)) << (*match)[1];
    ++checked;
  }
  EXPECT_GT(checked, 20);
}

TEST(Documents, AreListedInTheReadme) {
  const std::string readme = content(kSource / "README.md");
  for (const auto& file : fs::directory_iterator(kSource / "docs")) {
    const std::string name = file.path().filename().string();
    if (!name.ends_with(".md")) continue;
    EXPECT_NE(readme.find("](docs/" + name), std::string::npos) << "README.md does not name docs/" << name;
  }
}

TEST(Documents, LinkToFilesAndHeadingsThatExist) {
  const std::regex link(R"(\]\(([^)#: ]+)(#([^)]*))?\))");
  int checked = 0;
  for (const char* folder : {".", "docs", "docs/pictures", "experiments", "datasets", "longrun"}) {
    for (const auto& file : fs::directory_iterator(kSource / folder)) {
      if (file.path().extension() != ".md") continue;
      const std::string text = content(file.path());
      for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
        const fs::path target = file.path().parent_path() / (*match)[1].str();
        EXPECT_TRUE(fs::exists(target)) << file.path() << ": " << match->str();
        const std::string anchor = (*match)[3];
        EXPECT_TRUE(anchor.empty() || anchors(content(target)).contains(anchor)) << file.path() << ": " << match->str();
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 30);
}

}  // namespace
}  // namespace longrun
