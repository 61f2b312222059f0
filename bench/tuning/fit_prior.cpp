// Fits the prior of foresight's curves to a library of curves by marginal likelihood.
//
// usage: fit_prior [ARENA.toml [SEEDS]]
//
// The library has the curves of all families of the arena that are not held out, with the development seeds 1 to SEEDS
// (default 10) and the family's Gaussian noises. Of every arm it has four rewards per doubling of the pulls, up to the
// arm's peak or the horizon, so that early and late pulls count alike; foresight drops the evidence of growth once an
// arm falls. All families have the same weight, and so have all arms of a family. The likelihood is foresight's own
// (GrowthRegression, with the other pulls lost), for five kinds of curves: constant, growth from any level, growth from
// 0, growth that begins late, and the same after a fast start.
//
// Every family is held out in turn: the prior is fitted to the others, and its log evidence on the family is compared
// with that of the present prior. Weights are fitted by expectation maximisation, the other numbers by a grid.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "longrun/base/random.h"
#include "longrun/experiment/config.h"
#include "longrun/policy/foresight/foresight_tuning.h"
#include "longrun/policy/statistics/growth_regression.h"
#include "longrun/policy/statistics/growth_shapes.h"

namespace {

using namespace longrun;  // NOLINT(google-build-using-namespace): a program of one file

enum class Kind { constant, grows, grows_from_zero, late, late_after_start };
constexpr std::array kKinds{Kind::constant, Kind::grows, Kind::grows_from_zero, Kind::late, Kind::late_after_start};
constexpr std::array<std::string_view, kKinds.size()> kKindNames{"constant", "grows", "from 0", "late",
                                                                 "late after start"};

constexpr double kSpacing = 1.189207115;  // of the pulls whose rewards count: four per doubling
constexpr double kRatio = 4;              // of successive beginnings of late growth
constexpr double kFirstBeginning = 8;     // pulls: the earliest beginning of late growth
constexpr std::size_t kBeginnings = 7;    // 8, 32, ..., 32768
constexpr double kFastStart = 0.25;       // share of the growth that a fast start makes
constexpr double kFastStartScale = 0.05;  // of it, in beginnings of the late growth
constexpr std::size_t kModels = 1 + 2 * GrowthShapes::kMost + 2 * kBeginnings;
constexpr double kUnavailable = -1e300;  // log evidence of a shape that the horizon does not have
constexpr double kDip = 0.02;            // reward: an arm that has lost more since its peak has begun to fall

/// A model by its place: constant, then grows, from 0, late and late after a start, by shape.
constexpr std::size_t place(Kind kind, std::size_t shape) {
  switch (kind) {
    case Kind::constant:
      return 0;
    case Kind::grows:
      return 1 + shape;
    case Kind::grows_from_zero:
      return 1 + GrowthShapes::kMost + shape;
    case Kind::late:
      return 1 + 2 * GrowthShapes::kMost + shape;
    default:
      return 1 + 2 * GrowthShapes::kMost + kBeginnings + shape;
  }
}
Kind kind_at(std::size_t model) {
  Kind kind = Kind::constant;
  for (const Kind each : kKinds) {
    if (model >= place(each, 0)) kind = each;
  }
  return kind;
}

double beginning(std::size_t late) { return kFirstBeginning * std::pow(kRatio, static_cast<double>(late)); }

/// Returns late growth at pull m: none up to the beginning, then an exponential of the same scale.
double late_growth(double m, double begins) { return m <= begins ? 0 : -std::expm1(-(m - begins) / begins); }

/// Some rewards of an arm.
struct Datum {
  std::size_t family;
  double weight;    // those of a family add up to 1
  double variance;  // of the noise
  double count = 0;
  double rewards = 0;
  double squares = 0;
  std::size_t shapes = 0;          // of growth
  std::size_t beginnings = 0;      // of late growth: those within the horizon
  std::vector<GrowthSums> sums{};  // shapes, late growth, late growth after a fast start
};

/// Numbers of the prior that are not weights.
struct Scales {
  double growth_sd = kForesightTuning.growth_sd;
  double misfit_sd = kForesightTuning.misfit_sd;
  double level_sd = kForesightTuning.level_sd;
  double zero_sd = kForesightTuning.zero_sd;
};

/// Adds the data of one arm.
void add_arm(const Curve& curve, Pulls horizon, double sd, const StreamKey& key, Datum datum,
             std::vector<Datum>& data) {
  const GrowthShapes shapes(horizon);
  datum.variance = sd * sd;
  datum.shapes = shapes.count();
  while (datum.beginnings < kBeginnings && beginning(datum.beginnings) < static_cast<double>(horizon)) {
    ++datum.beginnings;
  }
  datum.sums.resize(datum.shapes + 2 * datum.beginnings);
  double highest = 0;
  double next = 1;
  for (Pulls pull = 1; pull <= horizon; ++pull) {
    double reward = curve.reward(pull);
    if (reward < highest - kDip) break;
    highest = std::max(highest, reward);
    if (static_cast<double>(pull) < next) continue;
    next = std::max(next + 1, next * kSpacing);
    add_noise(Gaussian{.sd = sd}, key, pull, std::span(&reward, 1));
    datum.count += 1;
    datum.rewards += reward;
    datum.squares += reward * reward;
    const auto phi = shapes.at(pull);
    const auto m = static_cast<double>(pull);
    for (std::size_t k = 0; k < datum.sums.size(); ++k) {
      double value = 0;
      if (k < datum.shapes) {
        value = phi[k];
      } else {
        const std::size_t late = (k - datum.shapes) % datum.beginnings;
        value = late_growth(m, beginning(late));
        if (k >= datum.shapes + datum.beginnings) {
          value = (1 - kFastStart) * value - kFastStart * std::expm1(-(m - 1) / (kFastStartScale * beginning(late)));
        }
      }
      datum.sums[k].phi += value;
      datum.sums[k].squares += value * value;
      datum.sums[k].products += value * reward;
    }
  }
  data.push_back(std::move(datum));
}

std::vector<Datum> library(std::vector<Config>& configs, std::uint32_t seeds) {
  std::vector<Datum> data;
  for (std::size_t family = 0; family < configs.size(); ++family) {
    const Config& config = configs[family];
    const std::size_t first = data.size();
    for (const BanditChoice& choice : config.bandits) {
      for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        const Bandit bandit = choice.at(seed);
        for (const Noise& noise : config.noises) {
          if (!std::holds_alternative<Gaussian>(noise)) continue;
          for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
            const StreamKey key{.seed = config.seed, .replicate = seed, .lane = static_cast<std::uint32_t>(arm)};
            add_arm(bandit.arms[arm], config.horizons.back(), standard_deviation(noise), key,
                    {.family = family, .weight = 0, .variance = 0}, data);
          }
        }
      }
    }
    for (std::size_t k = first; k < data.size(); ++k) data[k].weight = 1 / static_cast<double>(data.size() - first);
  }
  return data;
}

