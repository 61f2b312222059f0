#include "longrun/decide/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/field_error.h"
#include "longrun/base/text.h"
#include "longrun/decide/next_round.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/model/arm_labels.h"

namespace longrun {
namespace {

void check_name(const std::string& arm) {
  if (arm.empty()) throw FieldError({"arms"}, "an arm has an empty name; every arm needs one");
  if (!is_utf8(arm)) throw FieldError({"arms"}, "the name of an arm is not valid UTF-8");
}

const StudySpec& checked(const StudySpec& spec) {
  if (spec.arms.empty()) throw FieldError({"arms"}, "none; a study needs at least one arm");
  std::set<std::string_view> names;
  for (const std::string& name : spec.arms) {
    check_name(name);
    if (!names.insert(name).second) {
      throw FieldError({"arms"}, fmt::format("'{}' is given twice; names must differ", name));
    }
  }
  if (spec.budget < 1 || spec.budget > kLongestHorizon) {
    throw FieldError({"budget"}, fmt::format("{} is not in 1..{}", spec.budget, kLongestHorizon));
  }
  check(spec.scale, spec.noise);
  if (spec_from_json(to_json(spec)) != spec) {  // also throws for values that cannot be read back
    throw FieldError({"constraints"},
                     "a list of values for each arm, and another value for every arm; one of them is enough");
  }
  return spec;
}

PolicyChoice policy_of(const StudySpec& spec) {
  PolicyChoice policy(spec.policy);
  if (policy.entry().traits.needs_plan) {
    throw FieldError({"policy"},
                     fmt::format("'{}' needs known reward curves, which a study does not have", policy.text()));
  }
  // The noise of yes/no rewards depends on their rate, so it is estimated as well.
  const bool known = spec.noise && !std::holds_alternative<Bernoulli>(*spec.noise);
  if (known || (spec.noise && !policy.entry().traits.estimates_noise)) return policy;
  if (policy.entry().traits.uses_noise && !policy.entry().traits.estimates_noise) {
    throw FieldError({"policy"},
                     fmt::format("'{}' needs the noise of the rewards; state it, or use '{}', which estimates it",
                                 policy.text(), kDefaultPolicy));
  }
  return policy.estimating_noise();
}

Setting setting_of(const StudySpec& spec) {
  return {.arms = static_cast<Arm>(spec.arms.size()),
          .horizon = spec.budget,
          .noise = spec.noise.value_or(NoNoise{}),
          .seed = spec.seed,
          .noise_known = spec.noise.has_value()};
}

StudySpec with_noise(StudySpec spec, const std::optional<Noise>& noise) {
  spec.noise = noise;
  return spec;
}

}  // namespace

Study::Study(StudySpec spec)
    : initial_spec_(std::move(spec)),
      spec_(initial_spec_),
      scale_(checked(spec_).scale, spec_.noise, arms()),
      policy_(policy_of(spec_), setting_of(spec_), spec_.constraints),
      order_(arms()) {}

Study::Study(StudySpec initial, StudySpec now) : Study(with_noise(initial, now.noise)) {
  const bool grows = now.arms.size() >= spec_.arms.size() && now.budget >= spec_.budget &&
                     std::equal(spec_.arms.begin(), spec_.arms.end(), now.arms.begin());
  if (!grows) throw InputError("the study has fewer arms or a smaller budget than at its start");
  checked(now);
  check_same_rounds(now.constraints);
  policy_.prepare_to_load(now.constraints, static_cast<Arm>(now.arms.size()), now.budget);
  initial_spec_ = std::move(initial);
  spec_ = std::move(now);
  scale_ = ScaleCheck(spec_.scale, spec_.noise, arms());
  order_ = OutcomeOrder(arms());
}

Study Study::restarted(const std::optional<Noise>& noise) const {
  Study study(with_noise(initial_spec_, noise));
  study.initial_spec_ = initial_spec_;
  return study;
}

bool Study::is_at_start() const {
  return last_decision_ == 0 && policy_.spent() == 0 && policy_.round() == 0 && policy_.unavailable_now().empty() &&
         !is_closed_ && with_noise(spec_, initial_spec_.noise) == initial_spec_;
}

std::string Study::policy_text() const { return policy_of(spec_).text(); }

void Study::check_open() const {
  if (is_closed_) throw InputError("the study is closed; only outcomes and corrections are accepted");
}

void Study::check_arm(Arm arm) const {
  if (arm < 0 || arm >= arms()) throw InputError(fmt::format("arm {} is not one of 0..{}", arm, arms() - 1));
}

void Study::check_ascending(std::span<const Arm> arms) const {
  for (std::size_t i = 0; i < arms.size(); ++i) {
    check_arm(arms[i]);
    if (i > 0 && arms[i] <= arms[i - 1]) {
      throw InputError(
          fmt::format("arm {} is listed after arm {}; list every arm once, in ascending order", arms[i], arms[i - 1]));
    }
  }
}

template <class Decisions>
auto Study::find_in(Decisions& decisions, DecisionId decision) -> decltype(&decisions.front()) {
  // The first one is never settled, and most outcomes are those of the oldest decisions.
  if (!decisions.empty() && decisions.front().id == decision) return &decisions.front();
  const auto found = std::lower_bound(decisions.begin(), decisions.end(), decision,
                                      [](const Pending& pending, DecisionId id) { return pending.id < id; });
  return found != decisions.end() && found->id == decision && found->arm != kSettled ? &*found : nullptr;
}

const Study::Pending* Study::find_pending(DecisionId decision) const { return find_in(pending_, decision); }

std::vector<Study::Pending> Study::pending() const {
  std::vector<Pending> result;
  for (const Pending& pending : pending_) {
    if (pending.arm != kSettled) result.push_back(pending);
  }
  return result;
}

void Study::remove_pending(Pending& pending) {
  pending.arm = kSettled;
  ++settled_;
  for (; !pending_.empty() && pending_.front().arm == kSettled; --settled_) pending_.pop_front();
  if (2 * settled_ <= pending_.size()) return;
  std::erase_if(pending_, [](const Pending& each) { return each.arm == kSettled; });
  settled_ = 0;
}

Decided Study::decide(Pulls count, std::span<const Arm> among) {
  Decided decided;
  decide(count, among, decided);
  return decided;
}

void Study::decide(Pulls count, std::span<const Arm> among, Decided& decided) {
  check_open();
  const bool rounds_are_pulls = policy_.constraints().rounds_are_pulls();
  if (count < 1) throw FieldError({"count"}, fmt::format("{} is less than 1", count));
  if (count > 1 && !rounds_are_pulls) {
    const bool is_free = spec_.constraints == Constraints::with_decimals(spec_.constraints.unit_decimals);
    throw FieldError({"count"}, fmt::format("is {}, but {} a round of {} is decided; leave it out", count,
                                            is_free ? "where units have decimals" : "under constraints",
                                            spec_.constraints.units_phrase(spec_.constraints.units_per_round)));
  }
  check_ascending(among);
  if (done()) throw InputError(nothing_left());
  const Pulls round = policy_.round();
  // If the last round goes on and no arm can be pulled, a choice that is not paid for yet must not have been given up.
  std::unique_ptr<ConstrainedPolicy> before;
  if (policy_.committed() > 0 && round == policy_.constraints().budget().rounds()) {
    before = std::make_unique<ConstrainedPolicy>(policy_);
  }
  decided.round = 0;
  decided.decisions.clear();
  decided.among.assign(among.begin(), among.end());
  for (Pulls rounds = 0; rounds < count && !done(); ++rounds) {
    throw_if_cancelled();
    if (!add_round(decided, among)) break;  // the next one would have no pulls either
  }
  if (!decided.decisions.empty() || policy_.round() > round) return;
  if (before) policy_ = std::move(*before);
  throw InputError(nothing_can_be_pulled(among));
}

std::string Study::nothing_left() const {
  if (overspent() > 0) {
    return fmt::format("the budget of {0} units is overspent by {1}; extend it by more than {1} to go on",
                       spec_.constraints.units_text(spec_.budget), spec_.constraints.units_text(overspent()));
  }
  const std::string budget = spec_.constraints.units_text(spec_.budget);
  const Pulls unspent = spec_.budget - spent();
  if (unspent == 0) return fmt::format("the budget of {} units is spent; extend it to go on", budget);
  if (left() == 0) {
    return fmt::format("all rounds are over, and {} of {} units {} lapsed; extend the budget to go on",
                       spec_.constraints.units_text(unspent), budget,
                       spec_.constraints.is_one(unspent) ? "has" : "have");
  }
  if (policy_.constraints().most_pulls(left()) == 0) {
    return fmt::format("the budget of {} units has {} left, too few for a pull of any arm; extend it to go on", budget,
                       spec_.constraints.units_text(left()));
  }
  return fmt::format(
      "the budget of {} units has {} left, but no coming round pays for an arm that is available in it; "
      "extend it to go on",
      budget, spec_.constraints.units_text(left()));
}

std::string Study::nothing_can_be_pulled(std::span<const Arm> among) const {
  std::vector<Arm> unavailable = policy_.unavailable_now();
  if (!among.empty()) {
    std::vector<Arm> excluded = std::exchange(unavailable, {});
    for (Arm arm = 0; arm < arms(); ++arm) {
      const bool is_asked_for = std::binary_search(among.begin(), among.end(), arm);
      if (!is_asked_for || std::binary_search(excluded.begin(), excluded.end(), arm)) unavailable.push_back(arm);
    }
  }
  const Constraints& constraints = spec_.constraints;
  const Pulls units = left();
  const Pulls next = std::min(policy_.round() + 1, policy_.constraints().budget().rounds());
  const char* const no_arm = among.empty() ? "no arm that is available now" : "no available arm of those asked for";
  const auto reason = [&]() -> std::string {
    switch (pull_obstacle(policy_, next, units, unavailable)) {
      case PullObstacle::all_unavailable:
        return among.empty() ? "all arms are unavailable" : "those asked for are unavailable";
      case PullObstacle::budget:
      case PullObstacle::costs:
        return fmt::format("{} costs as little as the {} left", no_arm, constraints.units_phrase(units));
      case PullObstacle::rounds:
        return fmt::format("{} can be paid for in a remaining round in which it is available", no_arm);
      case PullObstacle::minima:
      case PullObstacle::search_limit:
      case PullObstacle::none:
        break;
    }
    return fmt::format("the {} left {} reserved for minimum pulls and shares of other arms",
                       constraints.units_phrase(units), constraints.is_one(units) ? "is" : "are");
  };
  return "no arm can be pulled now: " + reason();
}

bool Study::add_round(Decided& decided, std::span<const Arm> among) {
  const std::span<const Arm> pulls = policy_.next_round(among);
  if (decided.round == 0) decided.round = policy_.round();
  const std::size_t first = decided.decisions.size();
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    decided.decisions.push_back({.id = ++last_decision_, .arm = pulls[i], .cause = policy_.causes()[i]});
    pending_.push_back({last_decision_, pulls[i]});
    order_.add(pulls[i], last_decision_);
  }
  const auto last_pull = [&](Arm arm) { return policy_.issued(arm) - policy_.saved_for(arm); };
  if (pulls.size() == 1) {
    decided.decisions.back().pull = last_pull(pulls[0]);
    return true;
  }
  std::map<Arm, Pulls> later;  // pulls of the round that were numbered, from the last one back
  for (std::size_t i = decided.decisions.size(); i-- > first;) {
    Decision& decision = decided.decisions[i];
    decision.pull = last_pull(decision.arm) - later[decision.arm]++;
  }
  return !pulls.empty();
}

