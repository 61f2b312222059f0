// Random programs of commands: whatever is done to a study, its events and snapshots rebuild it, and no rule is broken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/study_json.h"
#include "longrun/decide/study/study_log.h"
#include "longrun/decide/study/study_snapshot.h"
#include "longrun/policy/catalog.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

/// A program: numbers that are interpreted one after another, each as a command that fits the state of the study. Any
/// part of a program is a program, so that a failing one can be shortened.
using Program = std::vector<std::uint64_t>;

/// A source of small numbers from one large one.
class Digits {
 public:
  explicit Digits(std::uint64_t number) : number_(number) {}
  std::uint64_t below(std::uint64_t limit) {
    const std::uint64_t digit = number_ % limit;
    number_ = (number_ / limit) ^ (digit * 0x9e3779b97f4a7c15 >> 7);
    return digit;
  }

 private:
  std::uint64_t number_;
};

StudySpec spec_of(Digits digits) {
  StudySpec spec;
  const auto arms = 1 + digits.below(4);
  for (std::size_t arm = 0; arm < arms; ++arm) spec.arms.push_back(fmt::format("arm {}", arm));
  spec.budget = static_cast<Pulls>(1 + digits.below(60));
  const auto catalog = policy_catalog();
  do {
    spec.policy = catalog[digits.below(catalog.size())].name;
  } while (traits_of(spec.policy).needs_plan);
  switch (digits.below(3)) {
    case 0:
      spec.noise = NoNoise{};
      break;
    case 1:
      spec.noise = Gaussian{0.2};
      break;
    default:
      break;
  }
  if (digits.below(2) == 0) spec.scale = {-3, 5};
  if (digits.below(2) == 0) {
    spec.constraints.units_per_round = static_cast<Pulls>(1 + digits.below(5));
    if (digits.below(3) == 0) spec.constraints.minimum_pulls.every = 1;
    if (digits.below(3) == 0) spec.constraints.minimum_share.named[0] = 0.3;
    if (digits.below(3) == 0) spec.constraints.unavailable[0] = {{2, 4}};
    if (digits.below(3) == 0) {
      spec.constraints.units_lapse = true;
    } else if (digits.below(2) == 0) {
      spec.constraints.costs.named[0] = 2;
    }
  }
  spec.seed = digits.below(1000);
  return spec;
}

/// The expected state of a study, counted independently of it.
struct Expected {
  std::map<DecisionId, Decision> decisions;
  std::map<DecisionId, Outcome> outcomes;
  std::map<Arm, Pulls> observations;

  Pulls pulls(Arm arm) const {
    Pulls count = observations.contains(arm) ? observations.at(arm) : 0;
    for (const auto& [id, decision] : decisions) {
      const auto outcome = outcomes.find(id);
      const bool voided = outcome != outcomes.end() && outcome->second.kind == OutcomeKind::voided;
      count += decision.arm == arm && !voided ? 1 : 0;
    }
    return count;
  }
};

class Run {
 public:
  /// A calm program has only decisions, outcomes of pulls that were made, and their corrections: then every constraint
  /// is met.
  Run(const StudySpec& spec, bool calm) : log_(spec), calm_(calm) {}

  /// Interprets one number. Returns a description of the first broken rule, or an empty text.
  std::string step(std::uint64_t number) {
    Digits digits(number);
    // Not every time: snapshots take most of the time of a program.
    const std::string before = digits.below(4) == 0 ? snapshot(log_.study()) : std::string{};
    const auto changed = [&] { return !before.empty() && snapshot(log_.study()) != before; };
    StudyCommand command = command_of(digits);
    const Event* event = nullptr;
    try {
      event = log_.handle(command);
    } catch (const InputError&) {
      return changed() ? "a command that failed changed the study" : "";
    }
    if (event == nullptr && changed()) return "a command without an event changed the study";
    if (event != nullptr) {
      if (std::string broken = note(*event); !broken.empty()) return broken;
    }
    return rules();
  }

  /// Decides on the rest of the budget, if the program is calm, and checks that every minimum is met.
  std::string finish() {
    if (!calm_) return "";
    while (!log_.study().done()) {
      if (std::string broken = note(*log_.handle(Decide{})); !broken.empty()) return broken;
      if (std::string broken = rules(); !broken.empty()) return broken;
    }
    const StudySpec& spec = log_.study().spec();
    for (Arm arm = 0; arm < arms(); ++arm) {
      if (expected_.pulls(arm) < spec.constraints.minimum_pulls.at(arm)) return "a minimum is not met";
    }
    return "";
  }

  /// Returns the specification and the events.
  StudyHistory history() const { return {log_.study().initial_spec(), {log_.events().begin(), log_.events().end()}}; }

