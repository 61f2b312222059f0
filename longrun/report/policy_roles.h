#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longrun {

// The roles that policies have in reports, by their traits in the catalog, and their labels.

/// Returns the name of the policy whose regret the arena divides by.
std::string_view yardstick_name();

/// Returns the yardstick's name as it is written in a sentence: "SPO".
std::string yardstick_title();

/// Returns whether a policy competes with others: it is neither the reference policy nor a variant.
bool competes(std::string_view policy);

/// The largest number of bytes of a policy's label at an axis.
inline constexpr std::size_t kLongestPolicyLabel = 20;

/// Returns the label of a policy at an axis: the policy text or, if it is too long, the text with initials as names of
/// its parameters ("sw-ucb:e=0.5,w=100"), or else the beginning of the text and "..".
std::string policy_label(const std::string& policy);

}  // namespace longrun
