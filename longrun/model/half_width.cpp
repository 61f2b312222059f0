#include "longrun/model/half_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/field_error.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"

namespace longrun {

namespace {

constexpr std::string_view kFailureForm = "failure:";
constexpr std::string_view kDeviationsForm = "sd";

bool is_failure(std::string_view text) { return text.starts_with(kFailureForm); }
bool is_in_deviations(std::string_view text) { return text.ends_with(kDeviationsForm); }

}  // namespace

double paper_half_width(const Noise& noise) {
  const double bound = largest_error(noise);
  return std::isfinite(bound) ? bound : 2 * standard_deviation(noise);
}

double half_width_for_failure(const Noise& noise, double failure, Pulls horizon) {
  if (!(failure > 0 && failure < 1)) {
    throw InputError(fmt::format("failure probability {} is not between 0 and 1", failure));
  }
  const double delta = -std::expm1(std::log1p(-failure) / static_cast<double>(horizon));
  return error_quantile(noise, delta);
}

double parse_half_width(std::string_view text, const Noise& noise, Pulls horizon) {
  const auto invalid = [&](std::string_view why) {
    return FieldError({"half_width"}, fmt::format("'{}' {}; use a number >= 0, 'bound', 'Ksd' such as 2sd, or "
                                                  "'failure:P' such as failure:0.05",
                                                  text, why));
  };
  if (text == "bound") {
    if (!std::isfinite(largest_error(noise))) throw invalid(fmt::format("needs bounded noise, not {}", to_text(noise)));
    return largest_error(noise);
  }
  if (is_failure(text)) {
    const auto failure = parse_number(text.substr(kFailureForm.size()));
    if (!failure || !(*failure > 0 && *failure < 1)) throw invalid("needs a probability between 0 and 1");
    return half_width_for_failure(noise, *failure, horizon);
  }
  const bool in_sds = is_in_deviations(text);
  const auto value = parse_number(in_sds ? text.substr(0, text.size() - kDeviationsForm.size()) : text);
  if (!value || !std::isfinite(*value)) throw invalid("is not a number");
  if (*value < 0) throw invalid("is negative");
  return in_sds ? *value * standard_deviation(noise) : *value;
}

bool half_width_needs_noise(std::string_view text) { return is_failure(text) || is_in_deviations(text); }

double HalfWidthRule::at(const Noise& noise, Pulls horizon) const {
  const double width = text.empty() ? paper_half_width(noise) : parse_half_width(text, noise, horizon);
  return largest_error(noise) > 0 ? std::max(minimum, width) : width;
}

bool HalfWidthRule::depends_on_horizon() const { return is_failure(text); }

}  // namespace longrun
