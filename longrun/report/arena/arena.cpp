#include "longrun/report/arena/arena.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/random.h"
#include "longrun/base/text.h"
#include "longrun/base/version.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/markdown.h"
#include "longrun/report/policy_roles.h"

namespace longrun {
namespace {

/// A regret per step that is added to both regrets of a ratio, so that much smaller regrets hardly count.
constexpr double kFloor = 2e-4;
/// The number of draws: the sample itself and 399 resamples. About 10 of them lie beyond each end of a 95 % interval.
constexpr int kResamples = 400;

using Cells = std::vector<const ArenaCell*>;

/// Returns seeds drawn with replacement; draw 0 is the sample itself.
std::vector<std::size_t> resampled(std::size_t seeds, int draw) {
  std::vector<std::size_t> chosen(seeds);
  const StreamKey key{.seed = 2021, .replicate = static_cast<std::uint32_t>(draw), .purpose = Purpose::policy};
  for (std::size_t k = 0; k < seeds; ++k) {
    const double u = unit_interval(random_block(key, k)[0]);
    chosen[k] = draw == 0 ? k : static_cast<std::size_t>(u * static_cast<double>(seeds));
  }
  return chosen;
}

double mean_of(const std::vector<double>& values, const std::vector<std::size_t>& chosen) {
  double sum = 0;
  for (const std::size_t k : chosen) sum += values[k];
  return sum / static_cast<double>(chosen.size());
}

/// Returns the value of the sample, draws[0], with the basic bootstrap interval of its logarithm. This interval assumes
/// that the resamples are distributed around the value as the value is around the true one; it also removes the bias
/// that repeated seeds cause.
Estimate bootstrapped(std::vector<double> draws) {
  const double value = draws[0];
  std::sort(draws.begin(), draws.end());
  const auto at = [&](double share) {
    return draws[static_cast<std::size_t>(share * static_cast<double>(draws.size() - 1))];
  };
  if (!(draws.front() > 0)) return {value, at(0.025), at(0.975)};  // a regret of 0 has no logarithm
  return {value, value * (value / at(0.975)), value * (value / at(0.025))};
}

double ratio_of(double regret, double yardstick) { return (regret + kFloor) / (yardstick + kFloor); }

/// Means over cells, one for each resample, from which scores are computed.
struct Draws {
  std::vector<double> log_ratio = std::vector<double>(kResamples, 0);
  std::vector<double> regret = std::vector<double>(kResamples, 0);
  std::vector<double> yardstick = std::vector<double>(kResamples, 0);

