#include "longrun/report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <variant>

#include "longrun/report/summary.h"

namespace longrun {
namespace {

/// Returns the pulls at which curves are evaluated: dense enough for both a linear and a logarithmic axis.
std::vector<Pulls> curve_points(Pulls longest) {
  constexpr int kLinear = 160;
  constexpr int kLogarithmic = 80;
  std::set<Pulls> points{1, longest};
  for (int k = 0; k <= kLinear; ++k) points.insert(1 + (longest - 1) * k / kLinear);
  for (int k = 0; k <= kLogarithmic; ++k) {
    points.insert(std::llround(std::pow(static_cast<double>(longest), static_cast<double>(k) / kLogarithmic)));
  }
  return {points.begin(), points.end()};
}

/// Returns whether arms are identified by rank: every seed has its own instance, and the arms have default names, so
/// arms of different instances have only their rank in common.
bool known_by_rank(const BanditChoice& choice) { return choice.per_seed && choice.at(1).arm_names[0] == "f_1"; }

/// Returns the arms in the order in which they are shown: by total reward if they are identified by rank, else by
/// number.
std::vector<std::size_t> arm_order(const BanditChoice& choice, std::uint32_t seed, Pulls longest) {
  const Bandit bandit = choice.at(seed);
  std::vector<std::size_t> order(bandit.arms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!known_by_rank(choice)) return order;
  std::vector<double> totals;
  for (const Curve& curve : bandit.arms) totals.push_back(curve.cumulative(longest));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
  return order;
}

/// Returns the label of the arm that is shown at `place`, counted from 0.
std::string label_of_arm(const BanditChoice& choice, const Bandit& bandit, std::size_t arm, std::size_t place) {
  if (known_by_rank(choice)) return fmt::format("rank {}", place + 1);
  return fmt::format("arm {} ({})", arm, bandit.arm_names[arm]);
}

/// One bandit with one noise in the records.
struct Cell {
  const Results& results;
  std::size_t bandit;
  std::size_t noise;
  std::vector<Bandit> instances{};                 // one per seed, or one for all seeds
  std::vector<std::vector<std::size_t>> orders{};  // arm_order() of each of `instances`

