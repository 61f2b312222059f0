#include "longrun/decide/advice/newest_zeros.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace longrun {
namespace {

/// The rewards of an arm before the newest zeros, the latest first. The latest of them is not 0, because the zeros end
/// there: it says nothing about their rate.
class RewardsBefore {
 public:
  void add(double reward) {
    ++rewards_;
    if (reward != 0) return;
    ++zeros_;
    if (rewards_ <= kLatest + 1) ++latest_zeros_;
  }
  /// Returns the logarithm of the probability that the next rewards, so many, are all zeros, by the rate of zeros among
  /// all rewards or the latest ones, whichever makes it more probable: rates of zeros grow where arms fall.
  double log_probability_of_zeros(std::size_t next) const {
    const double by_all = log_probability(next, zeros_, rewards_ - 1);
    if (zeros_ == 0) return by_all;
    return std::max(by_all, log_probability(next, latest_zeros_, std::min(rewards_ - 1, kLatest)));
  }
  int rewards() const { return rewards_; }
  int zeros() const { return zeros_; }

 private:
  static constexpr int kLatest = 10;  // rewards; more say too little of a rate of zeros that grows

  /// Returns the logarithm of the probability of `next` zeros after `zeros` of `rewards`, if before these all
  /// probabilities of a zero were equally likely.
  static double log_probability(std::size_t next, int zeros, int rewards) {
    double sum = 0;
    for (std::size_t i = 0; i < next; ++i) {
      const auto more = static_cast<double>(i);
      sum += std::log((zeros + more + 1) / (rewards + more + 2));
    }
    return sum;
  }

  int rewards_ = 0;
  int zeros_ = 0;
  int latest_zeros_ = 0;  // of the kLatest rewards before the latest one
};

/// Returns the logarithm of the probability that the product of so many probabilities, each of which is uniform, is as
/// small as this (Fisher's method): of many arms, the product is small by chance.
double log_of_so_small_a_product(double log_product, int factors) {
  double sum = 0;
  double term = 1;
  for (int i = 0; i < factors; ++i) {
    if (i > 0) term *= -log_product / i;
    sum += term;
  }
  return log_product + std::log(sum);
}

/// Limits on a rise of the rate of zeros that is no chance. Found with simulated logs (newest_zeros_test.cpp).
struct RiseLimits {
  std::size_t fewest_rows = 8;    ///< newest rows
  std::size_t compared = 120;     ///< of the newest rows, the first: over more, a curve that bends looks like a step
  std::size_t part_of_rows = 3;   ///< at most a third of all rows are newest ones
  std::size_t fewest_before = 8;  ///< rewards of an arm before the newest rows
  std::size_t step_percent = 15;  ///< from one number of newest rows that is tried to the next
  std::size_t largest_step = 20;  ///< the same in rows
  double more_zeros = 5;          ///< than expected
  double share = 0.2;             ///< of the rewards that are expected not to be 0
  double share_of_arm = 0.1;      ///< of the zeros that are not expected, in each of two arms
  double deviance = 25;           ///< twice the logarithm of the likelihood ratio, the largest of all numbers of rows
};
constexpr RiseLimits kRise;

/// The zeros among the rewards of an arm, in the order of its pulls.
class ZerosOfArm {
 public:
  void add(bool zero) {
    const auto place = static_cast<double>(zeros_.size());  // of this reward, from 1
    zeros_.push_back(zeros_.back() + (zero ? 1 : 0));
    places_.push_back(places_.back() + (zero ? place : 0));
  }
  std::size_t rewards() const { return zeros_.size() - 1; }
  /// Returns the zeros among `rewards` successive rewards, after which `later` others came.
  double zeros(std::size_t rewards, std::size_t later) const {
    const std::size_t end = this->rewards() - later;
    return zeros_[end] - zeros_[end - rewards];
  }

