#include "longrun/service/internal/study_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/decide/study/event_reader.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/simulate/plan/plan_of_study.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

/// The observed rewards of a study, each in the place of its pull.
class ObservedRewards {
 public:
  struct Pull {
    Arm arm = 0;
    std::optional<Outcome> outcome{};  // nullopt while it is pending
    enum class Origin { decided, observed, pulled_instead } origin = Origin::decided;
    bool is_voided() const { return outcome && outcome->kind == OutcomeKind::voided; }
    bool has_reward() const { return outcome && outcome->kind == OutcomeKind::observed; }
  };

  template <class Events>
  explicit ObservedRewards(const Events& events) {
    std::int64_t number = 0;
    for (const Event& event : events) add(event, ++number);
  }
  const std::vector<Pull>& pulls() const { return pulls_; }
  /// Returns the number of pulls of an origin that are not void.
  Pulls made(Pull::Origin origin) const {
    return std::count_if(pulls_.begin(), pulls_.end(),
                         [&](const Pull& pull) { return pull.origin == origin && !pull.is_voided(); });
  }

 private:
  void add(const Event& event, std::int64_t number) {
    if (const auto* decided = std::get_if<Decided>(&event)) {
      for (const Decision& decision : decided->decisions) {
        places_[decision.id] = pulls_.size();
        pulls_.push_back({decision.arm});
      }
    } else if (const auto* settled = std::get_if<Settled>(&event)) {
      pulls_[places_.at(settled->decision)].outcome = settled->outcome;
    } else if (const auto* corrected = std::get_if<Corrected>(&event)) {
      const std::size_t place =
          corrected->observation == 0 ? places_.at(corrected->decision) : observed_.at(corrected->observation);
      pulls_[place].outcome = corrected->outcome;
    } else if (const auto* observed = std::get_if<Observed>(&event)) {
      observed_[number] = pulls_.size();
      pulls_.push_back({observed->arm, Outcome::observed(observed->reward), Pull::Origin::observed});
    } else if (const auto* pulled = std::get_if<PulledInstead>(&event)) {
      places_[pulled->decision] = pulls_.size();
      pulls_.push_back({.arm = pulled->arm, .origin = Pull::Origin::pulled_instead});
    }
  }

  std::vector<Pull> pulls_;
  std::unordered_map<DecisionId, std::size_t> places_;      // in pulls_
  std::unordered_map<std::int64_t, std::size_t> observed_;  // in pulls_, by the number of the entry
};

/// Returns [first, last, smallest, mean, largest] of each bucket of the values.
Json buckets_of(const std::vector<double>& values, std::size_t points) {
  Json buckets = Json::array();
  const std::size_t count = std::min(points, values.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count;
    const std::size_t end = (i + 1) * values.size() / count;
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) sum += values[j];
    const auto [low, high] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 values.begin() + static_cast<std::ptrdiff_t>(end));
    buckets.push_back({begin + 1, end, *low, sum / static_cast<double>(end - begin), *high});
  }
  return buckets;
}

/// Returns the pulls of every arm in each bucket of all pulls: {"pulls": [last pull of each bucket], "arms": [[...]]}.
Json allocation_of(const std::vector<Arm>& pulls, std::size_t arms, std::size_t points) {
  const std::size_t count = std::min(points, pulls.size());
  std::vector<std::size_t> ends;
  std::vector<std::vector<Pulls>> counts(arms, std::vector<Pulls>(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = (i + 1) * pulls.size() / count;
    for (std::size_t j = i * pulls.size() / count; j < end; ++j) ++counts[static_cast<std::size_t>(pulls[j])][i];
    ends.push_back(end);
  }
  return {{"pulls", ends}, {"arms", counts}};
}

Json health_json(const ServedStudy::Health& health) {
  constexpr double kMsOfDay = 86'400'000;  // milliseconds
  constexpr double kPartsOfADay = 100;     // that are shown
  const double days = std::round(kPartsOfADay * static_cast<double>(health.overdue_after) / kMsOfDay) / kPartsOfADay;
  return {{"overdue", health.overdue},
          {"overdue_after_days", days},
          {"off_scale", health.off_scale},
          {"newest_in_future", health.newest_in_future}};
}

Json names_in(const ServedStudy& study, const std::vector<Arm>& numbers) {
  Json names = Json::array();
  for (const Arm arm : numbers) names.push_back(study.arms().names()[static_cast<std::size_t>(arm)]);
  return names;
}

}  // namespace

