// Observations: pulls that were made without a decision.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/service/served_study.h"

namespace longrun {

std::optional<LogEntry> ServedStudy::known_observation(const AddObservations::Row& row,
                                                       const Recorded& recorded) const {
  if (row.id.empty()) return std::nullopt;
  std::optional<LogEntry> entry = recorded.with_key(kKeyOfObservation + row.id);
  if (!entry) return std::nullopt;
  const Event event = event_from_json(entry->event, arms()).event;
  if (const auto* first = std::get_if<Observed>(&event);
      first != nullptr && arms().names()[static_cast<std::size_t>(first->arm)] == row.arm) {
    const Outcome reported = checked(Outcome::observed(row.reward));
    const Outcome now = outcome_now(entry->seq, *first);
    if (now == reported) return entry;
    if (reported == Outcome::observed(first->reward)) {
      throw RequestError(
          RequestError::Kind::conflict,
          fmt::format("observation '{}' (entry {}) was corrected to {} since; correct it again if that is "
                      "wrong",
                      row.id, entry->seq,
                      now.kind == OutcomeKind::observed ? fmt::format("the reward {}", now.reward) : text_of(now)),
          "/id");
    }
  }
  throw invalid_request(fmt::format("id '{}' was used for another observation (entry {}); use a new id for a new one, "
                                    "and correct that one if it is wrong",
                                    row.id, entry->seq),
                        "/id");
}

Outcome ServedStudy::outcome_now(std::int64_t seq, const Observed& observed) const {
  const auto corrected = corrected_observations_.find(seq);
  return corrected == corrected_observations_.end() ? Outcome::observed(observed.reward) : corrected->second;
}

ServedStudy::CheckedRows ServedStudy::check(const AddObservations& add, const Recorded& recorded) const {
  Study copy = study();
  std::unordered_map<std::string, const AddObservations::Row*> in_report;  // by id
  CheckedRows result{.problems = add.unreadable};
  for (const AddObservations::Row& row : add.rows) {
    const std::string field = add.is_list ? fmt::format("/observations/{}", row.place - 1) : "";
    const auto refuse = [&](const RequestError& error) {
      result.problems.push_back(
          {row.place, RequestError(error.kind(), error.what(), add.is_table ? "" : field + error.field())});
    };
    try {
      const auto earlier = row.id.empty() ? in_report.end() : in_report.find(row.id);
      const bool is_repeated = earlier != in_report.end();
      if (is_repeated && (earlier->second->arm != row.arm || earlier->second->reward != row.reward)) {
        throw invalid_request(fmt::format("id '{}' has two observations in this report", row.id), "/id");
      }
      const Arm arm = arm_named(row.arm, "/arm");
      if (is_repeated || known_observation(row, recorded)) {
        ++result.already_known;
      } else {
        copy.observe(arm, row.reward);
        ++result.to_record;
      }
      in_report.emplace(row.id, &row);  // a row that is refused says nothing of those that repeat it
    } catch (const RequestError& error) {
      refuse(error);
    } catch (const InputError& error) {
      refuse(invalid_request(error, ErrorFields("/reward", "").of(error)));
    }
  }
  sort_by_place(result.problems);
  return result;
}

LogEntry ServedStudy::observe(const AddObservations::Row& row, const std::string& field) {
  const std::string advised = mode_ == StudyMode::shadow ? advised_arm() : "";
  LogEntry entry =
      handle(Observe{arm_named(row.arm, field + "/arm"), row.reward}, ErrorFields(field + "/reward", field),
             advised.empty() ? "" : details_text("advised", advised));
  if (!row.id.empty()) entry.key = kKeyOfObservation + row.id;
  return entry;
}

ServedStudy::Result ServedStudy::observe(const AddObservations& add, const Recorded& recorded) {
  if (!add.is_list) {
    if (auto known = known_observation(add.rows.at(0), recorded)) return {.repeated = std::move(known)};
    return {.entries = {observe(add.rows[0], "")}};
  }
  refuse_problems(check(add, recorded).problems, add.is_table);
  Result result;
  std::unordered_set<std::string> ids;
  for (const AddObservations::Row& row : add.rows) {
    if (!row.id.empty() && (!ids.insert(row.id).second || known_observation(row, recorded))) {
      ++result.already_known;
    } else {
      result.entries.push_back(observe(row, fmt::format("/observations/{}", row.place - 1)));
    }
  }
  return result;
}

std::string ServedStudy::advised_arm() const {
  Study copy = study();
  try {
    const Decided decided = copy.decide();
    return decided.decisions.empty() ? "" : arms().names()[static_cast<std::size_t>(decided.decisions[0].arm)];
  } catch (const InputError&) {  // no decision is left
    return "";
  }
}

void ServedStudy::note_observed(const Observed& observed, std::int64_t seq, const std::string& details) {
  const std::string advised = detail_of(details, "advised");
  if (advised.empty()) return;
  const bool agreed = advised == arms().names()[static_cast<std::size_t>(observed.arm)];
  compared_.push_back({seq, agreed});
  ++agreement_.observations;
  agreement_.agreed += agreed ? 1 : 0;
}

void ServedStudy::note_corrected(const Corrected& corrected) {
  const auto found = std::lower_bound(compared_.begin(), compared_.end(), corrected.observation,
                                      [](const Compared& each, std::int64_t seq) { return each.seq < seq; });
  if (found == compared_.end() || found->seq != corrected.observation) return;
  const bool is_void = corrected.outcome.kind == OutcomeKind::voided;
  if (std::exchange(found->is_void, is_void) == is_void) return;
  agreement_.observations += is_void ? -1 : 1;
  agreement_.agreed += !found->agreed ? 0 : is_void ? -1 : 1;
}

}  // namespace longrun
