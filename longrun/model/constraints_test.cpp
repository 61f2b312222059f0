#include "longrun/model/constraints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/model/arm_labels.h"
#include "longrun/model/resolved_constraints.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

Constraints constraints_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  Constraints constraints;
  for (const auto& [field, text] : texts) set_constraint(constraints, field, text);
  return constraints;
}

// ---- texts

/// All members of Constraints. Does not compile if one is missing.
auto members(const Constraints& constraints) {
  const auto& [units_per_round, costs, minimum_pulls, minimum_share, unavailable, units_lapse, unit_decimals] =
      constraints;  // the decimals are those of the texts, not a constraint
  return std::tie(units_per_round, costs, minimum_pulls, minimum_share, unavailable, units_lapse);
}
constexpr std::size_t kMembers = std::tuple_size_v<decltype(members(Constraints{}))>;

/// Returns, for each member, whether it differs from its default.
std::vector<bool> changed_members(const Constraints& constraints) {
  const Constraints defaults;
  const auto compare = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector<bool>{std::get<I>(members(constraints)) != std::get<I>(members(defaults))...};
  };
  return compare(std::make_index_sequence<kMembers>{});
}

TEST(Constraints, EveryMemberIsAFieldThatUsersCanWrite) {
  ASSERT_EQ(kConstraintFields.size(), kMembers);
  std::vector<bool> written(kMembers, false);
  for (const ConstraintField& field : kConstraintFields) {
    Constraints constraints;
    set_constraint(constraints, field.name, field.example);
    const std::vector<bool> changed = changed_members(constraints);
    ASSERT_EQ(std::count(changed.begin(), changed.end(), true), 1) << field.name;
    const auto member = static_cast<std::size_t>(std::find(changed.begin(), changed.end(), true) - changed.begin());
    EXPECT_FALSE(written[member]) << field.name << " sets the member of another field";
    written[member] = true;
    EXPECT_EQ(constraint_text(constraints, field.name), field.example);
    EXPECT_NE(field.form, "") << field.name;
    EXPECT_NE(field.meaning, "") << field.name;
  }
  EXPECT_EQ(std::count(written.begin(), written.end(), false), 0);
  EXPECT_THROW(constraint_text({}, "minimum_pull"), InputError);
}

TEST(Constraints, ReadValuesForEveryArmForSomeOrForEach) {
  const Constraints constraints = constraints_of({{"units_per_round", "5"},
                                                  {"costs", "1,2,3"},
                                                  {"minimum_pulls", "0:10,2:5"},
                                                  {"minimum_share", "0.25"},
                                                  {"unavailable", "2:100-200,0:50,2:300-301"}});
  EXPECT_EQ(constraints.units_per_round, 5);
  EXPECT_EQ(constraints.costs.at(1), 2);
  EXPECT_EQ(constraints.minimum_pulls.at(0), 10);
  EXPECT_EQ(constraints.minimum_pulls.at(1), 0);
  EXPECT_EQ(constraints.minimum_pulls.at(2), 5);
  EXPECT_EQ(constraints.minimum_share.at(7), 0.25);
  const Constraints others = constraints_of({{"costs", "2,1:4,3:5"}});
  EXPECT_EQ(others.costs.at(0), 2);
  EXPECT_EQ(others.costs.at(1), 4);
  EXPECT_EQ(others.costs.at(2), 2);
  EXPECT_EQ(others.costs.at(3), 5);
  EXPECT_EQ(constraints.unavailable.at(0), (std::vector<RoundRange>{{50, 50}}));
  EXPECT_EQ(constraints.unavailable.at(2), (std::vector<RoundRange>{{100, 200}, {300, 301}}));
}

TEST(Constraints, AreTheSameAfterTheirTextsAreRead) {
  const Constraints constraints = constraints_of({{"units_per_round", "5"},
                                                  {"costs", "3,1,2"},
                                                  {"minimum_pulls", "2:5,0:10"},
                                                  {"minimum_share", "0.1,3:0.2"},
                                                  {"unavailable", "2:100-200,0:50"},
                                                  {"unspent", "lapse"}});
  Constraints again;
  EXPECT_EQ(constraint_texts(constraints).size(), kConstraintFields.size());
  for (const auto& [field, text] : constraint_texts(constraints)) set_constraint(again, field, text);
  EXPECT_TRUE(constraint_texts(Constraints{}).empty()) << "defaults have no text";
  EXPECT_EQ(again, constraints);
  EXPECT_FALSE(again.none());
  EXPECT_TRUE(Constraints{}.none());
}

