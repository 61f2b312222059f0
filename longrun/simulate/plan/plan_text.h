#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longrun/simulate/plan/plan.h"

namespace longrun {

/// Returns "policy", "equal_split", "best_so_far", "greedy" or "constrained".
std::string_view name(CourseKind kind);

/// Returns the arms of a table with at most `most` rows: all in their order, or those of the next round, most pulls
/// first, and then those with the most remaining pulls.
std::vector<Arm> arms_in_table(const Plan& plan, std::size_t most);

/// Returns a range as text, "412 (380 to 440)", with as many decimals as its width needs; "412" if it is certain.
std::string range_text(const FutureRange& range);

/// Returns the sentences that say what the policy earns until the end, and what it earns more than the simple courses.
std::vector<std::string> what_is_earned(const PlanQuestion& asked, const Plan& plan);

/// Returns one sentence for every compared constraint: what it costs.
std::vector<std::string> what_constraints_cost(const PlanQuestion& asked, const Plan& plan);

/// Returns the sentences about what the plan cannot promise: minimum pulls and shares that are not met.
std::vector<std::string> what_is_not_met(const Plan& plan);

/// Returns a sentence about the simple course that earns most if it is expected to earn more than the policy, and does
/// so in 80 % of the futures or more; else an empty text.
std::string better_course_caution(const PlanQuestion& asked, const Plan& plan);

/// The part of an expected total, or of the price of a constraint, from which on it is a caution that it rests on arms
/// that turn out better than their rewards so far.
inline constexpr double kLargePart = 0.25;
/// Returns the cautions about totals and prices of which a large part is not what the rewards show.
std::vector<std::string> shown_cautions(const PlanQuestion& asked, const Plan& plan);

/// Returns the sentences that say what ranges and totals mean, what the noise is and which outcomes are pending.
std::vector<std::string> plan_notes(const PlanQuestion& asked, const Plan& plan);

}  // namespace longrun
