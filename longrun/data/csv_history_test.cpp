#include "longrun/data/csv_history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "longrun/base/input_error.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

History read(const std::string& csv, const ArmsGiven& given = {}) {
  std::istringstream text(csv);
  return read_csv_history("past.csv", text, given);
}

std::string error_of_history(const std::string& csv) {
  return error_of([&] { read(csv); });
}

using Names = std::vector<std::string>;

/// Returns the pulls without their lines.
std::vector<std::pair<Arm, std::optional<double>>> pulls_of(const History& history) {
  std::vector<std::pair<Arm, std::optional<double>>> pulls;
  for (const PastPull& pull : history.pulls) pulls.emplace_back(pull.arm, pull.reward);
  return pulls;
}
using ReadPulls = std::vector<std::pair<Arm, std::optional<double>>>;

TEST(CsvHistory, ACellIsALabelAndNeverAPosition) {
  const History history = read("arm,reward\n3,0.5\n1,0.25\n4,0\n2,1\n1,0.75\n");
  EXPECT_EQ(history.arm_names, (Names{"1", "2", "3", "4"})) << "no arm is called 0";
  EXPECT_EQ(pulls_of(history), (ReadPulls{{2, 0.5}, {0, 0.25}, {3, 0}, {1, 1}, {0, 0.75}}));
}

TEST(CsvHistory, WholeNumbersAreOrderedNumericallyAndOtherLabelsAsTheyAppear) {
  EXPECT_EQ(read("arm,reward\n10,0\n9,0\n-3,0\n-20,0\n").arm_names, (Names{"-20", "-3", "9", "10"}));
  EXPECT_EQ(read("arm,reward\n100000000000000000001,0\n100000000000000000000,0\n").arm_names,
            (Names{"100000000000000000000", "100000000000000000001"}));
  EXPECT_EQ(read("arm,reward\n10,0\nb,0\n9,0\n").arm_names, (Names{"10", "b", "9"}));
  EXPECT_EQ(read("arm,reward\n58121,0.5\n10234,0.25\n").arm_names, (Names{"10234", "58121"})) << "identifiers";
}

TEST(CsvHistory, AFileThatIsThereTwiceIsAWarning) {
  std::string once;
  for (int i = 0; i < 30; ++i)
    once += std::string(i % 3 == 0 ? "a" : "b") + ",0." + std::to_string(i * 37 % 90 + 10) + "\n";
  EXPECT_TRUE(read("arm,reward\n" + once).warnings.empty());
  EXPECT_EQ(read("arm,reward\n" + once + once).warnings,
            (Names{"past.csv: from line 32 on, the rows repeat those from line 2 on exactly; every row counts as a "
                   "pull"}));
  EXPECT_EQ(read("arm,reward\n" + once + once + "a,0.5\nb,0.5\n").warnings,
            (Names{"past.csv: from line 32 to line 61, the rows repeat those from line 2 on exactly; every row counts "
                   "as a pull"}));
  std::string equal;
  for (int i = 0; i < 60; ++i) equal += i % 2 == 0 ? "a,1\n" : "b,0\n";
  EXPECT_TRUE(read("arm,reward\n" + equal).warnings.empty()) << "such rows always repeat";
}

TEST(CsvHistory, PositionsWithoutTheFirstAreAWarning) {
  const std::string rows = "arm,reward\n1,0.5\n2,0.5\n3,0.5\n";
  const History history = read(rows, {.positions = true});
  EXPECT_EQ(history.arms(), 4);
  ASSERT_EQ(history.warnings.size(), 1U);
  EXPECT_TRUE(history.warnings[0].starts_with("past.csv: positions count from 0, but no row has arm 0"));
  EXPECT_TRUE(read(rows, {.count = 4, .positions = true}).warnings.empty()) << "the number of arms is known";
  EXPECT_TRUE(read(rows).warnings.empty()) << "labels";
  EXPECT_TRUE(read("arm,reward\n0,0.5\n2,0.5\n", {.positions = true}).warnings.empty());
}

TEST(CsvHistory, OneNumberInTwoFormsIsAnError) {
  EXPECT_EQ(error_of_history("arm,reward\n1,0\n01,0\n"),
            "past.csv: arms '1' and '01' are the same number; write every arm in one way");
  EXPECT_EQ(error_of_history("arm,reward\n7,0\nx,0\n7.0,0\n"),
            "past.csv: arms '7' and '7.0' are the same number; write every arm in one way");
}

TEST(CsvHistory, LabelsThatDifferOnlyInCaseAreAWarning) {
  EXPECT_EQ(read("arm,reward\nNorth,0\nnorth,0\n").warnings,
            Names{"past.csv: arms 'North' (1 row) and 'north' (1 row) differ only in upper and lower case; they count "
                  "as two arms"});
  EXPECT_TRUE(read("arm,reward\nNorth,0\nSouth,0\n").warnings.empty());
  std::string many = "arm,reward\n";
  for (char c = 'a'; c <= 'z'; ++c)
    many += std::string(1, c) + ",0\n" + std::string(1, static_cast<char>(c - 32)) + ",0\n";
  EXPECT_EQ(read(many).warnings.size(), 11U);
  EXPECT_EQ(read(many).warnings.back(),
            "past.csv: 16 more arms look like others, differ only in case, or may be spellings of others");
}