TEST(Constraints, RefuseInvalidTexts) {
  const auto about = [](const std::string& field, const std::string& text) {
    return error_of([&] { constraints_of({{field, text}}); });
  };
  for (const char* text : {"", "x", "-1", "1.5", "1,", "1,x", "0:1,2", "-1:3", "a:3", "0:", ":3", "1e3"}) {
    EXPECT_NE(about("minimum_pulls", text).find("whole number from 0"), std::string::npos) << text;
  }
  for (const char* text : {"1.1", "-0.1", "nan", "inf", "0:2", "half"}) {
    EXPECT_NE(about("minimum_share", text).find("a number from 0 to 1"), std::string::npos) << text;
  }
  for (const char* text : {"0", "0,1", "1:0"}) {
    EXPECT_EQ(about("costs", text), fmt::format("'{}': 0 is out of range; must be more than 0", text));
  }
  for (const char* text : {"0", "-3"}) {
    EXPECT_EQ(about("units_per_round", text), fmt::format("'{0}': {0} is out of range; must be more than 0", text));
  }
  EXPECT_TRUE(about("units_per_round", "1,000").ends_with(", without separators: 1000"));
  EXPECT_TRUE(about("minimum_pulls", "1,000").ends_with(", without separators: 1000")) << "not a list of 1 and 0";
  for (const char* text : {"0,2", "0:0,2", "0,25,1:0.3"}) {
    EXPECT_TRUE(about("minimum_share", text).find("; write 0.2") != std::string::npos) << about("minimum_share", text);
  }
  EXPECT_EQ(about("minimum_share", "0,2"), "'0,2': 2 is out of range; must be a number from 0 to 1; write 0.2");
  EXPECT_TRUE(about("minimum_share", "0,05").ends_with("; write 0.05"));
  EXPECT_EQ(about("minimum_share", "0.1,2"), "'0.1,2': 2 is out of range; must be a number from 0 to 1");
  for (const char* text : {"2.5", "1,2", "1:2"}) {
    EXPECT_NE(about("units_per_round", text).find("whole number from 1"), std::string::npos) << text;
  }
  for (const char* text : {"", "3", "0:", "0:0", "0:5-4", "0:a-b", "0:5-", "x:1-2", "-1:1-2", "0:1-2,"}) {
    EXPECT_NE(about("unavailable", text).find("ARM:FROM-TO"), std::string::npos) << text;
  }
  EXPECT_EQ(about("minimum_pulls", "0:3,1:2,0:4"), "'0:3,1:2,0:4': arm 0 is given twice");
  EXPECT_EQ(about("unspent", "vanish"), "'vanish' should read keep or lapse");
  EXPECT_NE(about("minimum_pull", "1").find("'minimum_pull' is not a constraint"), std::string::npos);
}

// ---- labels

TEST(ConstraintLabels, NameArmsAndNotPositions) {
  const ArmLabels labels({"2", "Small farms", "a:b", "tea, black", "1"});
  const ConstraintForm form{.arms = &labels, .arms_are_ordered = false};
  Constraints constraints;
  set_constraint(constraints, "costs", R"(Small farms:3, a:b:4, "tea, black":5)", form);
  set_constraint(constraints, "minimum_share", "1:0.5,2:0.25", form);
  set_constraint(constraints, "unavailable", R"(a:b:3-5,"tea, black":7)", form);
  EXPECT_EQ(constraints.costs.named, (std::map<Arm, Pulls>{{1, 3}, {2, 4}, {3, 5}}));
  EXPECT_EQ(constraints.minimum_share.named, (std::map<Arm, double>{{4, 0.5}, {0, 0.25}}));
  EXPECT_EQ(constraints.unavailable.at(2), (std::vector<RoundRange>{{3, 5}}));
  EXPECT_EQ(constraint_text(constraints, "costs", form), R"(Small farms:3,"a:b":4,"tea, black":5)");
  Constraints again;
  for (const auto& [field, text] : constraint_texts(constraints, form)) set_constraint(again, field, text, form);
  EXPECT_EQ(again, constraints);
}