double Study::unit_reward(Arm arm, double reward, Trust trust) {
  try {
    return scale_.add(arm, reward, spec_.arms, trust != Trust::accepted);
  } catch (const OutsideScaleError& error) {
    throw RewardError(std::string(error.what()) + "; check the reward, because the scale of a study cannot change");
  }
}

Settled Study::settle(DecisionId decision, const Outcome& outcome) { return settle(decision, outcome, Trust::none); }

Settled Study::settle(DecisionId decision, const Outcome& reported, Trust trust) {
  const Outcome outcome = checked(reported);
  Pending* found = find_in(pending_, decision);
  if (found == nullptr) {
    throw InputError(decision >= 1 && decision <= last_decision_
                         ? fmt::format("decision {} is settled already", decision)
                         : fmt::format("there is no decision {}; the last one is {}", decision, last_decision_));
  }
  const Arm arm = found->arm;
  const auto pass_on = [&](const OutcomeOrder::Result& result) {
    result.is_lost ? policy_.lose(arm) : policy_.observe(arm, result.reward);
  };
  switch (outcome.kind) {
    case OutcomeKind::observed: {
      const double unit = unit_reward(arm, outcome.reward, trust);
      order_.settle(arm, decision, {.reward = unit}, pass_on);
      break;
    }
    case OutcomeKind::lost:
      order_.settle(arm, decision, {.is_lost = true}, pass_on);
      break;
    case OutcomeKind::voided:
      policy_.cancel(arm);
      order_.remove(arm, decision, pass_on);
      break;
  }
  remove_pending(*found);
  return {decision, outcome};
}