  /// The probability of a zero among successive rewards of an arm, by those before them.
  struct Expected {
    double probability = 0;
    double variance = 0;  // of the estimate
  };
  /// Returns the largest of these estimates: the rate of all rewards before, that of the latest of them, and the ends
  /// of lines through all and through the latest, as rates rise and fall with the pulls.
  Expected expected(std::size_t newest, std::size_t later) const {
    const std::size_t before = rewards() - later - newest;
    const auto n = static_cast<double>(before);
    if (zeros_[before] == 0) {  // no line
      const double probability = smoothed(0, before);
      return {.probability = probability, .variance = probability * (1 - probability) / n};
    }
    const std::size_t latest =
        std::min(before, std::max({kLatest, newest, std::min(kLatestPerNewest * newest, kManyLatest)}));
    const Line all = line(0, before, newest);
    const Line now = line(before - latest, before, newest);
    const double probability = std::min(kMost, std::max({all.mean, all.end, now.mean, now.end}));
    return {.probability = probability, .variance = probability * (1 - probability) * all.error};
  }

 private:
  static constexpr std::size_t kLatest = 20;          // rewards, at least
  static constexpr std::size_t kLatestPerNewest = 2;  // rewards, up to kManyLatest
  static constexpr std::size_t kManyLatest = 80;      // rewards, or as many as the newest
  static constexpr double kSmallest = 0.5;            // zeros and other rewards that are added to those of an arm
  static constexpr double kMost = 0.999;              // probability

  static double smoothed(double zeros, std::size_t rewards) {
    return (zeros + kSmallest) / (static_cast<double>(rewards) + 2 * kSmallest);
  }

  struct Line {
    double mean = 0;
    double end = 0;    // at the centre of the next rewards
    double error = 0;  // variance of `end`, for rewards of variance 1
  };
  /// Returns the line through the zeros of the rewards from one place to another.
  Line line(std::size_t from, std::size_t until, std::size_t newest) const {
    const auto n = static_cast<double>(until - from);
    const double zeros = zeros_[until] - zeros_[from];
    const double centre = static_cast<double>(from + until + 1) / 2;
    const double squares = n * (n * n - 1) / 12;  // of the distances from the centre
    const double slope = (places_[until] - places_[from] - zeros * centre) / squares;
    const double ahead = (n + static_cast<double>(newest)) / 2;
    const double mean = smoothed(zeros, until - from);
    return {.mean = mean, .end = mean + slope * ahead, .error = 1 / n + ahead * ahead / squares};
  }

  std::vector<double> zeros_{0};   // among the first rewards, so many
  std::vector<double> places_{0};  // sum of their places
};

/// Successive rows with more zeros than expected.
struct MoreZeros {
  std::size_t rows = 0;
  double zeros = 0;
  double expected = 0;
  double deviance = 0;
};

/// Returns what the zeros of `newest[i]` successive rewards of each arm i show, after which `later[i]` others came;
/// deviance 0 if they are not clearly more than expected, or if they are those of one arm. O(arms).
MoreZeros more_zeros(const std::vector<ZerosOfArm>& arms, const std::vector<std::size_t>& newest,
                     const std::vector<std::size_t>& later) {
  MoreZeros result;
  double variance = 0;  // of the zeros, if the probabilities are known
  double unknown = 0;   // added to it, because they are not
  std::vector<double> more;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    if (newest[arm] == 0 || arms[arm].rewards() < newest[arm] + later[arm] + kRise.fewest_before) continue;
    const auto rows = static_cast<double>(newest[arm]);
    const ZerosOfArm::Expected expected = arms[arm].expected(newest[arm], later[arm]);
    const double zeros = arms[arm].zeros(newest[arm], later[arm]);
    result.rows += newest[arm];
    result.zeros += zeros;
    result.expected += rows * expected.probability;
    variance += rows * expected.probability * (1 - expected.probability);
    unknown += rows * rows * expected.variance;
    more.push_back(zeros - rows * expected.probability);
  }
  const auto rows = static_cast<double>(result.rows);
  const double all = result.zeros - result.expected;
  if (all < kRise.more_zeros || all < kRise.share * (rows - result.expected)) return {};
  const auto in_arm = [&](double each) { return each >= std::max(1.0, kRise.share_of_arm * all); };
  if (std::count_if(more.begin(), more.end(), in_arm) < 2) return {};
  const double others = rows - result.zeros;
  const double log_ratio = result.zeros * std::log(result.zeros / result.expected) +
                           (others > 0 ? others * std::log(others / (rows - result.expected)) : 0);
  result.deviance = 2 * log_ratio * variance / (variance + unknown);
  return result;
}

