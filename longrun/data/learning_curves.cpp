#include "longrun/data/learning_curves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <sstream>
#include <utility>

#include "longrun/base/embedded_file.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv.h"

namespace longrun {

std::span<const EmbeddedFile> embedded_datasets();

std::string_view learning_curves_csv() { return embedded_datasets()[1].text; }

namespace {

constexpr const char* kCurvesFile = "learning_curves.csv";
constexpr std::size_t kDataSet = 0;
constexpr std::size_t kLearner = 1;
constexpr std::size_t kFirstPull = 2;  // this column and those after it are named by the pull that they measure

/// The accuracy of one learner on one data set.
struct MeasuredCurve {
  std::string data_set;
  std::string learner;
  std::vector<double> accuracy;  ///< one for each of MeasuredCurves::pulls
};

struct MeasuredCurves {
  std::vector<Pulls> pulls;  ///< the measured ones: 1, ..., the horizon
  std::vector<MeasuredCurve> curves;
};

MeasuredCurves read_measured_curves() {
  std::istringstream text{std::string(learning_curves_csv())};
  CsvReader csv(kCurvesFile, text, "data,learner and the pulls");
  MeasuredCurves table;
  for (std::size_t column = kFirstPull; column < csv.names().size(); ++column)
    table.pulls.push_back(parse_number<Pulls>(csv.names()[column]).value());
  while (csv.next()) {
    MeasuredCurve curve{
        .data_set = std::string(csv.cell(kDataSet)), .learner = std::string(csv.cell(kLearner)), .accuracy = {}};
    for (std::size_t column = kFirstPull; column < csv.names().size(); ++column)
      curve.accuracy.push_back(csv.number(column));
    table.curves.push_back(std::move(curve));
  }
  return table;
}

const MeasuredCurves& measured_curves() {
  static const MeasuredCurves table = read_measured_curves();
  return table;
}

/// Returns the reward of every pull: those between two measured ones lie on a straight line.
std::vector<double> every_reward(const std::vector<Pulls>& pulls, const std::vector<double>& accuracy) {
  std::vector<double> rewards{accuracy[0]};
  for (std::size_t k = 1; k < pulls.size(); ++k) {
    for (Pulls pull = pulls[k - 1] + 1; pull <= pulls[k]; ++pull) {
      const double share = static_cast<double>(pull - pulls[k - 1]) / static_cast<double>(pulls[k] - pulls[k - 1]);
      rewards.push_back((1 - share) * accuracy[k - 1] + share * accuracy[k]);
    }
  }
  return rewards;
}

}  // namespace

std::vector<std::string> learning_data_sets() {
  std::vector<std::string> names;
  for (const MeasuredCurve& curve : measured_curves().curves) {
    if (names.empty() || names.back() != curve.data_set) names.push_back(curve.data_set);
  }
  return names;
}

Bandit learning_curves_bandit(std::string_view name, std::string_view data_set) {
  const MeasuredCurves& table = measured_curves();
  Bandit bandit{
      .name = std::string(name), .arm_names = {}, .arms = {}, .recorded_noise = nullptr, .horizon = table.pulls.back()};
  for (const MeasuredCurve& curve : table.curves) {
    if (curve.data_set != data_set) continue;
    bandit.arm_names.push_back(curve.learner);
    bandit.arms.push_back(Curve::from_rewards(every_reward(table.pulls, curve.accuracy)));
  }
  if (bandit.arms.empty())
    throw InputError(
        fmt::format("unknown data set '{}' (allowed: {})", data_set, fmt::join(learning_data_sets(), ", ")));
  return bandit;
}

}  // namespace longrun