TEST(CsvHistory, LabelsThatLookTheSameAreAWarning) {
  const auto warning = [](const std::string& a, const std::string& b) {
    return "past.csv: arms '" + a + "' (1 row) and '" + b +
           "' (1 row) look the same, but differ in blanks, invisible characters, full-width letters or the encoding of "
           "accents; they count as two arms";
  };
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{{"Caf\u00e9", "Cafe\u0301"},
                                                                             {"new  shop", "new shop"},
                                                                             {"new shop", "new\u00a0shop"},
                                                                             {"shop", "sh\u200bop"},
                                                                             {"\u00c5s", "A\u030as"}}) {
    EXPECT_EQ(read(fmt::format("arm,reward\n{},0\n{},0\n", a, b)).warnings, Names{warning(a, b)}) << a;
  }
  EXPECT_EQ(read("arm,reward\nM\u00fcller,0\nMuller,0\n").warnings.size(), 1U) << "an accent is left out";
}

TEST(CsvHistory, AnArmForNearlyEveryRowIsAWarningIfThereIsAnotherColumn) {
  std::string orders = "arm,group,reward\n";
  std::string first = "arm,reward\n";
  for (int i = 0; i < 40; ++i) {
    orders += "order " + std::to_string(i) + (i % 2 == 0 ? ",north,1\n" : ",south,0\n");
    first += "id" + std::to_string(i) + ",1\n";
  }
  EXPECT_EQ(read(orders).warnings,
            Names{"past.csv: 40 rows have 40 different arms; is another column that of the arms?"});
  EXPECT_TRUE(read(first).warnings.empty()) << "the first pull of each of many arms";
}

TEST(CsvHistory, LabelsThatAreNotUtf8AreRefused) {
  EXPECT_EQ(error_of_history("arm,reward\nok,0\nM\xFCller,0\n"),
            "past.csv: line 3, column 1 (arm): the arm is not encoded in UTF-8; save the file as UTF-8");
  EXPECT_NO_THROW(read("arm,reward,note\nok,0,M\xFCller\n")) << "other columns are not read";
  EXPECT_EQ(error_of_history(std::string("\xFF\xFE") + std::string("a\0r\0m\0", 6)),
            "past.csv: is encoded in UTF-16; save it as UTF-8");
  EXPECT_EQ(error_of_history(std::string("a\0r\0m\0", 6)), "past.csv: is encoded in UTF-16; save it as UTF-8");
}

TEST(CsvHistory, SaysHowToWriteAnAmount) {
  const auto error = [](const std::string& cell) { return error_of_history("arm;reward\na;" + cell + "\n"); };
  EXPECT_TRUE(error("1,234.50").ends_with("write 1234.50, without separators of thousands"));
  EXPECT_TRUE(error("1.234,50").ends_with("write 1234.50, without separators of thousands and with a decimal point"));
  EXPECT_TRUE(error("\u20ac12.50").ends_with("write 12.50, without the currency"));
  EXPECT_TRUE(error("12.50 EUR").ends_with("write 12.50, without the currency"));
  EXPECT_TRUE(error("(167.19)").ends_with("write -167.19, with a minus sign instead of parentheses"));
  EXPECT_TRUE(error("12,5").ends_with("the decimal mark must be a point"));
  EXPECT_TRUE(error("a.b,c").ends_with("is not a finite number"));
}

TEST(CsvHistory, ATypographicMinusSignIsOne) {
  EXPECT_EQ(read("arm,reward\na,\u2212167.19\n").pulls[0].reward, -167.19);
}

TEST(CsvHistory, ALoneDashIsAnErrorThatSaysWhatItMayMean) {
  for (const std::string dash : {"-", "--", "\u2212", "\u2013", "\u2014"}) {
    EXPECT_EQ(error_of_history("arm,reward\na," + dash + "\n"),
              "past.csv: line 2, column 2 (reward): '" + dash +
                  "' is not a finite number; write 0 if it means zero, or leave the cell empty if the reward is not "
                  "known yet");
  }
}

