// Problems that grow while a policy runs: arms are added, the horizon is extended.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

#include "longrun/base/input_error.h"
#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

constexpr Arm kFirstArms = 3;
constexpr Pulls kFullHorizon = 400;

Setting setting_for(std::string_view text, const Noise& noise, Arm arms = kFirstArms, Pulls horizon = kFullHorizon) {
  Setting setting{.arms = arms, .horizon = horizon, .noise = noise};
  if (traits_of(text).needs_plan) {
    setting.plan.assign(static_cast<std::size_t>(arms), 0);
    setting.plan[1] = horizon;
  }
  return setting;
}

/// Calls `test` for every policy, without and with noise, and where possible with estimated noise.
void for_every_policy(const std::function<void(const std::string& text, const Noise& noise)>& test) {
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string text(entry.name);
    test(text, NoNoise{});
    test(text, Gaussian{.sd = 0.1});
    if (entry.traits.estimates_noise) test(PolicyChoice(text).estimating_noise().text(), Gaussian{.sd = 0.1});
  }
}

PolicyState make(const std::string& text, const Setting& setting) { return make_policy(PolicyChoice(text), setting); }

/// The rewards of one run: arm 1 is best, and falls late.
class Rewards {
 public:
  explicit Rewards(const Noise& noise) : sd_(standard_deviation(noise)) {}

  double next(Arm arm) {
    ++pulls_;
    const double mean = arm == 1 ? 0.8 - std::max(0.0, 0.002 * (pulls_ - 200)) : 0.1 + 0.1 * arm;
    return mean + sd_ * normal_(random_);
  }

 private:
  double sd_;
  int pulls_ = 0;
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_;
};

void play(PolicyState& policy, Rewards& rewards, int pulls) {
  for (int pull = 0; pull < pulls; ++pull) {
    const Arm arm = policy->choose();
    policy->observe(arm, rewards.next(arm));
  }
}

/// Adds the same rewards of random arms to both policies.
void add_history(PolicyState& a, PolicyState& b, Rewards& rewards, int pulls) {
  std::mt19937 random(2);
  for (int pull = 0; pull < pulls; ++pull) {
    const auto arm = static_cast<Arm>(random() % kFirstArms);
    const double reward = rewards.next(arm);
    a->add(arm, reward);
    b->add(arm, reward);
  }
}

/// Returns how many of the next choices, restricted to `arms` if not empty, are the same, up to the first that differs.
int same_choices(PolicyState& a, PolicyState& b, Rewards& rewards, int pulls, const std::vector<Arm>& arms = {}) {
  const auto choose = [&](PolicyState& policy) {
    return arms.empty() ? policy->choose() : policy->choose({.arms = arms});
  };
  for (int pull = 0; pull < pulls; ++pull) {
    const Arm arm = choose(a);
    if (choose(b) != arm) return pull;
    const double reward = rewards.next(arm);
    a->observe(arm, reward);
    b->observe(arm, reward);
  }
  return pulls;
}

bool draws_every_choice(const std::string& text) {
  return policy_name(text) == "exp3" || policy_name(text) == "r-exp3";
}

/// Returns the bytes without those that tell what the policy was made with.
std::string state_of(const Writer& writer) { return writer.bytes().substr(sizeof(std::uint64_t)); }

TEST(EveryPolicy, TriesAnAddedArm) {
  for_every_policy([](const std::string& text, const Noise& noise) {
    if (traits_of(text).needs_plan) return;  // no pulls of the arm are planned
    // ptrr takes the arm when all others have been dropped, the randomized ones some time, the others next.
    const int limit = text == "ptrr" ? static_cast<int>(kFullHorizon) : draws_every_choice(text) ? 5'000 : 1;
    for (const int pending : {0, 3}) {
      PolicyState policy = make(text, setting_for(text, noise));
      Rewards rewards(noise);
      play(policy, rewards, 100);
      for (int i = 0; i < pending; ++i) policy->choose();
      policy->add_arm();
      EXPECT_EQ(policy->pending(kFirstArms), 0);
      int choices = 1;
      for (Arm arm = policy->choose(); arm != kFirstArms && choices <= limit; arm = policy->choose(), ++choices) {
        policy->observe(arm, rewards.next(arm));
      }
      EXPECT_LE(choices, limit) << text << ", " << pending << " pending";
    }
  });
}

TEST(EveryPolicy, ChoosesAnAddedArmIfRestrictedToIt) {
  for_every_policy([](const std::string& text, const Noise& noise) {
    PolicyState policy = make(text, setting_for(text, noise));
    Rewards rewards(noise);
    play(policy, rewards, 50);
    policy->choose();
    policy->add_arm();
    for (int pull = 0; pull < 20; ++pull) {
      ASSERT_EQ(policy->choose({.arms = std::vector<Arm>{kFirstArms}}), kFirstArms) << text;
      if (pull % 2 == 0) policy->observe(kFirstArms, rewards.next(kFirstArms));
    }
    EXPECT_EQ(policy->pending(kFirstArms), 10);
    EXPECT_THROW(policy->choose({.arms = std::vector<Arm>{kFirstArms + 1}}), InputError);
    play(policy, rewards, 50);
  });
}

