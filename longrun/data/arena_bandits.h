#pragma once

#include <cstdint>
#include <string_view>

#include "longrun/model/bandit.h"

namespace longrun {

/// What the arms of a random bandit do.
enum class ArmKind { peaked, rising, falling, constant };

/// Random bandits that no policy was made for: 2 to 20 arms (their number log-uniform), horizon 10,000. Every arm is a
/// Hill: its top is uniform in [0.1, 1]; it starts, and ends, at a uniform share of its top; rises with an exponent
/// uniform in [0.2, 1]; falls on a scale that is log-uniform in [100, 10000]. Peaked arms have their peak log-uniform
/// in [10, 10000], rising ones in [10, 100000], so that many rise to the end. The same for the same instance.
Bandit random_bandit(std::string_view name, ArmKind kind, std::uint64_t instance);

/// Bandits of later papers, as far as their curves are published.
Bandit metelli_15(std::string_view name);  ///< 15 rising arms (Metelli et al. 2022)
Bandit metelli_2(std::string_view name);   ///< a fast riser and a slow one that ends higher (Metelli et al. 2022)
/// 10 falling arms, each mu for 1000 pulls and -mu after, mu = 0 and 0.001 * 10^(i/2) for i = 0 .. 8 (Seznec et al.
/// 2019), moved from [-10, 10] to [0, 1].
Bandit seznec_10(std::string_view name);
Bandit mussi_a(std::string_view name);  ///< 5 rising arms (Mussi et al. 2024)
Bandit mussi_b(std::string_view name);  ///< 3 rising arms, two of them in straight lines (Mussi et al. 2024)

}  // namespace longrun
