#include "longrun/experiment/internal/run_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"

namespace longrun {
namespace {

enum Column : int { row, bandit, noise, policy, horizon, seed_column, pulls_column, earned, optimum };

}  // namespace

RunRows::RunRows(const Database& database, std::int64_t experiment, const Config& config, Order order)
    : config_(config),
      query_(database,
             fmt::format("SELECT rowid, bandit, noise, policy, horizon, seed, pulls, earned, optimum FROM run "
                         "WHERE experiment = ? {}",
                         order == Order::sorted ? "ORDER BY bandit, noise, policy, horizon, seed" : ""),
             "run") {
  query_.bind(experiment);
}

bool RunRows::next() {
  if (!query_.step()) return false;
  unit_ = {
      .bandit = index(bandit, config_.bandits.size()), .noise = index(noise, config_.noises.size()), .seed = seed()};
  run_ = {.policy = index(policy, config_.policies.size()),
          .horizon = horizon_index(query_.integer(horizon)),
          .pulls = pulls(),
          .earned = query_.number(earned),
          .optimum = query_.number(optimum)};
  if (run_.pulls.size() != arm_count()) {
    query_.fail_on_row(fmt::format("pulls are for {} arms, but bandit '{}' has {}", run_.pulls.size(),
                                   config_.bandits[unit_.bandit].name, arm_count()));
  }
  return true;
}

std::size_t RunRows::index(int column, std::size_t count) const {
  constexpr std::array kNames{"row", "bandit", "noise", "policy"};
  const std::int64_t value = query_.integer(column);
  if (value >= 0 && value < static_cast<std::int64_t>(count)) return static_cast<std::size_t>(value);
  query_.fail_on_row(fmt::format("{} {} is out of range 0 to {} of experiment '{}'",
                                 kNames.at(static_cast<std::size_t>(column)), value, count - 1, config_.name));
}

std::size_t RunRows::horizon_index(Pulls value) const {
  const auto found = std::lower_bound(config_.horizons.begin(), config_.horizons.end(), value);
  if (found != config_.horizons.end() && *found == value) {
    return static_cast<std::size_t>(found - config_.horizons.begin());
  }
  query_.fail_on_row(fmt::format("horizon {} is not a horizon of experiment '{}'", value, config_.name));
}

std::uint32_t RunRows::seed() const {
  const std::int64_t value = query_.integer(seed_column);
  const std::int64_t last = std::int64_t{config_.first_seed} + config_.seeds - 1;
  if (value >= config_.first_seed && value <= last) return static_cast<std::uint32_t>(value);
  query_.fail_on_row(fmt::format("seed {} is out of range {} to {} of experiment '{}'", value, config_.first_seed, last,
                                 config_.name));
}

std::vector<Pulls> RunRows::pulls() const {
  const std::string text = query_.text(pulls_column);
  std::vector<Pulls> pulls;
  for (const std::string_view part : split(text, ' ')) {
    const auto count = parse_number<Pulls>(part);
    if (!count || *count < 0) query_.fail_on_row(fmt::format("pulls '{}' are not whole numbers >= 0", text));
    pulls.push_back(*count);
  }
  return pulls;
}

std::size_t RunRows::arm_count() {
  const BanditChoice& choice = config_.bandits[unit_.bandit];
  if (!choice.per_seed) return choice.fixed->arms.size();
  const auto [known, fresh] = arm_counts_.try_emplace({unit_.bandit, unit_.seed}, 0);
  if (fresh) known->second = choice.at(unit_.seed).arms.size();
  return known->second;
}

}  // namespace longrun
