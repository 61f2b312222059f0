// The layout keeps its promises: includes follow the arrows of ARCHITECTURE.md, every header is in the map.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "longrun/policy/catalog.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

TEST(Layout, IncludesFollowTheArrows) {
  // base <- model, solve <- policy <- decide <- simulate; model <- data; base <- sqlite;
  // simulate, data, sqlite <- experiment <- report; decide, report, sqlite <- service
  const std::map<std::string, std::set<std::string>> needs{
      {"base", {}},
      {"model", {"base"}},
      {"solve", {"base"}},
      {"policy", {"base", "model", "solve"}},
      {"decide", {"base", "model", "solve", "policy"}},
      {"simulate", {"base", "model", "solve", "policy", "decide"}},
      {"data", {"base", "model"}},
      {"sqlite", {"base"}},
      {"experiment", {"base", "model", "solve", "policy", "decide", "simulate", "data", "sqlite"}},
      {"report", {"base", "model", "solve", "policy", "decide", "simulate", "data", "experiment"}},
      {"service", {"base", "model", "solve", "policy", "decide", "simulate", "data", "experiment", "report", "sqlite"}},
  };
  const std::regex include("#include \"([a-z_]+)/([a-z_]+)/");
  int checked = 0;
  for (const auto& file : fs::recursive_directory_iterator(kSource / "longrun")) {
    const std::string name = file.path().filename().string();
    if (!(name.ends_with(".h") || name.ends_with(".cpp")) || name.ends_with("_test.cpp")) continue;
    const std::string folder = fs::relative(file.path(), kSource / "longrun").begin()->string();
    ASSERT_TRUE(needs.contains(folder)) << file.path() << ": a folder without arrows";
    const std::string text = content(file.path());
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
      EXPECT_EQ((*match)[1], "longrun") << file.path() << " includes " << match->str();
      const std::string other = (*match)[2];
      EXPECT_TRUE(other == folder || needs.at(folder).contains(other)) << file.path() << " includes " << match->str();
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(Layout, AFolderOfAPartUsesOnlyFilesAboveItAndFoldersBeforeIt) {
  // Files of a part that are in none of its folders are its common core: they include none of the folders.
  const std::map<std::string, std::set<std::string>> needs{
      {"decide/study", {"decide"}},    {"decide/advice", {"decide", "decide/study"}},
      {"simulate/plan", {"simulate"}}, {"simulate/backtest", {"simulate"}},
      {"report/advice", {"report"}},   {"report/arena", {"report"}},
  };
  std::set<std::string> parts;
  for (const auto& [folder, others] : needs) parts.insert(folder.substr(0, folder.find('/')));
  const std::regex include(R"(#include "longrun/([a-z_/]+)/[a-z_]+\.h")");
  const auto without_internal = [](const std::string& folder) { return folder.substr(0, folder.find("/internal")); };
  int checked = 0;
  for (const auto& file : fs::recursive_directory_iterator(kSource / "longrun")) {
    const std::string name = file.path().filename().string();
    if (!(name.ends_with(".h") || name.ends_with(".cpp")) || name.ends_with("_test.cpp")) continue;
    const std::string folder = without_internal(fs::relative(file.path().parent_path(), kSource / "longrun").string());
    const std::string part = folder.substr(0, folder.find('/'));
    if (!parts.contains(part)) continue;
    ASSERT_TRUE(folder == part || needs.contains(folder)) << folder << " has no arrows";
    const std::string text = content(file.path());
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
      const std::string other = without_internal((*match)[1]);
      if (other.substr(0, other.find('/')) != part || other == folder) continue;
      EXPECT_TRUE(folder != part && needs.at(folder).contains(other)) << file.path() << " includes " << match->str();
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Layout, InternalHeadersAreIncludedInTheirOwnFolderOnly) {
  const std::regex include(R"(#include "(longrun/[a-z_/]+)/internal/[a-z_]+\.h")");
  int checked = 0;
  for (const char* top : {"longrun", "apps", "python/src", "bench", "tests"}) {
    for (const auto& file : fs::recursive_directory_iterator(kSource / top)) {
      const std::string extension = file.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      const std::string path = fs::relative(file.path(), kSource).string();
      const std::string text = content(file.path());
      for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
        EXPECT_TRUE(path.starts_with((*match)[1].str() + "/")) << path << ": " << match->str();
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Layout, OnlyTheCatalogNamesPolicies) {
  // Other code reads traits. A literal elsewhere is a comparison with a name, or soon becomes one.
  const std::map<std::string, std::string> allowed{
      {"longrun/simulate/backtest/backtest.h", "the policies that a backtest compares if it is given none"},
      {"longrun/simulate/plan/plan_text.cpp", "the name of a kind of course in JSON"},
      {"longrun/experiment/internal/config_policies.cpp", "an example in a message"},
      {"longrun/experiment/internal/config_checks.cpp", "an example in a message"},
  };
  std::set<std::string> found;
  for (const char* folder : {"longrun", "apps", "python/src"}) {
    for (const auto& file : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string path = fs::relative(file.path(), kSource).string();
      if (!(path.ends_with(".h") || path.ends_with(".cpp")) || path.ends_with("_test.cpp")) continue;
      if (path.starts_with("longrun/policy/")) continue;
      const std::string code = std::regex_replace(content(file.path()), std::regex("//[^\n]*"), "");
      for (const PolicyEntry& entry : policy_catalog()) {
        if (code.find(fmt::format("\"{}\"", entry.name)) == std::string::npos) continue;
        found.insert(path);
        EXPECT_TRUE(allowed.contains(path)) << path << " names the policy '" << entry.name << "'; use a trait";
      }
    }
  }
  for (const auto& [path, reason] : allowed) EXPECT_TRUE(found.contains(path)) << path << " names no policy";
}

TEST(Layout, TwoSourceFilesIncludeAsioAndBeast) {
  const std::regex include(
      "#include (<boost/(asio|beast)|\"longrun/service/internal/(request_reader|server_core|socket_connection)\\.h)");
  std::set<std::string> sources;
  for (const auto& file : fs::recursive_directory_iterator(kSource / "longrun")) {
    if (file.path().extension() != ".cpp" || !std::regex_search(content(file.path()), include)) continue;
    sources.insert(file.path().filename().string());
  }
  EXPECT_EQ(sources, (std::set<std::string>{"http_client.cpp", "http_server.cpp"}));
}

TEST(Layout, TestsThatStartThreadsRunUnderTheThreadSanitizer) {
  const std::string build = content(kSource / "longrun" / "CMakeLists.txt");
  const std::regex threads(
      R"(#include (<(thread|future)>|"longrun/base/(parallel|task_pool)\.h"|"tests/http_client\.h")|)"
      R"(threads = (?!1\b)\d|\brun_experiments?\(|\bReportWriter\b|\bbacktest\()");
  int found = 0;
  for (const auto& file : fs::recursive_directory_iterator(kSource / "longrun")) {
    const std::string path = fs::relative(file.path(), kSource / "longrun").string();
    if (!path.ends_with("_test.cpp") || !std::regex_search(content(file.path()), threads)) continue;
    const std::string part = path.substr(0, path.find('/'));
    const std::size_t begin = build.find("longrun_part(" + part + " ");
    ASSERT_NE(begin, std::string::npos) << part;
    const std::string call = build.substr(begin, build.find(")\n", begin) - begin);
    const std::string test = path.substr(part.size() + 1, path.rfind("_test.cpp") - part.size() - 1);
    EXPECT_TRUE(std::regex_search(call, std::regex("THREADED[^)]*\\s" + test + "(\\s|$)")))
        << "longrun/CMakeLists.txt does not list " << test << " under THREADED of " << part;
    ++found;
  }
  EXPECT_GT(found, 20);
}

TEST(Layout, EveryHeaderIsNamedInTheMapOfTheLibrary) {
  const std::string map = content(kSource / "longrun" / "README.md");
  for (const auto& file : fs::recursive_directory_iterator(kSource / "longrun")) {
    if (file.path().extension() != ".h") continue;
    const std::string header = fs::relative(file.path(), kSource / "longrun").string();
    EXPECT_NE(map.find("`" + header + "`"), std::string::npos) << "longrun/README.md does not name " << header;
  }
}

}  // namespace
}  // namespace longrun