TEST(CsvHistory, ALostRewardIsWrittenInItsCellOrAsTheOutcomeOfItsPull) {
  const auto lost = [](const std::string& csv) {
    std::vector<bool> all;
    for (const PastPull& pull : read(csv).pulls) {
      EXPECT_FALSE(pull.lost && pull.reward);
      all.push_back(pull.lost);
    }
    return all;
  };
  EXPECT_EQ(lost("arm,reward\na,lost\nb,\na,Lost\nb,0.5\n"), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(lost("arm,outcome,reward\na,lost,\nb,pending,\na,Lost,\nb,observed,lost\na,LOST,lost\n"),
            (std::vector<bool>{true, false, true, true, true}));
  for (const char* word : {"lost", "Lost"}) {
    EXPECT_EQ(error_of_history(fmt::format("arm,outcome,reward\na,observed,0.5\na,{},0.25\n", word)),
              fmt::format("past.csv: line 3, column 3 (reward): reward '0.25' contradicts the outcome '{}'; leave the "
                          "cell empty, or rename the column 'outcome' if it does not have the outcomes of a study",
                          word));
  }
  EXPECT_EQ(lost("arm,reward,result\na,,lost\n"), std::vector<bool>{false}) << "a column of another name";
}

TEST(CsvHistory, AWordForAPendingOrLostRewardIsAnErrorThatSaysWhatToWrite) {
  for (const std::string word : {"pending", "Pending", "n/a", "offen", "TBD", "pendiente"}) {
    EXPECT_EQ(error_of_history("arm,reward\na," + word + "\n"),
              "past.csv: line 2, column 2 (reward): '" + word +
                  "' is not a finite number; leave the cell empty if the reward is not known yet");
  }
  for (const std::string word : {"no reply", "verloren"}) {
    EXPECT_EQ(error_of_history("arm,reward\na," + word + "\n"),
              "past.csv: line 2, column 2 (reward): '" + word +
                  "' is not a finite number; leave the cell empty if the reward is not known yet, or write lost if it "
                  "will never be known");
  }
  for (const char* word : {"#12", "#", "#b"}) {
    EXPECT_EQ(error_of_history(std::string("arm,reward\na,") + word + "\n"),
              std::string("past.csv: line 2, column 2 (reward): '") + word + "' is not a finite number")
        << "no error value of Excel";
  }
  for (const char* word : {"#N/A", "#NAME?", "#WERT!", "#NV"})
    EXPECT_NE(error_of_history(std::string("arm,reward\na,") + word + "\n").find("leave the cell empty"),
              std::string::npos)
        << word;
  EXPECT_EQ(error_of_history("arm,reward\na,x\n"), "past.csv: line 2, column 2 (reward): 'x' is not a finite number");
}

TEST(CsvHistory, ALineThatIsNoPullIsAnErrorThatSaysToRemoveIt) {
  EXPECT_EQ(error_of_history("arm,reward\na,0.5\narm,reward\nb,0.5\n"),
            "past.csv: line 3, column 1 (arm): the line is the header once more; remove it");
  EXPECT_EQ(error_of_history("arm,reward,day\na,0.5,1\n,,\n"),
            "past.csv: line 3, column 1 (arm): all cells of the line are empty; remove it");
  EXPECT_EQ(error_of_history("arm reward\na 0.5\n"),
            "past.csv: line 1 has no column 'arm'; its only column is arm reward; it must name all columns, with "
            "commas, semicolons, tabs or | between them");
  EXPECT_EQ(read("arm,reward\narm,0.5\n").arm_names, Names{"arm"}) << "an arm may be called so";
  EXPECT_EQ(error_of_history("arm,reward\na,#DIV/0!\n"),
            "past.csv: line 2, column 2 (reward): '#DIV/0!' is not a finite number; leave the cell empty if the reward "
            "is not known yet");
}

TEST(CsvHistory, RowsThatAreSortedByTheirRewardsAreAWarning) {
  std::string csv = "arm,reward\n";
  for (int i = 0; i < 60; ++i) csv += std::string(i * i % 7 < 3 ? "a," : "b,") + fmt::format("{:.2f}\n", i / 100.0);
  const History history = read(csv);
  ASSERT_EQ(history.warnings.size(), 1U);
  EXPECT_TRUE(history.warnings[0].starts_with("past.csv: the rows seem to be sorted by their rewards, or rewards to "));
}

TEST(CsvHistory, RowsInAnOrderThatIsConfirmedOrNotToBeCheckedAreNotSortedByTheirRewards) {
  std::string csv = "arm,reward,date\n";
  for (int i = 0; i < 60; ++i)
    csv += fmt::format("{},{:.2f},2024-{:02}-{:02}\n", i * i % 7 < 3 ? "a" : "b", i / 100.0, 1 + i / 28, 1 + i % 28);
  EXPECT_EQ(read(csv).warnings, std::vector<std::string>{});
  std::istringstream text(csv);
  EXPECT_EQ(read_csv_history("past.csv", text, {}, {.time = ""}).warnings, std::vector<std::string>{});
}

TEST(CsvHistory, SeparatorsAtTheEndOfALineAddNoCells) {
  const History history = read("arm,reward\na,0.5,\nb,0.25,,\na,,\n");
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{0, 0.5, 2}, {1, 0.25, 3}, {0, std::nullopt, 4}}));
  EXPECT_EQ(read("arm;reward\na;0.5;\n").pulls.size(), 1U);
  EXPECT_EQ(error_of_history("arm,reward\na,0.5,x\n"),
            "past.csv: line 2 has 3 columns, the header 2; a cell that contains a comma must be in quotes");
  EXPECT_EQ(error_of_history("arm,reward\na,0,5\n"),
            "past.csv: line 2 has 3 columns, the header 2; the decimal mark must be a point, and a cell that "
            "contains a comma must be in quotes");
  EXPECT_EQ(error_of_history("arm,reward\n3,5,x,y\n"),
            "past.csv: line 2 has 4 columns, the header 2; a cell that contains a comma must be in quotes")
      << "a number with a comma is not enough to explain two more columns";
  EXPECT_EQ(error_of_history("arm;reward\na;0.5;x\n"),
            "past.csv: line 2 has 3 columns, the header 2; a cell that contains a semicolon must be in quotes");
}

TEST(CsvHistory, AFirstLineMayStateTheSeparatorAsExcelReadsIt) {
  const std::vector<PastPull> expected{{0, 0.5, 3}};
  EXPECT_EQ(read("sep=;\narm;reward\ntea;0.5\n").pulls, expected);
  EXPECT_EQ(read("\xEF\xBB\xBFSEP=,\r\narm,reward\r\ntea,0.5\r\n").pulls, expected);
  EXPECT_EQ(read("sep=\t\narm\treward\ntea\t0.5\n").pulls, expected);
  EXPECT_EQ(read("sep=\t\r\narm\treward\t\r\ntea\t0.5\t\r\n").pulls, expected);
  EXPECT_EQ(read("sep=;\narm;reward;a,b\ntea;0.5;x\n").pulls, expected) << "the header does not decide then";
  EXPECT_EQ(error_of_history("sep=;\narm;pay\n"), "past.csv: line 2 has no column 'reward'; its columns are arm, pay");
  EXPECT_EQ(error_of_history("sep=;\n\n"), "past.csv: line 2 is empty; it should name the columns arm and reward");
  EXPECT_EQ(error_of_history("sep=;\n"), "past.csv: ends after line 1; line 2 should name the columns arm and reward");
  EXPECT_EQ(read("sep=|\narm|reward\ntea|0.5\n").pulls, expected);
  EXPECT_EQ(read("\"sep=;\"\narm;reward\ntea;0.5\n").pulls, expected) << "in quotes";
  EXPECT_EQ(error_of_history("sep=:\narm:reward\n"),
            "past.csv: line 1 has separator ':', which is not a comma, semicolon, tab or vertical bar");
}

