#include "longrun/data/named_bandits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/unknown_name_error.h"
#include "longrun/data/arena_bandits.h"
#include "longrun/data/fico.h"
#include "longrun/data/formula_bandit.h"
#include "longrun/data/instance_family.h"
#include "longrun/data/learning_curves.h"
#include "longrun/data/recommender.h"

namespace longrun {
namespace {

/// A family of bandits with two rising arms. The exponent is that of the second arm.
struct RisingFamily {
  std::string_view name;
  std::string_view formulas;
  std::array<double, 4> paper_exponents;
  std::vector<Formula> (*curves)(double exponent);
};

const std::array kRisingFamilies{
    RisingFamily{"inc_1",
                 "1 - m^-0.5 and 0.5 - 0.5 m^-{}",
                 {0.1, 0.5, 1, 5},
                 [](double exponent) -> std::vector<Formula> {
                   return {SaturatingPower{.ceiling = 1, .drop = 1, .exponent = 0.5},
                           SaturatingPower{.ceiling = 0.5, .drop = 0.5, .exponent = exponent}};
                 }},
    RisingFamily{"inc_2",
                 "min(1, m/1000) and min(0.5, 0.5 (m/1000)^{})",
                 {0.03, 0.1, 0.4, 1},
                 [](double exponent) -> std::vector<Formula> {
                   return {CappedPower{.ceiling = 1, .rise = 1000, .exponent = 1},
                           CappedPower{.ceiling = 0.5, .rise = 1000, .exponent = exponent}};
                 }},
    RisingFamily{"inc_3",
                 "1 - m^-0.1 and 0.5 - 0.5 m^-{}",
                 {0.1, 0.5, 1, 5},
                 [](double exponent) -> std::vector<Formula> {
                   return {SaturatingPower{.ceiling = 1, .drop = 1, .exponent = 0.1},
                           SaturatingPower{.ceiling = 0.5, .drop = 0.5, .exponent = exponent}};
                 }},
};
constexpr Pulls kRisingHorizon = 10'000;

struct PeakedPair {
  std::string_view name;
  std::string_view summary;
  RiseAndFall first;
  RiseAndFall second;
};
constexpr std::array kPeakedPairs{
    PeakedPair{"inc_dec_1",
               "two arms that climb to 1 and 0.8, then sink to 0.05 and 0.1",
               {0.01, 0.001, 1, 0.05, 600, -0.0015},
               {0.009, 0.0009, 0.8, 0.1, 500, -0.005}},
    PeakedPair{"inc_dec_2",
               "an arm that sinks slowly to 0.05 and one that climbs to 0.8, then sinks to 0.2",
               {0.003, 0.001, 1, 0.05, 600, -0.0015},
               {0.011, 0.001, 0.8, 0.2, 400, -0.008}},
    PeakedPair{"inc_dec_3",
               "two arms that climb to 1 and 0.8, then sink to 0.5 and 0.6 (Figure 1)",
               {0.01, 0.001, 1, 0.5, 600, -0.0015},
               {0.009, 0.0009, 0.8, 0.6, 500, -0.005}},
};
constexpr Pulls kPeakedHorizon = 20'000;

constexpr std::string_view kConst = "const";
constexpr Arm kConstArms = 10;
constexpr Pulls kConstHorizon = 5'000;

Bandit constant_bandit(std::string_view name, std::uint64_t instance) {
  std::vector<Formula> curves;
  const StreamKey key = instance_stream(InstanceFamily::constant, instance);
  for (Arm arm = 0; arm < kConstArms; ++arm) {
    const double level = unit_interval(random_block(key, static_cast<std::uint64_t>(arm))[0]);
    curves.emplace_back(Constant{.level = level});
  }
  return formula_bandit(name, curves, kConstHorizon);
}

constexpr std::string_view kRecommender = "recommender_";
constexpr std::string_view kRecommenderInstances = "ABC";
constexpr std::string_view kRandomRecommender = "recommender_random";
constexpr std::string_view kAlpha = "_alpha_";

struct FicoBandit {
  std::string_view name;
  std::string_view summary;
  FicoReward reward;
};
constexpr std::array kFicoBandits{
    FicoBandit{"fico_score_change", "expected change of score (Figure 3a)", FicoReward::score_change},
    FicoBandit{"fico_utility", "expected utility of the bank", FicoReward::utility},
};
constexpr std::string_view kSample = "_sample";

constexpr std::string_view kLearningCurves = "learning_curves_";

struct LaterBandit {
  std::string_view name;
  std::string_view summary;
  Bandit (*make)(std::string_view name);
};
constexpr std::array kLaterBandits{
    LaterBandit{"metelli_15", "15 rising arms (Metelli et al. 2022)", metelli_15},
    LaterBandit{"metelli_2", "a fast riser and a slow one that ends higher (Metelli et al. 2022)", metelli_2},
    LaterBandit{"seznec_10", "10 arms that fall once (Seznec et al. 2019)", seznec_10},
    LaterBandit{"mussi_A", "5 rising arms (Mussi et al. 2024)", mussi_a},
    LaterBandit{"mussi_B", "3 rising arms, two of them in straight lines (Mussi et al. 2024)", mussi_b},
};

/// Returns the K of a name "`family`_K", or nullopt if the name is not of this form. Throws InputError if K is 0.
std::optional<std::uint64_t> instance_of(std::string_view name, std::string_view family) {
  if (!name.starts_with(family)) return std::nullopt;
  const std::string_view rest = name.substr(family.size());
  if (!rest.starts_with('_')) return std::nullopt;
  const auto instance = parse_number<std::uint64_t>(rest.substr(1));
  if (instance == 0)
    throw InputError(fmt::format("bandit '{}': numbers start at 1, so the first is {}_1", name, family));
  return instance;
}

std::optional<Bandit> fico_bandit_named(std::string_view name) {
  for (const FicoBandit& bandit : kFicoBandits) {
    if (name == bandit.name) return fico_bandit(name, fico_2003(), bandit.reward);
    if (const auto seed = instance_of(name, fmt::format("{}{}", bandit.name, kSample)))
      return fico_bandit(name, fico_2003(), bandit.reward, {.sample_seed = seed});
  }
  return std::nullopt;
}

std::optional<Bandit> recommender_bandit_named(std::string_view name) {
  if (!name.starts_with(kRecommender)) return std::nullopt;
  if (name.size() == kRecommender.size() + 1 && kRecommenderInstances.find(name.back()) != std::string_view::npos)
    return recommender_bandit(name, paper_recommender_items(name.back()));
  const auto instance = name == kRandomRecommender ? 1 : instance_of(name, kRandomRecommender);
  if (instance) return recommender_bandit(name, random_recommender_items(*instance));
  return std::nullopt;
}

std::optional<Bandit> arena_bandit_named(std::string_view name) {
  for (const RandomFamily& family : kRandomFamilies) {
    const auto instance = name == family.name ? 1 : instance_of(name, family.name);
    if (instance) return random_bandit(name, family, *instance);
  }
  for (const LaterBandit& bandit : kLaterBandits) {
    if (name == bandit.name) return bandit.make(name);
  }
  return std::nullopt;
}

std::optional<Bandit> rising_bandit(std::string_view name) {
  for (const RisingFamily& family : kRisingFamilies) {
    if (!name.starts_with(family.name)) continue;
    const std::string_view rest = name.substr(family.name.size());
    double exponent = family.paper_exponents[0];
    if (!rest.empty()) {
      if (!rest.starts_with(kAlpha)) continue;
      const auto given = parse_number(rest.substr(kAlpha.size()));
      if (!given || !(*given > 0) || !std::isfinite(*given)) {
        throw InputError(
            fmt::format("bandit '{}': alpha '{}' is not a number above 0", name, rest.substr(kAlpha.size())));
      }
      exponent = *given;
      if (family.name == "inc_2" && exponent > 1) {
        throw InputError(
            fmt::format("bandit '{}': alpha {} is above 1; the second arm would not be concave", name, exponent));
      }
    }
    return formula_bandit(name, family.curves(exponent), kRisingHorizon);
  }
  return std::nullopt;
}

}  // namespace

std::vector<NamedBandit> named_bandits() {
  std::vector<NamedBandit> list;
  for (const RisingFamily& family : kRisingFamilies) {
    for (const double exponent : family.paper_exponents) {
      list.push_back({fmt::format("{}{}{}", family.name, kAlpha, exponent),
                      "two rising arms, " + fmt::format(fmt::runtime(family.formulas), exponent)});
    }
  }
  for (const PeakedPair& pair : kPeakedPairs) list.push_back({std::string(pair.name), std::string(pair.summary)});
  list.push_back({std::string(kConst), "ten constant arms drawn from [0, 1]; const_2, const_3, ... are other draws"});
  for (const char instance : kRecommenderInstances) {
    list.push_back(
        {fmt::format("{}{}", kRecommender, instance), fmt::format("four items whose novelty wears off, instance {}{}",
                                                                  instance, instance == 'B' ? " (Figure 3b)" : "")});
  }
  list.push_back(
      {std::string(kRandomRecommender),
       fmt::format("four such items drawn at random; {0}_2, {0}_3, ... are other draws", kRandomRecommender)});
  for (const FicoBandit& bandit : kFicoBandits) {
    list.push_back({std::string(bandit.name), fmt::format("loans to four groups, {}; {}{}_1, ... draw the applicants",
                                                          bandit.summary, bandit.name, kSample)});
  }
  for (const RandomFamily& family : kRandomFamilies) {
    list.push_back({std::string(family.name),
                    fmt::format("{}, drawn at random; {}_2, ... are other draws", family.summary, family.name)});
  }
  for (const std::string& data_set : learning_data_sets()) {
    list.push_back({fmt::format("{}{}", kLearningCurves, data_set),
                    fmt::format("the accuracy of 8 learners on {}, measured minibatch by minibatch", data_set)});
  }
  for (const LaterBandit& bandit : kLaterBandits)
    list.push_back({std::string(bandit.name), std::string(bandit.summary)});
  return list;
}

Bandit named_bandit(std::string_view name) {
  if (auto bandit = rising_bandit(name)) return *std::move(bandit);
  for (const PeakedPair& pair : kPeakedPairs) {
    if (name == pair.name) return formula_bandit(name, {pair.first, pair.second}, kPeakedHorizon);
  }
  if (name == kConst) return constant_bandit(name, 1);
  if (const auto instance = instance_of(name, kConst)) return constant_bandit(name, *instance);
  if (auto bandit = recommender_bandit_named(name)) return *std::move(bandit);
  if (auto bandit = fico_bandit_named(name)) return *std::move(bandit);
  if (auto bandit = arena_bandit_named(name)) return *std::move(bandit);
  for (const std::string& data_set : learning_data_sets()) {
    if (name == fmt::format("{}{}", kLearningCurves, data_set)) return learning_curves_bandit(name, data_set);
  }
  std::vector<std::string> names;
  for (const NamedBandit& bandit : named_bandits()) names.push_back(bandit.name);
  throw UnknownNameError("bandit", name, std::move(names));
}

bool instances_differ_in_arms(std::string_view name) {
  return std::any_of(kRandomFamilies.begin(), kRandomFamilies.end(),
                     [&](const RandomFamily& family) { return name.starts_with(family.name); });
}

}  // namespace longrun
