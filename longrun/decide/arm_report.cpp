#include "longrun/decide/arm_report.h"

#include <algorithm>
#include <utility>

namespace longrun {
namespace {

constexpr double kRisingStandardErrors = 2;  // a slope this many standard errors above 0 counts as rising

/// Returns the corners of the outlook's rewards, min(1, level + k slope), for k = 1..remaining.
std::vector<FuturePull> corners(const Outlook& outlook, Pulls made, Pulls remaining) {
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

}  // namespace

std::string_view name(Trend trend) {
  return trend == Trend::rising ? "rising" : trend == Trend::falling ? "falling" : "undecided";
}

void ArmReports::observe(Arm arm, double reward) {
  ledger_.add(arm);
  rule_.observe(arm, reward, ledger_);
  LastTwo& last = last_[static_cast<std::size_t>(arm)];
  last.previous = std::exchange(last.newest, reward);
}

ArmReport ArmReports::report(Arm arm, Pulls remaining) const {
  ArmReport report{.pulls = ledger_.pulls(arm), .index = rule_.index_from_zero(rule_.index(arm, ledger_))};
  const Outlook bound = exact() ? add_exact_estimates(arm, report) : add_noisy_estimates(arm, remaining, report);
  report.upper_bound_total = bound.total(remaining);
  report.upper_bound = corners(bound, report.pulls, remaining);
  return report;
}

Outlook ArmReports::add_exact_estimates(Arm arm, ArmReport& report) const {
  const auto [newest, previous] = last_[static_cast<std::size_t>(arm)];
  if (report.pulls > 0) report.reward_now = Measured{.value = newest};
  if (report.pulls > 1) {
    report.slope = Measured{.value = newest - previous};
    report.trend = newest > previous ? Trend::rising : newest < previous ? Trend::falling : Trend::undecided;
  }
  return rule_.exact()->outlook(arm);
}

Outlook ArmReports::add_noisy_estimates(Arm arm, Pulls remaining, ArmReport& report) const {
  const ArmForesight& foresight = rule_.arm(arm);
  const ForesightModel& model = rule_.model();
  if (report.pulls > 0) report.reward_now = foresight.level(model);
  if (report.pulls > 1) report.slope = foresight.slope(model);
  if (foresight.falling()) {
    report.trend = Trend::falling;
  } else if (report.slope && report.slope->value > kRisingStandardErrors * report.slope->standard_error) {
    report.trend = Trend::rising;
  }
  return foresight.bound(std::max<Pulls>(1, remaining), model);
}

}  // namespace longrun
