#include "longrun/data/fico.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <utility>

#include "longrun/base/embedded_file.h"
#include "longrun/base/input_error.h"
#include "longrun/data/csv.h"
#include "longrun/data/instance_family.h"

namespace longrun {
namespace {

enum Column : std::size_t { kGroup, kPercentile, kScore, kShare, kRepay, kColumns };
constexpr std::array<std::string_view, kColumns> kColumnNames{"group", "percentile", "score", "share_at_or_below",
                                                              "repay_probability"};

void check_header(const CsvReader& csv) {
  const std::vector<std::string>& names = csv.names();
  for (std::size_t column = 0; column < std::max<std::size_t>(names.size(), kColumns); ++column) {
    const std::string where = fmt::format("{}, column {}", csv.where_header(), column + 1);
    if (column >= kColumns) {
      throw InputError(fmt::format("{}: '{}' is one column too many; the last column is '{}'", where, names[column],
                                   kColumnNames.back()));
    }
    if (column >= names.size()) throw InputError(fmt::format("{}: '{}' is missing", where, kColumnNames[column]));
    if (names[column] != kColumnNames[column])
      throw InputError(fmt::format("{}: '{}' should be '{}'", where, names[column], kColumnNames[column]));
  }
}

double number_within(const CsvReader& csv, Column column, double lowest, double highest) {
  const double value = csv.number(column);
  if (value >= lowest && value <= highest) return value;
  throw InputError(fmt::format("{}: {} is outside [{}, {}]", csv.where(column), csv.cell(column), lowest, highest));
}

void add_row(const CsvReader& csv, FicoGroup& group) {
  number_within(csv, kPercentile, 0, 100);  // only checked: no reward depends on it
  const double score = csv.number(kScore);
  const double share = number_within(csv, kShare, 0, 1);
  const double repays = number_within(csv, kRepay, 0, 1);
  if (!group.scores.empty() && score <= group.scores.back()) {
    throw InputError(fmt::format("{}: {} is not above the score before it, {}", csv.where(kScore), csv.cell(kScore),
                                 group.scores.back()));
  }
  if (!group.scores.empty() && share < group.share_at_or_below.back()) {
    throw InputError(fmt::format("{}: {} is below the share before it, {}", csv.where(kShare), csv.cell(kShare),
                                 group.share_at_or_below.back()));
  }
  group.scores.push_back(score);
  group.share_at_or_below.push_back(share);
  group.repay_probability.push_back(repays);
}

FicoTable read_table(const std::string& path, std::istream& text) {
  CsvReader csv(path, text, fmt::format("the columns {}", fmt::join(kColumnNames, ",")));
  check_header(csv);
  FicoTable table;
  std::string first_row;  // where the current group begins, for errors
  const auto check_size = [&] {
    if (table.empty() || table.back().scores.size() >= 2) return;
    throw InputError(
        fmt::format("{}: '{}' has only this row; a group needs two or more", first_row, table.back().name));
  };
  while (csv.next()) {
    const std::string_view name = csv.cell(kGroup);
    if (table.empty() || table.back().name != name) {
      check_size();
      first_row = csv.where(kGroup);
      if (name.empty()) throw InputError(fmt::format("{}: the name of the group is missing", first_row));
      if (std::any_of(table.begin(), table.end(), [&](const FicoGroup& group) { return group.name == name; })) {
        throw InputError(fmt::format("{}: '{}' appears again after '{}'; the rows of a group must follow each other",
                                     first_row, name, table.back().name));
      }
      table.push_back({.name = std::string(name), .scores = {}, .share_at_or_below = {}, .repay_probability = {}});
    }
    add_row(csv, table.back());
  }
  csv.check_has_rows();
  check_size();
  return table;
}

/// Interpolates linearly between the points (xs, ys), xs ascending. Outside them, returns the y of the nearest point.
/// Of several points with the same x the first counts.
double interpolated(const std::vector<double>& xs, const std::vector<double>& ys, double x) {
  const auto right = static_cast<std::size_t>(std::lower_bound(xs.begin(), xs.end(), x) - xs.begin());
  if (right == 0) return ys.front();
  if (right == xs.size()) return ys.back();
  const std::size_t left = right - 1;
  return ys[left] + (x - xs[left]) / (xs[right] - xs[left]) * (ys[right] - ys[left]);
}

/// Returns the scores of a group's applicants, the best first.
std::vector<double> applicant_scores(const FicoGroup& group, std::size_t lane, const FicoOptions& options) {
  std::vector<double> scores(static_cast<std::size_t>(options.applicants));
  const StreamKey key =
      instance_stream(InstanceFamily::fico_sample, options.sample_seed.value_or(0), static_cast<std::uint32_t>(lane));
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double share = options.sample_seed ? unit_interval(random_block(key, k)[0])
                                             : (static_cast<double>(k) + 0.5) / static_cast<double>(scores.size());
    // Several scores may have the table's last share. The highest possible score is the first of them.
    const double within = std::min(share, group.share_at_or_below.back());
    scores[k] = std::clamp(interpolated(group.share_at_or_below, group.scores, within), options.lowest_score,
                           options.highest_score);
  }
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return scores;
}

/// Returns the expected gain of a loan to an applicant with this score.
double gain(const FicoGroup& group, double score, FicoReward reward, const FicoOptions& options) {
  const double repays = interpolated(group.scores, group.repay_probability, score);
  if (reward == FicoReward::utility) return repays * options.repaid_utility + (1 - repays) * options.default_utility;
  const auto change = [&](double by) {
    return std::clamp(score + by, options.lowest_score, options.highest_score) - score;
  };
  return repays * change(options.score_gain) + (1 - repays) * change(-options.score_loss);
}

std::vector<double> gains(const FicoGroup& group, const std::vector<double>& scores, FicoReward reward,
                          const FicoOptions& options) {
  std::vector<double> gains;
  gains.reserve(scores.size());
  for (const double score : scores) gains.push_back(gain(group, score, reward, options));
  return gains;
}

/// Returns the gains as rewards in [0, 1].
Curve reward_curve(std::vector<double> rewards) {
  const double largest = *std::max_element(rewards.begin(), rewards.end());
  for (double& value : rewards) value = value > 0 ? value / largest : 0;
  return Table{.rewards = std::make_shared<const std::vector<double>>(std::move(rewards)), .after_end = 0};
}

}  // namespace

