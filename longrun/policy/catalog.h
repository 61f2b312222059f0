#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/policy/line_style.h"
#include "longrun/policy/parameters.h"

namespace longrun {

/// The properties of a policy that other code may depend on. Code outside the catalog does not compare policy names.
struct PolicyTraits {
  bool needs_plan = false;          ///< needs Setting::plan, the optimal pull counts, which require known curves
  bool uses_horizon = true;         ///< if false, a run is the beginning of every longer run
  bool randomized = false;          ///< if false, a run is a function of the observations alone
  bool draws_every_choice = false;  ///< whether the choices of a round are independent draws, without imagined rewards
  bool uses_intervals = false;      ///< uses Setting::half_width
  bool uses_noise = false;          ///< uses Setting::noise, even if only for a default half-width
  bool estimates_noise = false;     ///< can estimate the noise itself: PolicyChoice::estimating_noise()
  bool estimates_arms = false;      ///< decides by the estimates that a recommendation reports for every arm
  bool myopic = false;              ///< compares the last reward of every arm, and nothing else
  bool reference = false;           ///< the optimum: shown for reference, never ranked
  bool yardstick = false;           ///< the policy whose regret the arena divides by
  std::string_view variant_of{};    ///< the policy that this one is compared with; empty for none
};

/// One entry of the catalog.
struct PolicyEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const Parameter> parameters{};
  PolicyTraits traits{};
  LineStyle line{};  ///< how figures draw the policy
};

/// The default policy. Without noise it makes the decisions of SPO.
inline constexpr std::string_view kDefaultPolicy = "foresight";

/// Returns all policies. The command line, Python and the conformance tests read this list.
std::span<const PolicyEntry> policy_catalog();

/// Returns the name in a policy text: "d-ucb" of "d-ucb:discount=0.99".
std::string_view policy_name(std::string_view text);

/// Returns the catalog entry of a policy text, or nullptr for a policy that is not in the catalog (one written in
/// Python). Parameters are not checked.
const PolicyEntry* find_policy(std::string_view text);

/// Returns the traits of a policy text, or default traits for a policy that is not in the catalog.
PolicyTraits traits_of(std::string_view text);

/// Returns the policy that has the trait, which is one of `yardstick` and `myopic`: these have one policy each.
const PolicyEntry& policy_with(bool PolicyTraits::*trait);

/// Returns the policy text with its policy replaced by the variant of it ("spo:failure=0.1" becomes
/// "spo@released:failure=0.1"), or an empty text if there is no variant.
std::string variant_text(std::string_view text);

/// A policy as a user names it: a catalog name, then parameters, such as "d-ucb:discount=0.99,exploration=1".
class PolicyChoice {
 public:
  /// Throws InputError for an unknown name or parameter, or a value out of range.
  explicit PolicyChoice(std::string_view text);

  const PolicyEntry& entry() const { return *entry_; }
  /// Returns the position of the entry in the catalog.
  std::size_t number() const { return static_cast<std::size_t>(entry_ - policy_catalog().data()); }
  const Parameters& parameters() const { return parameters_; }
  const std::string& text() const { return text_; }

  /// Returns whether the policy estimates the noise, so that it does not use that of the setting.
  bool estimates_noise() const;
  /// Returns this policy with `estimate_sd=1` if it can estimate the noise and the parameter is not set, else a copy.
  PolicyChoice estimating_noise() const;

 private:
  std::string text_;
  const PolicyEntry* entry_ = nullptr;  // into policy_catalog()
  Parameters parameters_;
};

/// Returns the policies of a list such as "spo,d-ucb:discount=0.9,exploration=1,ucb". Commas separate both policies and
/// their parameters; a part with '=' and without ':' is a parameter. Throws as PolicyChoice does.
std::vector<PolicyChoice> parse_policies(std::string_view text);

}  // namespace longrun
