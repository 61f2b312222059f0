#include "longrun/report/lp_illustration.h"

#include <algorithm>

#include "longrun/model/half_width.h"

namespace longrun {

LpIllustration illustrate(const Config& config, std::size_t number) {
  const LpChoice& lp = config.illustrations[number];
  LpIllustration shown;
  shown.title = lp.title;
  for (Pulls pull = 1; pull <= lp.observed + lp.future; ++pull) shown.means.push_back(lp.curve.reward(pull));
  shown.observations.assign(shown.means.begin(), shown.means.begin() + lp.observed);
  const StreamKey key{
      .seed = config.seed, .replicate = 1, .purpose = Purpose::noise, .lane = static_cast<std::uint32_t>(number)};
  add_noise(lp.noise, key, 1, shown.observations);
  const double half_width = paper_half_width(lp.noise);
  for (const double y : shown.observations) shown.bands.push_back({y - half_width, y + half_width});
  shown.bound = optimistic_curve(shown.bands, lp.future);
  if (shown.bound.empty()) {
    shown.future_bound.assign(static_cast<std::size_t>(lp.future), std::min(1.0, shown.bands.back().upper));
  } else {
    shown.future_bound.assign(shown.bound.begin() + lp.observed, shown.bound.end());
  }
  return shown;
}

}  // namespace longrun