  void add(const Draws& other, double weight) {
    for (std::size_t d = 0; d < kResamples; ++d) {
      log_ratio[d] += weight * other.log_ratio[d];
      regret[d] += weight * other.regret[d];
      yardstick[d] += weight * other.yardstick[d];
    }
  }
  ArenaScore score() const {
    std::vector<double> g(kResamples);
    std::vector<double> m(kResamples);
    for (std::size_t d = 0; d < kResamples; ++d) {
      g[d] = std::exp(log_ratio[d]);
      m[d] = yardstick[d] > 0 ? regret[d] / yardstick[d] : 1;
    }
    return {.g = bootstrapped(std::move(g)), .m = bootstrapped(std::move(m))};
  }
};

Draws draws_of(const Cells& cells, std::size_t policy, std::size_t yardstick) {
  Draws draws;
  const auto count = static_cast<double>(cells.size());
  for (std::size_t d = 0; d < kResamples; ++d) {
    const std::vector<std::size_t> chosen = resampled(cells[0]->regrets[0].size(), static_cast<int>(d));
    for (const ArenaCell* cell : cells) {
      const double regret = mean_of(cell->regrets[policy], chosen);
      const double base = mean_of(cell->regrets[yardstick], chosen);
      draws.log_ratio[d] += std::log(ratio_of(regret, base)) / count;
      draws.regret[d] += regret / count;
      draws.yardstick[d] += base / count;
    }
  }
  return draws;
}

/// Updates the worst cell of `row`.
void note_worst(const Cells& cells, std::size_t policy, std::size_t yardstick, ArenaRow& row) {
  for (const ArenaCell* cell : cells) {
    const std::vector<std::size_t> all = resampled(cell->regrets[policy].size(), 0);
    const double ratio = ratio_of(mean_of(cell->regrets[policy], all), mean_of(cell->regrets[yardstick], all));
    if (ratio <= row.worst_ratio) continue;
    row.worst_ratio = ratio;
    row.worst_cell = fmt::format("{}, {}, T = {}", cell->bandit, described(cell->noise), cell->horizon);
  }
}

/// Returns the kind of a noise: "gaussian noise" for "gaussian:0.05".
std::string kind_of(const Noise& noise) {
  const std::string text = to_text(noise);
  return text == "none" ? "no noise" : text.substr(0, text.find(':')) + " noise";
}

}  // namespace

std::size_t Arena::Family::number(const std::string& policy) const {
  return static_cast<std::size_t>(std::find(policies.begin(), policies.end(), policy) - policies.begin());
}

void Arena::add(const Results& results) {
  const Config& config = results.config();
  Family family{.name = config.name.substr(config.name.find('.') + 1),
                .seeds = fmt::format("{} to {}", config.first_seed, config.first_seed + config.seeds - 1),
                .policies = {},
                .cells = {}};
  for (const PolicyChoice& policy : config.policies) family.policies.push_back(policy.text());
  if (family.number(std::string(yardstick_name())) == family.policies.size()) return;
  for (std::size_t bandit = 0; bandit < config.bandits.size(); ++bandit) {
    for (std::size_t noise = 0; noise < config.noises.size(); ++noise) {
      if (results.seeds(bandit, noise).size() < config.seeds) return;  // scores of fewer seeds are not comparable
      for (std::size_t horizon = 0; horizon < config.horizons.size(); ++horizon) {
        ArenaCell cell{.bandit = config.bandits[bandit].name,
                       .noise = config.noises[noise],
                       .horizon = config.horizons[horizon],
                       .longest = horizon + 1 == config.horizons.size(),
                       .held_out = config.held_out,
                       .regrets = {}};
        for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
          cell.regrets.push_back(results.regrets(bandit, noise, policy, horizon));
        }
        family.cells.push_back(std::move(cell));
      }
    }
  }
  families_.push_back(std::move(family));
}

std::vector<std::string> Arena::scored_policies() const {
  std::vector<std::string> common;
  if (families_.empty()) return common;
  for (const std::string& policy : families_[0].policies) {
    const auto has = [&](const Family& family) { return family.number(policy) < family.policies.size(); };
    if (!traits_of(policy).reference && std::all_of(families_.begin(), families_.end(), has)) common.push_back(policy);
  }
  return common;
}

ArenaScores Arena::scores(const std::string& cells, const std::function<bool(const ArenaCell&)>& counts) const {
  ArenaScores scores{.cells = cells, .families = {}, .rows = {}, .seeds = "no seeds"};
  std::vector<std::string> seeds;  // each range once
  std::vector<std::pair<const Family*, Cells>> parts;
  for (const Family& family : families_) {
    Cells counted;
    for (const ArenaCell& cell : family.cells) {
      if (counts(cell)) counted.push_back(&cell);
    }
    if (counted.empty()) continue;
    scores.families.push_back(family.name);
    if (std::find(seeds.begin(), seeds.end(), family.seeds) == seeds.end()) seeds.push_back(family.seeds);
    parts.emplace_back(&family, std::move(counted));
  }
  if (parts.empty()) return scores;
  scores.seeds = fmt::format("seeds {}", fmt::join(seeds, " and "));
  const std::string yardstick(yardstick_name());
  for (const std::string& policy : scored_policies()) {
    ArenaRow row{.policy = policy, .families = {}, .overall = {}, .worst_cell = "", .worst_ratio = 0};
    Draws overall;
    for (const auto& [family, counted] : parts) {
      const Draws draws = draws_of(counted, family->number(policy), family->number(yardstick));
      row.families.push_back(draws.score());
      overall.add(draws, 1 / static_cast<double>(parts.size()));
      note_worst(counted, family->number(policy), family->number(yardstick), row);
    }
    row.overall = overall.score();
    scores.rows.push_back(std::move(row));
  }
  std::stable_sort(scores.rows.begin(), scores.rows.end(),
                   [](const ArenaRow& a, const ArenaRow& b) { return a.overall.g.mean < b.overall.g.mean; });
  return scores;
}