using Evidence = std::array<double, kModels>;

/// Returns the log density of the rewards under each model.
Evidence evidence(const Datum& datum, const Scales& scales) {
  const double variance = datum.variance + scales.misfit_sd * scales.misfit_sd;
  const double mean = kForesightTuning.level_mean;
  const double constant = -0.5 * datum.count * std::log(2 * std::numbers::pi * variance) -
                          0.5 * (datum.squares - 2 * mean * datum.rewards + datum.count * mean * mean) / variance;
  Evidence logs;
  logs.fill(kUnavailable);
  const LevelPrior any{.mean = mean, .sd = scales.level_sd};
  const auto fit = [&](const GrowthSums& sums, const LevelPrior& level) {
    GrowthSums all = sums;
    all.count = datum.count;
    all.rewards = datum.rewards;
    const GrowthRegression regression(all, variance, scales.growth_sd, level);
    return constant + std::log(2.0) + regression.log_evidence() +
           log_probability_positive(regression.b_mean / regression.b_sd);
  };
  // No growth: the same regression with a shape that is always 0 and so does not learn of b; half of that is b >= 0.
  logs[0] = fit({}, any);
  for (std::size_t k = 0; k < datum.shapes; ++k) {
    logs[place(Kind::grows, k)] = fit(datum.sums[k], any);
    logs[place(Kind::grows_from_zero, k)] = fit(datum.sums[k], {.mean = 0, .sd = scales.zero_sd});
  }
  for (std::size_t k = 0; k < datum.beginnings; ++k) {
    logs[place(Kind::late, k)] = fit(datum.sums[datum.shapes + k], any);
    logs[place(Kind::late_after_start, k)] = fit(datum.sums[datum.shapes + datum.beginnings + k], any);
  }
  return logs;
}

using Weights = std::array<double, kModels>;

/// Returns log of sum_k w_k e_k / sum of w_k over the models that the datum has; adds the gradient's parts to EM's
/// sums.
double log_mixture(const Evidence& logs, const Weights& weights, Weights* belief = nullptr, double* mass = nullptr) {
  double largest = kUnavailable;
  for (std::size_t k = 0; k < kModels; ++k) {
    if (weights[k] > 0) largest = std::max(largest, logs[k]);
  }
  double total = 0;
  double available = 0;
  for (std::size_t k = 0; k < kModels; ++k) {
    if (logs[k] == kUnavailable) continue;
    available += weights[k];
    const double part = weights[k] > 0 ? weights[k] * std::exp(logs[k] - largest) : 0;
    total += part;
    if (belief) (*belief)[k] = part;
  }
  if (belief) {
    for (double& each : *belief) each /= total;
  }
  if (mass) *mass = available;
  return largest + std::log(total / available);
}