  /// Checks that events and snapshot rebuild the study.
  std::string rebuild() const {
    const std::string now = snapshot(log_.study());
    if (snapshot(restored(now)) != now) return "a restored study differs";
    const StudyHistory history = this->history();
    const StudyHistory read = history_from_json_lines(to_json_lines(history));
    if (read.events != history.events || read.spec != history.spec) return "JSON changed an event";
    StudyLog replayed(read.spec);
    const auto differences = replayed.replay(read.events);
    if (!differences.empty()) return fmt::format("replay decides otherwise at event {}", differences[0].event);
    if (snapshot(replayed.study()) != now) return "a replayed study differs";
    return "";
  }

 private:
  Arm arms() const { return static_cast<Arm>(log_.study().spec().arms.size()); }
  double reward(Digits& digits) const {
    const double unit = static_cast<double>(digits.below(101)) / 100;
    return digits.below(40) == 0 ? 1e6 : log_.study().spec().scale.from_unit(unit);
  }
  Outcome outcome(Digits& digits) const {
    switch (digits.below(6)) {
      case 0:
        return Outcome::lost();
      case 1:
        return calm_ ? Outcome::lost() : Outcome::voided();
      default:
        return Outcome::observed(reward(digits));
    }
  }
  /// Returns some arms, ascending.
  std::vector<Arm> some_arms(Digits& digits) const {
    std::vector<Arm> chosen;
    for (Arm arm = 0; arm < arms(); ++arm) {
      if (digits.below(2) == 0) chosen.push_back(arm);
    }
    return chosen;
  }
  DecisionId some_decision(Digits& digits) const {
    const auto pending = log_.study().pending();
    if (!pending.empty() && digits.below(4) > 0) return pending[digits.below(pending.size())].id;
    return static_cast<DecisionId>(digits.below(static_cast<std::uint64_t>(log_.study().last_decision()) + 2));
  }

  Constraints other_constraints(Digits& digits) const {
    Constraints constraints = log_.study().spec().constraints;
    const auto arm = static_cast<Arm>(digits.below(static_cast<std::uint64_t>(arms())));
    switch (digits.below(4)) {
      case 0:
        constraints.minimum_pulls.named[arm] = static_cast<Pulls>(digits.below(6));
        break;
      case 1:
        constraints.minimum_share.named[arm] = static_cast<double>(digits.below(6)) / 10;
        break;
      case 2:
        constraints.unavailable[arm] = {{static_cast<Pulls>(1 + digits.below(8)), 9}};
        break;
      default:
        constraints.unavailable.clear();
        break;
    }
    return constraints;
  }

  StudyCommand command_of(Digits& digits) const {
    if (calm_) {
      const auto kind = digits.below(5);
      if (kind < 2) return Decide{};
      if (kind < 4) return Report{some_decision(digits), outcome(digits)};
      return Correct{some_decision(digits), outcome(digits)};
    }
    switch (digits.below(18)) {
      case 16:
        return ChangeNoise{digits.below(2) == 0 ? std::nullopt : std::optional<Noise>(Gaussian{0.3})};
      case 17:
        return ChangeConstraints{other_constraints(digits)};
      case 0:
        return SetUnavailable{some_arms(digits)};
      case 1:
        return AddArm{fmt::format("arm {}", digits.below(8))};
      case 2:
        return ExtendBudget{static_cast<Pulls>(digits.below(20))};
      case 3:
        return Observe{static_cast<Arm>(digits.below(static_cast<std::uint64_t>(arms()))), reward(digits)};
      case 4:
        return Correct{some_decision(digits), outcome(digits)};
      case 5:
      case 6:
        return Decide{static_cast<Pulls>(1 + digits.below(4)), some_arms(digits)};
      case 7:
      case 8:
      case 9:
        return Decide{};
      default:
        return Report{some_decision(digits), outcome(digits)};
    }
  }

  std::string note(const Event& event) {
    if (const auto* decided = std::get_if<Decided>(&event)) {
      for (const Decision& decision : decided->decisions) {
        if (decision.id != static_cast<DecisionId>(expected_.decisions.size()) + 1)
          return "decision numbers have a gap";
        if (decision.pull != expected_.pulls(decision.arm) + 1) return "pull numbers have a gap";
        if (!decided->among.empty() &&
            std::find(decided->among.begin(), decided->among.end(), decision.arm) == decided->among.end()) {
          return "an arm was chosen that was not asked for";
        }
        if (!available(decision.arm, decided->round)) return "an arm was chosen that is unavailable";
        expected_.decisions[decision.id] = decision;
      }
    } else if (const auto* settled = std::get_if<Settled>(&event)) {
      if (expected_.outcomes.contains(settled->decision)) return "a decision was settled twice";
      expected_.outcomes[settled->decision] = settled->outcome;
    } else if (const auto* corrected = std::get_if<Corrected>(&event)) {
      was_void_ = was_void_ || expected_.outcomes[corrected->decision].kind == OutcomeKind::voided;
      expected_.outcomes[corrected->decision] = corrected->outcome;
    } else if (const auto* observed = std::get_if<Observed>(&event)) {
      ++expected_.observations[observed->arm];
    } else if (const auto* availability = std::get_if<AvailabilityChanged>(&event)) {
      unavailable_ = availability->unavailable;
    }
    return "";
  }

