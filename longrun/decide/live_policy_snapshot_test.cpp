// Saved policies: a loaded policy continues exactly as the saved one, and damaged bytes are refused.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "longrun/base/input_error.h"
#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"
#include "tests/long_tests.h"

namespace longrun {
namespace {

constexpr Arm kSavedArms = 4;
constexpr Pulls kSavedHorizon = 300;

/// A policy and the setting that it is made with.
struct Made {
  std::string text;
  Setting setting;

  PolicyState make() const { return make_policy(PolicyChoice(text), setting); }
};

/// Returns every policy without and with noise, and those that can estimate the noise also so.
std::vector<Made> every_policy() {
  std::vector<Made> all;
  for (const PolicyEntry& entry : policy_catalog()) {
    Setting setting{.arms = kSavedArms, .horizon = kSavedHorizon, .seed = 3};
    if (entry.traits.needs_plan) setting.plan = {10, kSavedHorizon - 10, 0, 0};
    all.push_back({std::string(entry.name), setting});
    setting.noise = Gaussian{.sd = 0.1};
    all.push_back({std::string(entry.name), setting});
    if (entry.traits.estimates_noise) all.push_back({PolicyChoice(entry.name).estimating_noise().text(), setting});
  }
  return all;
}

std::string bytes_of(const PolicyState& policy) {
  Writer writer;
  policy->save(writer);
  return writer.bytes();
}

PolicyState loaded(const Made& made, const std::string& bytes) {
  PolicyState policy = made.make();
  Reader reader(bytes);
  policy->load(reader);
  reader.check_end();
  return policy;
}

/// A random course of choices, outcomes, added arms and extensions. Two policies in the same state make the same
/// choices.
class Course {
 public:
  Course(const Made& made, unsigned seed) : noise_(standard_deviation(made.setting.noise)), random_(seed) {}

  /// Takes one step with every policy. Returns false if their choices differ.
  bool step(std::vector<PolicyState>& policies) {
    if (arms_ < 2 * kSavedArms && random_() % 128 == 0) {
      ++arms_;
      for (PolicyState& policy : policies) policy->add_arm();
    }
    if (random_() % 128 == 0) {
      for (PolicyState& policy : policies) policy->extend(50);
    }
    const auto kind = random_() % 16;
    if (kind == 0) {
      const auto arm = static_cast<Arm>(random_() % static_cast<unsigned>(arms_));
      const double reward = next_reward(arm);
      for (PolicyState& policy : policies) policy->add(arm, reward);
      return true;
    }
    if (kind < 9 || pending_.empty()) return choose(policies);
    const std::size_t which = random_() % pending_.size();
    const Arm arm = pending_[which];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(which));
    if (kind == 9) {
      for (PolicyState& policy : policies) policy->cancel(arm);
    } else if (kind == 10) {
      ++pulls_[arm];
      for (PolicyState& policy : policies) policy->lose(arm);
    } else {
      const double reward = next_reward(arm);
      for (PolicyState& policy : policies) policy->observe(arm, reward);
    }
    return true;
  }

 private:
  bool choose(std::vector<PolicyState>& policies) {
    const std::vector<Arm> some{0, 2, 3};
    const bool restricted = random_() % 4 == 0;
    std::set<Arm> chosen;
    for (PolicyState& policy : policies) {
      chosen.insert(restricted ? policy->choose({.arms = some}) : policy->choose());
    }
    pending_.push_back(*chosen.begin());
    return chosen.size() == 1;
  }

  /// Arm 0 rises, arm 1 falls after its peak, arm 2 is constant, others rise and level off.
  double next_reward(Arm arm) {
    const auto pull = static_cast<double>(++pulls_[arm]);
    const double mean = arm == 0   ? 0.004 * pull
                        : arm == 1 ? 0.9 - 0.02 * std::max(0.0, pull - 20)
                        : arm == 2 ? 0.5
                                   : 0.7 - 0.5 / pull;
    return mean + noise_ * std::normal_distribution<double>()(random_);
  }

  double noise_;
  Arm arms_ = kSavedArms;
  std::mt19937 random_;
  std::map<Arm, Pulls> pulls_;
  std::vector<Arm> pending_;
};

TEST(EveryPolicy, ALoadedPolicyContinuesExactlyAsTheSavedOne) {
  constexpr unsigned kSeeds = sanitizer_slowdown() > 1 ? 1 : 4;
  for (const Made& made : every_policy()) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      Course course(made, seed);
      std::mt19937 random(seed);
      std::vector<PolicyState> policies{made.make()};
      for (int step = 0; step < 900; ++step) {
        ASSERT_TRUE(course.step(policies)) << made.text << ", seed " << seed << ", step " << step;
        if (random() % 60 != 0) continue;
        const std::string bytes = bytes_of(policies[0]);
        policies.push_back(loaded(made, bytes));
        ASSERT_TRUE(bytes_of(policies.back()) == bytes) << made.text;
      }
      EXPECT_GT(policies.size(), 5);
      for (const PolicyState& policy : policies) EXPECT_TRUE(bytes_of(policy) == bytes_of(policies[0])) << made.text;
    }
  }
}

