#include "longrun/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace longrun {
namespace {

std::size_t policy_number(const Config& config, const std::string& policy) {
  const auto found = std::find_if(config.policies.begin(), config.policies.end(),
                                  [&](const PolicyChoice& choice) { return choice.text() == policy; });
  return static_cast<std::size_t>(found - config.policies.begin());
}

/// One bandit with one noise, as a check looks at it.
class CheckedCell {
 public:
  CheckedCell(const Results& results, std::size_t bandit, std::size_t noise)
      : results_(results), bandit_(bandit), noise_(noise) {}

  /// Per seed, the mean over the horizons between two shares of the longest; where there is none, that nearest to `to`.
  std::vector<double> regrets(const std::string& policy, double from, double to) const {
    const std::vector<Pulls>& horizons = results_.config().horizons;
    const auto longest = static_cast<double>(horizons.back());
    std::vector<double> sums(results_.seeds(bandit_, noise_).size(), 0);
    double count = 0;
    for (std::size_t h = 0; h < horizons.size(); ++h) {
      const double share = static_cast<double>(horizons[h]) / longest;
      if (share >= from && share <= to) {
        add(sums, policy, h);
        ++count;
      }
    }
    if (count == 0) {
      add(sums, policy, nearest_horizon(to));
      count = 1;
    }
    for (double& sum : sums) sum /= count;
    return sums;
  }

  std::vector<double> regrets_at(const std::string& policy, double share) const {
    std::vector<double> sums(results_.seeds(bandit_, noise_).size(), 0);
    add(sums, policy, nearest_horizon(share));
    return sums;
  }

 private:
  void add(std::vector<double>& sums, const std::string& policy, std::size_t horizon) const {
    const std::vector<double> regrets =
        results_.regrets(bandit_, noise_, policy_number(results_.config(), policy), horizon);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += regrets[k];
  }
  std::size_t nearest_horizon(double share) const {
    const std::vector<Pulls>& horizons = results_.config().horizons;
    const double wanted = share * static_cast<double>(horizons.back());
    const auto nearest = std::min_element(horizons.begin(), horizons.end(), [&](Pulls a, Pulls b) {
      return std::abs(static_cast<double>(a) - wanted) < std::abs(static_cast<double>(b) - wanted);
    });
    return static_cast<std::size_t>(nearest - horizons.begin());
  }

  const Results& results_;
  std::size_t bandit_;
  std::size_t noise_;
};

/// Against one other policy; `other` is empty where the right-hand side is the slack alone.
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
  scene.finding = scene.excess.high <= 0 ? Finding::holds : scene.excess.low > 0 ? Finding::fails : Finding::too_close;
  return scene;
}

/// How close a comparison comes to proving a check wrong: one that fails is closer than one that can't tell, and that
/// closer than one that holds; among equals, the end of the interval that decides.
std::pair<int, double> badness(const CheckedScene& scene) {
  switch (scene.finding) {
    case Finding::fails:
      return {2, scene.excess.low};
    case Finding::too_close:
      return {1, scene.excess.low};
    case Finding::holds:
      break;
  }
  return {0, scene.excess.high};
}

CheckedScene judged(const Check& check, const CheckedCell& cell) {
  const std::vector<double> left = cell.regrets(check.policy, check.from, check.to);
  if (check.since > 0) return compared(check, left, cell.regrets_at(check.policy, check.since));
  if (check.against.empty()) return compared(check, left, {});
  std::optional<CheckedScene> worst;
  for (const std::string& other : check.against) {
    CheckedScene scene = compared(check, left, cell.regrets(other, check.from, check.to));
    scene.against = other;
    if (!worst || badness(scene) > badness(*worst)) worst = std::move(scene);
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
      CheckedScene scene = judged(check, CheckedCell(results, bandit, noise));
      scene.bandit = config.bandits[bandit].name;
      scene.noise = to_text(config.noises[noise]);
      verdict.scenes.push_back(std::move(scene));
    }
  }
  return verdict;
}

std::size_t Verdict::holding() const {
  return static_cast<std::size_t>(
      std::count_if(scenes.begin(), scenes.end(), [](const CheckedScene& s) { return s.finding == Finding::holds; }));
}

std::string Verdict::text() const {
  const auto all = [&](bool noisy) {
    bool any = false;
    for (const CheckedScene& scene : scenes) {
      if ((scene.noise != "none") != noisy) continue;
      if (scene.finding != Finding::holds) return false;
      any = true;
    }
    return any;
  };
  if (scenes.empty()) return "no records";
  if (holding() == scenes.size()) return "holds";
  if (all(false)) return "holds only without noise";
  if (all(true)) return "holds only with noise";
  return "does not hold";
}

std::string released_name(const std::string& policy) {
  std::string name = policy;
  return name.insert(std::min(name.find(':'), name.size()), "@released");
}

Check as_released(const Check& check, const Config& config) {
  const auto released = [&](const std::string& policy) {
    const std::string variant = released_name(policy);
    return policy_number(config, variant) < config.policies.size() ? variant : policy;
  };
  Check changed = check;
  changed.policy = released(check.policy);
  for (std::string& other : changed.against) other = released(other);
  return changed;
}

}  // namespace longrun