  bool available(Arm arm, Pulls round) const {
    if (std::find(unavailable_.begin(), unavailable_.end(), arm) != unavailable_.end()) return false;
    const auto& ranges = log_.study().spec().constraints.unavailable;
    const auto found = ranges.find(arm);
    return found == ranges.end() || std::none_of(found->second.begin(), found->second.end(), [&](RoundRange range) {
             return range.from <= round && round <= range.to;
           });
  }

  /// Checks that every arm has had its share whenever a pull was made.
  std::string shares() const {
    const Constraints& constraints = log_.study().spec().constraints;
    if (!calm_ || !constraints.unavailable.empty()) return "";
    Pulls spent = 0;
    Pulls largest_cost = 0;
    for (Arm arm = 0; arm < arms(); ++arm) {
      spent += expected_.pulls(arm) * constraints.costs.at(arm);
      largest_cost = std::max(largest_cost, constraints.costs.at(arm));
    }
    for (Arm arm = 0; arm < arms(); ++arm) {
      const double due = constraints.minimum_share.at(arm) * static_cast<double>(spent - largest_cost + 1) /
                         static_cast<double>(constraints.costs.at(arm));
      if (static_cast<double>(expected_.pulls(arm)) < std::floor(due - 1e-9)) return "a share is not met";
    }
    return "";
  }

  std::string rules() const {
    const Study& study = log_.study();
    Pulls spent = 0;
    for (Arm arm = 0; arm < arms(); ++arm) {
      const Pulls pulls = expected_.pulls(arm);
      if (study.pulls(arm) != pulls) return "pulls are miscounted";
      spent += pulls * study.policy().constraints().cost(arm);
    }
    if (study.spent() != spent) return "units are miscounted";
    // Only a void decision that turns out to have been made can exceed the budget: its units were spent again.
    if (!was_void_ && spent > study.spec().budget) return "the budget is exceeded";
    if (study.pending().size() != expected_.decisions.size() - expected_.outcomes.size()) return "pending is wrong";
    return shares();
  }

  StudyLog log_;
  Expected expected_;
  bool calm_;
  bool was_void_ = false;         // whether a void decision was corrected
  std::vector<Arm> unavailable_;  // by command
};

/// Returns a description of the first broken rule of a program and its events, or an empty text. The first number is
/// the study.
std::string run(const Program& program) {
  std::optional<Run> run;
  try {
    run.emplace(spec_of(Digits(program[0])), program[0] >> 62 == 0);
  } catch (const InputError&) {
    return "";  // constraints that cannot be met
  }
  for (std::size_t i = 1; i < program.size(); ++i) {
    if (const std::string broken = run->step(program[i]); !broken.empty()) {
      return broken + "\n" + to_json_lines(run->history());
    }
  }
  std::string broken;
  try {
    broken = run->rebuild();
    if (broken.empty()) broken = run->finish();
  } catch (const InputError& error) {
    broken = error.what();
  }
  return broken.empty() ? broken : broken + "\n" + to_json_lines(run->history());
}

/// Removes numbers from a failing program as long as it fails.
Program shortened(Program program) {
  for (std::size_t length = program.size() / 2; length >= 1; length /= 2) {
    for (std::size_t begin = 1; begin + length <= program.size();) {
      Program shorter = program;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(begin),
                    shorter.begin() + static_cast<std::ptrdiff_t>(begin + length));
      if (run(shorter).empty()) {
        ++begin;
      } else {
        program = std::move(shorter);
      }
    }
  }
  return program;
}

TEST(StudyPrograms, BreakNoRuleAndAreRebuiltByEventsAndSnapshots) {
  const auto programs = static_cast<std::uint64_t>((long_tests() ? 100'000 : 3'000) / sanitizer_slowdown());
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    std::mt19937_64 random(seed);
    Program program(2 + random() % 60);
    for (std::uint64_t& number : program) number = random();
    if (run(program).empty()) continue;
    program = shortened(program);
    FAIL() << "program " << seed << ", shortened: " << run(program);
  }
}

}  // namespace
}  // namespace longrun