Observed Study::observe(Arm arm, double reward) { return observe(arm, reward, Trust::none); }

Observed Study::observe(Arm arm, double reward, Trust trust) {
  check_open();
  check_arm(arm);
  const Pulls left = policy_.unspent() + policy_.committed();  // a choice that is not paid for yet is given up for it
  if (trust == Trust::none && overspent() > 0) throw InputError(nothing_left());
  if (trust == Trust::none && policy_.constraints().cost(arm) > left) {
    throw InputError(fmt::format("the budget of {} units has {} left, too few for a pull of {}; extend it to go on",
                                 spec_.constraints.units_text(spec_.budget),
                                 spec_.constraints.units_text(std::max<Pulls>(0, left)), arm_label(spec_.arms, arm)));
  }
  policy_.add(arm, unit_reward(arm, reward, trust));
  return {arm, reward};
}

PulledInstead Study::pull_instead(DecisionId instead_of, Arm arm) {
  if (instead_of < 1 || instead_of > last_decision_ || is_pending(instead_of)) {
    throw InputError(fmt::format("decision {} is not void, so nothing was pulled in its place", instead_of));
  }
  return {.decision = add_pending(arm), .arm = arm, .instead_of = instead_of};
}

DecisionId Study::add_pending(Arm arm) {
  check_arm(arm);
  policy_.add_pending(arm);
  pending_.push_back({++last_decision_, arm});
  order_.add(arm, last_decision_);
  return last_decision_;
}

