#include "longrun/service/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "longrun/base/decimal.h"

namespace longrun {
namespace {

/// A text of several values that no other values have.
class CanonicalText {
 public:
  explicit CanonicalText(const char* kind) : text_(kind) {}
  /// Adds the length as well, so that no text can look like two.
  CanonicalText& add(std::string_view value) {
    text_ += fmt::format(" {}:", value.size());
    text_ += value;
    return *this;
  }
  template <class Number>
  CanonicalText& add_number(Number number) {
    text_ += fmt::format(" {}", number);
    return *this;
  }
  CanonicalText& add(std::vector<std::string> names) {  // in any order
    std::sort(names.begin(), names.end());
    add_number(names.size());
    for (const std::string& name : names) add(name);
    return *this;
  }
  CanonicalText& add(const Outcome& outcome) {
    add(name(outcome.kind));
    return outcome.kind == OutcomeKind::observed ? add_number(checked(outcome).reward) : *this;
  }
  CanonicalText& add(const ReportOutcome& report) {
    add_number(report.decision).add(report.outcome).add(report.observed_at);
    // Next to a decision, the arm is only a check: with and without it, the same is recorded.
    if (report.is_of_arm()) add("arm").add(report.arm);
    return add(report.instead);
  }
  CanonicalText& add(const std::optional<ReportOutcome::Instead>& instead) {
    if (!instead) return *this;
    add("instead").add(instead->arm);
    return instead->reward ? add_number(*instead->reward) : add("pending");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

struct ToCanonicalText {
  std::string operator()(const AskDecisions& ask) const {
    CanonicalText text("decide");
    text.add_number(ask.count).add(ask.among);
    if (!ask.unavailable.empty()) text.add("unavailable").add(ask.unavailable);
    return text.take();
  }
  std::string operator()(const ReportOutcome& report) const { return CanonicalText("report").add(report).take(); }
  std::string operator()(const ReportOutcomes& report) const {
    CanonicalText text("report");
    for (const ReportOutcome& row : report.rows) text.add(row);
    return text.take();
  }
  std::string operator()(const CorrectOutcome& correct) const {
    CanonicalText text("correct");
    text.add_number(correct.decision).add_number(correct.observation).add(correct.observation_key);
    return text.add(correct.outcome).add(correct.reason).add(correct.instead).take();
  }
  std::string operator()(const AddObservations& add) const {
    CanonicalText text("observe");
    for (const AddObservations::Row& row : add.rows) text.add(row.arm).add_number(row.reward).add(row.id);
    return text.take();
  }
  std::string operator()(const ChangeConditions& change) const {
    CanonicalText text("change");
    text.add_number(change.added_arms.size());
    for (const std::string& arm : change.added_arms) text.add(arm);
    if (change.more_budget) text.add("extend_budget").add_number(*change.more_budget);
    if (change.noise) text.add("noise").add(change.noise->noise ? to_text(*change.noise->noise) : "estimate");
    std::vector<std::string> constraints;
    for (const auto& [field, value] : change.constraints) {
      constraints.push_back(CanonicalText(value ? "set" : "clear").add(field).add(value.value_or("")).take());
    }
    text.add(std::move(constraints));
    if (change.unavailable) text.add("unavailable").add(*change.unavailable);
    if (change.mode) text.add("mode").add(name(*change.mode));
    return text.take();
  }
  std::string operator()(const CloseStudy&) const { return "close"; }
};

}  // namespace

std::string canonical_text(const Change& change) { return std::visit(ToCanonicalText{}, change); }

Pulls units_of(double number, int decimals, const char* field, Pulls most) {
  const double parts = number * static_cast<double>(power_of_ten(decimals));
  const double whole = std::round(parts);
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();  // of a decimal fraction and the product
  const bool is_whole = std::abs(parts - whole) <= kRounding * std::abs(parts);
  if (is_whole && whole >= 1 && whole <= static_cast<double>(most)) return static_cast<Pulls>(whole);
  std::string problem;
  if (is_whole ||
      !(parts <= static_cast<double>(most))) {  // a large number has no decimals that it could have too many of
    problem = fmt::format("is not in {}..{}", decimal_text(1, decimals), decimal_text(most, decimals));
  } else if (decimals == 0) {
    problem = "is not a whole number; unit_decimals, given when a study is created, allows decimals";
  } else {
    problem = fmt::format("is not a number with at most {} {}", decimals, decimals == 1 ? "decimal" : "decimals");
  }
  throw invalid_request(fmt::format("{}: {} {}", field, number, problem), std::string("/") + field);
}

}  // namespace longrun
