#include "longrun/policy/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"
#include "longrun/policy/exp3.h"
#include "longrun/policy/fewa.h"
#include "longrun/policy/foresight.h"
#include "longrun/policy/greedy.h"
#include "longrun/policy/increasing.h"
#include "longrun/policy/one_step_optimistic.h"
#include "longrun/policy/optimal.h"
#include "longrun/policy/ptrr.h"
#include "longrun/policy/r_ed_ucb.h"
#include "longrun/policy/raw_ucb.h"
#include "longrun/policy/spo.h"
#include "longrun/policy/ucb.h"

namespace longrun {
namespace {

template <class Policy>
class AskTellPolicy final : public AskTell {
 public:
  AskTellPolicy(Policy policy, Arm arms) : policy_(std::move(policy)), arms_(arms) {}

  Arm choose() override { return policy_.choose(); }
  Arm choose(const Choices& among) override {
    check(among);
    return policy_.choose(among);
  }
  void observe(Arm arm, double reward) override {
    if (arm < 0 || arm >= arms_) throw InputError(fmt::format("arm {} is not one of 0..{}", arm, arms_ - 1));
    if (!std::isfinite(reward))
      throw InputError(fmt::format("reward {} of arm {} is not a finite number", reward, arm));
    policy_.observe(arm, reward);
  }
  std::unique_ptr<AskTell> clone() const override { return std::make_unique<AskTellPolicy>(policy_, arms_); }

 private:
  void check(const Choices& among) const {
    if (among.arms.empty()) throw InputError("a choice needs at least one arm");
    Arm least = 0;
    for (const Arm arm : among.arms) {
      if (arm < least || arm >= arms_) {
        throw InputError(fmt::format("a choice is among ascending arms of 0..{}, and {} is not", arms_ - 1, arm));
      }
      least = arm + 1;
    }
    if (!among.costs.empty() && among.costs.size() != static_cast<std::size_t>(arms_)) {
      throw InputError(fmt::format("a choice among {} arms has {} costs", arms_, among.costs.size()));
    }
  }

