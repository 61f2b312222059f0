#pragma once

// Invented figures of every kind.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "longrun/report/figure.h"

namespace longrun {

/// Returns a series whose regret falls with the square root of the horizon.
inline PolicySeries made_series(const std::string& policy, double regret, const Figure& figure, const Scene& scene) {
  PolicySeries s;
  s.policy = policy;
  for (const Pulls horizon : figure.horizons) {
    const double value = regret / std::sqrt(static_cast<double>(horizon));
    s.regret.push_back({value, value * 0.5, value * 1.5});
    const double pulls = static_cast<double>(horizon) * 0.375;
    s.first_arm.push_back({pulls, pulls - 1, pulls + 1});
    const auto arms = static_cast<double>(scene.arms.size());
    s.shares.emplace_back(scene.arms.size(), 1 / arms);
  }
  if (!scene.impact_unit.empty()) {
    for (std::size_t arm = 0; arm < scene.arms.size(); ++arm) s.impact.push_back(2.5 - static_cast<double>(arm) * 1.75);
  }
  return s;
}

/// The parts of a figure that tests vary.
struct MadeFigure {
  std::string name = "made";
  std::vector<std::string> arms{"a", "b"};
  std::vector<Pulls> horizons{10, 100, 1000};
  std::vector<std::pair<std::string, double>> policies{
      {"spo", 0.5}, {"greedy", 2}, {"exp3", 1}, {"optimal", 0}, {"spo@released", 0.75}};
  std::string impact_unit{};
  int scenes = 1;
};

inline Figure figure_of(const MadeFigure& made) {
  Figure figure;
  figure.name = made.name;
  figure.horizons = made.horizons;
  for (int number = 0; number < made.scenes; ++number) {
    Scene scene;
    scene.bandit = fmt::format("bandit {}", number);
    scene.noise = "no noise";
    scene.arms = made.arms;
    scene.impact_unit = made.impact_unit;
    scene.curve_pulls = {1};
    if (made.horizons.back() > 1) scene.curve_pulls = {1, 5, made.horizons.back()};
    for (std::size_t arm = 0; arm < made.arms.size(); ++arm) {
      std::vector<double> curve;
      for (const Pulls pull : scene.curve_pulls)
        curve.push_back(1 - 1 / static_cast<double>(pull + 1 + std::ssize(curve)));
      scene.curves.push_back(curve);
    }
    for (const auto& [policy, regret] : made.policies)
      scene.policies.push_back(made_series(policy, regret, figure, scene));
    figure.scenes.push_back(scene);
  }
  return figure;
}

/// Returns a figure of two linear programs; the second has no solution.
inline Figure illustrated(const std::string& name) {
  Figure figure;
  figure.name = name;
  figure.illustrations = {{.title = "fits",
                           .means = {0.1, 0.2, 0.3, 0.375},
                           .observations = {0.15, 0.25},
                           .bands = {{-0.05, 0.35}, {0.05, 0.45}},
                           .bound = {0.1, 0.45, 0.8, 1},
                           .future_bound = {0.8, 1}},
                          {.title = "does not",
                           .means = {0.9, 0.2, 0.1, 0.1},
                           .observations = {0.9, 0.2},
                           .bands = {{0.8, 1}, {0.1, 0.3}},
                           .bound = {},
                           .future_bound = {0.3, 0.3}}};
  return figure;
}

}  // namespace longrun
