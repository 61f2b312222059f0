#include "longrun/decide/study/event_reader.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace longrun {
namespace {

/// Reads a line from its start, part by part. After a part that is not what was expected, all others fail too.
class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : rest_(line) {}

  LineScanner& expect(std::string_view text) {
    is_valid_ = is_valid_ && rest_.starts_with(text);
    if (is_valid_) rest_.remove_prefix(text.size());
    return *this;
  }
  template <class Number>
  LineScanner& number(Number& value) {
    if (!is_valid_) return *this;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    is_valid_ = error == std::errc();
    if (is_valid_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return *this;
  }
  /// Reads a text in quotes that contains no escapes.
  LineScanner& text(std::string_view& value) {
    expect("\"");
    const std::size_t end = is_valid_ ? rest_.find_first_of("\"\\") : std::string_view::npos;
    is_valid_ = end != std::string_view::npos && rest_[end] == '"';
    if (!is_valid_) return *this;
    value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return *this;
  }
  bool is_valid() const { return is_valid_; }
  /// Returns whether the object, and with it the line, ends here.
  bool at_last_brace() const { return is_valid_ && rest_ == "}"; }

 private:
  std::string_view rest_;
  bool is_valid_ = true;
};

std::optional<PullCause> cause_named(std::string_view text) {
  for (const PullCause cause : {PullCause::share, PullCause::minimum, PullCause::choice}) {
    if (name(cause) == text) return cause;
  }
  return std::nullopt;
}

std::optional<NumberedEvent> one_decision(LineScanner scanner, std::int64_t seq, const ArmLabels& arms) {
  Decided decided;
  Decision decision;
  std::string_view arm;
  std::string_view cause;
  scanner.expect(R"("decided","round":)").number(decided.round).expect(R"(,"decisions":[{"id":)").number(decision.id);
  scanner.expect(",\"arm\":").text(arm).expect(",\"pull\":").number(decision.pull).expect(",\"cause\":").text(cause);
  scanner.expect("}]");
  if (!scanner.at_last_brace()) return std::nullopt;
  const auto number = arms.find(arm);
  const auto known_cause = cause_named(cause);
  if (!number || !known_cause) return std::nullopt;
  decision.arm = *number;
  decision.cause = *known_cause;
  decided.decisions.push_back(decision);
  return NumberedEvent{seq, std::move(decided)};
}

std::optional<NumberedEvent> one_reward(LineScanner scanner, std::int64_t seq) {
  Settled settled;
  scanner.expect(R"("settled","decision":)").number(settled.decision).expect(R"(,"outcome":"observed","reward":)");
  scanner.number(settled.outcome.reward);
  if (!scanner.at_last_brace() || !std::isfinite(settled.outcome.reward)) return std::nullopt;
  return NumberedEvent{seq, settled};
}

/// Returns the event if it is one decision or one observed outcome, as to_json() writes them; else nullopt.
std::optional<NumberedEvent> frequent_event(std::string_view line, const ArmLabels& arms) {
  LineScanner scanner(line);
  std::int64_t seq = 0;
  scanner.expect("{\"seq\":").number(seq).expect(",\"event\":");
  if (auto reward = one_reward(scanner, seq)) return reward;
  return one_decision(scanner, seq, arms);
}

}  // namespace

NumberedEvent EventReader::read(std::string_view line) {
  auto event = frequent_event(line, arms_);
  NumberedEvent result = event ? *std::move(event) : event_from_json(line, arms_);
  if (const auto* added = std::get_if<ArmAdded>(&result.event)) arms_.add(added->name);
  return result;
}

}  // namespace longrun
