#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/rounds.h"
#include "longrun/base/types.h"

namespace longrun {

/// A value for every arm: the same for all, or with some arms named.
template <class Value>
struct PerArm {
  Value every{};  ///< of arms that are not named
  std::map<Arm, Value> named{};
  bool listed = false;  ///< one value after another, as many as there are arms

  Value at(Arm arm) const {
    const auto found = named.find(arm);
    return found == named.end() ? every : found->second;
  }
  bool operator==(const PerArm&) const = default;
};

/// What an allocator may not do. The horizon T of a problem is its budget, in units; without constraints a unit is a
/// pull.
///
/// - Rounds: every round brings `units_per_round` units (the last one what is left of T). All pulls of a round are
///   decided before any of its rewards is seen. Units that a round leaves unspent are there in the next, or, with
///   `units_lapse`, lost (then every pull must cost 1).
/// - Costs: a pull of arm i takes cost_i units. By the end of round r no more is spent than r rounds have brought.
/// - Minimum pulls: arm i is pulled at least so often by the end.
/// - Minimum share s_i: whenever u units have been spent, arm i has had at least floor(s_i (u - C + 1) / cost_i) pulls,
///   where C is the largest cost of any arm; where all cost 1, floor(s_i u). A pull of C units can't be interrupted,
///   hence the C - 1.
/// - Unavailable: rounds in which an arm can't be pulled.
///
/// An arm that is away at times has its share of what the rounds bring in which it is there: with G_i units in those,
/// floor(s_i (G_i - C + 1) / cost_i) pulls by the end. That is promised. When they are made is not, once any arm is
/// away at times: what an arm is owed then waits for its return, and the most urgent comes first.
struct Constraints {
  Pulls units_per_round = 1;
  PerArm<Pulls> costs{.every = 1};
  PerArm<Pulls> minimum_pulls{};
  PerArm<double> minimum_share{};
  std::map<Arm, std::vector<RoundRange>> unavailable{};
  bool units_lapse = false;

  bool operator==(const Constraints&) const = default;
  /// Whether nothing is asked for.
  bool none() const { return *this == Constraints{}; }
};

/// One of the constraints as users write it: options of the command line and keys of a config are made from these.
struct ConstraintField {
  std::string_view name;  ///< with underscores
  std::string_view form;  ///< "N or ARM:N,..."
  std::string_view meaning;
};
inline constexpr std::array kConstraintFields{
    ConstraintField{"units_per_round", "B", "units that each round brings (1); its pulls are decided at once"},
    ConstraintField{"costs", "C", "units that a pull costs (1)"},
    ConstraintField{"minimum_pulls", "N", "pulls that an arm gets at least"},
    ConstraintField{"minimum_share", "S", "share of the units that an arm gets at least, all along"},
    ConstraintField{"unavailable", "ARM:FROM-TO,...", "rounds in which an arm can't be pulled, from 1"},
    ConstraintField{"unspent", "keep|lapse", "what becomes of units that a round leaves (keep)"},
};

/// Sets one constraint from a text: "10" for every arm, "0:10,2:5" for some, "10,0,5" for each of them in turn; of
/// `unavailable` "2:100-200,0:50". Throws InputError that quotes the text and says what is right, but not the field.
void set_constraint(Constraints& constraints, std::string_view field, std::string_view text);

/// The text that sets it; empty where nothing is asked for.
std::string constraint_text(const Constraints& constraints, std::string_view field);
/// The names and texts of all that is asked for.
std::vector<std::pair<std::string, std::string>> constraint_texts(const Constraints& constraints);

}  // namespace longrun
