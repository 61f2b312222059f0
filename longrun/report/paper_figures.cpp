#include "longrun/report/paper_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/experiment/paper.h"

namespace longrun {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string name_of(const EmbeddedFile& file) { return std::string(file.name.substr(0, file.name.rfind('.'))); }

}  // namespace

std::vector<std::string> paper_figure_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : paper_experiments()) names.push_back(name_of(file));
  return names;
}

std::vector<Config> paper_figures(const std::vector<std::string>& names) {
  const std::vector<std::string> known = paper_figure_names();
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    throw InputError(
        fmt::format("unknown figure '{}'{} (figures: {})", name, did_you_mean(name, known), fmt::join(known, ", ")));
  }
  std::vector<Config> configs;
  for (const EmbeddedFile& file : paper_experiments()) {
    if (!names.empty() && !contains(names, name_of(file))) continue;
    configs.push_back(parse_config(file.text, fmt::format("experiments/{}", file.name)));
  }
  return configs;
}

Config shortened_experiment(Config config) {
  constexpr std::size_t kHorizonStep = 5;
  constexpr std::uint32_t kSeedDivisor = 6;
  std::vector<Pulls> horizons;
  for (std::size_t h = 0; h < config.horizons.size(); ++h) {
    if ((config.horizons.size() - 1 - h) % kHorizonStep == 0) horizons.push_back(config.horizons[h]);
  }
  config.horizons = std::move(horizons);
  config.seeds = std::max(1U, config.seeds / kSeedDivisor);
  return config;
}

}  // namespace longrun
