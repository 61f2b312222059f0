#include "longrun/decide/live_policy.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/expected_rewards.h"
#include "longrun/policy/static_catalog.h"

namespace longrun {
namespace {

/// The choices of one policy that are not settled, and those that were lost.
class Unanswered {
 public:
  explicit Unanswered(Arm arms) : pending_(static_cast<std::size_t>(arms)), lost_(pending_.size()) {}

  void choose(Arm arm) {
    ++pending_[static_cast<std::size_t>(arm)];
    ++all_pending_;
  }
  void settle(Arm arm) {
    --pending_[static_cast<std::size_t>(arm)];
    --all_pending_;
  }
  void lose(Arm arm) {
    settle(arm);
    ++lost_[static_cast<std::size_t>(arm)];
    ++all_lost_;
  }

  Pulls pending(Arm arm) const { return pending_[static_cast<std::size_t>(arm)]; }
  Pulls pending() const { return all_pending_; }
  Pulls count(Arm arm) const { return pending(arm) + lost_[static_cast<std::size_t>(arm)]; }
  Pulls count() const { return all_pending_ + all_lost_; }

  void add_arm() {
    pending_.push_back(0);
    lost_.push_back(0);
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(pending_, lost_, all_pending_, all_lost_);
  }

 private:
  std::vector<Pulls> pending_;  // by arm
  std::vector<Pulls> lost_;     // by arm
  Pulls all_pending_ = 0;       // sum of pending_
  Pulls all_lost_ = 0;          // sum of lost_
};

template <class Policy>
class LivePolicyOf final : public LivePolicy {
 public:
  LivePolicyOf(Policy policy, Arm arms, std::optional<double> sd, std::uint64_t origin)
      : origin_(origin), policy_(std::move(policy)), expected_(arms, sd), unanswered_(arms) {}

  Arm choose() override {
    if (some_are_silent()) return record_choice(choice_with_silent_arms(nullptr));
    return record_choice(deciding_policy().choose());
  }
  Arm choose(const Restriction& restriction) override {
    check(restriction);
    if (some_are_silent()) return record_choice(choice_with_silent_arms(&restriction));
    return record_choice(deciding_policy().choose(restriction));
  }

  void adopt(Arm arm) override {
    check_arm(arm);
    record_choice(arm);
  }

  void observe(Arm arm, double reward) override {
    check_pending(arm);
    check_reward(arm, reward);
    unanswered_.settle(arm);
    record(arm, reward);
  }
  void lose(Arm arm) override {
    check_pending(arm);
    unanswered_.lose(arm);
    policy_.lose(arm);
    outdate_belief();
  }
  void cancel(Arm arm) override {
    check_pending(arm);
    unanswered_.settle(arm);
    outdate_belief();
  }
  void add(Arm arm, double reward) override {
    check_arm(arm);
    check_reward(arm, reward);
    record(arm, reward);
  }

  void add_arm() override {
    policy_.add_arm();
    expected_.add_arm();
    unanswered_.add_arm();
    belief_.reset();
  }
  void extend(Pulls pulls) override {
    if (pulls < 0 || pulls > kLongestHorizon) {
      throw InputError(fmt::format("extension by {} pulls; a number from 0 to {} is needed", pulls, kLongestHorizon));
    }
    policy_.extend(pulls);
    belief_.reset();
  }

  void set_remaining(Pulls remaining) override {
    if constexpr (requires { policy_.set_remaining(remaining); }) {
      policy_.set_remaining(remaining + unanswered_.pending());  // which it does not know
      if (belief_) belief_->set_remaining(remaining);
    }
  }

  Pulls pending(Arm arm) const override {
    check_arm(arm);
    return unanswered_.pending(arm);
  }
  std::unique_ptr<LivePolicy> clone() const override { return std::make_unique<LivePolicyOf>(Copy{}, *this); }
  bool assign(const LivePolicy& other) override {
    const auto* same = dynamic_cast<const LivePolicyOf*>(&other);
    if (same == nullptr) return false;
    origin_ = same->origin_;
    policy_ = same->policy_;
    belief_ = same->belief_;
    news_ = same->news_;
    expected_ = same->expected_;
    unanswered_ = same->unanswered_;
    return true;
  }