TEST(ConstraintLabels, DoNotMoveWithTheOrderOfTheArms) {
  const ArmLabels one({"north", "south"});
  const ArmLabels other({"south", "north"});
  Constraints first;
  Constraints second;
  set_constraint(first, "minimum_pulls", "north:7", {.arms = &one});
  set_constraint(second, "minimum_pulls", "north:7", {.arms = &other});
  EXPECT_EQ(first.minimum_pulls.at(one.at("north")), 7);
  EXPECT_EQ(second.minimum_pulls.at(other.at("north")), 7);
}

TEST(ConstraintLabels, RefuseUnknownArmsAndListsWithoutAnOrder) {
  const ArmLabels labels({"north", "south, old"});
  const auto error = [&](const std::string& field, const std::string& text, bool are_ordered = false) {
    Constraints constraints;
    return error_of(
        [&] { set_constraint(constraints, field, text, {.arms = &labels, .arms_are_ordered = are_ordered}); });
  };
  EXPECT_EQ(error("costs", "nroth:2"),
            "'nroth:2': 'nroth' is not an arm; arms are north, south, old; did you mean 'north'?");
  EXPECT_EQ(error("unavailable", "0:2"), "'0:2': '0' is not an arm; arms are north, south, old");
  EXPECT_EQ(error("costs", "1,2"),
            "'1,2' is a list, but the arms have no given order; name them: north:1,\"south, old\":2");
  EXPECT_EQ(error("costs", "1,2,3"),
            "'1,2,3' is a list, but the arms have no given order; name them: north:1,\"south, old\":2,...");
  EXPECT_EQ(error("costs", "1,2", true), "no error");
  EXPECT_EQ(error("minimum_share", "10%"), "'10%': 10% is not a number; write 0.1");
  EXPECT_EQ(error("minimum_share", "north:2.5%"), "'north:2.5%': 2.5% is not a number; write 0.025");
  EXPECT_EQ(error("costs", "2"), "no error") << "one value for every arm needs no order";
  EXPECT_EQ(error("costs", "north:1,north:2"), "'north:1,north:2': arm north is given twice");
}

// ---- decimals

