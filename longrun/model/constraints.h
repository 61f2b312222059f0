#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/decimal.h"
#include "longrun/base/rounds.h"
#include "longrun/base/types.h"
#include "longrun/model/arm_labels.h"

namespace longrun {

/// A value for every arm: one for all arms, and others for named arms.
template <class Value>
struct PerArm {
  Value every{};                 ///< the value of arms that are not named
  std::map<Arm, Value> named{};  ///< the values of named arms
  bool listed = false;           ///< whether the text was a list with one value per arm

  Value at(Arm arm) const {
    const auto found = named.find(arm);
    return found == named.end() ? every : found->second;
  }
  bool operator==(const PerArm&) const = default;
};

/// Constraints on the pulls of a problem. The horizon T of the problem is its budget, in units; without constraints a
/// unit is a pull.
///
/// - Rounds: every round grants `units_per_round` units, the last one what is left of T. All pulls of a round are
///   decided before any of its rewards is seen. Units that a round leaves unspent can be spent in later rounds; with
///   `units_lapse` they are lost (then every pull must cost 1).
/// - Costs: a pull of arm i costs cost_i units. By the end of round r at most the units of rounds 1 to r are spent.
/// - Minimum pulls: the smallest number of pulls of arm i by the end.
/// - Minimum share s_i: whenever u units have been spent, arm i has had at least floor(s_i (u - C + 1) / cost_i) pulls,
///   where C is the largest cost of any arm; where all cost 1, floor(s_i u). A pull of C units can't be interrupted,
///   hence the C - 1.
/// - Unavailable: rounds in which an arm can't be pulled.
///
/// An arm that is unavailable in some rounds has a share of the units of its other rounds: with G_i units in those,
/// floor(s_i (G_i - C + 1) / cost_i) pulls by the end. Once any arm is unavailable in some rounds, only the number of
/// pulls by the end is guaranteed, not when they are made: pulls that are due wait until their arm is available, and
/// the most urgent comes first.
///
/// Where people count in decimals, `unit_decimals` says how many: costs, units_per_round and the horizon of the problem
/// are in units of 10^-unit_decimals, so that sums are exact. Messages and texts show decimals.
struct Constraints {
  Pulls units_per_round = 1;
  PerArm<Pulls> costs{.every = 1};
  PerArm<Pulls> minimum_pulls{};
  PerArm<double> minimum_share{};
  std::map<Arm, std::vector<RoundRange>> unavailable{};
  bool units_lapse = false;
  int unit_decimals = 0;  ///< from 0 to kMostDecimals

  /// Returns constraints that restrict nothing, with units of `decimals` decimals.
  static Constraints with_decimals(int decimals) {
    const Pulls one = power_of_ten(decimals);
    return {.units_per_round = one, .costs = {.every = one}, .unit_decimals = decimals};
  }
  /// Returns a number of units as people write it.
  std::string units_text(Pulls units) const { return decimal_text(units, unit_decimals); }
  /// Returns the same with the noun: "1 unit", "2.5 units".
  std::string units_phrase(Pulls units) const { return units_text(units) + (is_one(units) ? " unit" : " units"); }
  /// Returns whether this is one unit, as people count.
  bool is_one(Pulls units) const { return units == power_of_ten(unit_decimals); }

  bool operator==(const Constraints&) const = default;
  /// Returns whether every constraint has its default value, which restricts nothing.
  bool none() const { return *this == Constraints{}; }
};

/// A constraint in the form in which users write it. Command-line options, config keys and Python arguments are built
/// from these. Each field also has a row in constraints.cpp, which reads and writes its text.
struct ConstraintField {
  std::string_view name;     ///< with underscores
  std::string_view form;     ///< a placeholder for its text: "ARM:FROM-TO,..."
  std::string_view meaning;  ///< help; with the default in parentheses, unless that is no restriction
  std::string_view example;  ///< a text that differs from the default
};
inline constexpr std::array kConstraintFields{
    ConstraintField{"units_per_round", "B", "units per round (1); its pulls are decided together", "5"},
    ConstraintField{"costs", "C", "units that a pull costs (1)", "1,2"},
    ConstraintField{"minimum_pulls", "N", "smallest number of pulls of an arm", "0:10"},
    ConstraintField{"minimum_share", "S", "smallest share of the spent units, at all times", "0.1"},
    ConstraintField{"unavailable", "ARM:FROM-TO,...", "rounds in which an arm can't be pulled, from 1", "1:100-200"},
    ConstraintField{"unspent", "keep|lapse", "whether unspent units of a round are kept or lapse (keep)", "lapse"},
};

/// The names of arms in texts of constraints.
struct ConstraintForm {
  const ArmLabels* arms = nullptr;  ///< not owned; nullptr: arms are named by their positions, from 0
  bool arms_are_ordered = true;     ///< whether a list with one value per arm is accepted
};

/// Sets one constraint from its text: "10" for every arm, "0:10,2:5" for named arms, "10,2:5" for named arms and all
/// others, "10,0,5" for each arm in order; for `unavailable` "2:100-200,0:50". quoted_list.h defines how names are
/// written. Units have at most `constraints.unit_decimals` decimals. Throws InputError, which quotes the text and
/// states what is accepted, but does not name the field.
void set_constraint(Constraints& constraints, std::string_view field, std::string_view text,
                    const ConstraintForm& form = {});

/// Returns the largest number of decimals of the units in the text of a field; 0 if the field has no units.
int unit_decimals_of(std::string_view field, std::string_view text);

/// Returns the text that sets the constraint; empty if it has its default value.
std::string constraint_text(const Constraints& constraints, std::string_view field, const ConstraintForm& form = {});
/// Returns the names and texts of all constraints that differ from their defaults.
std::vector<std::pair<std::string, std::string>> constraint_texts(const Constraints& constraints,
                                                                  const ConstraintForm& form = {});

}  // namespace longrun
