// KL-UCB and GLR-klUCB against their definitions, computed from all rewards at every step.
#include "longrun/policy/kl_ucb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longrun/policy/glr_kl_ucb.h"
#include "tests/change_by_definition.h"
#include "tests/choices_by_definition.h"

namespace longrun {
namespace {

/// Returns q - 1 for the largest mean q in [mean, 1] with n kl(mean, q) <= ln t + c ln(ln t), by bisection of ln(1 -
/// q). So indices that round to 1 are told apart.
double kl_index(std::vector<double> rewards, double t, double c) {
  for (double& reward : rewards) reward = std::clamp(reward, 0.0, 1.0);
  const auto count = static_cast<double>(rewards.size());
  const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / count;
  if (mean >= 1) return 0;
  double exploration = std::log(t);
  if (c > 0) exploration += c * std::log(std::log(t));
  double low = -1'000;
  double high = std::log(1 - mean);
  for (int step = 0; step < 100; ++step) {
    const double log_rest = 0.5 * (low + high);
    double loss = (1 - mean) * (std::log(1 - mean) - log_rest);
    if (mean > 0) loss += mean * (std::log(mean) - std::log1p(-std::exp(log_rest)));
    (count * loss <= exploration ? high : low) = log_rest;
  }
  return -std::exp(high);
}

TEST(KlUcb, DecidesByItsDefinition) {
  const auto test = [](const Bandit& bandit, std::uint64_t seed) {
    for (const double c : {0.0, 3.0}) {
      const Pulls horizon = bandit.arms.size() > 20 ? 200 : 500;
      expect_choices(c == 0 ? "kl-ucb" : "kl-ucb:c=3", bandit, horizon, seed, [&](const RewardsByArm& history) {
        for (std::size_t arm = 0; arm < history.size(); ++arm) {
          if (history[arm].empty()) return static_cast<Arm>(arm);
        }
        const double t = pulls_made(history) + 1;
        return first_largest(history, [&](const std::vector<double>& rewards) { return kl_index(rewards, t, c); });
      });
    }
  };
  on_many_bandits(test);
  test(mixed_arms(5, 700, Bernoulli{}, 3), 3);
}

/// GLR-klUCB by its definition: the rewards of each arm since it began again, in full.
class NaiveGlr {
 public:
  NaiveGlr(std::size_t arms, double delta, double alpha) : delta_(delta), alpha_(alpha), known_(arms), start_(arms) {}

  Arm choose() const {
    const std::size_t arms = known_.size();
    for (std::size_t arm = 0; arm < arms; ++arm) {
      if (known_[arm].empty()) return static_cast<Arm>(arm);
    }
    const auto period = static_cast<std::size_t>(std::floor(static_cast<double>(arms) / alpha_));
    if (made_ % period < arms) return static_cast<Arm>(made_ % period);
    Arm best = 0;
    double largest = -2;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      const double index = kl_index(known_[arm], static_cast<double>(made_ + 1 - start_[arm]), 0);
      if (index <= largest) continue;
      largest = index;
      best = static_cast<Arm>(arm);
    }
    return best;
  }
  void observe(std::size_t arm, double reward) {
    ++made_;
    known_[arm].push_back(reward);
    if (!changed_by_definition(known_[arm], delta_, grid_of_splits(known_[arm].size()))) return;
    known_[arm] = {reward};
    start_[arm] = made_ - 1;
    ++changes_;
  }
  int changes() const { return changes_; }

 private:
  double delta_;
  double alpha_;
  std::vector<std::vector<double>> known_;  // by arm
  std::vector<std::size_t> start_;          // by arm: rewards of all arms before the first known one
  std::size_t made_ = 0;
  int changes_ = 0;
};

TEST(GlrKlUcb, DecidesByItsDefinition) {
  int changes = 0;
  const auto test = [&](const Bandit& bandit, std::uint64_t seed) {
    const Pulls horizon = bandit.arms.size() > 20 ? 200 : 600;
    const auto t = static_cast<double>(horizon);
    for (const bool defaults : {true, false}) {
      const double delta = defaults ? 1 / std::sqrt(t) : 0.5;
      const double alpha = defaults ? 0.1 * std::sqrt(std::log(t) / t) : 0.25;
      NaiveGlr naive(bandit.arms.size(), delta, alpha);
      const auto policy = make_policy(PolicyChoice(defaults ? "glr-kl-ucb" : "glr-kl-ucb:delta=0.5,alpha=0.25"),
                                      {.arms = bandit.arm_count(), .horizon = horizon, .noise = bandit.noise});
      World world(bandit, seed);
      for (Pulls step = 0; step < horizon; ++step) {
        const Arm arm = policy->choose();
        ASSERT_EQ(arm, naive.choose()) << "step " << step << ", " << bandit.arms.size() << " arms, "
                                       << to_text(bandit.noise) << ", seed " << seed;
        const double reward = world.pull(arm);
        policy->observe(arm, reward);
        naive.observe(static_cast<std::size_t>(arm), reward);
      }
      changes += naive.changes();
    }
  };
  on_many_bandits(test);
  test(mixed_arms(5, 700, Bernoulli{}, 3), 3);
  const auto steps = [](double pull) { return pull <= 60 ? 0.9 : pull <= 150 ? 0.2 : 0.7; };
  const auto falls = [](double pull) { return pull <= 90 ? 0.8 : 0.1; };
  for (const Noise& noise : {Noise(NoNoise{}), Noise(Gaussian{0.3}), Noise(Bernoulli{})}) {
    test(bandit_of(700, {steps, falls, [](double) { return 0.5; }, falls}, noise), 5);
  }
  EXPECT_GT(changes, sanitizer_slowdown() > 1 ? 10 : 20) << "the test covers arms that begin again";
}

/// Returns the pulls of an arm after its fall from 0.9 to 0.1, until one that pays 0.5 is preferred.
int pulls_after_the_fall(const std::string& text) {
  const auto policy = make_policy(PolicyChoice(text), {.arms = 2, .horizon = 10'000});
  for (int i = 0; i < 500; ++i) policy->add(0, 0.9);
  for (int i = 0; i < 50; ++i) policy->add(1, 0.5);
  int pulls = 0;
  for (; policy->choose() == 0 && pulls < 400; ++pulls) policy->observe(0, 0.1);
  return pulls;
}

TEST(GlrKlUcb, ForgetsWhatAnArmPaidBeforeItsFall) {
  const int pulls = pulls_after_the_fall("glr-kl-ucb:alpha=0");
  EXPECT_LT(pulls, 40) << "the mean of arm 0 is still 0.84";
  EXPECT_GT(pulls, 3);
  EXPECT_LT(pulls_after_the_fall("glr-kl-ucb:alpha=0,delta=1"), pulls) << "more false alarms are accepted";
  EXPECT_GT(pulls_after_the_fall("glr-kl-ucb:alpha=0,delta=1e-12"), pulls);
}

TEST(GlrKlUcb, AlphaOneIsRoundRobin) {
  const auto policy = make_policy(PolicyChoice("glr-kl-ucb:alpha=1"), {.arms = 3, .horizon = 100});
  for (int step = 0; step < 30; ++step) {
    ASSERT_EQ(policy->choose(), step % 3);
    policy->observe(step % 3, step % 3 == 2 ? 1 : 0);
  }
}

}  // namespace
}  // namespace longrun
