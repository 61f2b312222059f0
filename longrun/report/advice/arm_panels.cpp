#include "longrun/report/advice/arm_panels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace longrun {
namespace {

constexpr std::size_t kRewardsPerMean = 6;
constexpr std::size_t kMostMeans = 20;
constexpr std::size_t kRewardsPerRate = 12;  // of yes/no rewards
constexpr std::size_t kMostRates = 8;
constexpr double kStandardErrors = 2;  // of the band around a mean
constexpr double kMostRoom = 1;        // for rewards and upper bounds beyond the means, on each side, by their range
constexpr double kNarrowest = 0.12;    // share of a panel's width that two labels of an axis need

/// The smallest and the largest of some rewards.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double reward) {
    low = std::min(low, reward);
    high = std::max(high, reward);
  }
};

/// Returns the range of rewards that the axis shows: all means and expected rewards with their bands, and rewards and
/// upper bounds as far as they leave the means readable.
Extent shown_rewards(const Question& question, const Recommendation& answer, const std::vector<ArmMeans>& means) {
  Extent shown;
  for (const ArmMeans& arm : means) {
    for (const BlockMean& block : arm.blocks()) {
      shown.include(block.low);
      shown.include(block.high);
    }
  }
  for (const ArmReport& arm : answer.arms) {
    for (const ExpectedPull& pull : arm.expected_course) {
      shown.include(pull.reward.low);
      shown.include(pull.reward.high);
    }
  }
  if (!(shown.low <= shown.high)) return {question.scale.minimum, question.scale.maximum};
  const double least = 0.01 * question.scale.range();  // below it differences are rounding errors
  const double room = std::max(least, kMostRoom * (shown.high - shown.low));
  const Extent most{shown.low - room, shown.high + room};
  const auto include_within = [&](double reward) { shown.include(std::clamp(reward, most.low, most.high)); };
  for (const ArmMeans& arm : means) {
    for (const double reward : arm.rewards()) include_within(reward);
  }
  for (const ArmReport& arm : answer.arms) {
    for (const FuturePull& pull : arm.upper_bound) include_within(pull.reward);
  }
  return shown;
}

}  // namespace

bool is_next(const Recommendation& answer, Arm arm) {
  const auto& next = answer.next.arms;
  return std::any_of(next.begin(), next.end(), [&](const NextPulls& each) { return each.arm == arm; });
}

std::vector<Arm> arms_with_panel(const Recommendation& answer) {
  std::vector<Arm> arms(answer.arms.size());
  std::iota(arms.begin(), arms.end(), Arm{0});
  const auto before = [&](Arm a, Arm b) {
    if (is_next(answer, a) != is_next(answer, b)) return is_next(answer, a);
    return answer.arms[static_cast<std::size_t>(a)].index > answer.arms[static_cast<std::size_t>(b)].index;
  };
  if (arms.size() > kMostPanels) {
    std::stable_sort(arms.begin(), arms.end(), before);
    arms.resize(kMostPanels);
    std::sort(arms.begin(), arms.end());
  }
  return arms;
}

/// `range_of` returns the band of the mean of so many rewards.
template <class Range>
void ArmMeans::finish(std::size_t most, std::size_t rewards_per_block, Range range_of) {
  const std::size_t size = rewards_.size();
  const std::size_t blocks = size == 0 ? 0 : std::clamp<std::size_t>(size / rewards_per_block, 1, most);
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = block * size / blocks;
    const std::size_t end = (block + 1) * size / blocks;
    const auto count = static_cast<double>(end - begin);
    const double mean = std::accumulate(rewards_.data() + begin, rewards_.data() + end, 0.0) / count;
    const auto [low, high] = range_of(mean, count);
    blocks_.push_back(
        {.pull = static_cast<double>(pulls_[begin] + pulls_[end - 1]) / 2, .mean = mean, .low = low, .high = high});
  }
  if (blocks != 1 || size == 1) return;
  blocks_.push_back(blocks_.front());
  blocks_.front().pull = static_cast<double>(pulls_.front());
  blocks_.back().pull = static_cast<double>(pulls_.back());
}

void ArmMeans::finish(double sd) {
  finish(kMostMeans, kRewardsPerMean, [&](double mean, double count) {
    const double error = kStandardErrors * sd / std::sqrt(count);
    return RateInterval{mean - error, mean + error};
  });
}

void ArmMeans::finish(const RewardScale& ends) {
  finish(kMostRates, kRewardsPerRate, [&](double mean, double count) {
    const RateInterval rate = rate_interval(ends.to_unit(mean), count, kStandardErrors);
    return RateInterval{ends.from_unit(rate.low), ends.from_unit(rate.high)};
  });
}

std::vector<ArmMeans> means_of(const Question& question, const Recommendation& answer) {
  std::vector<ArmMeans> arms(answer.arms.size());
  std::vector<Pulls> made(arms.size());
  auto outlier = answer.outliers.begin();  // the next one
  for (std::size_t i = 0; i < question.history.pulls.size(); ++i) {
    const PastPull& pull = question.history.pulls[i];
    const auto arm = static_cast<std::size_t>(pull.arm);
    ++made[arm];
    if (!pull.reward) continue;
    const bool is_outlier = outlier != answer.outliers.end() && outlier->pull == i;
    arms[arm].add(made[arm], is_outlier ? outlier->typical : *pull.reward);
    if (is_outlier) arms[arm].add_outlier(made[arm], (outlier++)->reward);
  }
  const bool yes_or_no = rewards_are_yes_or_no(question.history, question.scale);
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    if (yes_or_no) {
      arms[arm].finish(question.scale);
    } else {
      arms[arm].finish(answer.arms[arm].noise_sd);
    }
  }
  return arms;
}

double PanelAxes::across(double pull, Pulls made) const {
  const double ahead = pull - static_cast<double>(made);
  return ahead <= 0 ? past_width * ahead / past : (1 - past_width) * ahead / future;
}

std::vector<std::pair<double, Pulls>> PanelAxes::tics(Pulls made, Pulls remaining) const {
  std::vector<std::pair<double, Pulls>> tics{{0, made}};
  if (const double begin = across(0, made); begin < -kNarrowest) tics.emplace_back(begin, 0);
  if (const double end = across(static_cast<double>(made + remaining), made); end > kNarrowest)
    tics.emplace_back(end, made + remaining);
  return tics;
}

PanelAxes axes_of(const Question& question, const Recommendation& answer, const std::vector<ArmMeans>& means) {
  PanelAxes axes;
  for (const ArmReport& arm : answer.arms) axes.past = std::max(axes.past, static_cast<double>(arm.pulls));
  axes.future = static_cast<double>(std::max<Pulls>(1, answer.remaining));
  axes.past_width = std::clamp(axes.past / (axes.past + axes.future), 0.4, 0.7);
  const Extent shown = shown_rewards(question, answer, means);
  const double margin = 0.04 * std::max(shown.high - shown.low, 0.01 * question.scale.range());
  axes.lowest = shown.low - margin;
  axes.highest = shown.high + margin;
  return axes;
}

}  // namespace longrun
