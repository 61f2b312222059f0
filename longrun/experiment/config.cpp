#include "longrun/experiment/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>

#include "longrun/base/field_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/read_file.h"
#include "longrun/experiment/internal/config_bandits.h"
#include "longrun/experiment/internal/config_checks.h"
#include "longrun/experiment/internal/config_constraints.h"
#include "longrun/experiment/internal/config_lps.h"
#include "longrun/experiment/internal/config_policies.h"
#include "longrun/experiment/internal/toml_value.h"
#include "longrun/model/half_width.h"

namespace longrun {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t kMostHorizons = 1'000'000;
constexpr std::int64_t kMostSeeds = 1'000'000;
constexpr std::int64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();  // TOML has no larger number
constexpr double kMostSteps = 1e18;                                              // take decades on any machine

constexpr std::string_view kKindOfFile = "TOML file";
constexpr std::string_view kNoiseForm = R"(a list such as ["none", "gaussian:0.05"])";
constexpr std::string_view kHalfWidthForm = R"(a number >= 0, "bound", "2sd" or "failure:0.05")";
constexpr std::string_view kHorizonForm = "a list such as [100, 200], or {from = 5, to = 20000, count = 100}";

// ---- horizons

double horizon_at(double share, double from, double to, bool logarithmic) {
  return logarithmic ? from * std::pow(to / from, share) : from + share * (to - from);
}

std::vector<Pulls> spaced_horizons(const TomlValue& range) {
  range.check_keys(Names{"from", "to", "count", "spacing"});
  const Pulls from = range.at("from", "a whole number >= 1").whole_number(1, kLongestHorizon - 1);
  const Pulls to = range.at("to", "a whole number above 'from'").whole_number(from + 1, kLongestHorizon);
  const std::int64_t count =
      range.at("count", "a whole number >= 2").whole_number(2, std::min(kMostHorizons, to - from + 1));
  bool logarithmic = false;
  if (const auto spacing = range.find("spacing")) {
    const Names spacings{"linear", "log"};
    const std::string given = spacing->text("linear, log");
    logarithmic = given == "log";
    if (std::find(spacings.begin(), spacings.end(), given) == spacings.end()) {
      throw spacing->refused("is not a spacing", "linear, log" + did_you_mean(given, spacings));
    }
  }
  std::vector<Pulls> horizons;
  for (std::int64_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count - 1);
    const auto exact = horizon_at(share, static_cast<double>(from), static_cast<double>(to), logarithmic);
    const Pulls horizon = k == count - 1 ? to : static_cast<Pulls>(std::llround(exact));
    if (horizons.empty() || horizon > horizons.back()) horizons.push_back(horizon);
  }
  return horizons;
}

std::vector<Pulls> read_horizons(const TomlValue& value) {
  if (value.is_table()) return spaced_horizons(value);
  std::set<Pulls> horizons;
  for (const TomlValue& element : value.list(kHorizonForm)) {
    if (!horizons.insert(element.whole_number(1, kLongestHorizon)).second) {
      throw element.refused("is given twice", "each horizon once");
    }
  }
  return {horizons.begin(), horizons.end()};
}

// ---- noise, half-widths

std::vector<Noise> read_noises(const std::optional<TomlValue>& value) {
  if (!value) return {NoNoise{}};
  std::vector<Noise> noises;
  for (const TomlValue& element : value->list(kNoiseForm)) {
    const std::string text = element.text(kNoiseForm);
    const Noise noise = element.located([&] { return parse_noise(text); });
    const auto same = [&](const Noise& other) { return to_text(other) == to_text(noise); };
    if (std::any_of(noises.begin(), noises.end(), same)) throw element.refused("is given twice", "each noise once");
    noises.push_back(noise);
  }
  return noises;
}