TEST(CsvHistory, AVerticalBarSeparatesColumnsIfTheHeaderHasNoOtherSeparator) {
  EXPECT_EQ(pulls_of(read("arm|reward\ntea, black|0.5\n\"a|b\"|1\n")), (ReadPulls{{0, 0.5}, {1, 1}}));
  EXPECT_EQ(read("arm,reward,a|b\ntea,0.5,1\n").arm_names, Names{"tea"});
  EXPECT_EQ(error_of_history("arm|reward\na|0.5|x\n"),
            "past.csv: line 2 has 3 columns, the header 2; a cell that contains a vertical bar must be in quotes");
}

TEST(CsvHistory, AHeaderInAnotherEncodingIsNamedIfAColumnIsMissing) {
  EXPECT_EQ(error_of_history("Verk\xE4ufer,Erl\xF6s\na,0.5\n"),
            "past.csv: line 1 has no column 'arm', and is not encoded in UTF-8; save the file as UTF-8");
  EXPECT_EQ(read("arm,reward,Gr\xF6\xDF"
                 "e\na,0.5,1\n")
                .arm_names,
            Names{"a"})
      << "that column is not read";
}

TEST(CsvHistory, MessagesNameTheRowsOfADataFrame) {
  const auto read_frame = [](const std::string& csv) {
    std::istringstream text(csv);
    return read_csv_history("history", text, {}, {}, RowNames::frame_rows);
  };
  EXPECT_EQ(error_of([&] { read_frame("arm,reward,round\nline 5,1,2\nline 5,1,1\n"); }),
            "history: row 1, column 'round': '1' is before '2' of row 0; rows must be in the order of their pulls");
  EXPECT_EQ(error_of([&] { read_frame("arm,reward,Round,ROUND\n"); }), "history: has duplicate columns 'Round'");
  EXPECT_EQ(read_frame("arm,reward,day\nline 5,1,2024-01-02\nline 5,1,2024-01-01\nline 5,1,2024-01-03\n").warnings,
            Names{"history: rows must be in the order of their pulls, but by the column 'day', which is not used, they "
                  "are not: '2024-01-01' of row 1 is before row 0 of the same arm; sort the rows if this column tells "
                  "when pulls were made"});
  EXPECT_EQ(
      read_frame("arm,reward,day\na,1,2024-01-02\na,1,7 days\na,1,day 8\n")
          .warnings.at(0)
          .find("history: the order of rows was not checked: column 'day' cannot be read as times of one form, for "
                "example '7 days' of row 1; "),
      0U);
  std::string block;
  std::string doubled;
  for (int i = 0; i < 40; ++i) {
    const std::string row = "a,0." + std::to_string(i * 37 % 90 + 10) + "\n";
    block += row;
    doubled += row + row;
  }
  EXPECT_EQ(read_frame("arm,reward\n" + block + block).warnings,
            Names{"history: from row 40 on, the rows repeat those from row 0 on exactly; every row counts as a pull"});
  EXPECT_EQ(read_frame("arm,reward\n" + doubled).warnings,
            Names{"history: every row occurs twice, the first in row 0 and row 1; every row counts as a pull"});
}

TEST(CsvHistory, ALastRowThatIsATotalIsAWarningUnlessItsArmIsGiven) {
  const std::string text = "arm,reward\nnorth,0.25\nsouth,0.5\nnorth,0.75\nTotal,1.5\n";
  EXPECT_EQ(read(text).warnings,
            Names{"past.csv: line 5, the only row of arm 'Total', may be a total of the rows above it: its reward "
                  "is the sum of theirs; every row counts as a pull"});
  EXPECT_TRUE(read(text, {.names = {"north", "south", "Total"}}).warnings.empty());
}

TEST(CsvHistory, PointsThatMaySeparateThousandsAreAWarning) {
  const auto warnings = [](const std::vector<std::string>& rewards) {
    std::string text = "arm,reward\n";
    for (const std::string& reward : rewards) text += "a," + reward + "\n";
    return read(text).warnings;
  };
  EXPECT_EQ(warnings({"987", "1.102", "899", "", "1.088", "12.300"}),
            Names{"past.csv: line 3: reward 1.102 counts as 1.102, with a decimal point, but may be 1102: all rewards "
                  "with a point have three digits after it, and the others are whole numbers below 1000; write "
                  "thousands without a point"});
  EXPECT_EQ(warnings({"-987", "-1.102", "1.099", "1.088"}).size(), 1U);
  EXPECT_TRUE(warnings({"1.102", "1.099", "1.088"}).empty()) << "no reward is below a thousand";
  EXPECT_TRUE(warnings({"2", "1.102", "1.099", "1.088"}).empty()) << "small whole numbers are usual beside decimals";
  EXPECT_TRUE(warnings({"987", "1.102", "1.099", "1.08"}).empty());
  EXPECT_TRUE(warnings({"987", "0.102", "1.102", "1.099", "1.088"}).empty()) << "no thousands begin with 0";
  EXPECT_TRUE(warnings({"1987", "1.102", "1.099", "1.088"}).empty());
}

