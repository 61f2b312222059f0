#pragma once

#include <cstdint>
#include <string_view>

#include "longrun/model/bandit.h"

namespace longrun {

/// The shape of the arms of a random bandit.
enum class ArmKind { peaked, rising, falling, constant };

/// Returns a random bandit, a function of the kind and the instance alone. No policy was designed for these bandits.
/// They have 2 to 20 arms (the number is log-uniform) and horizon 10,000. Every arm is a Hill, or a Constant at its
/// top. Its top is uniform in [0.1, 1]. Where it rises, its start is a uniform share of the top and the exponent of the
/// rise is uniform in [0.2, 1]. Where it falls, its end is a uniform share of the top and the scale of the fall is
/// log-uniform in [100, 10000]. The peak of peaked arms is log-uniform in [10, 10000], that of rising arms in
/// [10, 100000], so many of them rise until the horizon.
Bandit random_bandit(std::string_view name, ArmKind kind, std::uint64_t instance);

// Bandits of later papers that publish their curves.

Bandit metelli_15(std::string_view name);  ///< 15 rising arms (Metelli et al. 2022)
/// Returns a fast and a slow rising arm; the slow one ends higher (Metelli et al. 2022).
Bandit metelli_2(std::string_view name);
/// Returns 10 falling arms: mu for 1000 pulls, then -mu, with mu = 0 and 0.001 * 10^(i/2) for i = 0 .. 8
/// (Seznec et al. 2019), mapped from [-10, 10] to [0, 1].
Bandit seznec_10(std::string_view name);
Bandit mussi_a(std::string_view name);  ///< 5 rising arms (Mussi et al. 2024)
Bandit mussi_b(std::string_view name);  ///< 3 rising arms, two of them in straight lines (Mussi et al. 2024)

}  // namespace longrun
