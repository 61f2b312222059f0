#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "longrun/data/instance_family.h"
#include "longrun/model/bandit.h"

namespace longrun {

/// The shape of the arms of a random bandit. Those of `mixed` have different shapes.
enum class ArmKind { peaked, rising, falling, constant, s_shaped, plateau, mixed };

/// A family of random bandits.
struct RandomFamily {
  std::string_view name;  ///< the K-th bandit is NAME_K
  std::string_view summary;
  ArmKind kind;
  InstanceFamily stream;  ///< of its own, so that no two families have the same bandits
  int most_arms = 20;
};
inline constexpr std::array kRandomFamilies{
    RandomFamily{"random_peaked", "2 to 20 arms that rise, then fall", ArmKind::peaked, InstanceFamily::random_peaked},
    RandomFamily{"random_rising", "2 to 20 arms that rise", ArmKind::rising, InstanceFamily::random_rising},
    RandomFamily{"random_falling", "2 to 20 arms that fall", ArmKind::falling, InstanceFamily::random_falling},
    RandomFamily{"random_constant", "2 to 20 constant arms", ArmKind::constant, InstanceFamily::random_constant},
    RandomFamily{"random_mixed", "2 to 20 arms: constant, rising, falling, peaked, S-shaped", ArmKind::mixed,
                 InstanceFamily::random_mixed},
    RandomFamily{"random_s_shaped", "2 to 20 arms that rise slowly, fast, slowly", ArmKind::s_shaped,
                 InstanceFamily::random_s_shaped},
    RandomFamily{"random_plateau", "2 to 20 arms with a plateau before the rise", ArmKind::plateau,
                 InstanceFamily::random_plateau},
    RandomFamily{"random_many_peaked", "2 to 50 arms that rise, then fall", ArmKind::peaked,
                 InstanceFamily::random_many_peaked, 50},
    RandomFamily{"random_many_rising", "2 to 50 arms that rise", ArmKind::rising, InstanceFamily::random_many_rising,
                 50},
    RandomFamily{"random_many_falling", "2 to 50 arms that fall", ArmKind::falling, InstanceFamily::random_many_falling,
                 50},
    RandomFamily{"random_many_constant", "2 to 50 constant arms", ArmKind::constant,
                 InstanceFamily::random_many_constant, 50},
};

/// Returns a random bandit, a function of the family and the instance alone. No policy was designed for these bandits;
/// the constants of foresight were chosen on other instances of some families than those that the arena reports. They
/// have 2 to `family.most_arms` arms (the number is log-uniform) and horizon 10,000.
///
/// - Peaked, rising, falling and constant arms are a Hill, or a Constant at its top. The top is uniform in [0.1, 1].
///   Where an arm rises, its start is a uniform share of the top and the exponent of the rise is uniform in [0.2, 1].
///   Where it falls, its end is a uniform share of the top and the scale of the fall is log-uniform in [100, 10000].
///   The peak of peaked arms is log-uniform in [10, 10000], that of rising arms in [10, 100000], so many of them rise
///   until the horizon.
/// - S-shaped arms are Logistic, Gompertz or Hill curves (TwoRises), each with probability 1/3. The top is uniform in
///   [0.1, 1], the start a share of it that is uniform in [0, 0.5], the middle log-uniform in [20, 5000], the width a
///   share of the middle that is uniform in [0.05, 0.4], the exponent of a Hill curve uniform in [1.5, 5].
/// - Arms with a plateau are TwoRises. The top is uniform in [0.1, 1], the start a share of it in [0, 0.3]; the fast
///   start makes a share in [0.05, 0.4] of the rise. The middle is log-uniform in [30, 3000], the scale of the fast
///   start a share of it that is log-uniform in [0.01, 0.05], the exponent uniform in [2, 4], the peak 2 to 6 times
///   the middle. The fall is that of peaked arms, from the reward at the peak.
/// - Mixed bandits have constant, rising, falling, peaked and S-shaped arms in a random order, which repeats after five
///   arms.
///
/// S-shaped arms and arms with a plateau do not rise concavely, so they are not single-peaked. They still rise and then
/// fall, so the optimum is exact and fast.
Bandit random_bandit(std::string_view name, const RandomFamily& family, std::uint64_t instance);

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
