#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "longrun/base/palette.h"
#include "longrun/policy/catalog.h"

namespace longrun {
namespace {

/// A line style whose members can be compared.
struct Drawn {
  std::string colour;
  std::vector<int> dashes;
  double width;
};
Drawn drawn(std::string_view policy) {
  const LineStyle style = line_style(policy);
  return {std::string(style.colour), {style.dashes.begin(), style.dashes.end()}, style.width};
}

std::vector<std::string> base_policies() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_catalog()) {
    if (traits_of(entry.name).variant_of.empty()) names.emplace_back(entry.name);
  }
  return names;
}

void expect_hexadecimal(const std::string& colour) {
  ASSERT_EQ(colour.size(), 7U) << colour;
  EXPECT_EQ(colour[0], '#');
  for (const char c : colour.substr(1)) EXPECT_TRUE(std::isxdigit(static_cast<unsigned char>(c))) << colour;
}

TEST(Palette, EveryPolicyOfTheCatalogHasItsOwnColour) {
  std::map<std::string, std::string> owner;
  ASSERT_GE(base_policies().size(), 10U);
  for (const std::string& policy : base_policies()) {
    const std::string colour = drawn(policy).colour;
    expect_hexadecimal(colour);
    const auto [taken, fresh] = owner.try_emplace(colour, policy);
    EXPECT_TRUE(fresh) << policy << " has the colour of " << taken->second;
  }
}

TEST(Palette, VariantsHaveTheColourOfTheirPolicyAndOtherDashes) {
  int variants = 0;
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string name(entry.name);
    const std::string base(entry.traits.variant_of.empty() ? entry.name : entry.traits.variant_of);
    for (const std::string& variant : {name, name + ":some=1"}) {
      if (variant == base) continue;
      EXPECT_EQ(drawn(variant).colour, drawn(base).colour) << variant;
      EXPECT_NE(drawn(variant).dashes, drawn(base).dashes) << variant;
      ++variants;
    }
  }
  EXPECT_GT(variants, 20);
  EXPECT_NE(drawn("spo@released").dashes, drawn("spo:a=1").dashes);
}

TEST(Palette, AStyleIsAFunctionOfTheText) {
  for (const std::string policy : {"spo", "spo@released", "d-ucb:discount=0.9", "mine", "mine:a=1", ""}) {
    const Drawn once = drawn(policy);
    const Drawn again = drawn(policy);
    EXPECT_EQ(once.colour, again.colour);
    EXPECT_EQ(once.dashes, again.dashes);
    EXPECT_EQ(once.width, again.width);
    EXPECT_GT(once.width, 0);
    expect_hexadecimal(once.colour);
    EXPECT_EQ(once.dashes.size() % 2, 0U) << "strokes and gaps come in pairs";
  }
}

TEST(FigureLines, OfPoliciesThatDifferAreThoseOfTheCatalog) {
  std::vector<std::string> policies;
  for (const PolicyEntry& entry : policy_catalog()) policies.emplace_back(entry.name);
  policies.emplace_back("spo:failure=0.1");
  const std::vector<FigureLine> lines = figure_lines(policies);
  ASSERT_EQ(lines.size(), policies.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].colour, drawn(policies[i]).colour) << policies[i];
    EXPECT_EQ(lines[i].dashes, drawn(policies[i]).dashes) << policies[i];
    EXPECT_EQ(lines[i].width, drawn(policies[i]).width) << policies[i];
  }
  EXPECT_TRUE(figure_lines({}).empty());
}

