#include "longrun/solve/single_peaked_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "tests/long_tests.h"

namespace longrun {
namespace {

using Values = std::vector<double>;

std::vector<PullReward> as_rewards(const Values& values) {
  std::vector<PullReward> rewards;
  for (const double value : values) rewards.push_back({std::ssize(rewards) + 1, value});
  return rewards;
}

Values fitted(const Values& values, const SinglePeakedFitOptions& options = {}) {
  return fit_single_peaked(as_rewards(values), options).values(std::ssize(values));
}

double squares_between(const Values& a, const Values& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return squares;
}

/// Returns whether the curve rises concavely up to some pull and does not rise after it.
bool is_single_peaked(const Values& curve, double tolerance = 1e-9) {
  const auto peak = std::max_element(curve.begin(), curve.end()) - curve.begin();
  for (std::ptrdiff_t i = 1; i < std::ssize(curve); ++i) {
    const auto at = [&](std::ptrdiff_t k) { return curve[static_cast<std::size_t>(k)]; };
    if (i <= peak && at(i) < at(i - 1) - tolerance) return false;
    if (i > peak && at(i) > at(i - 1) + tolerance) return false;
    if (i >= 2 && i <= peak && at(i) - at(i - 1) > at(i - 1) - at(i - 2) + tolerance) return false;
  }
  return true;
}

// ---- an independent answer for few rewards: every set of active constraints, by elimination

/// Solves a square system; returns an empty vector if it is singular.
Values solve_system(std::vector<Values> rows, Values right) {
  const std::size_t size = right.size();
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < size; ++row) {
      if (std::abs(rows[row][column]) > std::abs(rows[pivot][column])) pivot = row;
    }
    if (std::abs(rows[pivot][column]) < 1e-11) return {};
    std::swap(rows[pivot], rows[column]);
    std::swap(right[pivot], right[column]);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t k = column; k < size; ++k) rows[row][k] -= factor * rows[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t i = 0; i < size; ++i) right[i] /= rows[i][i];
  return right;
}

/// A constraint: coefficients * g >= bound.
struct Inequality {
  Values coefficients;
  double bound = 0;
};

std::vector<Inequality> shape_constraints(std::size_t n, std::size_t peak, double least) {
  std::vector<Inequality> constraints;
  const auto add = [&](std::initializer_list<std::pair<std::size_t, double>> terms, double bound) {
    Inequality inequality{Values(n, 0), bound};
    for (const auto& [index, coefficient] : terms) inequality.coefficients[index] += coefficient;
    constraints.push_back(inequality);
  };
  for (std::size_t i = 2; i <= peak; ++i) add({{i - 1, 2}, {i - 2, -1}, {i, -1}}, 0);
  if (peak > 0) add({{peak, 1}, {peak - 1, -1}}, 0);
  for (std::size_t i = peak + 1; i < n; ++i) add({{i - 1, 1}, {i, -1}}, 0);
  if (std::isfinite(least)) {
    add({{0, 1}}, least);
    add({{n - 1, 1}}, least);
  }
  return constraints;
}

/// Returns the least sum of squares over all single-peaked curves.
double least_squares_by_enumeration(const Values& y, double least) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t peak = 0; peak < y.size(); ++peak) {
    const std::vector<Inequality> constraints = shape_constraints(y.size(), peak, least);
    for (std::size_t set = 0; set < std::size_t{1} << constraints.size(); ++set) {
      std::vector<const Inequality*> active;
      for (std::size_t c = 0; c < constraints.size(); ++c) {
        if ((set >> c & 1) != 0) active.push_back(&constraints[c]);
      }
      const std::size_t size = y.size() + active.size();
      std::vector<Values> rows(size, Values(size, 0));
      Values right(size, 0);
      for (std::size_t i = 0; i < y.size(); ++i) {
        rows[i][i] = 1;
        right[i] = y[i];
        for (std::size_t a = 0; a < active.size(); ++a) rows[i][y.size() + a] = active[a]->coefficients[i];
      }
      for (std::size_t a = 0; a < active.size(); ++a) {
        for (std::size_t i = 0; i < y.size(); ++i) rows[y.size() + a][i] = active[a]->coefficients[i];
        right[y.size() + a] = active[a]->bound;
      }
      Values solution = solve_system(rows, right);
      if (solution.empty()) continue;
      solution.resize(y.size());
      const bool feasible = std::all_of(constraints.begin(), constraints.end(), [&](const Inequality& c) {
        return std::inner_product(solution.begin(), solution.end(), c.coefficients.begin(), 0.0) >= c.bound - 1e-9;
      });
      if (feasible) best = std::min(best, squares_between(solution, y));
    }
  }
  return best;
}