StudyHistory history_of(const ServedStudy& study) {
  StudyHistory history{.spec = study.log().base().initial_spec(), .events = {}};
  history.events.reserve(study.log().events().size());
  for (const Event& event : study.log().events()) history.events.push_back(event);
  return history;
}

StudyHistory history_in(const std::vector<LogEntry>& entries) {
  if (entries.empty()) throw InputError("it has no first entry");
  StudyHistory history{.spec = spec_from_json(entries[0].event), .events = {}};
  EventReader reader(history.spec.arms);
  history.events.reserve(entries.size() - 1);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    try {
      NumberedEvent event = reader.read(entries[i].event);
      const auto expected = static_cast<std::int64_t>(i);
      if (entries[i].seq != expected || event.number != expected) {
        throw InputError(fmt::format("entry {} is missing", expected));
      }
      history.events.push_back(std::move(event.event));
    } catch (const InputError& error) {
      throw InputError(fmt::format("entry {}: {}", entries[i].seq, error.what()));
    }
  }
  return history;
}

Json units_json(const Study& study, Pulls units) {
  const int decimals = study.spec().constraints.unit_decimals;
  if (decimals == 0) return units;
  return static_cast<double>(units) / static_cast<double>(power_of_ten(decimals));
}

Json study_json(const ServedStudy& served, const std::string& now) {
  const Study& study = served.study();
  const StudySpec& spec = study.spec();
  const std::vector<Arm> unavailable = study.unavailable();
  const auto units = [&](Pulls number) { return units_json(study, number); };
  std::vector<Pulls> pending(spec.arms.size(), 0);
  for (const Study::Pending& each : study.pending()) ++pending[static_cast<std::size_t>(each.arm)];
  Json json{{"name", served.name()},
            {"title", served.title()},
            {"mode", name(served.mode())},
            {"closed", served.is_closed()},
            {"seq", served.last_seq()},
            {"created_at", served.created_at()},
            {"changed_at", served.last_at()},
            {"policy", spec.policy},
            {"noise", spec.noise ? to_text(*spec.noise) : "estimate"},
            {"scale", {spec.scale.minimum, spec.scale.maximum}},
            {"seed", spec.seed},
            {"budget", units(spec.budget)},
            {"spent", units(study.spent())},
            {"left", units(study.left())},
            {"done", study.done()}};
  if (const Pulls lapsed = spec.budget - study.spent() - study.left(); lapsed > 0) json["lapsed"] = units(lapsed);
  if (study.overspent() > 0) json["overspent"] = units(study.overspent());
  if (spec.constraints.unit_decimals > 0) json["unit_decimals"] = spec.constraints.unit_decimals;
  Json constraints = Json::object();
  const ArmLabels labels(spec.arms);
  for (const auto& [field, text] : constraint_texts(spec.constraints, {.arms = &labels})) constraints[field] = text;
  json["constraints"] = std::move(constraints);
  json["by_round"] = !study.policy().constraints().rounds_are_pulls();
  json["decisions"] = study.last_decision();
  json["pending"] = served.pending().size();
  if (!served.pending().empty()) {
    const auto& [decision, at] = *served.pending().begin();
    json["oldest_pending"] = {{"decision", decision}, {"at", at}};
  }
  json["health"] = health_json(served.health(now));
  json["unavailable"] = names_in(served, unavailable);
  if (served.mode() == StudyMode::shadow || served.agreement().observations > 0) {
    json["shadow"] = {{"observations", served.agreement().observations}, {"agreed", served.agreement().agreed}};
  }
  Json arms = Json::array();
  for (std::size_t arm = 0; arm < spec.arms.size(); ++arm) {
    arms.push_back({{"arm", spec.arms[arm]},
                    {"pulls", study.pulls(static_cast<Arm>(arm))},
                    {"pending", pending[arm]},
                    {"available", study.is_available(static_cast<Arm>(arm))}});
  }
  json["arms"] = std::move(arms);
  return json;
}