TEST(CsvHistory, RowsThatAreDoubledAreAWarning) {
  std::string doubled = "arm,reward\n";
  std::string block;
  for (int i = 0; i < 40; ++i) {
    const std::string row = std::string(i % 3 == 0 ? "a" : "b") + ",0." + std::to_string(i * 37 % 90 + 10) + "\n";
    doubled += row + row;
    block += row;
  }
  EXPECT_EQ(read(doubled).warnings,
            Names{"past.csv: every row occurs twice, the first in line 2 and line 3; every row counts as a pull"});
  EXPECT_EQ(
      read("arm,reward\na,0.111\nb,0.222\na,0.333\n" + block + block).warnings,
      Names{"past.csv: from line 45 on, the rows repeat those from line 5 on exactly; every row counts as a pull"});
  std::string pattern = "arm,reward\n";
  for (int i = 0; i < 120; ++i) pattern += "a,0." + std::to_string((i < 80 ? 20 : 80) + i % 5) + "\n";
  EXPECT_TRUE(read(pattern).warnings.empty()) << "it repeats more than once";
  // Rare successes repeat by chance.
  std::mt19937_64 random(3);
  for (int log = 0; log < 200; ++log) {
    std::string clicks = "arm,reward\n";
    for (int i = 0; i < 300; ++i)
      clicks += std::string(i % 2 == 0 ? "a," : "b,") + (random() % 20 == 0 ? "1\n" : "0\n");
    EXPECT_TRUE(read(clicks).warnings.empty()) << log;
  }
}

TEST(CsvHistory, ABlockThatIsPastedAgainIsAWarningIfAllColumnsAreEqual) {
  const auto warnings = [](bool same_customers) {
    std::mt19937_64 random(7);
    std::string csv = "customer,arm,reward\n";
    std::string block;
    for (std::size_t i = 0; i < 200; ++i) {
      const std::string rest = std::string(i % 2 == 0 ? ",a," : ",b,") + std::to_string(random() % 20) + "\n";
      csv += "C" + std::to_string(1000 + i) + rest;
      if (i >= 20 && i < 28) block += "C" + std::to_string((same_customers ? 1000 : 2000) + i) + rest;
    }
    return read(csv + block).warnings;
  };
  EXPECT_EQ(
      warnings(true),
      Names{"past.csv: from line 202 to line 209, the rows repeat those from line 22 on exactly, in other columns too; "
            "every row counts as a pull"});
  EXPECT_EQ(warnings(false), Names{}) << "eight rewards that are equal by chance";
}

TEST(CsvHistory, ALabelThatIsProbablyATypoIsAWarning) {
  std::string csv = "arm,reward\nComuters,0\n";
  for (int i = 0; i < 12; ++i) csv += "Commuters,0\nitem 1,0\nitem 2,1\n";
  csv += "item 3,0\n";
  EXPECT_EQ(read(csv).warnings,
            Names{"past.csv: arm 'Comuters' (1 row) may be a typo of 'Commuters' (12 rows); they count as two arms"});
}

TEST(CsvHistory, ATypoIsOneOfTheNearestLabel) {
  std::string csv = "arm,reward\nnorth,0\n";
  for (int i = 0; i < 98; ++i) csv += "north,0\nsouth,1\n";
  EXPECT_EQ(read(csv + "north,1\nnorth,1\nsoth,0\n").warnings,
            Names{"past.csv: arm 'soth' (1 row) may be a typo of 'south' (98 rows); they count as two arms"});
  csv = "arm,reward\n";
  for (int i = 0; i < 12; ++i) csv += "store 1,0\nstore 2,1\n";
  EXPECT_EQ(read(csv + "stroe 2,0\n").warnings,
            Names{"past.csv: arm 'stroe 2' (1 row) may be a typo of 'store 2' (12 rows); they count as two arms"})
      << "the letters of both arms are the same";
}

TEST(CsvHistory, PositionsAreReadIfTheCallerSaysSo) {
  const History history = read("arm,reward\n2,0.5\n0,0.25\n", {.positions = true});
  EXPECT_EQ(history.arm_names, (Names{"0", "1", "2"}));
  EXPECT_EQ(pulls_of(history), (ReadPulls{{2, 0.5}, {0, 0.25}}));
  EXPECT_EQ(read("arm,reward\n0,0.5\n", {.count = 5, .positions = true}).arms(), 5);
  const History named = read("arm,reward\n1,0.5\n", {.names = {"1", "0"}, .positions = true});
  EXPECT_EQ(named.pulls[0].arm, 1) << "the arm called 0";
  const auto error = [](const std::string& csv, const ArmsGiven& given) { return error_of([&] { read(csv, given); }); };
  EXPECT_EQ(error("arm,reward\n2,0.5\n", {.count = 2, .positions = true}),
            "past.csv: line 2, column 1 (arm): '2' is not the position of an arm; positions are from 0 to 1");
  EXPECT_EQ(error("arm,reward\ntea,0.5\n", {.names = {"tea"}, .positions = true}),
            "past.csv: line 2, column 1 (arm): 'tea' is not an arm; arms are positions from 0 to 0");
  EXPECT_EQ(error("arm,reward\n58121,0.5\n10234,0.25\n", {.positions = true}),
            "past.csv: positions of arms go up to 58121, but only 2 arms appear; give the number of arms, or read the "
            "column as labels");
}

TEST(CsvHistory, ANumberOfArmsMustBeThatOfTheLabels) {
  const std::string two = "arm,reward\ntea,0.5\ncoffee,0.25\ntea,1\n";
  EXPECT_EQ(read(two, {.count = 2}).arm_names, (Names{"tea", "coffee"}));
  EXPECT_THROW(read(two, {.count = 3}), ArmCountError);
  EXPECT_THROW(read(two, {.count = 1}), ArmCountError);
  EXPECT_EQ(error_of([&] { read(two, {.count = 3}); }), "past.csv: 2 arms appear, but the number of arms is 3");
}