/// Returns the bytes of the policy after a course with pending pulls.
std::string some_state(const Made& made, int steps) {
  Course course(made, 7);
  std::vector<PolicyState> policies{made.make()};
  for (int step = 0; step < steps; ++step) course.step(policies);
  policies[0]->choose();
  return bytes_of(policies[0]);
}

TEST(EveryPolicy, RefusesDamagedStatesAndKeepsItsOwn) {
  for (const Made& made : every_policy()) {
    const std::string bytes = some_state(made, 60);
    PolicyState policy = loaded(made, some_state(made, 30));
    const std::string before = bytes_of(policy);
    const auto refuses = [&](std::string_view damaged) {
      Reader reader(damaged);
      try {
        policy->load(reader);
        return false;
      } catch (const InputError& error) {
        return std::string_view(error.what()).find('\n') == std::string_view::npos;
      }
    };
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      ASSERT_TRUE(refuses(std::string_view(bytes).substr(0, length))) << made.text << ", " << length;
    }
    std::mt19937 random(5);
    // Odd, so that the sample includes every byte of a number.
    constexpr std::size_t kStride = sanitizer_slowdown() | 1;
    for (std::size_t at = 0; at < bytes.size(); at += kStride) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] + static_cast<int>(1 + random() % 255));
      ASSERT_TRUE(refuses(damaged)) << made.text << ", byte " << at;
    }
    EXPECT_TRUE(bytes_of(policy) == before) << made.text;
  }
}

TEST(EveryPolicy, RefusesTheStateOfAPolicyWithAnotherLayout) {
  std::map<std::uint64_t, std::string> states;  // by layout
  for (const Made& made : every_policy()) states.try_emplace(made.make()->layout(), some_state(made, 60));
  for (const Made& made : every_policy()) {
    PolicyState policy = made.make();
    for (const auto& [layout, bytes] : states) {
      if (layout == policy->layout()) continue;
      Reader reader(bytes);
      EXPECT_THROW(policy->load(reader), InputError) << made.text;
    }
  }
}

TEST(EveryPolicy, OnlyVariantsOfOnePolicyHaveTheSameLayout) {
  std::map<std::uint64_t, std::string> first;  // by layout
  const auto family = [](const PolicyEntry& entry) -> std::string {
    if (entry.name == "r-exp3") return "exp3";
    if (entry.name == "ucb" || entry.name == "ucb@released") return "d-ucb";  // with a discount of 1
    return std::string(entry.traits.variant_of.empty() ? entry.name : entry.traits.variant_of);
  };
  for (const PolicyEntry& entry : policy_catalog()) {
    Setting setting{.arms = 2, .horizon = 10};
    if (entry.traits.needs_plan) setting.plan = {5, 5};
    const PolicyState policy = make_policy(PolicyChoice(entry.name), setting);
    setting.noise = Gaussian{.sd = 0.2};
    setting.arms = 3;
    if (entry.traits.needs_plan) setting.plan = {5, 5, 0};
    EXPECT_EQ(PolicyState(make_policy(PolicyChoice(entry.name), setting))->layout(), policy->layout());
    const auto [found, is_new] = first.try_emplace(policy->layout(), family(entry));
    EXPECT_EQ(found->second, family(entry)) << entry.name;
  }
  EXPECT_EQ(first.size(), 18);
}

TEST(Foresight, ItsStateIsSmall) {
  constexpr Pulls kPulls = 100'000;
  const Made made{"foresight", {.arms = kSavedArms, .horizon = kPulls, .noise = Gaussian{.sd = 0.1}}};
  PolicyState policy = made.make();
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.1);
  for (Pulls pull = 0; pull < kPulls; ++pull) {
    const Arm arm = policy->choose();
    policy->observe(arm, 0.2 * arm + noise(random));
  }
  RecordProperty("bytes", static_cast<int>(bytes_of(policy).size()));
  EXPECT_LT(bytes_of(policy).size(), 6'000);
  policy->choose();
  policy->choose();  // with a belief
  RecordProperty("bytes_with_pending_pulls", static_cast<int>(bytes_of(policy).size()));
  EXPECT_LT(bytes_of(policy).size(), 11'000);
}

}  // namespace
}  // namespace longrun