TEST(SinglePeakedFit, HasTheLeastSquaresOfAllCurvesByEnumeration) {
  std::mt19937 bits(1);
  std::normal_distribution<double> normal;
  for (int repeat = 0; repeat < 300 / sanitizer_slowdown(); ++repeat) {
    Values y(1 + static_cast<std::size_t>(repeat) % 7);
    for (double& value : y) value = repeat % 3 == 0 ? std::round(normal(bits)) : normal(bits);
    const double least = repeat % 2 == 0 ? -std::numeric_limits<double>::infinity() : -0.2;
    const SinglePeakedFit fit = fit_single_peaked(as_rewards(y), {.least = least});
    const Values curve = fit.values(std::ssize(y));
    EXPECT_TRUE(is_single_peaked(curve)) << repeat;
    EXPECT_GE(*std::min_element(curve.begin(), curve.end()), least - 1e-12);
    EXPECT_NEAR(fit.squares, squares_between(curve, y), 1e-9) << repeat;
    EXPECT_NEAR(fit.squares, least_squares_by_enumeration(y, least), 1e-9) << repeat;
  }
}

// ---- many rewards: the conditions of Karush, Kuhn and Tucker, and other peaks by coordinate descent

/// Returns the product of the residuals with a curve.
double along(const Values& y, const Values& curve, const std::function<double(std::size_t)>& direction) {
  double product = 0;
  for (std::size_t i = 0; i < y.size(); ++i) product += (y[i] - curve[i]) * direction(i);
  return product;
}

TEST(SinglePeakedFit, MeetsTheOptimalityConditionsOfItsPeak) {
  std::mt19937 bits(2);
  std::normal_distribution<double> normal(0, 0.3);
  for (const std::size_t n : {10U, 60U, 200U}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      Values y(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double place = static_cast<double>(i) / static_cast<double>(n);
        y[i] = (repeat % 2 == 0 ? std::sqrt(place) - (place > 0.6 ? place : 0) : 1 - place) + normal(bits);
      }
      const SinglePeakedFit fit = fit_single_peaked(as_rewards(y));
      const Values curve = fit.values(std::ssize(y));
      const auto peak = static_cast<std::size_t>(fit.peak() - 1);
      EXPECT_NEAR(along(y, curve, [](std::size_t) { return 1.0; }), 0, 1e-8);
      EXPECT_NEAR(along(y, curve, [&](std::size_t i) { return curve[i]; }), 0, 1e-8);
      for (std::size_t k = 1; k <= peak; ++k)
        EXPECT_LE(along(y, curve, [&](std::size_t i) { return static_cast<double>(std::min(i, k)); }), 1e-7) << k;
      for (std::size_t k = peak + 1; k < n; ++k)
        EXPECT_LE(along(y, curve, [&](std::size_t i) { return i >= k ? -1.0 : 0.0; }), 1e-8) << k;
    }
  }
}

/// Returns the least sum of squares for one peak: non-negative amounts of hinges and steps, improved one at a time.
double least_squares_by_descent(const Values& y, std::size_t peak) {
  const std::size_t n = y.size();
  std::vector<Values> generators{Values(n, 1), Values(n, -1)};
  for (std::size_t k = 1; k < n; ++k) {
    Values generator(n);
    for (std::size_t i = 0; i < n; ++i) {
      generator[i] = k <= peak ? static_cast<double>(std::min(i, k)) - static_cast<double>(k) : (i >= k ? -1.0 : 0.0);
    }
    generators.push_back(generator);
  }
  Values amounts(generators.size(), 0);
  Values residuals = y;
  for (int sweep = 0; sweep < 20'000; ++sweep) {
    for (std::size_t g = 0; g < generators.size(); ++g) {
      const Values& x = generators[g];
      const double step = std::inner_product(x.begin(), x.end(), residuals.begin(), 0.0) /
                          std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
      const double change = std::max(-amounts[g], step);
      amounts[g] += change;
      for (std::size_t i = 0; i < n; ++i) residuals[i] -= change * x[i];
    }
  }
  return std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0);
}

TEST(SinglePeakedFit, HasTheBestOfAllPeaks) {
  std::mt19937 bits(3);
  std::normal_distribution<double> normal(0, 0.4);
  for (int repeat = 0; repeat < (sanitizer_slowdown() > 1 ? 2 : 6); ++repeat) {
    Values y(12);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto m = static_cast<double>(i);
      y[i] = (repeat % 2 == 0 ? m * m / 100 : std::sqrt(m) - 0.3 * m) + normal(bits);  // a convex rise has no such fit
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t peak = 0; peak < y.size(); ++peak) best = std::min(best, least_squares_by_descent(y, peak));
    EXPECT_NEAR(fit_single_peaked(as_rewards(y)).squares, best, 1e-6) << repeat;
  }
}