TEST(DecimalUnits, AreWholeMultiplesOfTheSmallestUnit) {
  EXPECT_EQ(unit_decimals_of("costs", "0:2.5,1:0.125,3"), 3);
  EXPECT_EQ(unit_decimals_of("minimum_share", "0.25"), 0) << "a share is no number of units";
  Constraints constraints = Constraints::with_decimals(3);
  EXPECT_TRUE(constraint_texts(constraints).empty()) << "still the defaults";
  set_constraint(constraints, "costs", "0:2.5,1:0.125");
  set_constraint(constraints, "units_per_round", "10.5");
  EXPECT_EQ(constraints.costs.at(0), 2500);
  EXPECT_EQ(constraints.costs.at(1), 125);
  EXPECT_EQ(constraints.costs.at(2), 1000) << "the default cost is one unit";
  EXPECT_EQ(constraints.units_per_round, 10'500);
  EXPECT_EQ(constraint_text(constraints, "costs"), "0:2.5,1:0.125");
  EXPECT_EQ(constraint_text(constraints, "units_per_round"), "10.5");
  EXPECT_EQ(error_of([&] { set_constraint(constraints, "costs", "0.0001"); }).find("'0.0001' should read X"), 0U);
  EXPECT_EQ(error_of([&] { set_constraint(constraints, "units_per_round", "0"); }),
            "'0': 0 is out of range; must be more than 0");
}

TEST(DecimalUnits, TenTenthsAreOne) {
  Constraints constraints = Constraints::with_decimals(1);
  set_constraint(constraints, "costs", "0.1");
  const ResolvedConstraints resolved(constraints, 2, 10);  // 1.0 units
  EXPECT_EQ(resolved.most_pulls(), 10);
  EXPECT_EQ(resolved.most_pulls(10 - 9 * resolved.cost(0)), 1) << "one pull is left after nine";
}

TEST(DecimalUnits, ErrorsShowThemAsTheyWereWritten) {
  Constraints constraints = Constraints::with_decimals(1);
  set_constraint(constraints, "costs", "2.5");
  EXPECT_EQ(error_of([&] { ResolvedConstraints(constraints, 2, 20); }),
            "costs: the cheapest pull costs 2.5 units, more than the horizon of 2 units");
  set_constraint(constraints, "unspent", "lapse");
  EXPECT_EQ(error_of([&] { ResolvedConstraints(constraints, 2, 100); }),
            "unspent: units can lapse only if every pull costs 1, but one costs 2.5");
}

// ---- resolved

TEST(ResolvedConstraints, SharesAreWholePullsByTheEnd) {
  const ResolvedConstraints resolved(constraints_of({{"minimum_share", "0.29,0.7,0.01"}}), 3, 100);
  EXPECT_EQ(resolved.share_pulls(0), 29) << "0.29 times 100 is less in floating point";
  EXPECT_EQ(resolved.share_pulls(1), 70);
  EXPECT_EQ(resolved.share_pulls(2), 1);
  EXPECT_EQ(resolved.least_pulls(2), 1);
  EXPECT_EQ(resolved.share_release(2, 1), 0);
  EXPECT_EQ(resolved.share_due(2, 1), 100);
  const ResolvedConstraints limited(constraints_of({{"minimum_share", "0.5"}, {"unavailable", "1:41-60,1:51-100"}}), 2,
                                    100);
  EXPECT_EQ(limited.share_pulls(0), 50);
  EXPECT_EQ(limited.share_pulls(1), 20) << "of the 40 rounds in which it is available";
  EXPECT_EQ(limited.unavailable()[1], (std::vector<RoundRange>{{41, 100}})) << "ranges that touch are merged";
  EXPECT_TRUE(limited.available(1, 40));
  EXPECT_FALSE(limited.available(1, 41));
}

TEST(ResolvedConstraints, RefuseWhatIsInvalid) {
  const auto about = [](const std::vector<std::pair<std::string, std::string>>& texts, Arm arms, Pulls horizon) {
    return error_of([&] { ResolvedConstraints(constraints_of(texts), arms, horizon); });
  };
  EXPECT_EQ(about({{"minimum_pulls", "2:5"}}, 2, 10), "minimum_pulls: arm 2 is not one of 0..1");
  EXPECT_EQ(about({{"costs", "1,2,3"}}, 2, 10), "costs: 3 values for 2 arms");
  EXPECT_EQ(about({{"costs", "11"}}, 2, 10),
            "costs: the cheapest pull costs 11 units, more than the horizon of 10 units");
  EXPECT_EQ(about({{"minimum_share", "0.6"}}, 2, 10),
            "minimum_share: the shares of all 2 arms add up to 1.2, more than 1");
  EXPECT_EQ(about({{"minimum_share", "0.4"}}, 3, 10),
            "minimum_share: the shares of all 3 arms add up to 1.2, more than 1")
      << "0.4 + 0.4 + 0.4 is 1.2000000000000002";
  EXPECT_EQ(about({{"unavailable", "4:1-2"}}, 2, 10), "unavailable: arm 4 is not one of 0..1");
  EXPECT_EQ(about({{"unspent", "lapse"}, {"costs", "1:2"}}, 2, 10),
            "unspent: units can lapse only if every pull costs 1, but one costs 2");
  EXPECT_EQ(about({{"minimum_share", "0.1"}}, 10, 1000), "no error") << "ten tenths are one";
  const std::string never = "unavailable: no arm can ever be pulled in the 10 rounds";
  EXPECT_EQ(about({{"unavailable", "0:1-10,1:1-20"}}, 2, 10), never);
  EXPECT_EQ(about({{"unavailable", "0:1-10,1:1-20"}, {"unspent", "lapse"}}, 2, 10), never);
  EXPECT_EQ(about({{"unavailable", "0:1-10,1:3-10"}, {"costs", "3"}}, 2, 10), never) << "2 units do not pay for a pull";
  EXPECT_EQ(about({{"unavailable", "0:1-10,1:4-10"}, {"costs", "3"}}, 2, 10), "no error");
  EXPECT_EQ(about({{"unavailable", "0:1-10,1:1-9"}}, 2, 10), "no error");
  EXPECT_EQ(about({}, 0, 10), "arms 0 is not at least 1");
  EXPECT_EQ(about({}, 1, 0), "horizon 0 is not at least 1");
  EXPECT_EQ(error_of([] { ResolvedConstraints({.units_per_round = 0}, 1, 1); }),
            "units_per_round: 0 is not at least 1");
}

}  // namespace
}  // namespace longrun