TEST(CsvHistory, AnEmptyRewardIsPending) {
  const History history = read("arm,reward,note\ntea,0.5,x\ntea,,y\ncoffee,\"\",z\n");
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{0, 0.5, 2}, {0, std::nullopt, 3}, {1, std::nullopt, 4}}));
  EXPECT_EQ(read("arm;reward\ntea;\n").pulls[0].reward, std::nullopt);
  EXPECT_EQ(read("arm\treward\ntea\t\n").pulls[0].reward, std::nullopt);
  for (const char* text : {"NA", "nan", "NULL"}) {
    EXPECT_NE(error_of_history(std::string("arm,reward\ntea,") + text + "\n")
                  .find("is not a finite number; leave the cell empty if the reward is not known yet"),
              std::string::npos)
        << text;
  }
}

TEST(CsvHistory, APullKnowsItsLine) {
  const History history = read(
      "\xEF\xBB\xBF"
      "arm,reward\r\ntea,0.5\r\ncoffee,1\r\n\r\n");
  EXPECT_EQ(history.pulls, (std::vector<PastPull>{{0, 0.5, 2}, {1, 1.0, 3}}));
}

TEST(CsvHistory, ColumnsAreFoundInAnyCaseOrByTheirName) {
  EXPECT_EQ(read(" ARM ;Reward\ntea;0.5\n").arm_names, Names{"tea"});
  const std::string csv = "Region,Arm,sales,reward\nnorth,1,7,0.5\n";
  std::istringstream text(csv);
  const History history = read_csv_history("past.csv", text, {}, {.arm = "region", .reward = "Sales"});
  EXPECT_EQ(history.arm_names, Names{"north"});
  EXPECT_EQ(history.pulls[0].reward, 7.0);
  EXPECT_EQ(error_of_history("arm,pay\n0,0.5\n"), "past.csv: line 1 has no column 'reward'; its columns are arm, pay");
  EXPECT_EQ(error_of_history("Arm,rewards\n0,0.5\n"),
            "past.csv: line 1 has no column 'reward'; its columns are Arm, rewards; did you mean 'rewards'?");
  EXPECT_EQ(error_of_history("a,0.5\nb,0.7\n"),
            "past.csv: line 1 has no column 'arm' but a number: a, 0.5; the first line must name the columns");
  EXPECT_EQ(error_of_history("arm,rewrd,2024\na,0.5,7\n"),
            "past.csv: line 1 has no column 'reward'; its columns are arm, rewrd, 2024; did you mean 'rewrd'?");
  EXPECT_EQ(error_of_history("Arm,ARM,reward\n0,1,0.5\n"), "past.csv: line 1 has duplicate columns 'Arm'");
  std::istringstream same(csv);
  EXPECT_EQ(error_of([&] { read_csv_history("past.csv", same, {}, {.arm = "arm", .reward = "Arm"}); }),
            "past.csv: column 'arm' cannot have both arms and rewards");
}

std::string error_in_order(const std::string& csv, const HistoryColumns& columns = {}) {
  std::istringstream text(csv);
  return error_of([&] { read_csv_history("past.csv", text, {}, columns); });
}

TEST(CsvHistory, RowsMustBeInTheOrderOfRoundAndTime) {
  EXPECT_EQ(error_in_order("round,arm,reward\n1,a,0\n1,b,0\n2,a,1\n"), "no error");
  EXPECT_EQ(
      error_in_order("round,arm,reward\n2,a,0\n1,b,0\n"),
      "past.csv: line 3, column 1 (round): '1' is before '2' of line 2; rows must be in the order of their pulls");
  EXPECT_EQ(
      error_in_order("arm,reward,Time\na,0,2024-03-01\nb,0,2024-02-29T23:59\n"),
      "past.csv: line 3, column 3 (Time): '2024-02-29T23:59' is before '2024-03-01' of line 2; rows must be in the "
      "order of their pulls");
  EXPECT_EQ(error_in_order("arm,reward,time\na,0,2024-03-01T10:00+02:00\nb,0,2024-03-01T08:30Z\n"), "no error")
      << "offsets count";
  EXPECT_EQ(error_in_order("arm,reward,when\na,0,9\nb,0,10\n", {.time = "when"}), "no error") << "numbers, not texts";
  EXPECT_EQ(error_in_order("arm,reward,time\na,0,2\nb,0,1\n", {.time = ""}), "no error") << "no check";
}

TEST(CsvHistory, ARoundOrTimeMustBeOne) {
  EXPECT_EQ(error_in_order("round,arm,reward\n1,a,0\n,b,0\n"),
            "past.csv: line 3, column 1 (round): the value is missing");
  EXPECT_EQ(error_in_order("round,arm,reward\n1.5,a,0\n"),
            "past.csv: line 2, column 1 (round): '1.5' is not a round; rounds are whole numbers");
  EXPECT_EQ(error_in_order("time,arm,reward\nmonday,a,0\n"),
            "past.csv: line 2, column 1 (time): 'monday' is not a time; times are numbers, dates (2024-01-31, "
            "2024-01-31T09:30, 31.01.2024, 31-Jan-24), months (2024-01, Jan 2024), quarters (Q1 2024) or weeks "
            "(2024-W05)");
  EXPECT_EQ(error_in_order("time,arm,reward\n2024-01,a,0\n2024-02,a,0\n"), "no error");
  EXPECT_EQ(error_in_order("time,arm,reward\n2024-W09,a,0\n2024-W10,a,0\n"), "no error");
  EXPECT_EQ(error_in_order("time,arm,reward\n2024-01,a,0\n2024-01-15,a,0\n"),
            "past.csv: line 3, column 1 (time): '2024-01-15' is a date without an offset from UTC, but the first row "
            "has a month; times must be of one kind");
  EXPECT_EQ(error_in_order("round,arm,reward\n2024-01,a,0\n"),
            "past.csv: line 2, column 1 (round): '2024-01' is not a round; rounds are whole numbers; a column of dates "
            "is one of times");
  EXPECT_EQ(
      error_in_order("time,arm,reward\n2024-03-01,a,0\n2024-03-01T10:00Z,a,0\n"),
      "past.csv: line 3, column 1 (time): '2024-03-01T10:00Z' is a date with an offset from UTC, but the first row "
      "has a date without an offset from UTC; times must be of one kind");
  EXPECT_EQ(error_in_order("arm,reward\na,0\n", {.round = "week"}),
            "past.csv: line 1 has no column 'week'; its columns are arm, reward");
}

