#include "longrun/data/csv_curves.h"

#include <gtest/gtest.h>

#include <fstream>

#include "longrun/base/input_error.h"
#include "longrun/data/csv.h"
#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

std::string file_with(const std::string& name, const std::string& content) {
  std::string path = scratch_path(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string error_of_curves(const std::string& content) {
  const std::string path = file_with("bad.csv", content);
  return error_after_path(path, [&] { read_csv_curves(path); });
}

TEST(CsvCurves, ReadsOneArmPerColumn) {
  for (const char* content : {"north,south\n0.1,0.9\n0.25,0.5\n", "north,south\r\n0.1,0.9\r\n0.25,0.5\r\n\r\n",
                              "\xEF\xBB\xBF\"north\", south\n0.1, 0.9\n0.25 ,5e-1"}) {
    const Bandit bandit = read_csv_curves(file_with("good.csv", content));
    EXPECT_EQ(bandit.arm_names, (std::vector<std::string>{"north", "south"}));
    ASSERT_EQ(bandit.arm_count(), 2);
    EXPECT_EQ(bandit.arms[0].reward(2), 0.25);
    EXPECT_EQ(bandit.arms[1].reward(1), 0.9);
    EXPECT_EQ(bandit.longest_horizon(), 2);
  }
}

TEST(CsvCurves, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of_curves("a,b\n0.1,0.2\n0.3,1.5\n"), ": line 3, column 2 (b): reward 1.5 is outside [0, 1]");
  EXPECT_EQ(error_of_curves("a,b\n0.1,-0.2\n"), ": line 2, column 2 (b): reward -0.2 is outside [0, 1]");
  EXPECT_EQ(error_of_curves("a,b\nnan,0.2\n"), ": line 2, column 1 (a): 'nan' is not a finite number");
  EXPECT_EQ(error_of_curves("a,b\n0.1,inf\n"), ": line 2, column 2 (b): 'inf' is not a finite number");
  EXPECT_EQ(error_of_curves("a,b\n0.1,\n"), ": line 2, column 2 (b): '' is not a finite number");
  EXPECT_EQ(error_of_curves("a,b\n0.1,zero\n"), ": line 2, column 2 (b): 'zero' is not a finite number");
  EXPECT_EQ(error_of_curves("a,b\n0.1,0.2\n0.3\n"), ": line 3 has 1 columns, the header 2");
  EXPECT_EQ(error_of_curves("a,b\n0.1,0.2,0.3\n"),
            ": line 2 has 3 columns, the header 2; a cell that contains a comma must be in quotes");
  EXPECT_EQ(error_of_curves(""), ": is empty; it should start with the names of the arms");
  EXPECT_EQ(error_of_curves("\n0.1\n"), ": line 1 is empty; it should name the arms");
  EXPECT_EQ(error_of_curves("a,b\n"), ": has no rows after the header");
  EXPECT_EQ(error_of_curves("a\n0.1\n\n0.2\n"), ": line 3 is empty, but rows follow it");
  EXPECT_EQ(error_of_curves("a,a\n0.1,0.2\n"), ": line 1, column 2: duplicate name 'a'");
  EXPECT_EQ(error_of_curves("a,,c\n0.1,0.2,0.3\n"), ": line 1, column 2: an arm has no name");
  EXPECT_EQ(error_of_curves("a,b\x01\n0.1,0.2\n"),
            ": line 1, byte 4: is the control character 0x01; this is not a CSV file");
  EXPECT_EQ(error_of_curves("0.1,0.2\n0.1,0.2\n"), ": line 1: '0.1,0.2' looks like rewards; it should name the arms");
  EXPECT_EQ(error_of_curves("0,0.25\n0.1,0.2\n"), ": line 1: '0,0.25' looks like rewards; it should name the arms");
}

TEST(CsvCurves, AMissingFileIsNamed) {
  EXPECT_THROW(read_csv_curves("no/such/file.csv"), InputError);
  EXPECT_THROW(read_csv_curves(::testing::TempDir()), InputError);
}

TEST(CsvCurves, TheHeaderDecidesTheSeparator) {
  for (const char* content : {"north;south\n0.1;0.9\n0.25;0.5\n", "north\tsouth\r\n0.1\t0.9\r\n0.25\t0.5\r\n"}) {
    const Bandit bandit = read_csv_curves(file_with("good.csv", content));
    EXPECT_EQ(bandit.arm_names, (std::vector<std::string>{"north", "south"}));
    EXPECT_EQ(bandit.arms[1].reward(2), 0.5);
  }
  EXPECT_EQ(error_of_curves("a\tb\n0.1\t\n"), ": line 2, column 2 (b): '' is not a finite number");
  EXPECT_EQ(error_of_curves("a;b\n0,1;0,2\n"),
            ": line 2, column 1 (a): '0,1' is not a finite number; the decimal mark must be a point");
  EXPECT_EQ(error_of_curves("a;b\n0.1,0.2\n"), ": line 2 has 1 columns, the header 2");
  EXPECT_EQ(error_of_curves("a,b\n0,1,0,2\n"),
            ": line 2 has 4 columns, the header 2; the decimal mark must be a point, and a cell that contains a comma "
            "must be in quotes");
}

TEST(CsvCurves, CellsWithSeparatorsAreQuoted) {
  EXPECT_EQ(csv_cell("tea"), "tea");
  EXPECT_EQ(csv_cell("tea, black"), "\"tea, black\"");
  EXPECT_EQ(csv_cell("5\" pipe"), "\"5\"\" pipe\"");
}

TEST(CsvNoise, ColumnsNamedAfterArmsMayBeInAnyOrder) {
  const Bandit bandit = read_csv_curves(file_with("curves.csv", "a,b,c\n0.1,0.2,0.3\n"));
  const RecordedNoise noise = read_csv_noise(file_with("noise.csv", "c,a,b\n3,1,2\n"), bandit);
  EXPECT_EQ(noise, (RecordedNoise{{1}, {2}, {3}}));
  const std::string path = file_with("noise.csv", "x,a,b\n3,1,2\n");
  try {
    read_csv_noise(path, bandit);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path +
                                ": line 1, column 3: 'b' is the name of another arm; name all columns after arms, or "
                                "none");
  }
}

