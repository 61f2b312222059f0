#include "longrun/simulate/play.h"

#include <fmt/format.h>

#include <type_traits>

#include "longrun/base/input_error.h"
#include "longrun/policy/static_catalog.h"

namespace longrun {
namespace {

using Play = std::vector<RunResult> (*)(World, const Setting&, const Parameters&, std::span<const Pulls> horizons,
                                        std::span<Arm> trace);

constexpr auto kPlays = per_policy<Play>([](const auto& entry) -> Play {
  using Entry = std::remove_cvref_t<decltype(entry)>;
  return [](World world, const Setting& setting, const Parameters& parameters, std::span<const Pulls> horizons,
            std::span<Arm> trace) { return play(std::move(world), Entry::make(setting, parameters), horizons, trace); };
});

using PlayEach = std::vector<RunResult> (*)(const World&, std::span<const Setting>, const Parameters&);

constexpr auto kPlaysEach = per_policy<PlayEach>([](const auto& entry) -> PlayEach {
  using Entry = std::remove_cvref_t<decltype(entry)>;
  return [](const World& world, std::span<const Setting> settings, const Parameters& parameters) {
    std::vector<PolicyRun<typename Entry::Policy>> runs;
    std::vector<Pulls> horizons;
    runs.reserve(settings.size());
    for (const Setting& setting : settings) {
      runs.push_back({world, Entry::make(setting, parameters)});
      horizons.push_back(setting.horizon);
      if constexpr (requires { runs[0].policy.share_with(runs[0].policy); }) {
        if (runs.size() > 1) runs.back().policy.share_with(runs[0].policy);
      }
    }
    return play_together(std::span(runs), std::span<const Pulls>(horizons));
  };
});

}  // namespace

void check_fits(const Setting& setting, const Bandit& bandit) {
  check(setting);
  if (setting.arms != bandit.arm_count()) {
    throw InputError(
        fmt::format("bandit '{}' has {} arms, but the setting has {}", bandit.name, bandit.arm_count(), setting.arms));
  }
  check_covers_horizon(bandit, setting.horizon);
}

RunResult play(const PolicyChoice& policy, const Bandit& bandit, const Setting& setting, std::span<Arm> trace) {
  check_fits(setting, bandit);
  if (!trace.empty() && trace.size() != static_cast<std::size_t>(setting.horizon)) {
    throw InputError(fmt::format("the trace has {} entries; a trace for horizon {} needs one per pull", trace.size(),
                                 setting.horizon));
  }
  const World world(bandit, setting.seed, setting.replicate);
  const std::span<const Pulls> horizons(&setting.horizon, 1);
  return kPlays[policy.number()](world, setting, policy.parameters(), horizons, trace)[0];
}

std::vector<RunResult> play_on(const PolicyChoice& policy, World world, const Setting& setting,
                               std::span<const Pulls> horizons) {
  check(setting);
  return kPlays[policy.number()](std::move(world), setting, policy.parameters(), horizons, {});
}

std::vector<RunResult> play_each_on(const PolicyChoice& policy, const World& world, std::span<const Setting> settings) {
  for (const Setting& setting : settings) check(setting);
  return kPlaysEach[policy.number()](world, settings, policy.parameters());
}

}  // namespace longrun
