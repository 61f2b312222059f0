#pragma once

// What the command line prints if there is no error.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/process.h"

namespace longrun {

/// Returns the standard output of a run without errors or notes.
inline std::string output(const Arguments& arguments, const std::string& input = "") {
  const Finished run = longrun_run(arguments, input);
  EXPECT_EQ(run.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << run.err;
  EXPECT_EQ(run.err, "") << fmt::format("{}", fmt::join(arguments, " "));
  return run.out;
}
inline nlohmann::json json_output(const Arguments& arguments) { return nlohmann::json::parse(output(arguments)); }

/// Returns the keys of a JSON object in its order.
inline std::vector<std::string> json_keys(const std::string& text) {
  std::vector<std::string> keys;
  const auto object = nlohmann::ordered_json::parse(text);
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace longrun
