// Policy texts: every policy that a text names can be created and played, whatever its parameters.
#include "longrun/decide/live_policy.h"
#include "longrun/policy/catalog.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  fuzz::expect_answer([&] {
    const PolicyChoice choice = PolicyChoice(fuzz::text_of(data, size));
    fuzz::require(PolicyChoice(choice.text()).parameters() == choice.parameters());
    if (choice.entry().traits.needs_plan) return;
    constexpr Pulls kHorizon = 30;
    const auto policy = make_policy(choice, Setting{.arms = 3, .horizon = kHorizon, .noise = Gaussian{0.05}});
    for (Pulls pull = 0; pull < kHorizon; ++pull) {
      const Arm arm = policy->choose();
      fuzz::require(arm >= 0 && arm < 3);
      policy->observe(arm, static_cast<double>((pull * 7 + arm) % 11) / 10);
    }
  });
  return 0;
}
