#include "longrun/decide/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/running_sum.h"
#include "longrun/policy/foresight/foresight.h"
#include "longrun/policy/statistics/noise_scale.h"

namespace longrun {
namespace {

constexpr Pulls kMostLookedAt = 10'000'000;  // rounds times arms, for a round in which something can be pulled
constexpr double kFarOff = 1000;             // times the scale: no noise to decide under
constexpr int kGrid = 16;
constexpr int kHalvings = 12;

bool is_foresight(const PolicyChoice& policy) { return policy.entry().name == "foresight"; }

/// Foresight can estimate the noise itself; where it has to, it is told so.
PolicyChoice policy_of(const Question& question) {
  PolicyChoice policy(question.policy);
  if (policy.entry().traits.needs_plan) {
    throw InputError(fmt::format("policy '{}' needs to know the curves, which nobody does here", policy.text()));
  }
  return question.noise ? policy : policy.estimating_noise();
}

double estimated_sd(const History& unit) {
  NoiseScale noise(unit.arms());
  for (const auto& [arm, reward] : unit.pulls) noise.add(arm, reward);
  return noise.sd();
}

Setting setting_of(const Question& question, const History& unit, const PolicyChoice& policy) {
  Setting setting{.arms = unit.arms(), .horizon = question.horizon, .seed = question.seed};
  if (question.noise) {
    setting.noise = *question.noise;
  } else if (!is_foresight(policy)) {
    setting.noise = Gaussian{.sd = estimated_sd(unit)};
  }
  setting.replicate = static_cast<std::uint32_t>(unit.pulls.size());  // another coin for every decision
  return setting;
}

/// How far from the scale the mean of an arm's rewards may be for noise to be the reason. Where the noise is not known,
/// a few rewards may be alike by chance, and those on a scale of thousands differ by more than any noise.
double tolerance(const std::optional<Noise>& noise, double variance, double count) {
  const double sd = noise ? standard_deviation(*noise) : std::clamp(std::sqrt(variance), 0.25, 1.0);
  return 0.05 + 4 * sd / std::sqrt(count);
}

/// What is known of an arm's rewards on the scale from 0 to 1.
struct Moments {
  RunningSum sum;
  RunningSum squares;
  double count = 0;

  void add(double reward) {
    sum.add(reward);
    squares.add(reward * reward);
    count += 1;
  }
  double mean() const { return sum.value() / count; }
  double variance() const { return std::max(0.0, squares.value() / count - mean() * mean()); }
};

History on_unit_scale(const Question& question) {
  History unit = question.history;
  for (PastPull& pull : unit.pulls) pull.reward = question.scale.to_unit(pull.reward);
  return unit;
}

/// Foresight's view of every arm, on the scale from 0 to 1, whoever decides.
class ArmReports {
 public:
  ArmReports(const Setting& setting, const Parameters& parameters)
      : ledger_(setting), rule_(setting, parameters), last_(static_cast<std::size_t>(setting.arms)) {}

  void observe(Arm arm, double reward) {
    ledger_.settle(arm);
    rule_.observe(arm, reward, ledger_);
    auto& [one, two] = last_[static_cast<std::size_t>(arm)];
    two = std::exchange(one, reward);
  }

  /// After the last reward: what concerns all arms, as the policy does before it decides.
  void bring_up_to_date() { rule_.start_refresh_if_due(ledger_); }

  ArmReport report(Arm arm, Pulls remaining) const {
    ArmReport report{.pulls = ledger_.pulls(arm), .worth = rule_.index_from_zero(rule_.index(arm, ledger_))};
    const Outlook bound = rule_.exact() != nullptr ? exact_view(arm, report) : noisy_view(arm, remaining, report);
    report.bound_total = bound.total(remaining);
    report.bound = corners(bound, report.pulls, remaining);
    return report;
  }

  const ForesightRule& rule() const { return rule_; }

 private:
  Outlook exact_view(Arm arm, ArmReport& report) const {
    const auto [one, two] = last_[static_cast<std::size_t>(arm)];
    if (report.pulls > 0) report.level = Measured{.value = one};
    if (report.pulls > 1) {
      report.slope = Measured{.value = one - two};
      report.trend = one > two ? Trend::rising : one < two ? Trend::falling : Trend::undecided;
    }
    return rule_.exact()->outlook(arm);
  }

  Outlook noisy_view(Arm arm, Pulls remaining, ArmReport& report) const {
    const ArmForesight& foresight = rule_.arm(arm);
    const ForesightModel& model = rule_.model();
    if (report.pulls > 0) report.level = foresight.level(model);
    if (report.pulls > 1) report.slope = foresight.slope(model);
    if (foresight.falling()) {
      report.trend = Trend::falling;
    } else if (report.slope && report.slope->value > 2 * report.slope->standard_error) {
      report.trend = Trend::rising;
    }
    return foresight.bound(std::max<Pulls>(1, remaining), model);
  }