  const Config& config() const { return results.config(); }
  std::size_t seeds() const { return results.seeds(bandit, noise).size(); }
  /// Returns the largest number of arms of any instance.
  std::size_t most_arms() const {
    std::size_t most = 0;
    for (const auto& arms : orders) most = std::max(most, arms.size());
    return most;
  }
  const Bandit& instance(std::size_t k) const { return instances[instances.size() == 1 ? 0 : k]; }
  const std::vector<std::size_t>& order(std::size_t k) const { return orders[orders.size() == 1 ? 0 : k]; }
};

/// Returns the share of every arm in the pulls of all seeds. Shares are of the pulls made, which are fewer than the
/// horizon if pulls cost more than one unit.
std::vector<double> pull_shares(const Cell& cell, std::size_t policy, std::size_t horizon) {
  const auto pulls = [&](std::size_t k) -> const std::vector<Pulls>& {
    return cell.results.pulls(cell.bandit, cell.noise, policy, horizon, k);
  };
  Pulls total = 0;
  for (std::size_t k = 0; k < cell.seeds(); ++k) total += std::accumulate(pulls(k).begin(), pulls(k).end(), Pulls{0});
  std::vector<double> shares(cell.most_arms(), 0);
  if (total == 0) return shares;
  for (std::size_t k = 0; k < cell.seeds(); ++k) {
    for (std::size_t place = 0; place < cell.order(k).size(); ++place) {
      shares[place] += static_cast<double>(pulls(k)[cell.order(k)[place]]) / static_cast<double>(total);
    }
  }
  return shares;
}

std::vector<double> mean_impact(const Cell& cell, std::size_t policy) {
  std::vector<double> impact(cell.instances[0].arms.size(), 0);
  for (std::size_t k = 0; k < cell.seeds(); ++k) {
    const std::vector<Pulls>& pulls =
        cell.results.pulls(cell.bandit, cell.noise, policy, cell.config().horizons.size() - 1, k);
    for (std::size_t place = 0; place < impact.size(); ++place) {
      const std::size_t arm = cell.order(k)[place];
      impact[place] +=
          cell.instance(k).impact->mean_after(static_cast<Arm>(arm), pulls[arm]) / static_cast<double>(cell.seeds());
    }
  }
  return impact;
}

PolicySeries make_series(const Cell& cell, std::size_t policy) {
  PolicySeries series;
  series.policy = cell.config().policies[policy].text();
  for (std::size_t horizon = 0; horizon < cell.config().horizons.size(); ++horizon) {
    series.regret.push_back(estimate(cell.results.regrets(cell.bandit, cell.noise, policy, horizon)));
    series.regret.back().low = std::max(0.0, series.regret.back().low);  // a regret is at least 0
    std::vector<double> first;
    for (std::size_t k = 0; k < cell.seeds(); ++k) {
      first.push_back(
          static_cast<double>(cell.results.pulls(cell.bandit, cell.noise, policy, horizon, k)[cell.order(k)[0]]));
    }
    series.first_arm.push_back(estimate(first));
    Estimate& pulls = series.first_arm.back();
    pulls.low = std::max(0.0, pulls.low);
    pulls.high = std::min(static_cast<double>(cell.config().horizons[horizon]), pulls.high);
    series.shares.push_back(pull_shares(cell, policy, horizon));
  }
  if (cell.instances[0].impact != nullptr) series.impact = mean_impact(cell, policy);
  return series;
}

Scene make_scene(Cell cell) {
  const Config& config = cell.config();
  const BanditChoice& choice = config.bandits[cell.bandit];
  const Pulls longest = config.horizons.back();
  for (const std::uint32_t seed : cell.results.seeds(cell.bandit, cell.noise)) {
    cell.instances.push_back(choice.at(seed));
    cell.orders.push_back(arm_order(choice, seed, longest));
    if (!choice.per_seed) break;
  }
  Scene scene;
  scene.bandit = choice.name;
  scene.noise = described(config.noises[cell.noise]);
  scene.seeds = static_cast<std::uint32_t>(cell.seeds());
  scene.one_of_many = choice.per_seed;
  scene.curve_pulls = curve_points(longest);
  const Bandit shown = cell.instance(0).tabulated(longest);
  for (std::size_t place = 0; place < shown.arms.size(); ++place) {
    const std::size_t arm = cell.order(0)[place];
    scene.arms.push_back(label_of_arm(choice, shown, arm, place));
    std::vector<double> curve;
    for (const Pulls pull : scene.curve_pulls) curve.push_back(shown.arms[arm].reward(pull));
    scene.curves.push_back(std::move(curve));
    const Shape shape = shape_of(shown.arms[arm], longest, rounding_tolerance(shown.arms[arm]));
    if (!shape.single_peaked) scene.deviation = std::max(scene.deviation, shape.deviation);
  }
  for (std::size_t place = shown.arms.size(); place < cell.most_arms(); ++place) {  // arms of other instances only
    scene.arms.push_back(fmt::format("rank {}", place + 1));
  }
  if (shown.impact != nullptr) scene.impact_unit = shown.impact->unit;
  for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
    scene.policies.push_back(make_series(cell, policy));
  }
  return scene;
}

}  // namespace

Figure make_figure(const Results& results) {
  const Config& config = results.config();
  Figure figure;
  figure.name = config.name;
  figure.title = config.title;
  figure.group = config.group;
  figure.claim = config.claim;
  figure.constraints = constraints_text(config.constraints);
  figure.toml = to_toml(config);
  figure.horizons = config.horizons;
  figure.recorded_runs = results.recorded();
  figure.runs = config.runs();
  for (std::size_t bandit = 0; bandit < config.bandits.size(); ++bandit) {
    for (std::size_t noise = 0; noise < config.noises.size(); ++noise) {
      if (results.seeds(bandit, noise).empty()) continue;
      figure.scenes.push_back(make_scene({.results = results, .bandit = bandit, .noise = noise}));
    }
  }
  for (const Check& check : config.checks) figure.verdicts.push_back(judge(check, results));
  for (std::size_t i = 0; i < config.illustrations.size(); ++i) figure.illustrations.push_back(illustrate(config, i));
  return figure;
}

std::map<std::string, FigureLine> policy_lines(const Figure& figure) {
  std::vector<std::string> policies;
  for (const Scene& scene : figure.scenes) {
    for (const PolicySeries& series : scene.policies) {
      if (std::find(policies.begin(), policies.end(), series.policy) == policies.end())
        policies.push_back(series.policy);
    }
  }
  const std::vector<FigureLine> lines = figure_lines(policies);
  std::map<std::string, FigureLine> by_policy;
  for (std::size_t i = 0; i < policies.size(); ++i) by_policy[policies[i]] = lines[i];
  return by_policy;
}

std::string preliminary_note(const Figure& figure) {
  if (figure.recorded_runs >= figure.runs) return "";
  return fmt::format("preliminary: {} of {} runs are recorded", figure.recorded_runs, figure.runs);
}

}  // namespace longrun