  Policy policy_;
  Arm arms_;
};

/// What a policy is beside a function of its observations, the horizon and its parameters.
struct Traits {
  bool needs_plan = false;
  bool uses_horizon = true;
  bool tosses_coins = false;
};

template <auto kMake>
constexpr PolicyEntry entry(std::string_view name, std::string_view summary, std::span<const Parameter> parameters,
                            Traits traits) {
  using Policy = std::invoke_result_t<decltype(kMake), const Setting&, const Parameters&>;
  return {.name = name,
          .summary = summary,
          .parameters = parameters,
          .needs_plan = traits.needs_plan,
          .uses_horizon = traits.uses_horizon,
          .tosses_coins = traits.tosses_coins,
          .make = [](const Setting& setting, const Parameters& given) -> std::unique_ptr<AskTell> {
            return std::make_unique<AskTellPolicy<Policy>>(kMake(setting, given), setting.arms);
          },
          .play = [](World world, const Setting& setting, const Parameters& given, std::span<const Pulls> horizons,
                     std::span<Arm> trace) { return play(std::move(world), kMake(setting, given), horizons, trace); }};
}

constexpr auto kEvery = Refresh::every_arm;
constexpr auto kPulled = Refresh::pulled_arm;

constexpr std::array kCatalog{
    entry<make_spo<kEvery>>("spo",
                            "single-peaked optimism: the arm with the best possible future (Lindner et al. 2021)",
                            kSpoParameters, {}),
    entry<make_greedy>("greedy", "the arm with the largest last reward", kGreedyParameters, {.uses_horizon = false}),
    entry<make_one_step_optimistic>("one-step-optimistic", "the arm whose next reward could be largest", {},
                                    {.uses_horizon = false}),
    entry<make_exp3>("exp3", "exponential weights for adversarial rewards (Auer et al. 2002)", kExp3Parameters,
                     {.uses_horizon = false, .tosses_coins = true}),
    entry<make_r_exp3>("r-exp3", "exp3 with restarts, for rewards that drift (Besbes et al. 2019)", kRExp3Parameters,
                       {.tosses_coins = true}),
    entry<make_discounted_ucb<kEvery>>("d-ucb", "discounted upper confidence bounds (Garivier & Moulines 2011)",
                                       kDiscountedUcbParameters, {}),
    entry<make_sliding_window_ucb<kEvery>>(
        "sw-ucb", "sliding-window upper confidence bounds (Garivier & Moulines 2011)", kSlidingWindowUcbParameters, {}),
    entry<make_ucb<kEvery>>("ucb", "upper confidence bounds for rewards that do not change", kUcbParameters,
                            {.uses_horizon = false}),
    entry<make_increasing>("increasing", "elimination for rising arms (Heidari et al. 2016)", {}, {}),
    entry<make_r_ed_ucb>("r-ed-ucb", "the recent trend carried on to now, for rising arms (Metelli et al. 2022)",
                         kREdUcbParameters, {.uses_horizon = false}),
    entry<make_raw_ucb>("raw-ucb",
                        "the smallest upper confidence bound of recent windows, for falling arms (Seznec et al. 2020)",
                        kRawUcbParameters, {.uses_horizon = false}),
    entry<make_fewa>("fewa", "elimination by ever longer recent windows, for falling arms (Seznec et al. 2019)",
                     kFewaParameters, {.uses_horizon = false}),
    entry<make_ptrr>("ptrr", "one arm after another while it rises fast enough (Blum & Ravichandran 2024)",
                     kPtrrParameters, {.tosses_coins = true}),
    entry<make_foresight>("foresight", "the arm worth most over all futures its noisy rewards leave open; the default",
                          kForesightParameters, {}),
    entry<make_optimal>("optimal", "the exact optimum, for curves that are known", {}, {.needs_plan = true}),
    entry<make_spo<kPulled>>("spo@released", "spo as in the authors' released code", kSpoParameters, {}),
    entry<make_discounted_ucb<kPulled>>("d-ucb@released", "d-ucb as in the authors' released code",
                                        kDiscountedUcbParameters, {}),
    entry<make_sliding_window_ucb<kPulled>>("sw-ucb@released", "sw-ucb as in the authors' released code",
                                            kSlidingWindowUcbParameters, {}),
    entry<make_ucb<kPulled>>("ucb@released", "ucb as in the authors' released code", kUcbParameters,
                             {.uses_horizon = false}),
};

const PolicyEntry& find_policy(std::string_view name) {
  const auto found =
      std::find_if(kCatalog.begin(), kCatalog.end(), [&](const auto& entry) { return entry.name == name; });
  if (found != kCatalog.end()) return *found;
  std::vector<std::string> names;
  names.reserve(kCatalog.size());
  for (const PolicyEntry& entry : kCatalog) names.emplace_back(entry.name);
  throw InputError(
      fmt::format("unknown policy '{}'{} ('longrun policies' lists them)", name, did_you_mean(name, names)));
}

std::pair<std::string, double> parse_parameter(const PolicyEntry& policy, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto known = std::find_if(policy.parameters.begin(), policy.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  if (known == policy.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : policy.parameters) names.emplace_back(parameter.name);
    throw InputError(fmt::format("policy '{}' has no parameter '{}'{}", policy.name, name,
                                 names.empty() ? " (it has none)" : did_you_mean(name, names)));
  }
  const auto value = equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  const bool fits = value && *value >= known->minimum && *value <= known->maximum;
  if (!fits || (known->whole && *value != std::floor(*value))) {
    throw InputError(fmt::format("policy '{}': '{}' should read {}=NUMBER with a {}number from {} to {}", policy.name,
                                 text, name, known->whole ? "whole " : "", known->minimum, known->maximum));
  }
  return {std::string(name), *value};
}

}  // namespace

std::span<const PolicyEntry> policy_catalog() { return kCatalog; }

PolicyChoice::PolicyChoice(std::string_view text) : text_(text) {
  const std::size_t colon = text.find(':');
  entry_ = &find_policy(text.substr(0, colon));
  if (colon == std::string_view::npos) return;
  std::map<std::string, double, std::less<>> values;
  for (const std::string_view part : split(text.substr(colon + 1), ',')) {
    auto [name, value] = parse_parameter(*entry_, part);
    if (!values.emplace(name, value).second) {
      throw InputError(fmt::format("policy '{}': '{}' stands there twice", text, name));
    }
  }
  parameters_ = Parameters(std::move(values));
}

std::unique_ptr<AskTell> PolicyChoice::make(const Setting& setting) const {
  check(setting);
  return entry_->make(setting, parameters_);
}

Outcome PolicyChoice::play(const Bandit& bandit, const Setting& setting, std::span<Arm> trace) const {
  check(setting);
  if (setting.arms != bandit.arm_count()) {
    throw InputError(
        fmt::format("bandit '{}' has {} arms, the setting {}", bandit.name, bandit.arm_count(), setting.arms));
  }
  check_reaches(bandit, setting.horizon);
  if (!trace.empty() && trace.size() != static_cast<std::size_t>(setting.horizon)) {
    throw InputError(fmt::format("a trace of horizon {} needs as many places, not {}", setting.horizon, trace.size()));
  }
  const World world(bandit, setting.seed, setting.replicate);
  return entry_->play(world, setting, parameters_, std::span<const Pulls>(&setting.horizon, 1), trace)[0];
}

std::vector<Outcome> PolicyChoice::play_on(World world, const Setting& setting, std::span<const Pulls> horizons) const {
  check(setting);
  return entry_->play(std::move(world), setting, parameters_, horizons, {});
}

}  // namespace longrun