std::span<const EmbeddedFile> embedded_datasets();

std::string_view fico_2003_csv() { return embedded_datasets()[0].text; }

const FicoTable& fico_2003() {
  static const FicoTable table = [] {
    std::istringstream text{std::string(fico_2003_csv())};
    return read_table("datasets/fico_2003.csv", text);
  }();
  return table;
}

FicoTable read_fico_table(const std::string& path) {
  std::ifstream file = open_text(path);
  return read_table(path, file);
}

Bandit fico_bandit(std::string_view name, const FicoTable& table, FicoReward reward, const FicoOptions& options) {
  if (options.applicants < 1)
    throw InputError(fmt::format("bandit '{}': the number of applicants per group is {}; it must be 1 or more", name,
                                 options.applicants));
  if (!(options.lowest_score < options.highest_score)) {
    throw InputError(fmt::format("bandit '{}': the lowest score, {}, is not below the highest, {}", name,
                                 options.lowest_score, options.highest_score));
  }
  Bandit bandit{
      .name = std::string(name), .arm_names = {}, .arms = {}, .recorded_noise = nullptr, .horizon = options.horizon};
  auto impact = std::make_shared<Impact>();
  impact->unit = "credit score points";
  for (std::size_t group = 0; group < table.size(); ++group) {
    const std::vector<double> scores = applicant_scores(table[group], group, options);
    bandit.arm_names.push_back(table[group].name);
    bandit.arms.push_back(reward_curve(gains(table[group], scores, reward, options)));
    impact->per_pull.push_back(gains(table[group], scores, FicoReward::score_change, options));
  }
  bandit.impact = std::move(impact);
  return bandit;
}

}  // namespace longrun