/// Returns a caution if the rate of zeros rises so much towards the last rows that chance is no reason, else an empty
/// text. Numbers of newest rows up to a limit are tried, and the most improbable is named.
std::string partly_zero_caution(const History& history) {
  std::vector<ZerosOfArm> arms(history.arm_names.size());
  std::vector<std::size_t> order;  // arms of the known rewards
  for (const PastPull& pull : history.pulls) {
    if (!pull.reward) continue;
    order.push_back(static_cast<std::size_t>(pull.arm));
    arms[order.back()].add(*pull.reward == 0);
  }
  MoreZeros most;
  double most_deviance = kRise.deviance;
  std::vector<std::size_t> newest(arms.size());
  std::vector<std::size_t> later(arms.size());  // those of them after the first kRise.compared
  const std::vector<std::size_t> none(arms.size());
  std::size_t next = kRise.fewest_rows;
  for (std::size_t rows = 1; rows * kRise.part_of_rows <= order.size(); ++rows) {
    ++newest[order[order.size() - rows]];
    if (rows > kRise.compared) ++later[order[order.size() - (rows - kRise.compared)]];
    if (rows < next) continue;
    next = rows + 1 + std::min(rows * kRise.step_percent / 100, kRise.largest_step);
    const MoreZeros all = more_zeros(arms, newest, none);
    if (all.deviance < kRise.deviance) continue;
    std::vector<std::size_t> first = newest;
    for (std::size_t arm = 0; arm < arms.size(); ++arm) first[arm] -= later[arm];
    const double deviance = more_zeros(arms, first, later).deviance;
    if (deviance <= most_deviance) continue;
    most_deviance = deviance;
    most = all;
  }
  if (most.rows == 0) return "";
  constexpr double kOne = 1.5;  // zeros, as they are rounded
  return fmt::format(
      "{:.0f} of the newest {} rewards are exactly 0; by those before them, about {} would be. If 0 stands for "
      "rewards that are not known yet, leave these rewards empty: the pulls then count as pending.",
      most.zeros, most.rows, most.expected < kOne ? "0 or 1" : fmt::format("{:.0f}", most.expected));
}

/// Returns a caution if the newest rewards of several arms are all 0, else an empty text.
std::string only_zeros_caution(const History& history) {
  constexpr double kImprobable = 1e-5;
  // Of each arm by itself, because the order of rows of different arms may mean nothing.
  std::vector<RewardsBefore> before(history.arm_names.size());
  std::vector<std::size_t> newest(history.arm_names.size());  // zeros of each arm since its last other reward
  for (std::size_t i = history.pulls.size(); i-- > 0;) {
    const PastPull& pull = history.pulls[i];
    if (!pull.reward) continue;
    const auto arm = static_cast<std::size_t>(pull.arm);
    if (before[arm].rewards() == 0 && *pull.reward == 0)
      ++newest[arm];
    else
      before[arm].add(*pull.reward);
  }
  std::size_t arms = 0;
  std::size_t zeros = 0;
  int others = 0;  // rewards of these arms before their newest zeros
  int other_zeros = 0;
  double log_probability = 0;
  int judged = 0;  // arms
  for (std::size_t arm = 0; arm < newest.size(); ++arm) {
    if (before[arm].rewards() == 0) continue;  // only zeros, or nothing: no reward says what is usual
    ++judged;
    log_probability += before[arm].log_probability_of_zeros(newest[arm]);
    if (newest[arm] == 0) continue;
    ++arms;
    zeros += newest[arm];
    others += before[arm].rewards();
    other_zeros += before[arm].zeros();
  }
  if (arms < 2 || log_of_so_small_a_product(log_probability, judged) > std::log(kImprobable)) return "";
  return fmt::format(
      "The newest rewards of {} arms, {} in all, are exactly 0, {} of the {} before them. If 0 stands for rewards that "
      "are not known yet, leave these rewards empty: the pulls then count as pending.",
      arms, zeros, other_zeros == 0 ? "but none" : fmt::format("but only {}", other_zeros), others);
}

}  // namespace

std::string newest_zeros_caution(const History& history) {
  std::string caution = only_zeros_caution(history);
  return caution.empty() ? partly_zero_caution(history) : caution;
}

}  // namespace longrun