  /// min(1, level + k slope) for k = 1..remaining, where it begins, bends and ends.
  static std::vector<FuturePull> corners(const Outlook& outlook, Pulls made, Pulls remaining) {
    std::vector<FuturePull> points;
    const auto add = [&](double k) {
      if (!(k >= 1 && k <= static_cast<double>(remaining))) return;
      const Pulls pull = made + static_cast<Pulls>(k);
      if (!points.empty() && points.back().pull >= pull) return;
      const double line = outlook.level() + k * outlook.slope();
      points.push_back({.pull = pull, .reward = outlook.slope() > 0 ? std::min(1.0, line) : line});
    };
    add(1);
    if (outlook.slope() > 0) {
      add(outlook.pulls_below_one());
      add(outlook.pulls_below_one() + 1);
    }
    add(static_cast<double>(remaining));
    return points;
  }

  struct LastTwo {
    double one = 0;  // the last
    double two = 0;
  };
  Ledger ledger_;
  ForesightRule rule_;
  std::vector<LastTwo> last_;
};

struct Round {
  Pulls number = 1;
  std::vector<NextPull> pulls;
};

/// The first round in which something is pulled. Units may have to be saved for it, or an arm may be away until then.
Round next_round(ConstrainedPolicy state) {
  const Pulls most_rounds = kMostLookedAt / state.constraints().arms() + 1;
  for (Pulls ahead = 0; ahead < most_rounds && !state.done(); ++ahead) {
    const auto pulls = state.next_round();
    if (pulls.empty()) continue;
    Round round{.number = state.round(), .pulls = {}};
    for (std::size_t i = 0; i < pulls.size(); ++i) round.pulls.push_back({pulls[i], state.causes()[i]});
    return round;
  }
  return {.number = state.round(), .pulls = {}};
}

/// The first pull of the round that follows `pulls` pulls of `arm` with this reward each.
std::optional<Arm> chosen_after(ConstrainedPolicy state, Arm arm, Pulls pulls, double reward) {
  for (Pulls pull = 0; pull < pulls; ++pull) state.observe(arm, reward);
  const Round round = next_round(std::move(state));
  if (round.pulls.empty()) return std::nullopt;
  return round.pulls.front().arm;
}

/// Looks for the rewards of some supposed pulls at which the choice after them changes.
class Supposition {
 public:
  Supposition(const ConstrainedPolicy& state, Arm arm, Pulls pulls)
      : state_(state), what_if_{.arm = arm, .pulls = pulls, .consequences = {}} {}

  /// Nothing where there is no choice after those pulls.
  std::optional<WhatIf> result() {
    Point last = at(0);
    if (!last.arm) return std::nullopt;
    what_if_.consequences.push_back({.from = 0, .to = 1, .arm = *last.arm});
    for (int step = 1; step <= kGrid; ++step) {
      const Point here = at(static_cast<double>(step) / kGrid);
      if (!here.arm) return std::nullopt;
      find_borders(last, here, kHalvings);
      last = here;
    }
    return what_if_;
  }

 private:
  struct Point {
    double reward = 0;
    std::optional<Arm> arm;
  };
  Point at(double reward) const { return {reward, chosen_after(state_, what_if_.arm, what_if_.pulls, reward)}; }

  /// All changes between two points, as far as halving what is between them shows.
  void find_borders(const Point& low, const Point& high, int halvings) {
    if (low.arm == high.arm || !high.arm) return;
    const double middle = (low.reward + high.reward) / 2;
    if (halvings > 0) {
      const Point between = at(middle);
      find_borders(low, between, halvings - 1);
      find_borders(between, high, halvings - 1);
      return;
    }
    what_if_.consequences.back().to = middle;
    what_if_.consequences.push_back({.from = middle, .to = 1, .arm = *high.arm});
  }

