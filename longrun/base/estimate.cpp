#include "longrun/base/estimate.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

namespace longrun {
namespace {

/// Returns the half-width of a 95 % interval in standard errors, for this number of values.
double student_factor(std::size_t values) {
  static thread_local std::map<std::size_t, double> known;  // the quantile is slow, and few numbers of values occur
  const auto [found, is_new] = known.try_emplace(values);
  if (is_new) {
    const boost::math::students_t distribution(static_cast<double>(values - 1));
    found->second = boost::math::quantile(boost::math::complement(distribution, 0.025));
  }
  return found->second;
}

}  // namespace

Estimate estimate(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; })) {
    return {values[0], values[0], values[0]};
  }
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half_width = student_factor(values.size()) * std::sqrt(squares / (count - 1) / count);
  return {mean, mean - half_width, mean + half_width};
}

}  // namespace longrun
