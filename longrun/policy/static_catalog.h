#pragma once

#include <array>
#include <tuple>
#include <type_traits>

#include "longrun/policy/catalog.h"
#include "longrun/policy/epsilon_greedy.h"
#include "longrun/policy/exp3.h"
#include "longrun/policy/fewa.h"
#include "longrun/policy/follow_plan.h"
#include "longrun/policy/foresight/foresight.h"
#include "longrun/policy/glr_kl_ucb.h"
#include "longrun/policy/greedy.h"
#include "longrun/policy/increasing.h"
#include "longrun/policy/kl_ucb.h"
#include "longrun/policy/one_step_optimistic.h"
#include "longrun/policy/ptrr.h"
#include "longrun/policy/r_ed_ucb.h"
#include "longrun/policy/raw_ucb.h"
#include "longrun/policy/spo.h"
#include "longrun/policy/thompson.h"
#include "longrun/policy/ucb.h"

namespace longrun {

/// A catalog entry with the function that makes its policy. Templates over the policy type, such as the play loop, are
/// instantiated from this list. It is slow to compile, so only files with such templates include it.
template <auto kMake>
struct StaticEntry {
  PolicyEntry entry;

  using Policy = std::invoke_result_t<decltype(kMake), const Setting&, const Parameters&>;
  static Policy make(const Setting& setting, const Parameters& parameters) { return kMake(setting, parameters); }
};

/// Returns a catalog entry whose policy is made by `kMake`.
template <auto kMake>
constexpr StaticEntry<kMake> entry(const PolicyEntry& entry) {
  return {entry};
}

namespace lines {  // values of LineStyle::dashes
inline constexpr std::array kLong{10, 3};
inline constexpr std::array kMedium{6, 2};
inline constexpr std::array kShort{3, 3};
inline constexpr std::array kDotted{2, 2};
inline constexpr std::array kDashDotted{4, 2, 1, 2};
inline constexpr std::array kDashTwoDots{6, 2, 1, 2, 1, 2};
inline constexpr std::array kVeryLong{14, 4};
}  // namespace lines

// Colours are after Okabe & Ito (2008) and P. Tol's "muted" scheme, without light yellow, which is invisible on paper.
inline constexpr std::tuple kStaticCatalog{
    entry<make_spo<Refresh::every_arm>>({
        .name = "spo",
        .summary = "single-peaked optimism: the arm with the best possible future (Lindner et al. 2021)",
        .parameters = kSpoParameters,
        .traits = {.uses_intervals = true, .uses_noise = true, .yardstick = true},
        .line = {.colour = "#d55e00", .width = 2.5},
    }),
    entry<make_greedy>({
        .name = "greedy",
        .summary = "the arm with the largest last reward",
        .parameters = kGreedyParameters,
        .traits = {.uses_horizon = false, .myopic = true},
        .line = {.colour = "#009e73"},
    }),
    entry<make_one_step_optimistic>({
        .name = "one-step-optimistic",
        .summary = "the arm whose next reward could be largest",
        .traits = {.uses_horizon = false, .uses_intervals = true, .uses_noise = true},
        .line = {.colour = "#56b4e9"},
    }),
    entry<make_exp3>({
        .name = "exp3",
        .summary = "exponential weights for adversarial rewards (Auer et al. 2002)",
        .parameters = kExp3Parameters,
        .traits = {.uses_horizon = false, .randomized = true, .draws_every_choice = true},
        .line = {.colour = "#e69f00", .dashes = lines::kMedium},
    }),
    entry<make_r_exp3>({
        .name = "r-exp3",
        .summary = "exp3 with restarts, for rewards that drift (Besbes et al. 2019)",
        .parameters = kRExp3Parameters,
        .traits = {.randomized = true, .draws_every_choice = true},
        .line = {.colour = "#5d3a00", .dashes = lines::kMedium},
    }),
    entry<make_discounted_ucb<Refresh::every_arm>>({
        .name = "d-ucb",
        .summary = "discounted upper confidence bounds (Garivier & Moulines 2011)",
        .parameters = kDiscountedUcbParameters,
        .line = {.colour = "#0072b2"},
    }),
    entry<make_sliding_window_ucb<Refresh::every_arm>>({
        .name = "sw-ucb",
        .summary = "sliding-window upper confidence bounds (Garivier & Moulines 2011)",
        .parameters = kSlidingWindowUcbParameters,
        .line = {.colour = "#cc79a7"},
    }),
    entry<make_ucb<Refresh::every_arm>>({
        .name = "ucb",
        .summary = "upper confidence bounds for rewards that do not change",
        .parameters = kUcbParameters,
        .traits = {.uses_horizon = false},
        .line = {.colour = "#332288"},
    }),
    entry<make_kl_ucb>({
        .name = "kl-ucb",
        .summary = "the tightest upper confidence bounds for rewards of 0 or 1 (Garivier & Cappe 2011)",
        .parameters = kKlUcbParameters,
        .traits = {.uses_horizon = false},
        .line = {.colour = "#b8860b", .dashes = lines::kDashTwoDots},
    }),
    entry<make_gaussian_thompson>({
        .name = "thompson-gaussian",
        .summary = "Thompson sampling for normal rewards (Thompson 1933; Korda et al. 2013)",
        .parameters = kGaussianThompsonParameters,
        .traits = {.uses_horizon = false, .randomized = true, .uses_noise = true},
        .line = {.colour = "#4477aa", .dashes = lines::kDotted},
    }),
    entry<make_beta_thompson>({
        .name = "thompson-beta",
        .summary = "Thompson sampling for rewards of 0 or 1 (Thompson 1933; Kaufmann et al. 2012)",
        .traits = {.uses_horizon = false, .randomized = true},
        .line = {.colour = "#aa3377", .dashes = lines::kDashTwoDots},
    }),
    entry<make_epsilon_greedy>({
        .name = "epsilon-greedy",
        .summary = "the arm with the largest mean reward, and sometimes any arm (Auer et al. 2002)",
        .parameters = kEpsilonGreedyParameters,
        .traits = {.uses_horizon = false, .randomized = true},
        .line = {.colour = "#66a61e", .dashes = lines::kVeryLong},
    }),
    entry<make_glr_kl_ucb>({
        .name = "glr-kl-ucb",
        .summary = "kl-ucb that forgets an arm's rewards when they change (Besson et al. 2022)",
        .parameters = kGlrKlUcbParameters,
        .line = {.colour = "#1b4f9c", .dashes = lines::kVeryLong},
    }),
    entry<make_increasing>({
        .name = "increasing",
        .summary = "elimination for rising arms (Heidari et al. 2016)",
        .line = {.colour = "#117733", .dashes = lines::kDashDotted},
    }),
    entry<make_r_ed_ucb>({
        .name = "r-ed-ucb",
        .summary = "the recent trend extrapolated to now, for rising arms (Metelli et al. 2022)",
        .parameters = kREdUcbParameters,
        .traits = {.uses_horizon = false, .uses_noise = true},
        .line = {.colour = "#882255", .dashes = lines::kDashDotted},
    }),
    entry<make_raw_ucb>({
        .name = "raw-ucb",
        .summary = "the smallest upper confidence bound of recent windows, for falling arms (Seznec et al. 2020)",
        .parameters = kRawUcbParameters,
        .traits = {.uses_horizon = false, .uses_noise = true},
        .line = {.colour = "#999933", .dashes = lines::kLong},
    }),
    entry<make_fewa>({
        .name = "fewa",
        .summary = "elimination by longer and longer recent windows, for falling arms (Seznec et al. 2019)",
        .parameters = kFewaParameters,
        .traits = {.uses_horizon = false, .uses_noise = true},
        .line = {.colour = "#ee6677", .dashes = lines::kDotted},
    }),
    entry<make_ptrr>({
        .name = "ptrr",
        .summary = "one arm after another while it rises fast enough (Blum & Ravichandran 2024)",
        .parameters = kPtrrParameters,
        .traits = {.randomized = true},
        .line = {.colour = "#2f7f7f", .dashes = lines::kLong},
    }),
    entry<make_foresight>({
        .name = "foresight",
        .summary = "the arm with the best expected future, from noisy rewards; the default",
        .parameters = kForesightParameters,
        .traits = {.uses_noise = true, .estimates_noise = true, .estimates_arms = true},
        .line = {.colour = "#7b2cbf", .width = 2.5},
    }),
    entry<make_follow_plan>({
        .name = "optimal",
        .summary = "the exact optimum, for curves that are known",
        .traits = {.needs_plan = true, .reference = true},
        .line = {.colour = "#000000", .dashes = lines::kShort},
    }),
    entry<make_spo<Refresh::pulled_arm>>({
        .name = "spo@released",
        .summary = "spo as in the authors' released code",
        .parameters = kSpoParameters,
        .traits = {.uses_intervals = true, .uses_noise = true, .variant_of = "spo"},
    }),
    entry<make_discounted_ucb<Refresh::pulled_arm>>({
        .name = "d-ucb@released",
        .summary = "d-ucb as in the authors' released code",
        .parameters = kDiscountedUcbParameters,
        .traits = {.variant_of = "d-ucb"},
    }),
    entry<make_sliding_window_ucb<Refresh::pulled_arm>>({
        .name = "sw-ucb@released",
        .summary = "sw-ucb as in the authors' released code",
        .parameters = kSlidingWindowUcbParameters,
        .traits = {.variant_of = "sw-ucb"},
    }),
    entry<make_ucb<Refresh::pulled_arm>>({
        .name = "ucb@released",
        .summary = "ucb as in the authors' released code",
        .parameters = kUcbParameters,
        .traits = {.uses_horizon = false, .variant_of = "ucb"},
    }),
};

/// Returns an array with `instantiate(entry)`, usually a function pointer, for every StaticEntry.
template <class Value, class Instantiate>
constexpr auto per_policy(Instantiate instantiate) {
  return std::apply(
      [&](const auto&... entries) { return std::array<Value, sizeof...(entries)>{instantiate(entries)...}; },
      kStaticCatalog);
}

}  // namespace longrun
