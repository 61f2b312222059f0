// EXP3 draws 16 numbers ahead and computes two arms at once: its choices are those of its definition, one at a time.
#include "longrun/policy/exp3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

/// EXP3 with restarts, without anything computed ahead.
class PlainExp3 {
 public:
  PlainExp3(const Setting& setting, double gamma, Pulls restart_every)
      : gamma_(gamma),
        restart_every_(restart_every),
        stream_{.seed = setting.seed, .replicate = setting.replicate, .purpose = Purpose::policy},
        log_weights_(static_cast<std::size_t>(setting.arms)) {}

  std::size_t choose() {
    const double u = unit_interval(random_block(stream_, draws_++)[0]);
    double below = 0;
    for (std::size_t arm = 0; arm + 1 < log_weights_.size(); ++arm) {
      below += probability(arm);
      if (u < below) return arm;
    }
    return log_weights_.size() - 1;
  }
  void observe(std::size_t arm, double reward) {
    log_weights_[arm] += gamma_ * reward / (probability(arm) * static_cast<double>(log_weights_.size()));
    if (++rewards_ != restart_every_) return;
    std::fill(log_weights_.begin(), log_weights_.end(), 0.0);
    rewards_ = 0;
  }

 private:
  double probability(std::size_t arm) const {
    double total = 0;
    for (const double log_weight : log_weights_) total += std::exp(log_weight - log_weights_[arm]);
    return (1 - gamma_) / total + gamma_ / static_cast<double>(log_weights_.size());
  }

  double gamma_;
  Pulls restart_every_;
  StreamKey stream_;
  std::uint64_t draws_ = 0;
  Pulls rewards_ = 0;
  std::vector<double> log_weights_;
};

TEST(Exp3, MakesTheChoicesOfItsDefinition) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  for (Arm arms = 1; arms <= 7; ++arms) {
    for (const Pulls restart_every : {0, 1, 300}) {
      for (const double gamma : {0.01, 0.3, 1.0}) {
        const Setting setting{.arms = arms, .horizon = 5000, .seed = 9, .replicate = static_cast<std::uint32_t>(arms)};
        Exp3 exp3(setting, gamma, restart_every);
        PlainExp3 plain(setting, gamma, restart_every);
        for (Pulls step = 0; step < setting.horizon; ++step) {
          const std::size_t expected = plain.choose();
          ASSERT_EQ(exp3.choose(), static_cast<Arm>(expected)) << "step " << step << ", " << arms << " arms";
          const double reward = random() % 8 == 0 ? 0 : uniform(random);
          exp3.observe(static_cast<Arm>(expected), reward);
          plain.observe(expected, reward);
        }
      }
    }
  }
}

TEST(Exp3, ByNameRestartsOnlyAsRExp3) {
  for (const auto& [name, restart_every] : {std::pair{"exp3:gamma=0.3", 0}, {"r-exp3:gamma=0.3,batch=300", 300}}) {
    const Setting setting{.arms = 3, .horizon = 2000, .seed = 9};
    const auto named = make_policy(PolicyChoice(name), setting);
    PlainExp3 plain(setting, 0.3, restart_every);
    for (Pulls step = 0; step < setting.horizon; ++step) {
      const std::size_t expected = plain.choose();
      ASSERT_EQ(named->choose(), static_cast<Arm>(expected)) << name << ", step " << step;
      const double reward = expected == 1 ? 0.75 : 0.25;
      named->observe(static_cast<Arm>(expected), reward);
      plain.observe(expected, reward);
    }
  }
}

}  // namespace
}  // namespace longrun