TEST(SinglePeakedFit, RecoversSinglePeakedCurvesExactly) {
  const auto curve = [](std::size_t n, const std::function<double(double)>& f) {
    Values y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = f(static_cast<double>(i + 1));
    return y;
  };
  for (const std::size_t n : {1U, 2U, 3U, 40U, 200U}) {
    for (const Values& y : {curve(n, [](double) { return 0.4; }), curve(n, [](double m) { return 1 - 1 / m; }),
                            curve(n, [](double m) { return 1 / m; }), curve(n, [](double m) { return m / 200; }),
                            curve(n, [](double m) { return m <= 25 ? std::sqrt(m) / 5 : 25 / m; }),
                            curve(n, [](double m) { return m <= 30 ? 0.5 : 0.1; })}) {
      const Values found = fitted(y, {.least = 0});
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(found[i], y[i], 1e-9) << n << ", pull " << i + 1;
    }
  }
}

TEST(SinglePeakedFit, WithFewCellsIsNearlyAsGoodAsWithMany) {
  std::mt19937 bits(4);
  std::normal_distribution<double> normal(0, 0.2);
  Values y(3'000);
  Values truth(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto m = static_cast<double>(i + 1);
    truth[i] = m < 1'000 ? 1 - std::pow(m, -0.5) : 0.9 - m / 10'000;
    y[i] = truth[i] + normal(bits);
  }
  const Values coarse = fitted(y);
  const Values fine = fitted(y, {.most_cells = y.size()});
  EXPECT_TRUE(is_single_peaked(coarse));
  const auto n = static_cast<double>(y.size());
  EXPECT_LT(std::sqrt(squares_between(coarse, truth) / n), 0.02) << "a tenth of the noise";
  EXPECT_LT(std::sqrt(squares_between(coarse, fine) / n), 0.01);
}

TEST(SinglePeakedFit, TheLastCellIsConstantIfTheCurveFalls) {
  Values y(50, 0.5);
  y.back() = 0;  // one low reward at the end
  EXPECT_EQ(fitted(y).back(), 0);
  const Values calm = fitted(y, {.last_cell = 10});
  EXPECT_NEAR(calm.back(), 0.45, 1e-12);
  EXPECT_NEAR(calm[40], 0.45, 1e-12);
  EXPECT_NEAR(calm[39], 0.5, 1e-12);
}

TEST(SinglePeakedFit, LargerCellsMakeTheFirstRewardLessImportant) {
  Values y(40, 0.5);
  y[0] = 1;  // one high reward at the beginning
  EXPECT_NEAR(fitted(y)[0], 1, 1e-12);
  const Values calm = fitted(y, {.smallest_cell = 5});
  EXPECT_NEAR(calm[0], 0.6, 1e-12);
  EXPECT_NEAR(calm[4], 0.6, 1e-12);
  EXPECT_NEAR(calm[5], 0.5, 1e-12);
  for (std::size_t n = 1; n <= 12; ++n) {  // fewer rewards than a cell should have
    const Values few =
        fitted(Values(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n)), {.smallest_cell = 5, .last_cell = 7});
    EXPECT_TRUE(is_single_peaked(few)) << n;
  }
}

TEST(SinglePeakedFit, MissingRewardsLeaveTheShape) {
  std::vector<PullReward> rewards;
  for (const Pulls pull : {3, 4, 7, 8, 15, 30, 31, 40}) {
    const auto m = static_cast<double>(pull);
    rewards.push_back({pull, pull <= 15 ? std::sqrt(m) / 4 : 0.5});
  }
  const SinglePeakedFit fit = fit_single_peaked(rewards, {.least = 0});
  EXPECT_NEAR(fit.squares, 0, 1e-18);
  EXPECT_EQ(fit.last, 40);
  const Values curve = fit.values(60);
  EXPECT_TRUE(is_single_peaked(curve));
  for (const auto& [pull, reward] : rewards) EXPECT_NEAR(curve[static_cast<std::size_t>(pull - 1)], reward, 1e-9);
  EXPECT_EQ(curve.back(), 0.5) << "constant after the last reward";
}

TEST(SinglePeakedFit, IsCutAtItsUpperBound) {
  const Values curve = fitted({0.2, 0.8, 1.4, 1.5, 1.2, 0.9}, {.most = 1});
  EXPECT_EQ(curve[2], 1);
  EXPECT_EQ(curve[3], 1);
  EXPECT_NEAR(curve[5], 0.9, 1e-9);
  EXPECT_TRUE(is_single_peaked(curve));
}

TEST(SinglePeakedFit, CountsItsIndependentValues) {
  EXPECT_EQ(fit_single_peaked(as_rewards({0.5, 0.5, 0.5, 0.5})).parameters, 1U);
  EXPECT_EQ(fit_single_peaked(as_rewards({0.1, 0.2, 0.3, 0.4})).parameters, 2U) << "level and slope";
  EXPECT_EQ(fit_single_peaked(as_rewards({0.9, 0.5, 0.5, 0.1})).parameters, 3U);
}

}  // namespace
}  // namespace longrun