/// Data with their evidence for one choice of scales.
struct Evidences {
  Scales scales;
  std::vector<Evidence> logs;
};

double mean_log(const std::vector<Datum>& data, const std::vector<Evidence>& logs, const Weights& weights,
                std::size_t family, bool only) {
  double sum = 0;
  double total = 0;
  for (std::size_t k = 0; k < data.size(); ++k) {
    if ((data[k].family == family) != only) continue;
    sum += data[k].weight * log_mixture(logs[k], weights);
    total += data[k].weight;
  }
  return sum / total;
}

/// Fits the weights to all families but one. Each step makes the evidence larger.
Weights fitted(const std::vector<Datum>& data, const std::vector<Evidence>& logs, std::size_t left_out, int steps,
               Weights weights) {
  for (int step = 0; step < steps; ++step) {
    Weights sums{};
    Weights masses{};
    for (std::size_t k = 0; k < data.size(); ++k) {
      if (data[k].family == left_out) continue;
      Weights belief{};
      double available = 0;
      log_mixture(logs[k], weights, &belief, &available);
      for (std::size_t model = 0; model < kModels; ++model) {
        if (logs[k][model] == kUnavailable) continue;
        sums[model] += data[k].weight * belief[model];
        masses[model] += data[k].weight / available;
      }
    }
    double total = 0;
    for (std::size_t model = 0; model < kModels; ++model) {
      weights[model] = masses[model] > 0 ? sums[model] / masses[model] : 0;
      total += weights[model];
    }
    for (double& each : weights) each /= total;
  }
  return weights;
}

/// Returns the present prior. Its hidden growth begins after n pulls with probability (1 + n / hidden_growth_pulls)^-4.
Weights present() {
  const ForesightTuning& tuning = kForesightTuning;
  Weights weights{};
  const double hidden = tuning.hidden_growth * (1 - tuning.no_growth);
  weights[0] = tuning.no_growth * (1 - hidden);
  constexpr double kShapes = 14;  // of a horizon of 10,000; all are equally probable
  for (std::size_t k = 0; k < GrowthShapes::kMost; ++k) {
    weights[place(Kind::grows, k)] = (1 - tuning.no_growth - tuning.from_zero) * (1 - hidden) / kShapes;
    weights[place(Kind::grows_from_zero, k)] = tuning.from_zero * (1 - hidden) / kShapes;
  }
  const auto after = [&](double n) { return std::pow(1 + n / tuning.hidden_growth_pulls, -4); };
  for (std::size_t k = 0; k < kBeginnings; ++k) {
    const double from = k == 0 ? 0 : beginning(k) / std::sqrt(kRatio);
    weights[place(Kind::late, k)] = hidden * (after(from) - after(beginning(k) * std::sqrt(kRatio)));
  }
  return weights;
}

std::array<double, kKinds.size()> by_kind(const Weights& weights, std::size_t shapes, std::size_t beginnings) {
  std::array<double, kKinds.size()> sums{};
  double total = 0;
  for (std::size_t k = 0; k < kModels; ++k) {
    const Kind kind = kind_at(k);
    const std::size_t index = k - place(kind, 0);
    const bool growth = kind == Kind::grows || kind == Kind::grows_from_zero;
    if (kind != Kind::constant && index >= (growth ? shapes : beginnings)) continue;
    sums[static_cast<std::size_t>(kind)] += weights[k];
    total += weights[k];
  }
  for (double& each : sums) each /= total;
  return sums;
}

/// Returns the pulls p for which (1 + n/p)^-4 has the median of the beginnings of late growth.
double hidden_growth_pulls(const Weights& weights) {
  double total = 0;
  for (std::size_t k = place(Kind::late, 0); k < kModels; ++k) total += weights[k];
  double below = 0;
  for (std::size_t k = 0; k < kBeginnings; ++k) {
    const double here = weights[place(Kind::late, k)] + weights[place(Kind::late_after_start, k)];
    if (below + here >= total / 2) {
      const double share = here > 0 ? (total / 2 - below) / here : 0.5;
      return beginning(k) * std::pow(kRatio, share - 0.5) / (std::pow(2, 0.25) - 1);
    }
    below += here;
  }
  return kForesightTuning.hidden_growth_pulls;
}

