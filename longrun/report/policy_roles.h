#pragma once

#include <string>
#include <string_view>

namespace longrun {

// The roles that policies have in reports, by their traits in the catalog.

/// Returns the name of the policy whose regret the arena divides by.
std::string_view yardstick_name();

/// Returns the yardstick's name as it is written in a sentence: "SPO".
std::string yardstick_title();

/// Returns whether a policy competes with others: it is neither the reference policy nor a variant.
bool competes(std::string_view policy);

}  // namespace longrun
