#include "longrun/decide/advice/newest_zeros.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace longrun {
namespace {

/// The rewards of an arm before the newest zeros, the latest first.
class RewardsBefore {
 public:
  void add(double reward) {
    ++rewards_;
    if (reward != 0) return;
    ++zeros_;
    if (rewards_ <= kLatest) ++latest_zeros_;
  }
  /// Returns the logarithm of the probability that the next rewards, so many, are all zeros, if before these rewards
  /// all probabilities of a zero were equally likely.
  double log_probability_of_zeros(std::size_t next) const {
    const int rewards = zeros_ == 0 ? rewards_ : std::min(rewards_, kLatest);
    double log_probability = 0;
    for (std::size_t i = 0; i < next; ++i) {
      const auto more = static_cast<double>(i);
      log_probability += std::log((latest_zeros_ + more + 1) / (rewards + more + 2));
    }
    return log_probability;
  }
  int rewards() const { return rewards_; }
  int zeros() const { return zeros_; }

 private:
  static constexpr int kLatest = 8;  // rewards; more say too little of a rate of zeros that grows

  int rewards_ = 0;
  int zeros_ = 0;
  int latest_zeros_ = 0;  // of the latest kLatest rewards
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

}  // namespace

std::string newest_zeros_caution(const History& history) {
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

}  // namespace longrun