HalfWidthRule read_half_width(const TomlValue& root, const std::vector<Noise>& noises, Pulls longest) {
  HalfWidthRule rule;
  if (const auto value = root.find("half_width")) {
    rule.text = value->is_number() ? fmt::format("{}", value->number()) : value->text(kHalfWidthForm);
    value->located([&] {
      try {
        for (const Noise& noise : noises) parse_half_width(rule.text, noise, longest);
      } catch (const FieldError& error) {
        throw InputError(error.problem());  // the place names the field
      }
    });
  }
  if (const auto value = root.find("minimum_half_width")) {
    rule.minimum = value->number();
    if (rule.minimum < 0) throw value->refused("is negative", "a number >= 0");
  }
  return rule;
}

}  // namespace

std::uint64_t Config::runs() const {
  return std::uint64_t{1} * bandits.size() * noises.size() * policies.size() * horizons.size() * seeds;
}

std::uint64_t Config::steps() const {
  const auto total = static_cast<std::uint64_t>(std::accumulate(horizons.begin(), horizons.end(), Pulls{0}));
  return total * bandits.size() * noises.size() * policies.size() * seeds;
}

namespace {

/// The keys of an experiment.
const Names kKeys{"title",       "group",    "claim", "checks",     "lp",
                  "bandits",     "bandit",   "noise", "half_width", "minimum_half_width",
                  "policies",    "horizons", "seeds", "first_seed", "seed",
                  "constraints", "held_out"};

/// The keys of an experiment with illustrations, which has no runs.
const Names kIllustrationKeys{"title", "group", "claim", "seed", "lp"};

/// Throws InputError if the table has a key that is not in `more` and not one of an experiment with illustrations, if
/// `illustrated`, or with runs.
void check_experiment_keys(const TomlValue& table, bool illustrated, const Names& more = {}) {
  Names keys = illustrated ? kIllustrationKeys : kKeys;
  keys.insert(keys.end(), more.begin(), more.end());
  table.check_keys(keys);
}

/// Returns the experiment that `root` describes; its name is that of `path`.
Config read_config(const TomlValue& root, const std::string& path) {
  const auto lps = root.find("lp");
  const auto text_or = [&](const char* key, std::string otherwise) {
    const auto value = root.find(key);
    return value ? value->text(TomlValue::kText) : std::move(otherwise);
  };
  Config config;
  config.path = path;
  config.name = std::filesystem::path(path).stem().string();
  try {
    TomlValue::parse("name = " + toml_quoted(config.name), path);  // it is written as TOML and JSON later
  } catch (const InputError&) {
    throw InputError(fmt::format("{}: the name of the file is not UTF-8; rename the file", path));
  }
  config.title = text_or("title", config.name);
  config.group = text_or("group", "");
  config.claim = text_or("claim", "");
  if (const auto seed = root.find("seed"))
    config.seed = static_cast<std::uint64_t>(seed->whole_number(0, kLargestSeed));
  if (lps) {
    config.illustrations = read_lps(*lps);
    return config;
  }
  const TomlValue horizons = root.at("horizons", kHorizonForm);
  config.horizons = read_horizons(horizons);
  config.bandits = read_bandits(root, path, horizons, config.horizons.back());
  config.noises = read_noises(root.find("noise"));
  config.half_width = read_half_width(root, config.noises, config.horizons.back());
  config.policies = read_policies(root);
  config.checks = read_checks(root, config.policies);
  if (const auto seeds = root.find("seeds")) {
    config.seeds = static_cast<std::uint32_t>(seeds->whole_number(1, kMostSeeds));
  }
  if (const auto first = root.find("first_seed")) {
    config.first_seed = static_cast<std::uint32_t>(first->whole_number(1, kMostSeeds));
  }
  if (const auto held_out = root.find("held_out")) config.held_out = held_out->boolean();
  for (const BanditChoice& choice : config.bandits) {  // of inc_2_alpha_*, only seed 1 is a bandit
    const std::uint32_t last = config.first_seed + config.seeds - 1;
    if (choice.per_seed) root.find("bandits")->located([&] { return choice.at(last); });
  }
  if (const auto constraints = root.find("constraints")) config.constraints = read_constraints(*constraints, config);

  const double steps = std::accumulate(config.horizons.begin(), config.horizons.end(), 0.0) *
                       static_cast<double>(config.runs()) / static_cast<double>(config.horizons.size());
  if (steps > kMostSteps)
    throw root.error(fmt::format("{:.2g} steps in all would take decades; allowed: at most {:g}", steps, kMostSteps));
  return config;
}

/// Returns the keys that decide which runs are made.
std::string runs_to_toml(const Config& config) {
  if (!config.illustrations.empty()) return fmt::format("seed = {}\n{}", config.seed, to_toml(config.illustrations));
  const auto quoted = [](const auto& list, auto text_of) {
    Names texts;
    for (const auto& element : list) texts.push_back(toml_quoted(text_of(element)));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  };
  std::string text;
  text += fmt::format("bandits = {}\n", quoted(config.bandits, [](const BanditChoice& bandit) { return bandit.name; }));
  text += fmt::format("noise = {}\n", quoted(config.noises, [](const Noise& noise) { return to_text(noise); }));
  if (!config.half_width.text.empty()) text += fmt::format("half_width = {}\n", toml_quoted(config.half_width.text));
  text += fmt::format("minimum_half_width = {}\n", config.half_width.minimum);
  text +=
      fmt::format("policies = {}\n", quoted(config.policies, [](const PolicyChoice& policy) { return policy.text(); }));
  text += fmt::format("horizons = [{}]\n", fmt::join(config.horizons, ", "));
  text += fmt::format("seeds = {}\nfirst_seed = {}\nseed = {}\n", config.seeds, config.first_seed, config.seed);
  for (const BanditChoice& bandit : config.bandits) {
    if (bandit.arms.empty()) continue;
    text += fmt::format("\n[[bandit]]\nname = {}\narms = {}\n", toml_quoted(bandit.name), bandit.arms);
  }
  return text + to_toml(config.constraints);
}

}  // namespace