TEST(EveryPolicy, AnAddedArmDoesNotChangeChoicesWithoutIt) {
  const std::vector<Arm> old{0, 1, 2};
  for_every_policy([&](const std::string& text, const Noise& noise) {
    // Their decisions depend on the number of arms: probabilities, rounds, and the cost of a trial.
    const bool exact = standard_deviation(noise) == 0;
    if (draws_every_choice(text) || text == "increasing" || (policy_name(text) == "foresight" && !exact)) return;
    for (const int before : {0, 1, 100}) {
      PolicyState plain = make(text, setting_for(text, noise));
      Rewards rewards(noise);
      play(plain, rewards, before);
      PolicyState grown = plain;
      grown->add_arm();
      EXPECT_EQ(same_choices(plain, grown, rewards, 300, old), 300) << text << " after " << before << " pulls";
    }
  });
}

TEST(EveryPolicy, AnArmAddedAfterAHistoryIsLikeOneFromTheStart) {
  for_every_policy([&](const std::string& text, const Noise& noise) {
    if (text == "ptrr" || text == "r-exp3") return;  // the random order; parameters from the number of arms
    const bool learns_by_number_of_arms = text == "exp3" || text == "increasing";
    for (const int history : {0, 1, 100}) {
      if (history > 0 && learns_by_number_of_arms) continue;
      PolicyState grown = make(text, setting_for(text, noise));
      PolicyState whole = make(text, setting_for(text, noise, kFirstArms + 1));
      Rewards rewards(noise);
      add_history(grown, whole, rewards, history);
      grown->add_arm();
      Writer grown_bytes;
      Writer whole_bytes;
      grown->save(grown_bytes);
      whole->save(whole_bytes);
      EXPECT_TRUE(state_of(grown_bytes) == state_of(whole_bytes)) << text << " after " << history << " pulls";
      EXPECT_EQ(same_choices(grown, whole, rewards, 300), 300) << text << " after " << history << " pulls";
    }
  });
}

TEST(EveryPolicy, AnExtensionChangesNothingIfTheHorizonIsNotUsed) {
  for_every_policy([](const std::string& text, const Noise& noise) {
    if (traits_of(PolicyChoice(text).entry().name).uses_horizon) return;
    PolicyState plain = make(text, setting_for(text, noise));
    Rewards rewards(noise);
    play(plain, rewards, 100);
    PolicyState extended = plain;
    extended->extend(1'000);
    EXPECT_EQ(same_choices(plain, extended, rewards, 600), 600) << text;
  });
}

TEST(EveryPolicy, ExtendedAtTheStartIsLikeMadeWithTheLongerHorizon) {
  // With parameters that are not derived from the horizon.
  for (const std::string text :
       {"spo:initial_pulls=5", "spo@released:initial_pulls=5", "increasing", "ptrr", "d-ucb:discount=0.99",
        "d-ucb@released:discount=0.99", "sw-ucb:window=50", "sw-ucb@released:window=50", "r-exp3:batch=50,gamma=0.1",
        "glr-kl-ucb:delta=0.1,alpha=0.05"}) {
    for (const Noise& noise : {Noise{NoNoise{}}, Noise{Gaussian{.sd = 0.1}}}) {
      PolicyState extended = make(text, setting_for(text, noise, kFirstArms, 60));
      PolicyState longer = make(text, setting_for(text, noise));
      extended->extend(kFullHorizon - 60);
      Rewards rewards(noise);
      EXPECT_EQ(same_choices(extended, longer, rewards, kFullHorizon), kFullHorizon) << text;
    }
  }
}

TEST(Spo, ExtendedBeyondItsHorizonIsLikeMadeWithTheLongerHorizon) {
  const std::string text = "spo:initial_pulls=5";
  for (const Noise& noise : {Noise{NoNoise{}}, Noise{Gaussian{.sd = 0.1}}}) {
    PolicyState extended = make(text, setting_for(text, noise, kFirstArms, 60));
    PolicyState longer = make(text, setting_for(text, noise));
    Rewards rewards(noise);
    for (int pull = 0; pull < 80; ++pull) {  // 20 of them beyond the horizon
      const Arm arm = extended->choose();
      const double reward = rewards.next(arm);
      extended->observe(arm, reward);
      longer->add(arm, reward);
    }
    extended->extend(kFullHorizon - 60);
    EXPECT_EQ(same_choices(extended, longer, rewards, kFullHorizon - 80), kFullHorizon - 80) << to_text(noise);
  }
}

/// Returns the pulls, out of the next 100, of an arm that rises slowly but pays less at present than the other.
Pulls pulls_of_the_rising_arm(const std::string& text, Pulls extension) {
  const Noise noise = Gaussian{.sd = 0.02};
  PolicyState policy = make(text, {.arms = 2, .horizon = 100, .noise = noise});
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 0.02);
  Pulls rising = 0;
  const auto pull = [&] {
    const Arm arm = policy->choose();
    if (arm == 1) ++rising;
    policy->observe(arm, (arm == 1 ? 0.2 + 0.002 * static_cast<double>(rising) : 0.5) + normal(random));
  };
  for (int i = 0; i < 100; ++i) pull();
  const Pulls before = rising;
  policy->extend(extension);
  for (int i = 0; i < 100; ++i) pull();
  return rising - before;
}

TEST(Foresight, ALongerHorizonMakesARisingArmWorthwhile) {
  for (const std::string text : {"foresight", "foresight:estimate_sd=1"}) {
    EXPECT_LE(pulls_of_the_rising_arm(text, 0), 2) << text;
    EXPECT_GE(pulls_of_the_rising_arm(text, 10'000), 90) << text;
  }
}

TEST(EveryPolicy, RefusesAnInvalidExtension) {
  PolicyState policy = make("spo", setting_for("spo", NoNoise{}));
  EXPECT_THROW(policy->extend(-1), InputError);
  EXPECT_THROW(policy->extend(kLongestHorizon + 1), InputError);
}

}  // namespace
}  // namespace longrun