std::vector<ArenaScores> Arena::views() const {
  std::vector<std::string> kinds;
  bool several_horizons = false;
  bool some_held_out = false;
  for (const Family& family : families_) {
    for (const ArenaCell& cell : family.cells) {
      some_held_out |= cell.held_out;
      if (cell.held_out) continue;
      several_horizons |= !cell.longest;
      const std::string kind = kind_of(cell.noise);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
  }
  std::vector<ArenaScores> views;
  const auto add = [&](const std::string& cells, const std::function<bool(const ArenaCell&)>& counts) {
    views.push_back(scores(cells, [&](const ArenaCell& cell) { return !cell.held_out && counts(cell); }));
  };
  if (!kinds.empty() || !some_held_out) add("all cells", [](const ArenaCell&) { return true; });
  if (some_held_out) {
    views.push_back(scores(std::string(kUnseenFamilies), [](const ArenaCell& cell) { return cell.held_out; }));
  }
  if (several_horizons) add("longest horizons", [](const ArenaCell& cell) { return cell.longest; });
  if (kinds.size() < 2) return views;
  for (const std::string& kind : kinds) {
    add(kind, [&](const ArenaCell& cell) { return kind_of(cell.noise) == kind; });
  }
  return views;
}

namespace {

std::string range(const Estimate& e) { return fmt::format("{:.2f} ({:.2f} to {:.2f})", e.mean, e.low, e.high); }

std::string markdown_table(const ArenaScores& scores) {
  std::string text = fmt::format("| policy | G | M | {} | worst cell |\n", fmt::join(scores.families, " | "));
  text += "|---|---|---|---|";
  for (std::size_t i = 0; i < scores.families.size(); ++i) text += "---|";
  text += '\n';
  for (const ArenaRow& row : scores.rows) {
    text += fmt::format("| {} | {} | {} |", row.policy, range(row.overall.g), range(row.overall.m));
    for (const ArenaScore& score : row.families) text += fmt::format(" {:.2f}, {:.2f} |", score.g.mean, score.m.mean);
    text += fmt::format(" {:.1f}: {} |\n", row.worst_ratio, row.worst_cell);
  }
  return text;
}

}  // namespace

std::string arena_meaning() {
  return wrapped(fmt::format(
      "Regret compared with that of {0}. G is the geometric mean of (regret + {1:g}) / (regret of {0} + {1:g}) "
      "over all cells: bandits, noises and horizons. M is the mean regret divided by the mean regret of {0}. Below 1 "
      "is better than {0}. Intervals are 95 % bootstrap intervals over seeds. Families that tuning never saw are "
      "scored "
      "apart.",
      yardstick_title(), kFloor));
}

std::string arena_markdown(const std::vector<ArenaScores>& views) {
  const std::string origin =
      fmt::format("A reference page, written by longrun {} from the records of {}. Do not edit it by hand.", kVersion,
                  views.empty() ? "no seeds" : views[0].seeds);
  std::string text = fmt::format(
      "# Arena\n\n{}\n{}\n\nThe columns of families show G, M. The worst cell is the one with the largest ratio.\n",
      markdown_lines(origin), arena_meaning());
  for (const ArenaScores& scores : views) text += fmt::format("\n## {}\n\n{}", scores.cells, markdown_table(scores));
  return text;
}

std::string arena_text(const ArenaScores& scores) {
  std::size_t width = 20;
  for (const ArenaRow& row : scores.rows) width = std::max(width, row.policy.size());
  std::string text = fmt::format("{:<{}}{:>24}{:>24}   worst cell\n", "policy", width + 2, "G (95 %)", "M (95 %)");
  for (const ArenaRow& row : scores.rows) {
    text += fmt::format("{:<{}}{:>24}{:>24}   {:.1f}: {}\n", row.policy, width + 2, range(row.overall.g),
                        range(row.overall.m), row.worst_ratio, row.worst_cell);
  }
  text += "\nG and M by family\n";
  for (std::size_t i = 0; i < scores.families.size(); ++i) {
    text += fmt::format("\n{}\n", scores.families[i]);
    for (const ArenaRow& row : scores.rows) {
      text +=
          fmt::format("  {:<{}}{:>24}{:>24}\n", row.policy, width, range(row.families[i].g), range(row.families[i].m));
    }
  }
  return text;
}

}  // namespace longrun