AvailabilityChanged Study::set_unavailable(std::vector<Arm> arms) {
  check_open();
  check_ascending(arms);
  policy_.set_unavailable(arms);
  return {std::move(arms)};
}

ArmAdded Study::add_arm(std::string name) {
  check_open();
  check_name(name);
  if (std::find(spec_.arms.begin(), spec_.arms.end(), name) != spec_.arms.end()) {
    throw InputError(fmt::format("'{}' is an arm of the study already; names must differ", name));
  }
  policy_.add_arm(spec_.constraints);
  scale_.add_arm();
  order_.add_arm();
  spec_.arms.push_back(std::move(name));
  return {spec_.arms.back()};
}

BudgetExtended Study::extend_budget(Pulls units) {
  check_open();
  if (units < 1 || units > kLongestHorizon - spec_.budget) {
    throw InputError(fmt::format("units: {} is not in {}..{}", spec_.constraints.units_text(units),
                                 spec_.constraints.units_text(1),
                                 spec_.constraints.units_text(kLongestHorizon - spec_.budget)));
  }
  policy_.extend(spec_.constraints, units);
  spec_.budget += units;
  return {units};
}

void Study::check_same_rounds(const Constraints& constraints) const {
  const Constraints& now = spec_.constraints;
  const auto check_same = [&](std::string_view field, bool is_same) {
    if (is_same) return;
    throw FieldError({std::string(field)},
                     "cannot change while the study runs; minimum_pulls, minimum_share and unavailable can");
  };
  check_same("unit_decimals", constraints.unit_decimals == now.unit_decimals);
  check_same("units_per_round", constraints.units_per_round == now.units_per_round);
  check_same("costs", constraints.costs == now.costs);
  check_same("unspent", constraints.units_lapse == now.units_lapse);
}

ConstraintsChanged Study::change_constraints(const Constraints& constraints) {
  return change_constraints(constraints, Trust::none);
}

ConstraintsChanged Study::change_constraints(const Constraints& constraints, Trust trust) {
  check_open();
  check_same_rounds(constraints);
  StudySpec spec = spec_;
  spec.constraints = constraints;
  checked(spec);
  policy_.change(constraints, words_for(constraints, spec.arms),
                 trust == Trust::none ? ConstrainedPolicy::Feasible::checked : ConstrainedPolicy::Feasible::accepted);
  spec_ = std::move(spec);
  return {constraints};
}

Closed Study::close() {
  check_open();
  is_closed_ = true;
  return {};
}

void Study::save(Writer& writer) const {
  writer.write(scale_);
  writer.write(pending());
  writer.write(order_);
  writer.write(last_decision_);
  writer.write(is_closed_);
  policy_.save(writer);
}

void Study::load(Reader& reader) {
  Study study = *this;
  reader.read(study.scale_);
  const auto pending = reader.read<std::vector<Pending>>();
  study.pending_.assign(pending.begin(), pending.end());
  study.settled_ = 0;
  reader.read(study.order_);
  reader.read(study.last_decision_);
  reader.read(study.is_closed_);
  study.policy_.load(reader);
  *this = std::move(study);
}

std::uint64_t Study::layout() const {
  using Saved = archive_detail::TypeList<ScaleCheck, Pending, OutcomeOrder, bool>;
  return archive_detail::Layout<Saved>::hash_after(policy_.layout());
}

}  // namespace longrun