  const ConstrainedPolicy& state_;
  WhatIf what_if_;
};

/// A tenth of the pulls the arm has had: fewer could hardly change what is thought of it. Observations that are exact
/// speak for themselves.
std::optional<WhatIf> what_if(const ConstrainedPolicy& state, Arm arm, Pulls pulls_so_far, bool exact) {
  const Pulls left = (state.constraints().horizon() - state.spent()) / state.constraints().cost(arm);
  const Pulls pulls = std::min(std::max<Pulls>(1, exact ? 1 : pulls_so_far / 10), left - 1);
  if (pulls < 1) return std::nullopt;
  return Supposition(state, arm, pulls).result();
}

/// The parameters of the foresight whose view of the arms is told.
Parameters view_parameters(const Question& question, const PolicyChoice& policy) {
  if (is_foresight(policy)) return policy.parameters();
  return question.noise ? Parameters{} : PolicyChoice("foresight:estimate_sd=1").parameters();
}

void check_horizon(const Question& question, const ConstrainedPolicy& state) {
  if (state.spent() <= question.horizon) return;
  const bool pulls = state.spent() == std::ssize(question.history.pulls);
  throw InputError(fmt::format("horizon {}: the history takes {} {} already; the horizon counts those, too",
                               question.horizon, state.spent(), pulls ? "pulls" : "units"));
}

void to_scale(Recommendation& answer, const RewardScale& scale) {
  answer.sd *= scale.range();
  for (ArmReport& arm : answer.arms) {
    if (arm.level) arm.level = Measured{scale.from_unit(arm.level->value), arm.level->standard_error * scale.range()};
    if (arm.slope) arm.slope = Measured{arm.slope->value * scale.range(), arm.slope->standard_error * scale.range()};
    arm.worth = scale.from_unit(arm.worth);
    arm.bound_total = static_cast<double>(answer.remaining) * scale.minimum + arm.bound_total * scale.range();
    for (FuturePull& point : arm.bound) point.reward = scale.from_unit(point.reward);
  }
  if (!answer.what_if) return;
  for (Consequence& consequence : answer.what_if->consequences) {
    consequence.from = scale.from_unit(consequence.from);
    consequence.to = scale.from_unit(consequence.to);
  }
}

}  // namespace

std::string_view name(Trend trend) {
  return trend == Trend::rising ? "rising" : trend == Trend::falling ? "falling" : "undecided";
}

std::string label(const History& history, Arm arm) {
  const std::string& name = history.arm_names[static_cast<std::size_t>(arm)];
  return name.empty() ? fmt::format("arm {}", arm) : fmt::format("arm {} ({})", arm, name);
}

void check_rewards(const Question& question) {
  const RewardScale& scale = question.scale;
  const History& history = question.history;
  if (!std::isfinite(scale.range()) || !(scale.range() > 0)) {
    throw InputError(fmt::format("scale {:g}:{:g} should read MIN:MAX, two numbers, the second larger", scale.minimum,
                                 scale.maximum));
  }
  if (question.noise && !(standard_deviation(*question.noise) <= kFarOff)) {
    throw InputError(
        fmt::format("the noise's standard deviation is {:g} times the scale of rewards; at most {:g} is right",
                    standard_deviation(*question.noise), kFarOff));
  }
  std::vector<Moments> moments(history.arm_names.size());
  for (const auto& [arm, reward] : history.pulls) {
    if (arm < 0 || arm >= history.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, history.arms() - 1));
    }
    if (!std::isfinite(reward)) throw InputError(fmt::format("a reward of {} is not finite", label(history, arm)));
    if (std::abs(scale.to_unit(reward)) > kFarOff) {
      throw InputError(
          fmt::format("reward {:g} of {} is far from the scale, {:g} to {:g}; another scale, MIN:MAX, may say "
                      "where rewards lie",
                      reward, label(history, arm), scale.minimum, scale.maximum));
    }
    moments[static_cast<std::size_t>(arm)].add(scale.to_unit(reward));
  }
  for (Arm arm = 0; arm < history.arms(); ++arm) {
    const Moments& rewards = moments[static_cast<std::size_t>(arm)];
    if (rewards.count == 0) continue;
    const double mean = rewards.mean();
    if (std::max(-mean, mean - 1) <= tolerance(question.noise, rewards.variance(), rewards.count)) continue;
    throw InputError(
        fmt::format("the rewards of {} average {:.4g}; they should lie between {:g} and {:g}, or another scale, "
                    "MIN:MAX, should say where they do",
                    label(history, arm), scale.from_unit(mean), scale.minimum, scale.maximum));
  }
}

Recommendation recommend(const Question& question) {
  const PolicyChoice policy = policy_of(question);
  check_rewards(question);
  const History unit = on_unit_scale(question);
  Setting setting = setting_of(question, unit, policy);
  ConstrainedPolicy state(policy, setting, question.constraints);
  state.set_unavailable(question.away);

  setting.horizon = state.constraints().most_pulls();  // what a policy under constraints is told
  ArmReports reports(setting, view_parameters(question, policy));
  for (const auto& [arm, reward] : unit.pulls) {
    state.observe(arm, reward);
    reports.observe(arm, reward);
  }
  check_horizon(question, state);
  reports.bring_up_to_date();

  Recommendation answer{.policy = policy.text(), .next = {}, .arms = {}};
  answer.made = static_cast<Pulls>(unit.pulls.size());
  answer.remaining = state.constraints().most_pulls(question.horizon - state.spent());
  const bool exact = reports.rule().exact() != nullptr;
  answer.sd = exact ? 0 : reports.rule().model().sd();
  answer.sd_estimated = reports.rule().sd_is_estimate();
  answer.initial_pulls = reports.rule().initial_pulls();
  for (Arm arm = 0; arm < unit.arms(); ++arm) {
    throw_if_cancelled();
    answer.arms.push_back(reports.report(arm, answer.remaining));
  }

  Round round = next_round(state);
  answer.round = round.number;
  answer.next = std::move(round.pulls);
  if (!answer.next.empty()) {
    const Arm arm = answer.next.front().arm;
    answer.what_if = what_if(state, arm, answer.arms[static_cast<std::size_t>(arm)].pulls, exact);
  }
  to_scale(answer, question.scale);
  return answer;
}

}  // namespace longrun
