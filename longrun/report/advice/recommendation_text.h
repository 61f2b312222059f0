#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/advice/recommendation.h"

namespace longrun {

/// The row of an arm in the table of a recommendation. What is not known is "-".
struct ArmRow {
  std::string label;
  std::string pulls;
  std::string remaining;  ///< pulls that the rest of the budget pays for; of interest where costs differ
  std::string reward_now;
  std::string of_last;  ///< number of rewards that reward_now is the mean of
  std::string trend;
  std::string expected;
  std::string learning;
  std::string upper_bound;  ///< per pull; with a question mark if the arm contradicts the assumption behind it
};

/// Returns the row of an arm.
ArmRow arm_row(const Question& question, const Recommendation& answer, Arm arm);

/// Returns the arms of a table with at most `most` rows: all in their order, or those to pull next, most pulls first,
/// and then those with the largest index.
std::vector<Arm> arms_in_table(const Recommendation& answer, std::size_t most);

/// Returns the sentences that say what the numbers of the table mean.
std::vector<std::string> table_meaning(const Question& question, const Recommendation& answer);

/// Returns a sentence about the noise: its standard deviation, and whether it is estimated.
std::string noise_text(const Question& question, const Recommendation& answer);

/// Returns what is said about pending pulls, of which there must be some: how many there are, and what they count as.
std::string pending_text(const Question& question, const Recommendation& answer);

}  // namespace longrun
