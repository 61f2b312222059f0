#include "longrun/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

std::size_t policy_number(const Config& config, const std::string& policy) {
  const auto found = std::find_if(config.policies.begin(), config.policies.end(),
                                  [&](const PolicyChoice& choice) { return choice.text() == policy; });
  return static_cast<std::size_t>(found - config.policies.begin());
}

/// The records of one bandit with one noise that a check compares.
class CheckedCell {
 public:
  CheckedCell(const Results& results, std::size_t bandit, std::size_t noise, Check::Measure measure)
      : results_(results), bandit_(bandit), noise_(noise), measure_(measure) {}

  /// Returns the horizons between two shares of the longest, or the horizon nearest to `to` if there is none between.
  std::vector<std::size_t> horizons_between(double from, double to) const {
    const std::vector<Pulls>& horizons = results_.config().horizons;
    const auto longest = static_cast<double>(horizons.back());
    std::vector<std::size_t> between;
    for (std::size_t h = 0; h < horizons.size(); ++h) {
      const double share = static_cast<double>(horizons[h]) / longest;
      if (share >= from && share <= to) between.push_back(h);
    }
    if (between.empty()) between.push_back(nearest_horizon(to));
    return between;
  }

  std::size_t nearest_horizon(double share) const {
    const std::vector<Pulls>& horizons = results_.config().horizons;
    const double wanted = share * static_cast<double>(horizons.back());
    const auto nearest = std::min_element(horizons.begin(), horizons.end(), [&](Pulls a, Pulls b) {
      return std::abs(static_cast<double>(a) - wanted) < std::abs(static_cast<double>(b) - wanted);
    });
    return static_cast<std::size_t>(nearest - horizons.begin());
  }

  /// Returns the mean of the measure over these horizons, one per seed.
  std::vector<double> measured(const std::string& policy, const std::vector<std::size_t>& horizons) const {
    const std::size_t number = policy_number(results_.config(), policy);
    std::vector<double> means(results_.seeds(bandit_, noise_).size(), 0);
    for (const std::size_t horizon : horizons) {
      const std::vector<double> regrets = results_.regrets(bandit_, noise_, number, horizon);
      for (std::size_t k = 0; k < means.size(); ++k) {
        const double value = measure_ == Check::Measure::regret ? regrets[k] : first_arm_share(number, horizon, k);
        means[k] += value / static_cast<double>(horizons.size());
      }
    }
    return means;
  }

  /// Returns whether runs depend on the seed.
  bool depends_on_seed(const Check& check) const {
    const Config& config = results_.config();
    const auto randomized = [&](const std::string& policy) {
      return config.policies[policy_number(config, policy)].entry().traits.randomized;
    };
    return config.bandits[bandit_].per_seed || !std::holds_alternative<NoNoise>(config.noises[noise_]) ||
           randomized(check.policy) || std::any_of(check.against.begin(), check.against.end(), randomized);
  }

 private:
  double first_arm_share(std::size_t policy, std::size_t horizon, std::size_t k) const {
    const std::vector<Pulls>& pulls = results_.pulls(bandit_, noise_, policy, horizon, k);
    const Pulls total = std::accumulate(pulls.begin(), pulls.end(), Pulls{0});
    return total == 0 ? 0 : static_cast<double>(pulls[0]) / static_cast<double>(total);
  }

  const Results& results_;
  std::size_t bandit_;
  std::size_t noise_;
  Check::Measure measure_;
};

/// Compares both sides of a check. `other` is empty if the right-hand side is the slack alone.
CheckedScene compared(const Check& check, const std::vector<double>& left, const std::vector<double>& other) {
  std::vector<double> right(left.size(), check.slack);
  std::vector<double> excess(left.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (!other.empty()) right[k] += check.factor * other[k];
    excess[k] = left[k] - right[k];
  }
  CheckedScene scene;
  scene.measured = estimate(left).mean;
  scene.allowed = estimate(right).mean;
  scene.excess = estimate(excess);
  if (scene.excess.high < 0) {
    scene.finding = Finding::holds;
  } else if (scene.excess.low > 0) {
    scene.finding = Finding::fails;
  } else if (scene.excess.low == 0 && scene.excess.high == 0) {
    scene.finding = Finding::equal;
  }
  return scene;
}