Json pending_json(const ServedStudy& study, DecisionId after, std::size_t most) {
  Json pending = Json::array();
  for (auto next = study.pending().upper_bound(after); next != study.pending().end() && pending.size() < most; ++next) {
    const auto& [decision, at] = *next;
    const Study::Pending* found = study.study().find_pending(decision);
    pending.push_back(
        {{"id", decision}, {"arm", study.arms().names()[static_cast<std::size_t>(found->arm)]}, {"at", at}});
    if (const auto replaced = study.instead_of(decision)) pending.back()["instead_of"] = *replaced;
  }
  return {{"decisions", std::move(pending)}, {"pending", study.pending().size()}, {"seq", study.last_seq()}};
}

std::vector<std::int64_t> entries_of_decision(const ServedStudy& study, DecisionId decision) {
  if (decision < 1 || decision > study.study().last_decision()) {
    throw RequestError(RequestError::Kind::not_found, fmt::format("there is no decision {}; the last one is {}",
                                                                  decision, study.study().last_decision()));
  }
  const auto concerns = [&](const Event& event) {
    if (const auto* decided = std::get_if<Decided>(&event)) {
      const std::vector<Decision>& made = decided->decisions;  // their ids ascend
      return !made.empty() && made.front().id <= decision && decision <= made.back().id;
    }
    if (const auto* settled = std::get_if<Settled>(&event)) return settled->decision == decision;
    if (const auto* corrected = std::get_if<Corrected>(&event)) return corrected->decision == decision;
    if (const auto* pulled = std::get_if<PulledInstead>(&event)) {
      return pulled->decision == decision || pulled->instead_of == decision;
    }
    return false;
  };
  std::vector<std::int64_t> found;
  std::int64_t seq = 0;
  for (const Event& event : study.log().events()) {
    ++seq;
    if (concerns(event)) found.push_back(seq);
  }
  return found;
}

Json series_json(const StudyHistory& history, std::size_t points) {
  std::vector<std::string> names = history.spec.arms;
  for (const Event& event : history.events) {
    if (const auto* added = std::get_if<ArmAdded>(&event)) names.push_back(added->name);
  }
  std::vector<std::vector<double>> rewards(names.size());
  std::vector<double> total;
  std::vector<Arm> pulls;
  double sum = 0;
  Pulls decided = 0;
  Pulls voided = 0;  // of those that were decided
  const ObservedRewards observed(history.events);
  using Origin = ObservedRewards::Pull::Origin;
  for (const ObservedRewards::Pull& pull : observed.pulls()) {
    decided += pull.origin == Origin::decided ? 1 : 0;
    voided += pull.is_voided() && pull.origin == Origin::decided ? 1 : 0;
    if (pull.is_voided()) continue;
    pulls.push_back(pull.arm);
    if (!pull.has_reward()) continue;
    rewards[static_cast<std::size_t>(pull.arm)].push_back(pull.outcome->reward);
    total.push_back(sum += pull.outcome->reward);
  }
  Json arms = Json::array();
  for (std::size_t arm = 0; arm < names.size(); ++arm) {
    arms.push_back({{"arm", names[arm]}, {"rewards", buckets_of(rewards[arm], points)}});
  }
  return {{"arms", std::move(arms)},
          {"allocation", allocation_of(pulls, names.size(), points)},
          {"total", buckets_of(total, points)},
          {"decided", decided},
          {"voided", voided},
          {"instead", observed.made(Origin::pulled_instead)},
          {"observations", observed.made(Origin::observed)}};
}

Json audit_json(const StudyHistory& history, const std::string& state) {
  StudyLog log(history.spec);
  Json differences = Json::array();
  std::vector<std::string> names = history.spec.arms;
  for (const Event& event : history.events) {
    if (const auto* added = std::get_if<ArmAdded>(&event)) names.push_back(added->name);
  }
  const auto names_of_arms = [&](const std::vector<Arm>& arms) {
    Json list = Json::array();
    for (const Arm arm : arms) list.push_back(names[static_cast<std::size_t>(arm)]);
    return list;
  };
  for (const auto& [event, difference] : log.replay(history.events)) {
    differences.push_back({{"seq", event},
                           {"recorded", names_of_arms(difference.recorded)},
                           {"recomputed", names_of_arms(difference.recomputed)}});
  }
  return {{"events", history.events.size()},
          {"state_agrees", snapshot(log) == state},
          {"decisions_differ", differences.size()},
          {"differences", std::move(differences)}};
}

}  // namespace longrun
