#include "longrun/report/advice/plan_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "longrun/base/text.h"
#include "longrun/decide/reward_scale.h"
#include "longrun/model/arm_labels.h"
#include "longrun/report/advice/plan_json.h"
#include "longrun/report/advice/question_text.h"
#include "longrun/simulate/plan/plan_text.h"

namespace longrun {
namespace {

constexpr std::size_t kMostArmRanges = 24;  // rows of the chart
constexpr std::size_t kMostArmRows = 200;   // rows of the table; the JSON has all arms

/// Returns at most `most` arms: all in their order, or those with the most remaining pulls, most first.
std::vector<std::size_t> arms_by_rest(const Plan& plan, std::size_t most) {
  std::vector<std::size_t> arms(plan.arms.size());
  std::iota(arms.begin(), arms.end(), std::size_t{0});
  if (arms.size() <= most) return arms;
  std::stable_sort(arms.begin(), arms.end(),
                   [&](std::size_t a, std::size_t b) { return plan.arms[a].rest.mean > plan.arms[b].rest.mean; });
  arms.resize(most);
  return arms;
}

std::string label_in(const PlanQuestion& asked, std::size_t arm) {
  return label_of(asked.question.history.arm_names, static_cast<Arm>(arm));
}

PageText earned_section(const PlanQuestion& asked, const Plan& plan) {
  std::vector<std::string> sentences = what_is_earned(asked, plan);
  PageText section{.heading = "", .tone = PageTone::advice, .lead = sentences.at(0)};
  sentences.erase(sentences.begin());
  if (!sentences.empty()) section.blocks.push_back({.heading = "", .sentences = std::move(sentences)});
  if (std::vector<std::string> costs = what_constraints_cost(asked, plan); !costs.empty())
    section.blocks.push_back({.heading = "What constraints cost", .sentences = std::move(costs), .listed = true});
  return section;
}

PageRanges totals_section(const Plan& plan) {
  PageRanges section{.heading = "Total reward of each course",
                     .notes = {},
                     .title = "total of the remaining rewards, with its 80 % range"};
  for (const Course& course : plan.courses) {
    section.rows.push_back({.label = course.name,
                            .value = course.total.mean,
                            .low = course.total.low,
                            .high = course.total.high,
                            .highlighted = course.kind == CourseKind::policy});
  }
  return section;
}

PageTable courses_section(const PlanQuestion& asked, const Plan& plan) {
  PageTable section{.heading = "The courses in numbers",
                    .columns = {{"course"},
                                {"total (80 %)", true},
                                {fmt::format("{} earns more by", plan.policy), true},
                                {"in futures", true}},
                    .rows = {},
                    .notes = plan_notes(asked, plan)};
  for (const Course& course : plan.courses) {
    const bool is_policy = course.kind == CourseKind::policy;
    section.rows.push_back({.cells = {course.name, range_text(course.total), is_policy ? "" : range_text(course.loss),
                                      is_policy ? "" : share_text(course.worse_share)},
                            .highlighted = is_policy});
  }
  return section;
}

PageRanges pulls_section(const PlanQuestion& asked, const Plan& plan) {
  PageRanges section{.heading = "Remaining pulls of each arm",
                     .notes = {},
                     .title = fmt::format("pulls by {}, with their 80 % range", plan.policy),
                     .from_zero = true};
  const std::vector<std::size_t> arms = arms_by_rest(plan, kMostArmRanges);
  for (const std::size_t arm : arms) {
    const FutureRange& rest = plan.arms[arm].rest;
    section.rows.push_back({label_in(asked, arm), rest.mean, rest.low, rest.high, plan.arms[arm].next_round.mean > 0});
  }
  section.notes.emplace_back("Arms of the next round are highlighted.");
  if (arms.size() < plan.arms.size())
    section.notes.push_back(fmt::format("{} of {} arms: those with the most pulls.", arms.size(), plan.arms.size()));
  return section;
}

PageTable arms_section(const PlanQuestion& asked, const Plan& plan) {
  PageTable section{
      .heading = "The arms in numbers",
      .columns = {{"arm"}, {"pulls so far", true}, {"next round", true}, {"remaining pulls (80 %)", true}},
      .rows = {}};
  const std::vector<std::size_t> arms = arms_by_rest(plan, kMostArmRows);
  for (const std::size_t arm : arms) {
    const PlannedArm& planned = plan.arms[arm];
    section.rows.push_back({.cells = {label_in(asked, arm), std::to_string(planned.made),
                                      range_text(planned.next_round), range_text(planned.rest)},
                            .highlighted = planned.next_round.mean > 0});
  }
  if (arms.size() < plan.arms.size())
    section.notes.push_back(fmt::format("{} more arms are only in the JSON.", plan.arms.size() - arms.size()));
  return section;
}

PageFacts asked_section(const PlanQuestion& asked, const Plan& plan, const PageOrigin& origin) {
  const Question& question = asked.question;
  const std::string made = fmt::format("{} {}", plan.made, plan.made == 1 ? "pull is made" : "pulls are made");
  std::vector<std::string> constraints = constraint_sentences(question);
  if (constraints.empty()) constraints.emplace_back("None.");
  PageFacts section{.heading = "The question",
                    .facts = {{"History", {origin.history ? origin.history_file : "None."}},
                              {"Horizon",
                               {fmt::format("{} in total: {}, {} {} left.", horizon_text(question), made,
                                            question.constraints.units_text(plan.units_left),
                                            question.constraints.none() ? "pulls" : "units")}},
                              {"Rewards", {scale_text(question.scale)}},
                              {"Policy", {plan.policy + "."}},
                              {"Constraints", std::move(constraints)}}};
  if (!question.history.warnings.empty()) section.facts.emplace_back("Warnings", question.history.warnings);
  return section;
}

}  // namespace

AdvicePage plan_page(const PlanQuestion& asked, const Plan& plan, PageOrigin origin) {
  AdvicePage page{
      .title = origin.history ? fmt::format("Plan for {}", origin.history_file) : "Plan from the first pull",
      .about = "What the remaining pulls are expected to earn, and what other ways to spend them would earn.",
      .sections = {earned_section(asked, plan)},
      .origin = {},
      .answer = plan_json(asked, plan)};
  std::vector<std::string> warned = what_is_not_met(plan);
  warned.insert(warned.end(), plan.cautions.begin(), plan.cautions.end());
  if (!warned.empty()) {
    page.sections.emplace_back(PageText{.heading = "Cautions",
                                        .tone = PageTone::caution,
                                        .blocks = {{.heading = "", .sentences = std::move(warned), .listed = true}}});
  }
  page.sections.emplace_back(totals_section(plan));
  page.sections.emplace_back(courses_section(asked, plan));
  page.sections.emplace_back(pulls_section(asked, plan));
  page.sections.emplace_back(arms_section(asked, plan));
  page.sections.emplace_back(asked_section(asked, plan, origin));
  origin.sentences.push_back(fmt::format("The seed of the futures is {}.", asked.seed));
  page.origin = std::move(origin);
  return page;
}

}  // namespace longrun