  void save(Writer& writer) const override {
    writer.write(origin_);
    writer.write_checked(*this);
  }
  void load(Reader& reader) override {
    if (reader.read<std::uint64_t>() != origin_) throw InputError("the state is that of another policy or setting");
    LivePolicyOf loaded(Copy{}, *this);
    loaded.belief_ = policy_;  // a saved belief is read into an object
    reader.read_checked(loaded);
    policy_ = std::move(loaded.policy_);
    belief_ = std::move(loaded.belief_);
    news_ = loaded.news_;
    expected_ = std::move(loaded.expected_);
    unanswered_ = std::move(loaded.unanswered_);
  }
  std::uint64_t layout() const override { return layout_hash<LivePolicyOf>(); }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(policy_, belief_, news_, expected_, unanswered_);
  }

  /// A tag: the copy constructor of LivePolicy is deleted.
  struct Copy {};
  LivePolicyOf(Copy, const LivePolicyOf& other)
      : origin_(other.origin_),
        policy_(other.policy_),
        belief_(other.belief_),
        news_(other.news_),
        expected_(other.expected_),
        unanswered_(other.unanswered_) {}

 private:
  static constexpr Pulls kPendingPerNews = 16;  // more make a renewal of the belief wait for more than one outcome
  static constexpr bool kNeedsNoRewards = requires { Policy::kNeedsNoRewards; };
  static constexpr bool kDrawsEveryChoice = requires { Policy::kDrawsEveryChoice; };

  void check_arm(Arm arm) const {
    if (arm < 0 || arm >= expected_.arms()) {
      throw InputError(fmt::format("arm {} is not one of 0..{}", arm, expected_.arms() - 1));
    }
  }
  void check_pending(Arm arm) const {
    if (pending(arm) == 0) throw InputError(fmt::format("no pull of arm {} is pending", arm));
  }
  static void check_reward(Arm arm, double reward) {
    if (!std::isfinite(reward)) {
      throw InputError(fmt::format("reward {} of arm {} is not a finite number", reward, arm));
    }
  }
  void check(const Restriction& restriction) const {
    if (restriction.arms.empty()) throw InputError("restriction: no arms; at least one is needed");
    const Arm arms = expected_.arms();
    Arm smallest = 0;
    for (const Arm arm : restriction.arms) {
      if (arm < smallest || arm >= arms) {
        throw InputError(fmt::format(
            "restriction: arm {} is out of range or out of order; arms are 0..{}, in ascending order", arm, arms - 1));
      }
      smallest = arm + 1;
    }
    if (!restriction.costs.empty() && restriction.costs.size() != static_cast<std::size_t>(arms)) {
      throw InputError(
          fmt::format("restriction: {} costs for {} arms; one cost per arm is needed", restriction.costs.size(), arms));
    }
  }

  Pulls choices(Arm arm) const { return expected_.rewards(arm) + unanswered_.count(arm); }

  bool is_silent(Arm arm) const { return expected_.rewards(arm) == 0 && unanswered_.count(arm) > 0; }
  bool some_are_silent() const { return !kNeedsNoRewards && unanswered_.count() > 0 && !expected_.complete(); }

  /// Returns the next choice where arms may be silent: chosen, without a reward (see LivePolicy). O(arms).
  Arm choice_with_silent_arms(const Restriction* restriction) {
    const bool nothing_known = expected_.rewards() == 0;
    const double choices_per_arm =
        static_cast<double>(expected_.rewards() + unanswered_.count()) / static_cast<double>(expected_.arms());
    std::optional<Arm> least_chosen;
    std::optional<Arm> due;
    answering_.clear();
    const auto consider = [&](Arm arm) {
      if (!least_chosen || choices(arm) < choices(*least_chosen)) least_chosen = arm;
      if (!is_silent(arm)) {
        answering_.push_back(arm);
      } else if (!due) {
        constexpr Pulls kMostDoublings = 62;
        const auto doublings = static_cast<int>(std::min(kMostDoublings, unanswered_.count(arm)));
        if (choices_per_arm >= std::ldexp(1.0, doublings) - 1) due = arm;
      }
    };
    if (restriction != nullptr) {
      for (const Arm arm : restriction->arms) consider(arm);
    } else {
      for (Arm arm = 0; arm < expected_.arms(); ++arm) consider(arm);
    }
    if (nothing_known || (!due && answering_.empty())) return *least_chosen;
    if (due) return *due;
    // Without the silent arms that are not due: what is imagined of them must not make the policy choose them.
    return deciding_policy().choose(
        {.arms = answering_, .costs = restriction == nullptr ? std::span<const Pulls>{} : restriction->costs});
  }

