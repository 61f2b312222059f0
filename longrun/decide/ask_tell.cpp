#include "longrun/decide/ask_tell.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "longrun/base/input_error.h"
#include "longrun/policy/static_catalog.h"

namespace longrun {
namespace {

template <class Policy>
class AskTellPolicy final : public AskTell {
 public:
  AskTellPolicy(Policy policy, Arm arms) : policy_(std::move(policy)), arms_(arms) {}

  Arm choose() override { return policy_.choose(); }
  Arm choose(const Restriction& restriction) override {
    check(restriction);
    return policy_.choose(restriction);
  }
  void observe(Arm arm, double reward) override {
    if (arm < 0 || arm >= arms_) throw InputError(fmt::format("arm {} is not one of 0..{}", arm, arms_ - 1));
    if (!std::isfinite(reward)) {
      throw InputError(fmt::format("reward {} of arm {} is not a finite number", reward, arm));
    }
    policy_.observe(arm, reward);
  }
  std::unique_ptr<AskTell> clone() const override { return std::make_unique<AskTellPolicy>(policy_, arms_); }

 private:
  void check(const Restriction& restriction) const {
    if (restriction.arms.empty()) throw InputError("restriction: it has no arms; at least 1 is needed");
    Arm smallest = 0;  // that the next arm may be
    for (const Arm arm : restriction.arms) {
      if (arm < smallest || arm >= arms_) {
        throw InputError(
            fmt::format("restriction: arm {} is out of range or out of order; arms of 0..{} are accepted, in "
                        "ascending order",
                        arm, arms_ - 1));
      }
      smallest = arm + 1;
    }
    if (!restriction.costs.empty() && restriction.costs.size() != static_cast<std::size_t>(arms_)) {
      throw InputError(fmt::format("restriction: it has {} costs; none, or one for each of {} arms, are accepted",
                                   restriction.costs.size(), arms_));
    }
  }

  Policy policy_;
  Arm arms_;
};

using Make = std::unique_ptr<AskTell> (*)(const Setting&, const Parameters&);

constexpr auto kMakers = per_policy<Make>([](const auto& entry) -> Make {
  using Entry = std::remove_cvref_t<decltype(entry)>;
  return [](const Setting& setting, const Parameters& parameters) -> std::unique_ptr<AskTell> {
    return std::make_unique<AskTellPolicy<typename Entry::Policy>>(Entry::make(setting, parameters), setting.arms);
  };
});

}  // namespace

std::unique_ptr<AskTell> make_policy(const PolicyChoice& choice, const Setting& setting) {
  check(setting);
  return kMakers[choice.number()](setting, choice.parameters());
}

}  // namespace longrun
