#include "longrun/data/arena_bandits.h"

#include <array>
#include <cmath>
#include <utility>

#include "longrun/data/formula_bandit.h"

namespace longrun {
namespace {

/// A sequence of random numbers from one stream.
class Draw {
 public:
  explicit Draw(const StreamKey& key) : key_(key) {}
  double uniform(double low, double high) { return low + (high - low) * unit_interval(random_block(key_, next_++)[0]); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform(0, 1)); }

 private:
  StreamKey key_;
  std::uint64_t next_ = 0;
};

constexpr Pulls kRandomHorizon = 10'000;

Formula s_shaped_arm(Draw& draw) {
  const double top = draw.uniform(0.1, 1);
  const double start = draw.uniform(0, 0.5) * top;
  const double middle = draw.log_uniform(20, 5000);
  const double width = draw.uniform(0.05, 0.4) * middle;
  const double exponent = draw.uniform(1.5, 5);
  const double curve = draw.uniform(0, 3);
  if (curve < 1) return Logistic{.start = start, .top = top, .middle = middle, .width = width};
  if (curve < 2) return Gompertz{.start = start, .top = top, .middle = middle, .width = width};
  return TwoRises{.start = start, .plateau = start, .top = top, .middle = middle, .exponent = exponent};
}

Formula plateau_arm(Draw& draw) {
  TwoRises arm;
  arm.top = draw.uniform(0.1, 1);
  arm.start = draw.uniform(0, 0.3) * arm.top;
  arm.plateau = arm.start + draw.uniform(0.05, 0.4) * (arm.top - arm.start);
  arm.middle = draw.log_uniform(30, 3000);
  arm.fast = draw.log_uniform(0.01, 0.05) * arm.middle;  // much shorter, so that there is a plateau
  arm.exponent = draw.uniform(2, 4);
  arm.peak = std::round(draw.uniform(2, 6) * arm.middle);
  arm.fall = draw.log_uniform(100, 10'000);
  arm.end = draw.uniform(0, 1) * arm(static_cast<Pulls>(arm.peak));
  return arm;
}

Formula random_arm(ArmKind kind, Draw& draw) {
  if (kind == ArmKind::s_shaped) return s_shaped_arm(draw);
  if (kind == ArmKind::plateau) return plateau_arm(draw);
  const double top = draw.uniform(0.1, 1);
  const double start = draw.uniform(0, 1) * top;
  const double end = draw.uniform(0, 1) * top;
  const double rise = draw.uniform(0.2, 1);
  const double fall = draw.log_uniform(100, 10'000);
  const double place = draw.uniform(0, 1);  // drawn for each of these kinds, so that all use equally many numbers
  switch (kind) {
    case ArmKind::constant:
      return Constant{.level = top};
    case ArmKind::falling:
      return Hill{.start = top, .top = top, .end = end, .peak = 1, .rise = 1, .fall = fall};
    case ArmKind::rising: {
      const double peak = 10 * std::pow(10'000.0, place);
      return Hill{.start = start, .top = top, .end = top, .peak = peak, .rise = rise, .fall = fall};
    }
    default:
      break;
  }
  return Hill{.start = start, .top = top, .end = end, .peak = 10 * std::pow(1000.0, place), .rise = rise, .fall = fall};
}

/// Returns the kinds of the arms of a mixed bandit, which repeat: each once, in a random order.
std::array<ArmKind, 5> shuffled_kinds(Draw& draw) {
  std::array kinds{ArmKind::constant, ArmKind::rising, ArmKind::falling, ArmKind::peaked, ArmKind::s_shaped};
  for (std::size_t left = kinds.size(); left > 1; --left) {
    std::swap(kinds[left - 1], kinds[static_cast<std::size_t>(draw.uniform(0, static_cast<double>(left)))]);
  }
  return kinds;
}

/// Returns c (1 - b / (x + b^(1/r))^r), which is 0 at x = 0.
ShiftedPower metelli_power(double c, double b, double r) {
  return {.ceiling = c, .drop = b, .shift = std::pow(b, 1 / r), .exponent = r};
}
/// Returns c (1 - e^(-a x / b)).
SaturatingExponential metelli_exponential(double c, double a, double b) { return {.ceiling = c, .rate = a / b}; }

/// Returns min(ceiling, slope x).
Hill straight(double ceiling, double slope) {
  return {.start = 0, .top = ceiling, .end = ceiling, .peak = 1 + ceiling / slope, .rise = 1, .fall = 1};
}
/// Returns c (1 - b / (b + x)).
ShiftedPower mussi(double c, double b) { return {.ceiling = c, .drop = b, .shift = b, .exponent = 1}; }

}  // namespace

Bandit random_bandit(std::string_view name, const RandomFamily& family, std::uint64_t instance) {
  Draw draw(instance_stream(family.stream, instance));
  const auto arms = static_cast<std::size_t>(std::floor(draw.log_uniform(2, family.most_arms + 1)));
  std::vector<ArmKind> kinds(arms, family.kind);
  if (family.kind == ArmKind::mixed) {
    const auto order = shuffled_kinds(draw);
    for (std::size_t arm = 0; arm < arms; ++arm) kinds[arm] = order[arm % order.size()];
  }
  std::vector<Formula> curves;
  curves.reserve(arms);
  for (const ArmKind kind : kinds) curves.push_back(random_arm(kind, draw));
  return formula_bandit(name, curves, kRandomHorizon);
}

Bandit metelli_15(std::string_view name) {
  const auto power = metelli_power;
  const auto exponential = metelli_exponential;
  return formula_bandit(
      name,
      {power(1, 177, 0.8), power(0.91, 571, 0.9), exponential(0.73, 3, 162), exponential(0.16, 3, 949),
       power(0.48, 144, 1),
       ShiftedPower{.ceiling = 0.43, .drop = 195, .shift = std::pow(199, 1 / 0.9), .exponent = 0.9},
       power(0.79, 695, 0.9), exponential(0.62, 1, 271), exponential(0.23, 1, 849), exponential(0.39, 5, 457),
       power(0.37, 290, 1), power(0.17, 223, 1), power(1.08, 85, 0.8), power(0.84, 219, 1), power(0.26, 124, 0.9)},
      50'000);
}

Bandit metelli_2(std::string_view name) {
  return formula_bandit(name, {mussi(0.4, 500), straight(1, 1.0 / 25'000)}, 50'000);
}

Bandit seznec_10(std::string_view name) {
  constexpr double kLargest = 10;
  std::vector<Formula> curves;
  for (int i = -1; i <= 8; ++i) {
    const double mu = i < 0 ? 0 : 0.001 * std::pow(10, i / 2.0);
    curves.emplace_back(Step{.before = (1 + mu / kLargest) / 2, .after = (1 - mu / kLargest) / 2, .pulls = 1000});
  }
  return formula_bandit(name, curves, 25'000);
}

Bandit mussi_a(std::string_view name) {
  return formula_bandit(name, {mussi(1, 37), mussi(0.88, 10), mussi(0.78, 1), mussi(0.7, 10), mussi(0.5, 20)}, 10'000);
}

Bandit mussi_b(std::string_view name) {
  return formula_bandit(name, {straight(0.99, 0.0025), mussi(0.47, 10), straight(0.7, 0.004)}, 10'000);
}

}  // namespace longrun
