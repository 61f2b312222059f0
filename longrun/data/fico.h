#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/model/bandit.h"

namespace longrun {

/// The data of one group of loan applicants. Row by row: a credit score, the share of the group with at most this
/// score, and the probability that an applicant with this score repays a loan.
struct FicoGroup {
  std::string name;
  std::vector<double> scores;             ///< increasing
  std::vector<double> share_at_or_below;  ///< never decreasing, in [0, 1]
  std::vector<double> repay_probability;  ///< in [0, 1]
};
using FicoTable = std::vector<FicoGroup>;

/// Returns the built-in table (see datasets/README.md): Asian, Black, Hispanic and White applicants of 2003.
const FicoTable& fico_2003();
/// Returns the text of this table, datasets/fico_2003.csv, which is compiled into the library.
std::string_view fico_2003_csv();

/// Reads a table from a CSV file with the columns group, percentile, score, share_at_or_below and repay_probability, in
/// this order. A group has two or more rows, one after the other. Throws InputError that names the file, line, column
/// and value.
FicoTable read_fico_table(const std::string& path);

/// The reward of a loan.
enum class FicoReward {
  score_change,  ///< the expected change of the applicant's score
  utility,       ///< the expected utility of the bank
};

/// The options of fico_bandit().
struct FicoOptions {
  Pulls applicants = 1000;  ///< of every group
  /// If set, applicants are drawn at random with this seed; otherwise they are the quantiles of their group.
  std::optional<std::uint64_t> sample_seed = std::nullopt;
  double score_gain = 75;   ///< of an applicant who repays
  double score_loss = 150;  ///< of an applicant who does not repay
  double repaid_utility = 1;
  double default_utility = -4;
  double lowest_score = 300;  ///< scores are clipped to [lowest_score, highest_score], before and after a loan
  double highest_score = 850;
  Pulls horizon = 2000;
};

/// Returns a bandit with one arm per group, in the order of the table. A pull lends to the applicant of the group with
/// the highest score among those without a loan. The score of applicant k of n is the u-quantile of the group's scores,
/// read from the table by linear interpolation; u is (k - 1/2) / n, or uniform in (0, 1) if options.sample_seed is set.
/// With pi the probability that an applicant with score s repays,
///
///   score_change = pi (clip(s + gain) - s) + (1 - pi) (clip(s - loss) - s),   utility = pi repaid + (1 - pi) default,
///
/// divided by the largest value of the group and clipped to [0, 1]. The reward is 0 if no applicant of the group has a
/// positive value, and once every applicant has a loan. The bandit's impact is the score change in points for either
/// reward. Throws InputError if `options` has no applicants or an empty range of scores.
Bandit fico_bandit(std::string_view name, const FicoTable& table, FicoReward reward, const FicoOptions& options = {});

}  // namespace longrun