std::string as_policy(const Weights& weights, const Scales& scales) {
  const auto kinds = by_kind(weights, 14, 6);
  const double late = kinds[3] + kinds[4];
  const double shown = 1 - late;
  const double constant = std::min(0.49, kinds[0] / shown);
  return fmt::format(
      "foresight:no_growth={:.3f},from_zero={:.3f},growth_sd={:g},misfit_sd={:g},hidden_growth={:.2f},"
      "hidden_growth_pulls={:.0f}",
      constant, std::min(0.49, kinds[2] / shown), scales.growth_sd, scales.misfit_sd,
      std::min(0.5, late / (1 - kinds[0])), hidden_growth_pulls(weights));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Config> configs = load_configs(std::string(argc > 1 ? argv[1] : "experiments/arena.toml"));
  std::erase_if(configs, [](const Config& config) { return config.held_out; });
  const auto seeds = static_cast<std::uint32_t>(argc > 2 ? std::stoi(argv[2]) : 10);
  const std::vector<Datum> data = library(configs, seeds);
  std::vector<Evidences> tables;
  for (const double growth_sd : {0.3, 0.6, 1.25, 2.5}) {
    for (const double misfit_sd : {0.006, 0.012, 0.024, 0.048}) {
      for (const double level_sd : {0.25, 0.5}) {
        for (const double zero_sd : {0.01, 0.02, 0.04}) {
          tables.push_back({.scales = {growth_sd, misfit_sd, level_sd, zero_sd}, .logs = {}});
        }
      }
    }
  }
  for (Evidences& table : tables) {
    for (const Datum& datum : data) table.logs.push_back(evidence(datum, table.scales));
  }
  Evidences now{.scales = {}, .logs = {}};
  for (const Datum& datum : data) now.logs.push_back(evidence(datum, now.scales));
  const Weights hand_set = present();
  Weights even{};
  even.fill(1.0 / static_cast<double>(kModels));
  constexpr int kFewSteps = 10;  // to choose the scales
  constexpr int kSteps = 60;

  fmt::print(
      "| held out | log evidence, present prior | fitted to the others | without late growth | kinds ({}) | "
      "growth_sd, misfit_sd, level_sd, zero_sd |\n|---|---|---|---|---|---|\n",
      fmt::join(kKindNames, ", "));
  std::vector<std::string> policies;
  for (std::size_t family = 0; family <= configs.size(); ++family) {
    const Evidences* best = nullptr;
    double best_log = kUnavailable;
    for (const Evidences& table : tables) {
      const Weights weights = fitted(data, table.logs, family, kFewSteps, even);
      const double log = mean_log(data, table.logs, weights, family, false);
      if (log > best_log) best_log = log, best = &table;
    }
    const Weights weights = fitted(data, best->logs, family, kSteps, even);
    Weights no_late = even;
    std::fill(no_late.begin() + place(Kind::late, 0), no_late.end(), 0.0);
    const Weights without = fitted(data, best->logs, family, kSteps, no_late);
    const bool none = family == configs.size();
    const auto compare = [&](const std::vector<Evidence>& logs, const Weights& w) {
      return none ? mean_log(data, logs, w, family, false) : mean_log(data, logs, w, family, true);
    };
    const std::string name = none ? "none" : configs[family].name.substr(configs[family].name.find('.') + 1);
    const auto kinds = by_kind(weights, 14, 6);
    const double before = compare(now.logs, hand_set);
    fmt::print(
        "| {} | {:.2f} | {:+.2f} | {:+.2f} | {:.2f}, {:.2f}, {:.2f}, {:.2f}, {:.2f} | {:g}, {:g}, {:g}, {:g} |\n", name,
        before, compare(best->logs, weights) - before, compare(best->logs, without) - before, kinds[0], kinds[1],
        kinds[2], kinds[3], kinds[4], best->scales.growth_sd, best->scales.misfit_sd, best->scales.level_sd,
        best->scales.zero_sd);
    policies.push_back(fmt::format("{:<12} {}", name, as_policy(weights, best->scales)));
    if (!none) continue;
    fmt::print("\nweights of the shapes, all families:\n");
    for (const Kind kind : {Kind::grows, Kind::grows_from_zero, Kind::late, Kind::late_after_start}) {
      fmt::print("{:<18}", kKindNames[static_cast<std::size_t>(kind)]);
      const bool growth = kind == Kind::grows || kind == Kind::grows_from_zero;
      for (std::size_t k = 0; k < (growth ? GrowthShapes::kMost : kBeginnings); ++k) {
        fmt::print(" {:.3f}", weights[place(kind, k)]);
      }
      fmt::print("\n");
    }
  }
  fmt::print("\nthe fitted priors as policies:\n");
  for (const std::string& each : policies) fmt::print("{}\n", each);
}