Config load_config(const std::string& path) { return parse_config(read_file(path, kKindOfFile), path); }

std::vector<Config> load_configs(const std::string& path) { return parse_configs(read_file(path, kKindOfFile), path); }

std::vector<Config> load_configs(const std::vector<std::string>& paths) {
  std::vector<Config> configs;
  for (const std::string& path : paths) {
    for (Config& config : load_configs(path)) configs.push_back(std::move(config));
  }
  return configs;
}

std::vector<Config> parse_configs(std::string_view text, const std::string& path) {
  const TomlValue root = TomlValue::parse(text, path);
  const auto families = root.find("family");
  if (!families) return {parse_config(text, path)};
  check_experiment_keys(root, root.find("lp").has_value(), {"family"});
  std::vector<Config> configs;
  for (const TomlValue& family : families->list("[[family]] tables, each an experiment")) {
    const TomlValue experiment = family.with_defaults(root);
    check_experiment_keys(family, family.is_table() && experiment.find("lp"), {"name"});
    const TomlValue name = family.at("name", TomlValue::kText);
    // A path in the same folder, because CSV files are relative to it. The name of the experiment follows from it.
    const std::filesystem::path file(path);
    const std::string family_path =
        (file.parent_path() / fmt::format("{}.{}.toml", file.stem().string(), name.text(TomlValue::kText))).string();
    configs.push_back(read_config(experiment, family_path));
    const auto same = [&](const Config& other) { return other.name == configs.back().name; };
    if (std::count_if(configs.begin(), configs.end(), same) > 1) {
      throw name.refused("is given twice", "each family once");
    }
  }
  return configs;
}

Config parse_config(std::string_view text, const std::string& path) {
  const TomlValue root = TomlValue::parse(text, path);
  check_experiment_keys(root, root.find("lp").has_value());
  return read_config(root, path);
}

std::string to_toml(const Config& config) {
  return fmt::format("title = {}\ngroup = {}\nclaim = {}\n{}{}{}", toml_quoted(config.title), toml_quoted(config.group),
                     toml_quoted(config.claim), config.held_out ? "held_out = true\n" : "", to_toml(config.checks),
                     runs_to_toml(config));
}

bool same_runs(const Config& a, const Config& b) { return runs_to_toml(a) == runs_to_toml(b); }

}  // namespace longrun