TEST(FigureLines, OfAGridOfParametersAreAllDifferentAndTheSameEveryTime) {
  for (const char* name : {"sw-ucb", "spo", "greedy", "mine"}) {
    std::vector<std::string> policies{name, "optimal"};
    for (int i = 0; i < 18; ++i) policies.push_back(fmt::format("{}:window={}", name, i));
    const std::vector<FigureLine> lines = figure_lines(policies);
    for (std::size_t a = 0; a < lines.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(lines[a] == lines[b]) << policies[a] << ", " << policies[b];
    }
    for (const std::size_t first : {0U, std::string_view(name) == "mine" ? 0U : 2U}) {  // those with another style
      EXPECT_EQ(lines[first].colour, drawn(policies[first]).colour) << "the first has the style of the catalog";
      EXPECT_EQ(lines[first].dashes, drawn(policies[first]).dashes);
    }
    std::set<std::string> colours;
    for (std::size_t i = 2; i < 2 + kShadeCount; ++i) colours.insert(lines[i].colour);
    EXPECT_EQ(colours.size(), kShadeCount) << "bars have no dashes";
    EXPECT_EQ(figure_lines(policies), lines);
  }
  EXPECT_EQ(figure_lines(std::vector<std::string>(1000, "spo:failure=0.1")).size(), 1000U) << "styles repeat";
}

TEST(Palette, APolicyOutsideTheCatalogGetsAColourThatNoneInItHas) {
  std::set<std::string> taken;
  for (const std::string& policy : base_policies()) taken.insert(drawn(policy).colour);
  std::set<std::string> spare;
  for (const std::string policy : {"softmax", "mine", "explore-then-commit", "a", "b", "c"}) {
    spare.insert(drawn(policy).colour);
    EXPECT_FALSE(taken.contains(drawn(policy).colour)) << policy;
  }
  EXPECT_GT(spare.size(), 2U);
}

TEST(Palette, TwentyArmsHaveTwentyColoursThatThenRepeat) {
  std::set<std::string> colours;
  for (std::size_t arm = 0; arm < 20; ++arm) {
    expect_hexadecimal(arm_colour(arm));
    colours.insert(arm_colour(arm));
    EXPECT_EQ(arm_colour(arm + 20), arm_colour(arm));
  }
  EXPECT_EQ(colours.size(), 20U);
}

// ---- perceived differences

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

Triple times(const Matrix& matrix, const Triple& v) {
  Triple result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) result[row] += matrix[row][column] * v[column];
  }
  return result;
}

// Perceived linear RGB without one kind of cone: Machado, Oliveira & Fernandes, "A Physiologically-based Model
// for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, their matrices for severity 1.
constexpr Matrix kAllCones{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

Triple linear_rgb(const std::string& colour) {
  Triple rgb{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double value = std::stoi(colour.substr(1 + 2 * k, 2), nullptr, 16) / 255.0;
    rgb[k] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);  // IEC 61966-2-1 (sRGB)
  }
  return rgb;
}