TEST(CsvHistory, AColumnOfTimesHasDatesInAllFormsThatTheWarningReads) {
  const auto error = [](const Names& times) {
    std::string csv = "time,arm,reward\n";
    for (std::size_t i = 0; i < times.size(); ++i) csv += "\"" + times[i] + (i % 2 == 0 ? "\",a,0\n" : "\",b,0\n");
    return error_in_order(csv);
  };
  for (const auto& [first, second] :
       {std::pair{"14-Apr-22", "1-May-22"}, std::pair{"Q2 2022", "Q1 2023"}, std::pair{"14.04.2022", "01.05.2022"},
        std::pair{"14.04.22", "01.05.22"}, std::pair{"2022-W14", "2022-W15"}, std::pair{"4/14/2022", "5/1/2022"},
        std::pair{"Apr 2022", "Jan 2023"}, std::pair{"April 14, 2022", "May 1, 2022"}}) {
    EXPECT_EQ(error({first, second}), "no error") << first;
    EXPECT_EQ(error({second, first}), fmt::format("past.csv: line 3, column 1 (time): '{}' is before '{}' of line 2; "
                                                  "rows must be in the order of their pulls",
                                                  first, second));
  }
  EXPECT_EQ(error({"03.04.2022", "02.05.2022"}),
            "past.csv: line 3, column 1 (time): '02.05.2022' is before '03.04.2022' of line 2 if the dates are read in "
            "one way, such as with the day or the month first, and not if they are read in another; write dates with "
            "the year first (2024-01-31)");
  EXPECT_EQ(error({"03.04.2022", "02.05.2022", "14.05.2022"}), "no error") << "the day is first";
  EXPECT_EQ(error({"03.04.2022", "05.06.2022"}), "no error") << "in order in both ways";
  EXPECT_EQ(error({"3/4/2022", "2/5/2022", "2/14/2022"}),
            "past.csv: line 3, column 1 (time): '2/5/2022' is before '3/4/2022' of line 2; rows must be in the order "
            "of their pulls")
      << "the last row says that the month is first";
  EXPECT_EQ(error({"14.04.2022", "Q3 2022"}),
            "past.csv: line 3, column 1 (time): 'Q3 2022' is not of the form of '14.04.2022' in the first row; times "
            "must be of one form");
  EXPECT_NE(error({"14042022", "01052022"}).find("(as numbers; write dates with the year first"), std::string::npos);
}

TEST(CsvHistory, QuotesMayHoldCommasAndQuotes) {
  const History history = read(
      "\"arm\", \"reward\" \n\"tea, black\",0.5\n \"\"\"strong\"\" coffee\" ,\"0.25\"\n5\" pipe,1\n\"tea, black\",0\n");
  EXPECT_EQ(history.arm_names, (Names{"tea, black", "\"strong\" coffee", "5\" pipe"}));
  EXPECT_EQ(pulls_of(history), (ReadPulls{{0, 0.5}, {1, 0.25}, {2, 1}, {0, 0}}));
}

TEST(CsvHistory, SaysWhatIsWrongWithQuotes) {
  const std::string open =
      "past.csv: line 2, cell 1: has no closing quote on this line; a cell can't contain line breaks";
  EXPECT_EQ(error_of_history("arm,reward\n\"tea,0.5\n"), open);
  EXPECT_EQ(error_of_history("arm,reward\n\"tea\"\",0.5\n"), open);
  EXPECT_EQ(error_of_history("arm,reward\n\"black\ntea\",0.5\n"), open);
  EXPECT_EQ(error_of_history("arm,reward\ntea,\"0.5\n"),
            "past.csv: line 2, cell 2: has no closing quote on this line; a cell can't contain line breaks");
  EXPECT_EQ(error_of_history("arm,reward\n\"tea\" black,0.5\n"),
            "past.csv: line 2, cell 1: has text after its closing quote; a quote inside quotes is doubled");
  EXPECT_EQ(error_of_history("arm,reward\n\"\",0.5\n"),
            "past.csv: line 2, column 1 (arm): the arm is missing; write the arm in every row");
}

TEST(CsvHistory, TheHeaderDecidesTheSeparator) {
  const std::vector<PastPull> expected{{0, 0.5, 2}, {1, 0.25, 3}};
  EXPECT_EQ(read("arm;reward\ntea, black;0.5\ncoffee;0.25\n").pulls, expected);
  EXPECT_EQ(read("arm\treward\ntea; black\t0.5\ncoffee\t0.25\n").pulls, expected);
  EXPECT_EQ(read("arm\tnote\treward\ntea\t\t0.5\ncoffee\tx\t0.25\n").pulls, expected) << "an empty cell";
  EXPECT_EQ(read("arm,\treward\ntea,\t0.5\ncoffee\t,0.25\n").pulls, expected) << "tabs as blanks";
  EXPECT_EQ(read("arm;reward;\"a\"\",b\"\ntea;0.5;x\ncoffee;0.25;y\n").pulls, expected) << "a comma in quotes";
  EXPECT_EQ(error_of_history("arm;reward,note\n"),
            "past.csv: line 1 has commas and semicolons; use one separator, and quote names that contain the other");
  EXPECT_EQ(error_of_history("arm\treward;note\n"),
            "past.csv: line 1 has semicolons and tabs; use one separator, and quote names that contain the other");
  EXPECT_EQ(error_of_history("arm;reward\ntea,0.5\n"), "past.csv: line 2 has 1 columns, the header 2");
}