CheckedScene judged(const Check& check, const CheckedCell& cell) {
  const std::vector<std::size_t> between = cell.horizons_between(check.from, check.to);
  std::vector<std::vector<std::size_t>> ranges;  // sets of horizons; the check must hold for each of them
  if (check.every) {
    for (const std::size_t horizon : between) ranges.push_back({horizon});
  } else {
    ranges.push_back(between);
  }
  std::optional<CheckedScene> worst;
  // A known failure is worse than an excess whose sign is unknown, however large that excess is.
  const auto badness = [](const CheckedScene& scene) {
    const std::array order{Finding::holds, Finding::too_close, Finding::equal, Finding::fails};
    return std::pair(std::find(order.begin(), order.end(), scene.finding) - order.begin(), scene.excess.high);
  };
  const auto consider = [&](CheckedScene scene) {
    if (!worst || badness(scene) > badness(*worst)) worst = std::move(scene);
  };
  for (const std::vector<std::size_t>& range : ranges) {
    const std::vector<double> left = cell.measured(check.policy, range);
    if (check.since > 0)
      consider(compared(check, left, cell.measured(check.policy, {cell.nearest_horizon(check.since)})));
    if (check.since == 0 && check.against.empty()) consider(compared(check, left, {}));
    for (const std::string& other : check.against) {
      CheckedScene scene = compared(check, left, cell.measured(other, range));
      scene.against = other;
      consider(std::move(scene));
    }
  }
  return *worst;
}

}  // namespace

Verdict judge(const Check& check, const Results& results) {
  const Config& config = results.config();
  Verdict verdict{.check = check, .scenes = {}};
  for (std::size_t bandit = 0; bandit < config.bandits.size(); ++bandit) {
    for (std::size_t noise = 0; noise < config.noises.size(); ++noise) {
      if (results.seeds(bandit, noise).empty()) continue;
      const CheckedCell cell(results, bandit, noise, check.measure);
      CheckedScene scene = judged(check, cell);
      if (results.seeds(bandit, noise).size() == 1 && cell.depends_on_seed(check)) scene.finding = Finding::too_close;
      scene.bandit = config.bandits[bandit].name;
      scene.noise = to_text(config.noises[noise]);
      verdict.scenes.push_back(std::move(scene));
    }
  }
  return verdict;
}

std::size_t Verdict::count(Finding finding) const {
  return static_cast<std::size_t>(
      std::count_if(scenes.begin(), scenes.end(), [&](const CheckedScene& scene) { return scene.finding == finding; }));
}

std::string Verdict::text() const {
  if (scenes.empty()) return "no records";
  struct Tally {
    std::size_t all = 0;
    std::size_t holding = 0;
    std::size_t failing = 0;
  };
  Tally exact;
  Tally noisy;
  for (const CheckedScene& scene : scenes) {
    Tally& tally = scene.noise == "none" ? exact : noisy;
    ++tally.all;
    if (scene.finding == Finding::holds) ++tally.holding;
    if (scene.finding == Finding::fails || scene.finding == Finding::equal) ++tally.failing;
  }
  const auto only = [](const Tally& these, const Tally& others) {
    return these.all > 0 && these.holding == these.all && others.holding == 0 && others.failing > 0;
  };
  const std::size_t holding = exact.holding + noisy.holding;
  if (holding == scenes.size()) return "holds";
  if (only(exact, noisy)) return "holds only without noise";
  if (only(noisy, exact)) return "holds only with noise";
  if (holding > 0) return fmt::format("holds in {} of {}", holding, scenes.size());
  return exact.failing + noisy.failing > 0 ? "does not hold" : "not settled";
}

std::string to_text(Finding finding) {
  switch (finding) {
    case Finding::holds:
      return "holds";
    case Finding::fails:
      return "fails";
    case Finding::equal:
      return "equal";
    case Finding::too_close:
      return "too close to tell";
  }
  return "";
}

Check as_released(const Check& check, const Config& config) {
  const auto released = [&](const std::string& policy) {
    const std::string variant = variant_text(policy);
    return policy_number(config, variant) < config.policies.size() ? variant : policy;
  };
  Check changed = check;
  changed.policy = released(check.policy);
  for (std::string& other : changed.against) other = released(other);
  return changed;
}

}  // namespace longrun