/// CIELAB, white point D65.
Triple lab(Triple rgb) {
  for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
  constexpr Matrix kToXyz{
      {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  const Triple xyz = times(kToXyz, rgb);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(xyz[0] / 0.95047);
  const double y = f(xyz[1]);
  const double z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const std::string& a, const std::string& b, const Matrix& eye) {
  const Triple p = lab(times(eye, linear_rgb(a)));
  const Triple q = lab(times(eye, linear_rgb(b)));
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

TEST(Palette, TheSimulationConfusesRedAndGreenWithoutRedCones) {
  EXPECT_NEAR(distance("#000000", "#ffffff", kAllCones), 100, 0.01);
  EXPECT_NEAR(distance("#ff0000", "#00ff00", kAllCones), 170.6, 0.5);
  // A red and a green that look alike without red or green cones.
  EXPECT_GT(distance("#b00000", "#4b4b00", kAllCones), 50);
  EXPECT_LT(distance("#b00000", "#4b4b00", kProtanopia), 15);
  EXPECT_GT(distance("#0000ff", "#ffff00", kProtanopia), 100);
}

// A distance of 2.3 can just be noticed side by side; 15 tells two lines in one chart apart.
constexpr double kClear = 15;

/// Expects any two policies to be distinguishable with every kind of colour vision, by their colours or, if
/// `dashes_help`, by their dashes.
void expect_apart(const std::vector<std::string>& policies, bool dashes_help) {
  for (const auto& [name, eye] : {std::pair{"all cones", kAllCones}, std::pair{"protanopia", kProtanopia},
                                  std::pair{"deuteranopia", kDeuteranopia}}) {
    for (std::size_t a = 0; a < policies.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (dashes_help && drawn(policies[a]).dashes != drawn(policies[b]).dashes) continue;
        EXPECT_GT(distance(drawn(policies[a]).colour, drawn(policies[b]).colour, eye), kClear)
            << policies[a] << " and " << policies[b] << ", " << name;
      }
    }
  }
}

TEST(Palette, LinesOfAllPoliciesAreDistinguishableWithAnyColourVision) { expect_apart(base_policies(), true); }

TEST(Palette, BarsOfThePapersPoliciesAreDistinguishableWithAnyColourVision) {
  // Bars have no dashes: their colours alone must differ.
  expect_apart(
      {"spo", "greedy", "one-step-optimistic", "exp3", "r-exp3", "d-ucb", "sw-ucb", "ucb", "increasing", "optimal"},
      false);
}

TEST(Palette, EveryPolicyIsVisibleOnWhite) {
  for (const std::string& policy : base_policies()) {
    EXPECT_LT(lab(linear_rgb(drawn(policy).colour))[0], 75) << policy << " is too light for paper";
  }
}

TEST(Palette, ShadesDifferAndAreVisibleOnWhite) {
  std::vector<std::string> colours(kSpareColours.begin(), kSpareColours.end());
  for (const std::string& policy : base_policies()) colours.push_back(drawn(policy).colour);
  for (const std::string& colour : colours) {
    EXPECT_EQ(shade_of(colour, 0), colour);
    for (std::size_t a = 1; a < kShadeCount; ++a) {
      expect_hexadecimal(shade_of(colour, a));
      EXPECT_LT(lab(linear_rgb(shade_of(colour, a)))[0], 75) << colour << " is too light for paper";
      for (std::size_t b = 0; b < a; ++b) {
        // Less than between policies, because lines of different shades also have different dashes.
        EXPECT_GT(distance(shade_of(colour, a), shade_of(colour, b), kAllCones), 10) << colour << " " << a << b;
      }
    }
  }
}

TEST(Palette, RatiosGoFromBetterToWorseThroughWhiteWithAnyColourVision) {
  EXPECT_EQ(ratio_colour(1), "#ffffff");
  EXPECT_EQ(ratio_colour(kFullRatio), kWorseColour);
  EXPECT_EQ(ratio_colour(1 / kFullRatio), kBetterColour);
  EXPECT_EQ(ratio_colour(1e9), kWorseColour);
  EXPECT_EQ(ratio_colour(0), kBetterColour) << "nothing is better than no regret";
  for (const auto& [name, eye] : {std::pair{"all cones", kAllCones}, std::pair{"protanopia", kProtanopia},
                                  std::pair{"deuteranopia", kDeuteranopia}}) {
    double before = 0;
    for (const double ratio : {1.25, 1.6, 2.0, 3.0, 5.0}) {
      EXPECT_GT(distance(ratio_colour(ratio), "#ffffff", eye), before) << ratio << ", " << name;
      EXPECT_GT(distance(ratio_colour(ratio), ratio_colour(1 / ratio), eye), kClear / 2) << ratio << ", " << name;
      before = distance(ratio_colour(ratio), "#ffffff", eye);
    }
    EXPECT_GT(distance(kBetterColour, kWorseColour, eye), 4 * kClear) << name;
  }
}

TEST(Palette, BlackTextIsReadableOnEveryRatio) {
  for (const double ratio : {0.01, 0.2, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0, 100.0}) {
    EXPECT_GT(lab(linear_rgb(ratio_colour(ratio)))[0], 60) << ratio;
  }
}

}  // namespace
}  // namespace longrun