  /// Returns the policy that decides: the real one, or, while pulls are pending, its copy that imagines their rewards.
  Policy& deciding_policy() {
    if (kDrawsEveryChoice || unanswered_.pending() == 0) return policy_;
    if (!belief_ || kPendingPerNews * news_ >= std::max<Pulls>(kPendingPerNews, unanswered_.pending())) renew_belief();
    return *belief_;
  }

  /// O(size of the policy + pending pulls). The outcomes of a sixteenth of the pending pulls may pass before it is
  /// called again, so an outcome costs an amortised O(1) imagined rewards.
  void renew_belief() {
    belief_ = policy_;
    news_ = 0;
    for (Arm arm = 0; arm < expected_.arms(); ++arm) {
      for (Pulls ahead = 1; ahead <= unanswered_.pending(arm); ++ahead) imagine(arm, ahead);
    }
  }
  void imagine(Arm arm, Pulls ahead) {
    if constexpr (requires { belief_->imagine(arm, 0.0); }) {
      belief_->imagine(arm, expected_.of(arm, ahead));
    } else {
      belief_->observe(arm, expected_.of(arm, ahead));
    }
  }
  void outdate_belief() {
    ++news_;
    if (unanswered_.pending() == 0) belief_.reset();
  }

  Arm record_choice(Arm arm) {
    unanswered_.choose(arm);
    if (belief_) imagine(arm, unanswered_.pending(arm));
    return arm;
  }
  void record(Arm arm, double reward) {
    expected_.add(arm, reward);
    policy_.observe(arm, reward);
    outdate_belief();
  }

  std::uint64_t origin_;          // a hash of the choice and the setting
  Policy policy_;                 // knows the settled pulls
  std::optional<Policy> belief_;  // policy_ at its last renewal, with imagined rewards of all pulls pending since then
  Pulls news_ = 0;                // outcomes since the last renewal
  ExpectedRewards expected_;
  Unanswered unanswered_;
  std::vector<Arm> answering_;  // as of the last choice with silent arms: those that are not silent
};

using Make = std::unique_ptr<LivePolicy> (*)(const Setting&, const Parameters&, std::optional<double> sd,
                                             std::uint64_t origin);

constexpr auto kMakers = per_policy<Make>([](const auto& entry) -> Make {
  using Entry = std::remove_cvref_t<decltype(entry)>;
  return [](const Setting& setting, const Parameters& parameters, std::optional<double> sd,
            std::uint64_t origin) -> std::unique_ptr<LivePolicy> {
    return std::make_unique<LivePolicyOf<typename Entry::Policy>>(Entry::make(setting, parameters), setting.arms, sd,
                                                                  origin);
  };
});

}  // namespace

namespace {

/// Returns a hash of what a policy is made with.
std::uint64_t origin_of(const PolicyChoice& choice, const Setting& setting) {
  Writer writer;
  writer.write(choice.text());
  writer.write(setting.arms);
  writer.write(setting.horizon);
  writer.write(to_text(setting.noise));
  writer.write(setting.half_width);
  writer.write(setting.seed);
  writer.write(setting.replicate);
  writer.write(setting.plan);
  writer.write(setting.noise_known);
  return archive_detail::hash_of(writer.bytes());
}

}  // namespace

std::unique_ptr<LivePolicy> make_policy(const PolicyChoice& choice, const Setting& setting) {
  check(setting);
  std::optional<double> sd;
  if (setting.noise_known && !choice.estimates_noise()) sd = standard_deviation(setting.noise);
  return kMakers[choice.number()](setting, choice.parameters(), sd, origin_of(choice, setting));
}

}  // namespace longrun
