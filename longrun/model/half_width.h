#pragma once

#include <string>
#include <string_view>

#include "longrun/base/types.h"
#include "longrun/model/noise.h"

namespace longrun {

// The half-width w of the interval [y - w, y + w] that a policy draws around an observation y.

/// Returns the paper's choice: the bound of bounded noise, 2 standard deviations of unbounded noise, 0 without noise.
double paper_half_width(const Noise& noise);

/// Returns a half-width such that all `horizon` intervals contain their means with probability 1 - failure (the paper's
/// corollary): with delta = 1 - (1 - failure)^(1/horizon), the two-sided (1 - delta) quantile of the noise.
double half_width_for_failure(const Noise& noise, double failure, Pulls horizon);

/// Returns the half-width that a text gives: a number, "bound", "Ksd" (K standard deviations) or "failure:P", see
/// half_width_for_failure(). Throws FieldError about half_width for any other text.
double parse_half_width(std::string_view text, const Noise& noise, Pulls horizon);

/// Returns whether the half-width that the text gives depends on more of the noise than its bound: "Ksd" needs its
/// standard deviation, "failure:P" its quantiles.
bool half_width_needs_noise(std::string_view text);

/// The rule by which an experiment chooses half-widths.
struct HalfWidthRule {
  std::string text;    ///< as for parse_half_width(); empty: the paper's choice for the noise
  double minimum = 0;  ///< applies to noisy observations only

  /// Returns the half-width for this noise and horizon.
  double at(const Noise& noise, Pulls horizon) const;
  bool depends_on_horizon() const;  ///< Returns whether at() differs between horizons.
};

}  // namespace longrun