TEST(CsvNoise, TheHeaderIsInLine2AfterAStatedSeparator) {
  const Bandit bandit = read_csv_curves(file_with("curves.csv", "a,b,c\n0.1,0.2,0.3\n"));
  const auto error = [&](const std::string& content) {
    const std::string path = file_with("noise.csv", content);
    return error_after_path(path, [&] { read_csv_noise(path, bandit); });
  };
  EXPECT_EQ(error("sep=;\nx;a;b\n3;1;2\n"),
            ": line 2, column 3: 'b' is the name of another arm; name all columns after arms, or none");
  EXPECT_EQ(error("sep=;\nx;a\n3;1\n").find(": line 2 has 2 columns, but bandit "), 0U);
}

TEST(CsvNoise, ARecordingIsBoundedByItsLargestMagnitude) {
  EXPECT_EQ(bounding_noise({{0.1, -0.5}, {0.25, 0}}).bound, 0.5);
}

TEST(CsvNoise, NeedsOneColumnPerArmAndAnyFiniteNumbers) {
  const Bandit bandit = read_csv_curves(file_with("curves.csv", "a,b\n0.1,0.2\n"));
  const RecordedNoise noise = read_csv_noise(file_with("noise.csv", "x,y\n-3,0.5\n"), bandit);
  EXPECT_EQ(noise, (RecordedNoise{{-3}, {0.5}}));
  EXPECT_THROW(read_csv_noise(file_with("noise.csv", "x\n-3\n"), bandit), InputError);
}

}  // namespace
}  // namespace longrun
