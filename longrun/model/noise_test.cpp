#include "longrun/model/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/model/half_width.h"

namespace longrun {
namespace {

std::vector<double> observations(const Noise& noise, double mean, std::size_t count, std::uint64_t seed = 1) {
  std::vector<double> out(count, mean);
  add_noise(noise, {.seed = seed}, 1, out);
  return out;
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double fourth = 0;
};
Moments moments(const std::vector<double>& values) {
  Moments result;
  const auto count = static_cast<double>(values.size());
  for (const double x : values) result.mean += x / count;
  for (const double x : values) {
    const double square = (x - result.mean) * (x - result.mean);
    result.variance += square / count;
    result.fourth += square * square / count;
  }
  return result;
}

constexpr std::size_t kDraws = 400'000;

TEST(Noise, SamplesHaveTheMeanAndTheStandardDeviationItStates) {
  for (const Noise& noise : {Noise(Gaussian{0.1}), Noise(Uniform{0.2}), Noise(SymmetricBeta{0.3, 0.05}),
                             Noise(SymmetricBeta{0.3, 0.25}), Noise(Bernoulli{})}) {
    const double mean = std::holds_alternative<Bernoulli>(noise) ? 0.5 : 0.4;
    const Moments found = moments(observations(noise, mean, kDraws));
    const double sd = standard_deviation(noise);
    EXPECT_NEAR(found.mean, mean, 5 * sd / std::sqrt(kDraws)) << to_text(noise);
    EXPECT_NEAR(std::sqrt(found.variance), sd, 0.01 * sd) << to_text(noise);
  }
}

TEST(Noise, HasTheTailsOfItsDistribution) {
  // Kurtosis: normal 3, uniform 9/5, Beta(a, a) 3 (2a + 1) / (2a + 3).
  const auto kurtosis = [](const Noise& noise) {
    const Moments found = moments(observations(noise, 0, kDraws));
    return found.fourth / (found.variance * found.variance);
  };
  EXPECT_NEAR(kurtosis(Gaussian{0.1}), 3, 0.05);
  EXPECT_NEAR(kurtosis(Uniform{0.1}), 1.8, 0.01);
  const double a = (36.0 - 1) / 2;  // bound = 6 sd
  EXPECT_NEAR(kurtosis(SymmetricBeta{0.3, 0.05}), 3 * (2 * a + 1) / (2 * a + 3), 0.03);
}

TEST(Noise, StaysWithinItsBound) {
  for (const Noise& noise : {Noise(Uniform{0.2}), Noise(SymmetricBeta{0.3, 0.05}), Noise(SymmetricBeta{0.3, 0.29})}) {
    for (const double y : observations(noise, 0, 100'000)) ASSERT_LE(std::abs(y), largest_error(noise));
  }
  for (const double y : observations(Bernoulli{}, 0.3, 1000)) ASSERT_TRUE(y == 0 || y == 1);
  EXPECT_TRUE(std::isinf(largest_error(Gaussian{0.1})));
}

TEST(Noise, ErrorQuantileCoversTheStatedShareOfObservations) {
  for (const Noise& noise :
       {Noise(Gaussian{0.1}), Noise(Uniform{0.2}), Noise(SymmetricBeta{0.3, 0.1}), Noise(StudentT{0.1})}) {
    const double width = error_quantile(noise, 0.1);
    const auto values = observations(noise, 0, kDraws);
    const auto covered = std::count_if(values.begin(), values.end(), [&](double x) { return std::abs(x) <= width; });
    EXPECT_NEAR(static_cast<double>(covered) / kDraws, 0.9, 0.003) << to_text(noise);
  }
  EXPECT_NEAR(error_quantile(Gaussian{1}, 0.04550026389635839), 2, 1e-9);
}

// ---- claims about every kind of noise; a new kind is covered once it is in the variant

TEST(EveryNoise, IsTheSameAfterItsTextIsRead) {
  std::set<std::string> texts;
  for (const Noise& noise : example_noises()) {
    EXPECT_EQ(parse_noise(to_text(noise)), noise) << to_text(noise);
    EXPECT_TRUE(texts.insert(to_text(noise)).second) << to_text(noise) << " is the text of two kinds";
  }
}

TEST(EveryNoise, IsTheSameAfterItsFieldsAreRead) {
  for (const Noise& noise : example_noises()) {
    const NoiseFields fields = fields_of(noise);
    EXPECT_EQ(noise_of(fields), noise);
    EXPECT_TRUE(to_text(noise).starts_with(fields.kind)) << to_text(noise);
    NoiseFields more = fields;
    more.values.push_back(0.1);
    EXPECT_THROW(noise_of(more), InputError) << fields.kind;
    for (std::size_t i = 0; i < fields.values.size(); ++i) {
      for (const double wrong : {-0.1, 2 * kLargestNoise, std::nan("")}) {
        NoiseFields other = fields;
        other.values[i] = wrong;
        EXPECT_THROW(noise_of(other), InputError) << fields.kind << ' ' << wrong;
      }
    }
  }
  EXPECT_THROW(noise_of({.kind = "gauss", .values = {0.1}}), InputError);
  EXPECT_THROW(noise_of({.kind = "beta", .values = {0.1, 0.2}}), InputError);  // the bound is less than the deviation
}

TEST(EveryNoise, ExampleHasNoFieldWithItsDefaultValue) {
  for (const Noise& noise : example_noises()) {
    std::visit(
        [](const auto& kind) {
          const std::remove_cvref_t<decltype(kind)> plain{};
          for (const auto& field : kind.kFields) EXPECT_NE(kind.*field.value, plain.*field.value) << field.meaning;
        },
        noise);
  }
}

TEST(EveryNoise, HasAPhraseOfItsOwn) {
  std::set<std::string> phrases;
  for (const Noise& noise : example_noises()) {
    EXPECT_NE(described(noise), "");
    EXPECT_TRUE(phrases.insert(described(noise)).second) << described(noise);
  }
}

TEST(EveryNoise, NamesItsFormIfTheNumberOfFieldsIsWrong) {
  const std::vector<Noise> noises = example_noises();
  const std::vector<std::string> forms = noise_forms();
  ASSERT_EQ(noises.size(), forms.size());
  for (std::size_t i = 0; i < noises.size(); ++i) {
    try {
      parse_noise(to_text(noises[i]) + ":1");
      FAIL() << "no InputError for " << to_text(noises[i]) << ":1";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("is not of the form " + forms[i]), std::string::npos) << error.what();
    }
  }
}

TEST(EveryNoise, SamplesHaveTheMeanAndTheStandardDeviationItStates) {
  const double mean = 0.5;              // at which the standard deviation of Bernoulli rewards is largest
  constexpr double kSummation = 1e-10;  // rounding of a sum of 400,000 numbers
  for (const Noise& noise : example_noises()) {
    const Moments found = moments(observations(noise, mean, kDraws));
    const double sd = standard_deviation(noise);
    EXPECT_NEAR(found.mean, mean, 5 * sd / std::sqrt(kDraws) + kSummation) << to_text(noise);
    // Squares of Student's t with 3 degrees of freedom have no variance, so their mean settles slowly.
    EXPECT_NEAR(std::sqrt(found.variance), sd, 0.03 * sd + kSummation) << to_text(noise);
  }
}

TEST(EveryNoise, ErrorQuantileIsTheSmallestThatCoversTheSamples) {
  const double mean = 0.5;
  for (const Noise& noise : example_noises()) {
    const auto values = observations(noise, mean, kDraws);
    EXPECT_EQ(error_quantile(noise, 0), largest_error(noise)) << to_text(noise);
    double previous = largest_error(noise);
    for (const double miss : {0.001, 0.1, 0.5}) {
      const double width = error_quantile(noise, miss);
      const auto errors =
          std::count_if(values.begin(), values.end(), [&](double x) { return std::abs(x - mean) > width; });
      const double missed = static_cast<double>(errors) / kDraws;
      const double deviation = 5 * std::sqrt(miss / kDraws);  // 5 standard deviations of a share of `miss`
      EXPECT_LE(missed, miss + deviation) << to_text(noise);
      if (width < largest_error(noise)) {
        EXPECT_GE(missed, miss - deviation) << to_text(noise);
      }
      EXPECT_LE(width, previous) << to_text(noise) << ": a larger probability to miss needs no wider interval";
      previous = width;
    }
  }
}

TEST(EveryNoise, DoesNotDependOnHowPullsAreSplitIntoCalls) {
  for (const Noise& noise : example_noises()) {
    const std::vector<double> whole = observations(noise, 0.4, 100);
    std::vector<double> pieces(100, 0.4);
    std::size_t begin = 0;
    for (const std::size_t length : {1U, 2U, 7U, 1U, 30U, 59U}) {
      add_noise(noise, {.seed = 1}, static_cast<Pulls>(begin) + 1, std::span(pieces).subspan(begin, length));
      begin += length;
    }
    EXPECT_EQ(whole, pieces) << to_text(noise);
  }
}

TEST(HalfWidth, FollowsThePapersRules) {
  EXPECT_EQ(paper_half_width(NoNoise{}), 0);
  EXPECT_EQ(paper_half_width(Gaussian{0.05}), 0.1);
  EXPECT_EQ(paper_half_width(Uniform{0.07}), 0.07);
  EXPECT_EQ(paper_half_width(SymmetricBeta{0.2, 0.05}), 0.2);
  EXPECT_EQ(paper_half_width(Bernoulli{}), 1);
  // delta = 1 - 0.95^(1/1000) = 5.1292e-5, two-sided normal quantile 4.0506
  EXPECT_NEAR(half_width_for_failure(Gaussian{0.1}, 0.05, 1000), 0.405, 0.0005);
  EXPECT_LT(half_width_for_failure(Uniform{0.1}, 0.05, 1000), 0.1);
  // The two-sided quantile at 1e-18, far below what 1 - 1e-18 could hold.
  EXPECT_NEAR(half_width_for_failure(Gaussian{1}, 1e-9, 1'000'000'000), 8.8, 0.1);
  EXPECT_THROW(half_width_for_failure(Gaussian{0.1}, 1, 10), InputError);
}

TEST(HalfWidth, TwoFormsNeedMoreOfTheNoiseThanItsBound) {
  for (const char* text : {"2sd", "0.5sd", "failure:0.05"}) EXPECT_TRUE(half_width_needs_noise(text)) << text;
  for (const char* text : {"bound", "0.25", "0", "1e-3"}) EXPECT_FALSE(half_width_needs_noise(text)) << text;
}

TEST(HalfWidth, ReadsEveryRule) {
  EXPECT_EQ(parse_half_width("0.125", Gaussian{0.1}, 10), 0.125);
  EXPECT_EQ(parse_half_width("3sd", Gaussian{0.125}, 10), 0.375);
  EXPECT_EQ(parse_half_width("bound", Uniform{0.3}, 10), 0.3);
  EXPECT_EQ(parse_half_width("failure:0.05", Gaussian{0.1}, 1000), half_width_for_failure(Gaussian{0.1}, 0.05, 1000));
  for (const char* wrong : {"-0.1", "x", "", "nan", "inf", "-2sd", "sd", "failure:2", "failure:", "bound"}) {
    EXPECT_THROW(parse_half_width(wrong, Gaussian{0.1}, 10), InputError) << wrong;
  }
}

TEST(Noise, ReadsItsTextsAndNoOthers) {
  for (const char* text : {"none", "gaussian:0.05", "uniform:0.1", "beta:0.2:0.05", "student:0.1", "bernoulli"}) {
    EXPECT_EQ(to_text(parse_noise(text)), text);
  }
  for (const char* wrong : {"", "gauss:0.1", "gaussian", "gaussian:", "gaussian:-1", "gaussian:nan", "gaussian:0.1:2",
                            "beta:0.1:0.2", "beta:0.1", "beta:1:1e-200", "beta:1:0", "none:1", "uniform:x"}) {
    EXPECT_THROW(parse_noise(wrong), InputError) << wrong;
  }
}

TEST(Noise, QuantileOfATinyProbabilityIsTheBoundOfBetaNoise) {
  EXPECT_NEAR(error_quantile(SymmetricBeta{.bound = 2.1, .sd = 0.5}, 4.9451e-303), 2.1, 1e-12);
  EXPECT_NEAR(error_quantile(SymmetricBeta{.bound = 2.2, .sd = 0.6}, 0.425e-303), 2.2, 1e-12);
}

}  // namespace
}  // namespace longrun
