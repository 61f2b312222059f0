#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/paths.h"

/// Returns the lines of a JSON Lines file in tests/golden.
inline std::vector<nlohmann::json> golden_lines(const std::string& file) {
  std::ifstream stream(longrun::in_source("tests/golden/" + file));
  if (!stream) throw std::runtime_error("no golden file " + file);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(stream, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

/// Returns a JSON file in tests/golden.
inline nlohmann::json golden_file(const std::string& file) {
  std::ifstream stream(longrun::in_source("tests/golden/" + file));
  if (!stream) throw std::runtime_error("no golden file " + file);
  return nlohmann::json::parse(stream);
}
