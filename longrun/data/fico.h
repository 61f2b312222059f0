#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// What is known of one group of loan applicants: row by row a credit score, the share of the group that has at most
/// this score, and the probability that somebody with this score repays a loan.
struct FicoGroup {
  std::string name;
  std::vector<double> scores;             ///< increasing
  std::vector<double> share_at_or_below;  ///< never decreasing, in [0, 1]
  std::vector<double> repay_probability;  ///< in [0, 1]
};
using FicoTable = std::vector<FicoGroup>;

/// The table that comes with longrun (see datasets/README.md): Asian, Black, Hispanic and White applicants of 2003.
const FicoTable& fico_2003();
/// The same as text, datasets/fico_2003.csv. It is part of the program, which needs no file.
std::string_view fico_2003_csv();

/// A table from a CSV file with the columns group, percentile, score, share_at_or_below and repay_probability, in this
/// order; the rows of a group, two or more, stand together. Everything wrong with the file is an InputError that names
/// the file, line, column and value.
FicoTable read_fico_table(const std::string& path);

/// Whose gain a loan is measured by.
enum class FicoReward {
  score_change,  ///< the applicant's: how much the score is expected to change
  utility,       ///< the bank's: what it expects to earn
};

struct FicoOptions {
  Pulls applicants = 1000;  ///< of every group
  /// Draws the applicants at random; without it they are the quantiles of their group.
  std::optional<std::uint64_t> sample_seed = std::nullopt;
  double score_gain = 75;   ///< of an applicant who repays
  double score_loss = 150;  ///< of one who does not
  double repaid_utility = 1;
  double default_utility = -4;
  double lowest_score = 300;  ///< no score lies outside these two, nor moves there
  double highest_score = 850;
  Pulls horizon = 2000;
};

/// Lends to one group per step, to its applicant with the best score who has no loan yet: an arm is a group, in the
/// order of the table. Applicant k of n has the score below which lies a share u of the group, u uniform in (0, 1), or
/// u = (k - 1/2) / n, read from the table by linear interpolation. With pi the probability that a score s repays,
///
///   score_change = pi (clip(s + gain) - s) + (1 - pi) (clip(s - loss) - s),   utility = pi repaid + (1 - pi) default,
///
/// divided by the largest of the group and clipped to [0, 1]; a group without any gain pays 0. So does a group with no
/// applicants left. The bandit's impact is the score change in points, whichever of the two the reward is.
Bandit fico_bandit(std::string_view name, const FicoTable& table, FicoReward reward, const FicoOptions& options = {});

}  // namespace longrun
