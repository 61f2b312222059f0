#include "longrun/service/request_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "longrun/base/field_error.h"
#include "longrun/base/unknown_name_error.h"
#include "longrun/model/constraints.h"

namespace longrun {

namespace {

std::string without_control_characters(const std::string& message) {
  std::string shown;
  shown.reserve(message.size());
  for (const char c : message) {
    const bool is_control = (c >= 0 && c < ' ') || c == '\x7f';
    shown += is_control ? fmt::format("\\u{:04x}", static_cast<int>(c)) : std::string(1, c);
  }
  return shown;
}

constexpr const char* kConstraintsPointer = "/constraints";

std::string pointer_to_constraint(std::string_view constraint) {
  return fmt::format("{}/{}", kConstraintsPointer, constraint);
}

/// Returns the pointer to a field of a study, or to a constraint.
std::string pointer_to(const std::string& field) {
  const bool is_constraint = std::any_of(kConstraintFields.begin(), kConstraintFields.end(),
                                         [&](const ConstraintField& each) { return each.name == field; });
  return is_constraint ? pointer_to_constraint(field) : "/" + field;
}

/// Returns what an error of the library says, and all names if it is about an unknown one: clients have no other list.
std::string message_of(const InputError& error) {
  const auto* unknown = dynamic_cast<const UnknownNameError*>(&error);
  return unknown == nullptr ? error.what()
                            : fmt::format("{} (known: {})", error.what(), fmt::join(unknown->known(), ", "));
}

}  // namespace

RequestError::RequestError(Kind kind, const std::string& message, std::string field)
    : std::runtime_error(without_control_characters(message)), kind_(kind), field_(std::move(field)) {}

RequestError RequestError::about(std::vector<std::string> fields, const std::string& problem) const {
  RequestError error = *this;
  error.fields_ = std::move(fields);
  error.problem_ = without_control_characters(problem);
  return error;
}

RequestError RequestError::of_rows(std::vector<Row> rows, std::size_t count, bool are_lines) const {
  RequestError error = *this;
  error.rows_ = std::move(rows);
  error.row_count_ = count;
  error.rows_are_lines_ = are_lines;
  return error;
}

RequestError invalid_request(const std::string& message, const std::string& field) {
  return {RequestError::Kind::invalid, message, field};
}

RequestError invalid_request(const InputError& error, const std::string& field) {
  const auto* const of_fields = dynamic_cast<const FieldError*>(&error);
  if (of_fields == nullptr) return invalid_request(message_of(error), field);
  std::vector<std::string> pointers;
  for (const std::string& each : of_fields->fields()) pointers.push_back(pointer_to(each));
  const bool leads_to_one = pointers.size() == 1 && (field.empty() || field == kConstraintsPointer);
  // Only the minima are several fields.
  const std::string pointer = leads_to_one ? pointers[0] : field.empty() ? kConstraintsPointer : field;
  return invalid_request(error.what(), pointer).about(std::move(pointers), of_fields->problem());
}

RequestError invalid_constraint(const std::string& constraint, const std::string& problem) {
  const std::string pointer = pointer_to_constraint(constraint);
  return invalid_request(fmt::format("constraints.{}: {}", constraint, problem), pointer).about({pointer}, problem);
}

std::string_view title_of(RequestError::Kind kind) {
  switch (kind) {
    case RequestError::Kind::malformed:
      return "malformed request";
    case RequestError::Kind::unauthorized:
      return "a valid token is needed";
    case RequestError::Kind::forbidden:
      return "not allowed";
    case RequestError::Kind::not_found:
      return "not found";
    case RequestError::Kind::wrong_method:
      return "wrong method";
    case RequestError::Kind::conflict:
      return "conflict with what is recorded";
    case RequestError::Kind::too_large:
      return "too large";
    case RequestError::Kind::wrong_type:
      return "wrong type of body";
    case RequestError::Kind::invalid:
      return "invalid request";
    case RequestError::Kind::damaged:
      return "damaged log";
    case RequestError::Kind::unavailable:
      return "not available now";
  }
  return "error";
}

namespace {

constexpr std::size_t kMostPlacesNamed = 20;  // of rows with problems, in one message

/// Returns which rows after the first have problems too: " (and 2 more: lines 5, 9)".
std::string others_of(const std::vector<RowProblem>& problems, const char* what) {
  if (problems.size() < 2) return "";
  std::string places;
  for (std::size_t i = 1; i < std::min(problems.size(), kMostPlacesNamed + 1); ++i) {
    places += fmt::format("{}{}", i == 1 ? "" : ", ", problems[i].place);
  }
  if (problems.size() > kMostPlacesNamed + 1) places += ", ...";
  const std::size_t others = problems.size() - 1;
  return fmt::format(" (and {} more: {}{} {})", others, what, others == 1 ? "" : "s", places);
}

}  // namespace

void sort_by_place(std::vector<RowProblem>& problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const RowProblem& a, const RowProblem& b) { return a.place < b.place; });
}

void refuse_problems(const std::vector<RowProblem>& problems, bool is_table) {
  if (problems.empty()) return;
  const RequestError& first = problems.front().error;
  const char* what = is_table ? "line" : "row";
  const std::string message =
      fmt::format("{} {}{} {}{}; nothing is recorded", what, problems.front().place,
                  problems.front().names_part ? "," : ":", first.what(), others_of(problems, what));
  std::vector<RequestError::Row> rows;
  for (const RowProblem& each : problems) {
    if (rows.size() > kMostPlacesNamed) break;
    rows.push_back({each.place, each.error.what()});
  }
  const RequestError refusal =
      RequestError(first.kind(), message, first.field()).of_rows(std::move(rows), problems.size(), is_table);
  if (is_table) throw RequestError(refusal.about({kWholeBody}, message));
  throw RequestError(refusal);
}

}  // namespace longrun
