#include "longrun/data/repeated_ids.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <sstream>

#include "longrun/data/csv_history.h"

namespace longrun {
namespace {

using Rows = std::vector<std::string>;

Rows id_warnings(const std::string& header, const Rows& rows) {
  std::string csv = header + "\n";
  for (const std::string& row : rows) csv += row + "\n";
  std::istringstream text(csv);
  return read_csv_history("past.csv", text, {}).warnings;
}

/// Returns rows of an id, one of three arms and a yes/no reward, in random order.
Rows rows_of_ids(int rows, double rate, std::uint64_t seed, const std::string& more = "") {
  std::mt19937_64 random(seed);
  Rows made;
  for (int id = 0; id < rows; ++id) {
    const bool paid = static_cast<double>(random() % 1000) < 1000 * rate;
    made.push_back(fmt::format("{},arm {},{:d}{}", 70001 + 13 * id, "abc"[random() % 3], paid,
                               more.empty() ? "" : fmt::format(",{}", random() % 90)));
  }
  std::shuffle(made.begin(), made.end(), random);
  return made;
}

/// Adds the first of some rows once more, and puts all in random order.
Rows with_copies(Rows rows, std::ptrdiff_t copies, std::uint64_t seed) {
  const Rows copied(rows.begin(), rows.begin() + copies);
  rows.insert(rows.end(), copied.begin(), copied.end());
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64(seed));
  return rows;
}

TEST(RepeatedIds, OfShuffledCopiesAreAWarning) {
  for (const char* id : {"id", "order_id", "loan_id", "orderId", "Bestellnr", "ticket", "invoice no"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::string header = std::string(id) + ",arm,reward";
      const Rows rows = rows_of_ids(200, 0.3, seed);
      EXPECT_EQ(id_warnings(header, rows), Rows{}) << id;
      const Rows warnings = id_warnings(header, with_copies(rows, 40, seed));
      ASSERT_EQ(warnings.size(), 1U) << id;
      EXPECT_NE(warnings[0].find(fmt::format("40 of 200 values of column '{}' occur twice, with the same arm", id)),
                std::string::npos)
          << warnings[0];
    }
  }
}

TEST(RepeatedIds, AreNamedWithTheirFirstLines) {
  Rows rows = rows_of_ids(30, 0.5, 1);
  const Rows copied(rows.begin() + 3, rows.begin() + 23);
  rows.insert(rows.end(), copied.begin(), copied.end());
  std::reverse(rows.begin() + 30, rows.end());
  EXPECT_EQ(id_warnings("order,arm,reward", rows),
            Rows{"past.csv: 20 of 30 values of column 'order' occur twice, with the same arm and reward: the first in "
                 "line 5 and line 51; if they are ids, these rows are duplicates, and every row counts as a pull"});
}

TEST(RepeatedIds, AreCountedAndNamedOnlyIfTheirTwoRowsAreEqual) {
  Rows rows;
  for (int id = 0; id < 200; ++id) rows.push_back(fmt::format("{},arm {},{}", id, "abc"[id % 3], id + 0.25));
  for (std::size_t id = 39; id > 0; --id) rows.push_back(rows[id]);
  rows.emplace_back("0,arm a,7.5");       // the copy of the first row was edited
  rows.emplace_back("150,arm a,150.25");  // one id has three rows
  rows.emplace_back("150,arm a,150.25");
  EXPECT_EQ(id_warnings("order,arm,reward", rows),
            Rows{"past.csv: 39 of 200 values of column 'order' occur twice, with the same arm and reward: the first in "
                 "line 3 and line 240; if they are ids, these rows are duplicates, and every row counts as a pull"});
}

TEST(RepeatedIds, OfRowsFromBeforeAndAfterTheirRewardWasKnownAreAWarningThatSaysSo) {
  Rows rows;
  for (int id = 0; id < 200; ++id) rows.push_back(fmt::format("{},arm {},", id, "abc"[id % 3]));
  for (int id = 0; id < 60; ++id) rows.push_back(fmt::format("{},arm {},{}", id, "abc"[id % 3], id + 0.25));
  EXPECT_EQ(id_warnings("order,arm,reward", rows),
            Rows{"past.csv: 60 of 200 values of column 'order' occur twice, with the same arm and one of two rewards "
                 "known: the first in line 2 and line 202; if they are ids, these rows are duplicates, and every row "
                 "counts as a pull"});
}

TEST(RepeatedIds, OfPersonsCountIfTheirRowsAreEqualInOtherColumnsOrSoOftenThatItIsNoHabit) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Rows rows = rows_of_ids(200, 0.3, seed, "age");
    EXPECT_EQ(id_warnings("customer,arm,reward,age", with_copies(rows, 40, seed)).size(), 1U) << seed;
    const Rows many = rows_of_ids(400, 0.5, seed);
    EXPECT_EQ(id_warnings("customer,arm,reward", with_copies(many, 80, seed)).size(), 1U) << seed;
  }
}

TEST(RepeatedIds, OfCustomersWhoComeBackAreNoWarning) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t rate = 2 + random() % 60;  // percent
    Rows same_arm;                               // a customer keeps the arm
    Rows any_arm;
    for (int customer = 0; customer < 200; ++customer) {
      const char arm = "abc"[random() % 3];
      const std::size_t visits = random() % 5 > 0 ? 1 : seed % 2 == 0 ? 2 : 2 + random() % 3;
      for (std::size_t visit = 0; visit < visits; ++visit) {
        same_arm.push_back(fmt::format("{},arm {},{:d}", customer, arm, random() % 100 < rate));
        any_arm.push_back(fmt::format("{},arm {},{:d}", customer, "abc"[random() % 3], random() % 100 < rate));
      }
    }
    std::shuffle(same_arm.begin(), same_arm.end(), random);
    std::shuffle(any_arm.begin(), any_arm.end(), random);
    EXPECT_EQ(id_warnings("customer,arm,reward", same_arm), Rows{}) << seed;
    for (const char* id : {"customer", "id", "order_id"})
      EXPECT_EQ(id_warnings(std::string(id) + ",arm,reward", any_arm), Rows{}) << id << ' ' << seed;
  }
}

TEST(RepeatedIds, OfGroupsRoundsAndTheNumbersOfAnArmAreNoWarning) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    Rows groups;
    Rows numbers;
    for (int row = 0; row < 300; ++row) {
      groups.push_back(fmt::format("{},arm {},{:d}", random() % 40, "abc"[random() % 3], random() % 2));
      numbers.push_back(fmt::format("{},arm {},{:d}", row / 3 + 1, "abc"[row % 3], random() % 2));
    }
    EXPECT_EQ(id_warnings("user_id,arm,reward", groups), Rows{}) << seed;
    EXPECT_EQ(id_warnings("no,arm,reward", numbers), Rows{}) << seed;
  }
}

TEST(RepeatedIds, AreThoseOfColumnsThatAreCalledSo) {
  for (const char* name : {"id", "ID", "order_id", "OrderID", "loan", "transaction no", "Rechnungsnummer", "uuid"})
    EXPECT_EQ(ids_of(name), IdOf::an_event) << name;
  for (const char* name : {"customer", "user_id", "userid", "Kundennr", "Client"})
    EXPECT_EQ(ids_of(name), IdOf::a_person) << name;
  for (const char* name : {"age", "paid", "order_date", "order value", "customer age", "valid", "grid", "", "amount"})
    EXPECT_EQ(ids_of(name), IdOf::nothing) << name;
}

}  // namespace
}  // namespace longrun
