#include "longrun/experiment/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/policy/catalog.h"

namespace longrun {

std::span<const EmbeddedFile> embedded_arena();

namespace {

constexpr std::size_t kShortenedHorizons = 5;  // keep one horizon in 5
constexpr std::uint32_t kShortenedSeeds = 6;   // keep one seed in 6
constexpr std::uint32_t kFirstDevelopmentSeed = 1;
constexpr std::uint32_t kQuickArenaSeeds = 5;

std::string path_of(const EmbeddedFile& file) { return fmt::format("experiments/{}", file.name); }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns whether a policy is the one that scores are relative to, with its default parameters.
bool is_yardstick(const PolicyChoice& policy) {
  return policy.entry().traits.yardstick && policy.parameters() == Parameters{};
}

}  // namespace

std::vector<std::string> paper_experiment_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : paper_experiments()) names.emplace_back(file.name.substr(0, file.name.rfind('.')));
  return names;
}

std::vector<Config> paper_configs(const std::vector<std::string>& names) {
  const std::vector<std::string> known = paper_experiment_names();
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    throw InputError(
        fmt::format("unknown figure '{}'{} (allowed: {})", name, did_you_mean(name, known), fmt::join(known, ", ")));
  }
  std::vector<Config> configs;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const EmbeddedFile& file = paper_experiments()[i];
    if (names.empty() || contains(names, known[i])) configs.push_back(parse_config(file.text, path_of(file)));
  }
  return configs;
}

Config shortened(Config config) {
  std::vector<Pulls> horizons;
  for (std::size_t h = 0; h < config.horizons.size(); ++h) {
    if ((config.horizons.size() - 1 - h) % kShortenedHorizons == 0) horizons.push_back(config.horizons[h]);
  }
  config.horizons = std::move(horizons);
  config.seeds = std::max(1U, config.seeds / kShortenedSeeds);
  return config;
}

const EmbeddedFile& arena_experiment() { return embedded_arena()[0]; }

std::vector<Config> arena_configs(const ArenaChanges& changes) {
  const EmbeddedFile& file = arena_experiment();
  std::vector<Config> configs = parse_configs(file.text, path_of(file));
  if (changes.development) std::erase_if(configs, [](const Config& config) { return config.held_out; });
  for (Config& config : configs) {
    if (changes.only) std::erase_if(config.policies, [](const PolicyChoice& policy) { return !is_yardstick(policy); });
    for (const std::string& text : changes.policies) {
      const PolicyChoice policy(text);
      if (policy.entry().traits.reference) {
        throw InputError(fmt::format("policy '{}' has no regret, so it has no score; name other policies", text));
      }
      const auto same = [&](const PolicyChoice& other) { return other.text() == policy.text(); };
      if (std::none_of(config.policies.begin(), config.policies.end(), same)) config.policies.push_back(policy);
    }
    if (changes.development) config.first_seed = kFirstDevelopmentSeed;
    if (changes.quick) config.seeds = kQuickArenaSeeds;
  }
  return configs;
}

}  // namespace longrun
