#include "longrun/simulate/plan/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "longrun/base/text.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/reward_scale.h"

namespace longrun {
namespace {

constexpr int kDigitsOfWidth = 2;   // that the width of a range is written with
constexpr int kDigitsOfNumber = 4;  // that a number without a range is written with, at most

/// Returns the decimals that write `size` with this many digits; 0 for larger numbers.
int decimals_for(double size, int digits) {
  if (!(size > 0)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size))), 0, 12);
}

/// Returns the number with this many decimals, and 0 without a sign.
std::string fixed(double number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text[0] == '-' ? text.substr(1) : text;
}

/// Returns the number without zeros at the end of its decimals.
std::string shortest(double number, int decimals) {
  std::string text = fixed(number, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

int decimals_of(const FutureRange& range) {
  return decimals_for(std::max(range.high, range.mean) - std::min(range.low, range.mean), kDigitsOfWidth);
}

std::string mean_text(const FutureRange& range) {
  if (range.is_certain()) {
    return shortest(range.mean, decimals_for(std::abs(range.mean), kDigitsOfNumber));
  }
  return fixed(range.mean, decimals_of(range));
}

std::string interval_text(const FutureRange& range, const char* unit = "") {
  const int decimals = decimals_of(range);
  return fmt::format("{0}{2} to {1}{2}", fixed(range.low, decimals), fixed(range.high, decimals), unit);
}

FutureRange negative(const FutureRange& range) { return {-range.mean, -range.high, -range.low}; }
FutureRange in_percent(const FutureRange& range, double whole) {
  const double percent = 100 / whole;
  return {range.mean * percent, range.low * percent, range.high * percent};
}

std::string percent_text(const FutureRange& range) {
  if (range.is_certain()) return mean_text(range) + " %";
  return fmt::format("{} % ({})", mean_text(range), interval_text(range, " %"));
}

std::string rest_text(const PlanQuestion& asked, const Plan& plan) {
  const Constraints& constraints = asked.question.constraints;
  const FutureRange& pulls = plan.courses[0].pulls;
  const auto left = static_cast<double>(plan.units_left);
  if (constraints.unit_decimals == 0 && pulls.is_certain() && pulls.mean == left) {
    return fmt::format("the remaining {}", plan.units_left == 1 ? "pull" : fmt::format("{} pulls", plan.units_left));
  }
  // Futures that differ by less than a pull do so because of what cannot be spent at the end.
  const bool nearly_certain = !pulls.is_certain() && pulls.high - pulls.low < 1;
  return fmt::format("the remaining {}, which {} for {} {},", constraints.units_phrase(plan.units_left),
                     constraints.is_one(plan.units_left) ? "pays" : "pay",
                     nearly_certain ? fmt::format("about {:.0f}", pulls.mean) : range_text(pulls),
                     pulls.is_certain() && pulls.mean == 1 ? "pull" : "pulls");
}

/// Returns what a simple course is called as the subject of a sentence.
std::string subject(const PlanQuestion& asked, const Course& course) {
  switch (course.kind) {
    case CourseKind::equal_split:
      return "An equal split";
    case CourseKind::best_so_far:
      return "Staying with " + arm_label(asked.question.history.arm_names, *course.arm);
    default:
      return capitalised(course.name);
  }
}

std::string comparison(const Plan& plan, const Course& course) {
  if (course.worse_share == 0 && course.better_share == 0) {
    return fmt::format("{} earns the same in every future", plan.policy);
  }
  const bool less = course.loss.mean < 0;
  const FutureRange difference = less ? negative(course.loss) : course.loss;
  std::string text = fmt::format("{} earns {} {}", plan.policy, range_text(difference), less ? "less" : "more");
  if (course.worse_share == 1) return text + ", and more in every future";
  if (course.better_share == 1) return text + ", and less in every future";
  return fmt::format("{}: more in {} of the futures, less in {}", text, share_text(course.worse_share),
                     share_text(course.better_share));
}

std::string future_noise_text(const PlanQuestion& asked, const Plan& plan) {
  if (std::holds_alternative<NoNoise>(plan.noise)) return "Rewards have no noise.";
  if (std::holds_alternative<Bernoulli>(plan.noise)) return "Rewards are yes or no.";
  if (!plan.arm_noise_sds.empty()) {
    const auto [least, most] = std::minmax_element(plan.arm_noise_sds.begin(), plan.arm_noise_sds.end());
    const auto text = [&](double sd) {
      return reward_difference_text(asked.question.scale, sd * asked.question.scale.range());
    };
    return fmt::format("The noise of each arm is that of its own rewards, with standard deviations from {} to {}.",
                       text(*least), text(*most));
  }
  return fmt::format(
      "The noise has standard deviation {}{}.",
      reward_difference_text(asked.question.scale, standard_deviation(plan.noise) * asked.question.scale.range()),
      !plan.noise_estimated    ? ""
      : !plan.noise_of_rewards ? ", an initial value until more rewards are observed"
                               : ", estimated from the rewards");
}

/// Returns whether a mean that the text states is outside its range.
bool some_means_are_outside(const Plan& plan) {
  const auto course_has = [](const Course& course) {
    return !course.total.mean_is_inside() || !course.loss.mean_is_inside();
  };
  const auto arm_has = [](const PlannedArm& arm) {
    return !arm.next_round.mean_is_inside() || !arm.rest.mean_is_inside();
  };
  return std::any_of(plan.courses.begin(), plan.courses.end(), course_has) ||
         std::any_of(plan.arms.begin(), plan.arms.end(), arm_has);
}

}  // namespace

std::string_view name(CourseKind kind) {
  switch (kind) {
    case CourseKind::policy:
      return "policy";
    case CourseKind::equal_split:
      return "equal_split";
    case CourseKind::best_so_far:
      return "best_so_far";
    case CourseKind::greedy:
      return "greedy";
    case CourseKind::constrained:
      break;
  }
  return "constrained";
}

std::vector<Arm> arms_in_table(const Plan& plan, std::size_t most) {
  std::vector<Arm> arms(plan.arms.size());
  std::iota(arms.begin(), arms.end(), Arm{0});
  if (arms.size() <= most) return arms;
  const auto key = [&](Arm arm) {
    const PlannedArm& planned = plan.arms[static_cast<std::size_t>(arm)];
    return std::tuple(-planned.next_round.mean, -planned.rest.mean, arm);
  };
  std::partial_sort(arms.begin(), arms.begin() + static_cast<std::ptrdiff_t>(most), arms.end(),
                    [&](Arm a, Arm b) { return key(a) < key(b); });
  arms.resize(most);
  return arms;
}

std::string range_text(const FutureRange& range) {
  if (range.is_certain()) return mean_text(range);
  return fmt::format("{} ({})", mean_text(range), interval_text(range));
}

std::vector<std::string> what_is_earned(const PlanQuestion& asked, const Plan& plan) {
  const Course& policy = plan.courses[0];
  const std::string obstacle = obstacle_sentence(asked.question, plan.obstacle, plan.units_left);
  if (policy.pulls.mean == 0) {
    if (plan.units_left <= 0) return {"No pulls remain."};
    std::vector<std::string> nothing{fmt::format("No arm can be pulled with the {} that {} left, as things are now.",
                                                 asked.question.constraints.units_phrase(plan.units_left),
                                                 asked.question.constraints.is_one(plan.units_left) ? "is" : "are")};
    if (plan.obstacle != PullObstacle::budget) nothing.push_back(obstacle);
    return nothing;
  }
  std::vector<std::string> sentences;
  if (plan.obstacle != PullObstacle::none) {
    sentences.push_back("No arm can be pulled in the next round. " + obstacle);
    if (!asked.question.unavailable_now.empty())
      sentences.emplace_back("The plan uses all arms that the constraints make available after it.");
  }
  sentences.push_back(fmt::format("Following {} for {} is expected to earn {}.", plan.policy, rest_text(asked, plan),
                                  range_text(policy.total)));
  for (const Course& course : plan.courses) {
    if (course.kind == CourseKind::policy || course.kind == CourseKind::constrained) continue;
    sentences.push_back(fmt::format("{} is expected to earn {}; {}.", subject(asked, course), range_text(course.total),
                                    comparison(plan, course)));
  }
  return sentences;
}

std::vector<std::string> what_constraints_cost(const PlanQuestion& asked, const Plan& plan) {
  std::vector<std::string> sentences;
  const double total = plan.courses[0].total.mean;
  for (const Course& course : plan.courses) {
    if (course.kind != CourseKind::constrained) continue;
    const bool is_costs = course.field == "costs";  // "Costs 1 costs ..." would be hard to read
    const std::string name = is_costs ? fmt::format("The constraint '{}'", course.name) : capitalised(course.name);
    if (course.worse_share == 0 && course.better_share == 0) {
      sentences.push_back(fmt::format("{} costs nothing: the total is the same in every future.", name));
      continue;
    }
    const bool earns = course.loss.mean < 0;
    const FutureRange difference = earns ? negative(course.loss) : course.loss;
    std::string sentence =
        earns ? fmt::format("With {}, {} earns {} more", course.name, plan.policy, range_text(difference))
              : fmt::format("{} costs {}", name, range_text(difference));
    // A share of a total means something only if no reward is negative.
    if (asked.question.scale.minimum >= 0 && total > 0) {
      sentence += fmt::format(": {} of the total", percent_text(in_percent(difference, total)));
    }
    sentences.push_back(sentence + ".");
  }
  return sentences;
}

std::vector<std::string> what_is_not_met(const Plan& plan) {
  std::vector<std::string> sentences;
  for (const Course& course : plan.courses) {
    const bool is_policy = course.kind == CourseKind::policy;
    if (course.unmet == 0 || (!is_policy && course.kind != CourseKind::constrained)) continue;
    sentences.push_back(
        fmt::format("{}: in {}, an arm ends below its minimum pulls or share, because too few units "
                    "are left for it.",
                    is_policy ? "The constraints are not met" : course.name + " is not met",
                    course.unmet == 1 ? "every future" : share_text(course.unmet) + " of the futures"));
  }
  return sentences;
}

std::string better_course_caution(const PlanQuestion& asked, const Plan& plan) {
  constexpr double kClearly = 0.8;  // share of futures in which a simple course is better
  const Course* best = nullptr;
  for (const Course& course : plan.courses) {
    if (course.kind == CourseKind::policy || course.kind == CourseKind::constrained) continue;
    if (course.better_share < kClearly || course.loss.mean >= 0) continue;
    if (best == nullptr || course.loss.mean < best->loss.mean) best = &course;
  }
  if (best == nullptr) return "";
  return fmt::format("{} earns more than {} in {} of the futures, {} on average: follow it, not the policy.",
                     subject(asked, *best), plan.policy, share_text(best->better_share),
                     mean_text(negative(best->loss)));
}

std::vector<std::string> shown_cautions(const PlanQuestion& asked, const Plan& plan) {
  constexpr double kSmallPrice = 0.01;  // of the total; a smaller difference of two prices is not worth a word
  std::vector<std::string> sentences;
  const Course& policy = plan.courses[0];
  const double least = asked.question.scale.minimum * policy.pulls.mean;  // no total is smaller
  const double whole = policy.total.mean - least;
  const double not_shown = policy.total.mean - *policy.total_as_shown;
  const std::string shown =
      fmt::format("if every arm{} keeps paying its mean so far{}",
                  plan.some_trends_are_shown ? ", except those that are stated as rising or falling," : "",
                  asked.question.history.arms() > 1 ? ", counted together with those of the other arms" : "");
  const auto number = [&](double value) { return fixed(value, decimals_of(policy.total)); };
  if (whole > 0 && not_shown >= kLargePart * whole && not_shown > policy.total.mean) {
    // No part of the total, because rewards may be losses.
    sentences.push_back(
        fmt::format("{} that {} is expected to earn is {} more than {}, because arms may turn out better than their "
                    "rewards so far: then {} is expected.",
                    number(policy.total.mean), plan.policy, number(not_shown), shown, number(*policy.total_as_shown)));
  } else if (whole > 0 && not_shown >= kLargePart * whole) {
    sentences.push_back(
        fmt::format("{} of the {} that {} is expected to earn {} on arms that turn out better than "
                    "their rewards so far: {}, {} is expected.",
                    number(not_shown), number(policy.total.mean), plan.policy,
                    number(not_shown) == "1" ? "rests" : "rest", shown, number(*policy.total_as_shown)));
  }
  if (!sentences.empty() && *policy.total_as_shown < policy.total.low)
    sentences.back() += " The range of the total does not contain that: it holds only if some arms turn out so.";
  for (const Course& course : plan.courses) {
    if (course.kind != CourseKind::constrained) continue;
    const double difference = std::abs(course.loss.mean - *course.loss_as_shown);
    if (difference < kLargePart * std::abs(course.loss.mean) || difference < kSmallPrice * whole) continue;
    const auto price = [&](double loss) {
      const std::string text = fixed(std::abs(loss), decimals_of(course.loss));
      return loss < 0 ? fmt::format("it earns {} more", text) : "it costs " + text;
    };
    sentences.push_back(fmt::format("{} {} {}, and {} with what the rewards leave open.",
                                    capitalised(course.name) + ":", price(*course.loss_as_shown), shown,
                                    price(course.loss.mean)));
  }
  return sentences;
}

std::vector<std::string> plan_notes(const PlanQuestion& asked, const Plan& plan) {
  std::vector<std::string> sentences{
      fmt::format("Ranges hold 80 % of {} futures, drawn from what the rewards leave open.", plan.futures)};
  if (some_means_are_outside(plan)) {
    sentences.emplace_back("A mean outside its range is due to a few futures far from the others.");
  }
  sentences.emplace_back("Totals include noise; differences are those of mean rewards in the same future.");
  sentences.push_back(future_noise_text(asked, plan));
  if (plan.pending > 0) {
    sentences.push_back(pending_sentence(plan.pending, plan.made));
    sentences.emplace_back("In the futures they arrive after the next round, and are part of no total.");
  }
  if (std::string lost = lost_sentence(asked.question.history, plan.made); !lost.empty())
    sentences.push_back(std::move(lost));
  return sentences;
}

}  // namespace longrun