TEST(CsvHistory, ADecimalCommaIsAnError) {
  for (const char* text : {"arm;reward\ntea;0,5\n", "arm,reward\ntea,\"0,5\"\n"}) {
    EXPECT_EQ(error_of_history(text),
              "past.csv: line 2, column 2 (reward): '0,5' is not a finite number; the decimal mark must be a point");
  }
  EXPECT_EQ(error_of_history("arm;reward\ntea;0,5,1\n"),
            "past.csv: line 2, column 2 (reward): '0,5,1' is not a finite number");
}

TEST(CsvHistory, AWordOrAPercentageIsAnErrorThatSaysWhatToWrite) {
  for (const char* word : {"yes", "No", "TRUE", "false"}) {
    EXPECT_EQ(error_of_history(std::string("arm,reward\ntea,") + word + "\n"),
              std::string("past.csv: line 2, column 2 (reward): '") + word +
                  "' is not a finite number; write 1 for yes and 0 for no");
  }
  EXPECT_EQ(
      error_of_history("arm,reward\ntea,29.4%\n"),
      "past.csv: line 2, column 2 (reward): '29.4%' is not a finite number; write a share, such as 0.25 for 25 %");
}

TEST(CsvHistory, NoBreakSpacesOfSpreadsheetsAreNoPartOfALabel) {
  const History history =
      read("arm,reward\ntea,0.5\ntea\xC2\xA0,0.25\n\xC2\xA0 tea \xC2\xA0,\xC2\xA0 1\nice\xC2\xA0tea,0\n");
  EXPECT_EQ(history.arm_names, (std::vector<std::string>{"tea", "ice\xC2\xA0tea"}));
  EXPECT_EQ(history.pulls.size(), 4U);
}

TEST(CsvHistory, DuplicateColumnsAreAnError) {
  EXPECT_EQ(error_of_history("arm,reward,arm\n0,0.5,1\n"), "past.csv: line 1 has duplicate columns 'arm'");
}

TEST(CsvHistory, NamesGivenAreTheOnlyLabels) {
  const ArmsGiven given{.names = {"tea", "coffee", "2"}};
  const History history = read("arm,reward\ncoffee,0.5\n2,0.25\n", given);
  EXPECT_EQ(history.arm_names, given.names) << "tea has no pulls";
  EXPECT_EQ(pulls_of(history), (ReadPulls{{1, 0.5}, {2, 0.25}}));
  EXPECT_EQ(error_of([&] { read("arm,reward\n0,0.5\n", given); }),
            "past.csv: line 2, column 1 (arm): '0' is not an arm; arms are tea, coffee, 2");
  EXPECT_EQ(error_of([&] { read("arm,reward\ncofee,0.5\n", given); }),
            "past.csv: line 2, column 1 (arm): 'cofee' is not an arm; arms are tea, coffee, 2; did you mean 'coffee'?");
}

TEST(CsvHistory, AHeaderAloneIsABeginning) {
  EXPECT_EQ(read("arm,reward\n", {.count = 2}).arm_names, (Names{"0", "1"}));
  EXPECT_TRUE(read("arm,reward\n\n", {.count = 2}).pulls.empty());
  EXPECT_EQ(read("arm,reward\n", {.names = {"a"}}).arm_names, Names{"a"});
  EXPECT_EQ(error_of_history("arm,reward\n"), "past.csv: has no rows; give the number or the names of the arms");
}

TEST(CsvHistory, WithoutPullsItHasTheArmsGiven) {
  EXPECT_EQ(empty_history({.count = 2}).arm_names, (Names{"0", "1"}));
  EXPECT_EQ(empty_history({.names = {"a", "b"}}).arm_names, (Names{"a", "b"}));
  EXPECT_THROW(empty_history({}), InputError);
  EXPECT_THROW(empty_history({.count = 3, .names = {"a", "b"}}), InputError);
}

TEST(CsvHistory, PullsOfAStudyThatWereNotMadeAreAnError) {
  EXPECT_EQ(
      error_of_history("arm,outcome,reward\na,observed,0.5\nb,void,\n"),
      "past.csv: line 3, column 2 (outcome): 'void' is the outcome of a pull that was not made; leave out the rows "
      "with it");
  EXPECT_EQ(
      error_of_history("arm,outcome,reward\na,Void,1\n"),
      "past.csv: line 2, column 2 (outcome): 'Void' is the outcome of a pull that was not made; leave out the rows "
      "with it");
  EXPECT_EQ(pulls_of(read("arm,outcome,reward\na,observed,0.5\nb,pending,\nb,lost,\n")),
            (ReadPulls{{0, 0.5}, {1, std::nullopt}, {1, std::nullopt}}));
  EXPECT_EQ(pulls_of(read("arm,reward,result\na,,void\n")), (ReadPulls{{0, std::nullopt}}));
}

TEST(CsvHistory, RowsOfOneArmThatAllOccurTwiceAreAWarning) {
  std::mt19937_64 random(1);
  std::string csv = "arm,reward,manager\n";
  for (int row = 0; row < 60; ++row) {
    const double reward = static_cast<double>(random() % 1000) / 1000;
    csv += row % 3 == 0 ? fmt::format("a,{0},x\na,{0},y\n", reward) : fmt::format("b,{},z\n", reward);
  }
  EXPECT_EQ(read(csv).warnings,
            (Names{"past.csv: every row of arm 'a' occurs twice, the first in line 2 and line 3; every row counts as a "
                   "pull. If the rows were joined with a table, it may have the arm more than once"}));
}

}  // namespace
}  // namespace longrun
