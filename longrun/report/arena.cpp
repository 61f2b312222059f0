#include "longrun/report/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "longrun/base/random.h"
#include "longrun/report/figure.h"

namespace longrun {
namespace {

constexpr double kFloor = 2e-4;  // regrets below this are all the same to us
constexpr int kResamples = 400;

/// Seeds drawn with replacement; the first draw is the sample itself.
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

/// The value of the sample itself, between the quantiles of its resamples.
Estimate bootstrapped(std::vector<double> draws) {
  const double value = draws[0];
  std::sort(draws.begin(), draws.end());
  const auto at = [&](double share) {
    return draws[static_cast<std::size_t>(share * static_cast<double>(draws.size() - 1))];
  };
  return {value, std::min(value, at(0.025)), std::max(value, at(0.975))};
}

}  // namespace

void Arena::add(const Results& results) {
  const Config& config = results.config();
  Family family;
  for (const PolicyChoice& policy : config.policies) family.policies.push_back(policy.text());
  if (std::find(family.policies.begin(), family.policies.end(), "spo") == family.policies.end()) return;
  for (std::size_t bandit = 0; bandit < config.bandits.size(); ++bandit) {
    for (std::size_t noise = 0; noise < config.noises.size(); ++noise) {
      if (results.seeds(bandit, noise).size() < config.seeds) return;  // scores of a part would not be comparable
      for (std::size_t horizon = 0; horizon < config.horizons.size(); ++horizon) {
        Cell cell{.name = fmt::format("{}, {}, T = {}", config.bandits[bandit].name, described(config.noises[noise]),
                                      config.horizons[horizon]),
                  .regrets = {}};
        for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
          cell.regrets.push_back(results.regrets(bandit, noise, policy, horizon));
        }
        family.cells.push_back(std::move(cell));
      }
    }
  }
  names_.push_back(config.name);
  families_.push_back(std::move(family));
}

std::vector<ArenaRow> Arena::rows() const {
  std::vector<ArenaRow> rows;
  if (families_.empty()) return rows;
  for (const std::string& policy : families_[0].policies) {
    if (policy == "optimal") continue;
    const auto number = [](const Family& family, const std::string& name) {
      return static_cast<std::size_t>(std::find(family.policies.begin(), family.policies.end(), name) -
                                      family.policies.begin());
    };
    if (std::any_of(families_.begin(), families_.end(),
                    [&](const Family& family) { return number(family, policy) == family.policies.size(); })) {
      continue;
    }
    ArenaRow row{.policy = policy, .families = {}, .overall = {}, .worst_cell = "", .worst_ratio = 0};
    std::vector<double> log_g(kResamples, 0);
    std::vector<double> mean(kResamples, 0);
    std::vector<double> spo_mean(kResamples, 0);
    for (const Family& family : families_) {
      const std::size_t own = number(family, policy);
      const std::size_t spo = number(family, "spo");
      const auto cells = static_cast<double>(family.cells.size());
      std::vector<double> g(kResamples, 0);
      std::vector<double> m(kResamples, 0);
      for (int draw = 0; draw < kResamples; ++draw) {
        const auto d = static_cast<std::size_t>(draw);
        const std::vector<std::size_t> chosen = resampled(family.cells[0].regrets[0].size(), draw);
        double logs = 0;
        double sum = 0;
        double spo_sum = 0;
        for (const Cell& cell : family.cells) {
          const double regret = mean_of(cell.regrets[own], chosen);
          const double base = mean_of(cell.regrets[spo], chosen);
          const double ratio = (regret + kFloor) / (base + kFloor);
          logs += std::log(ratio) / cells;
          sum += regret / cells;
          spo_sum += base / cells;
          if (draw == 0 && ratio > row.worst_ratio) {
            row.worst_ratio = ratio;
            row.worst_cell = cell.name;
          }
        }
        g[d] = std::exp(logs);
        m[d] = spo_sum > 0 ? sum / spo_sum : 1;
        log_g[d] += logs / static_cast<double>(families_.size());
        mean[d] += sum;
        spo_mean[d] += spo_sum;
      }
      row.families.push_back({.g = bootstrapped(std::move(g)), .m = bootstrapped(std::move(m))});
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(kResamples); ++d) {
      log_g[d] = std::exp(log_g[d]);
      mean[d] = spo_mean[d] > 0 ? mean[d] / spo_mean[d] : 1;
    }
    row.overall = {.g = bootstrapped(std::move(log_g)), .m = bootstrapped(std::move(mean))};
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ArenaRow& a, const ArenaRow& b) { return a.overall.g.mean < b.overall.g.mean; });
  return rows;
}

std::string arena_table(const Arena& arena, bool markdown) {
  const auto range = [](const Estimate& e) { return fmt::format("{:.2f} ({:.2f} to {:.2f})", e.mean, e.low, e.high); };
  std::string text;
  const std::vector<ArenaRow> rows = arena.rows();
  if (markdown) {
    text += "| policy | G | M |";
    for (const std::string& family : arena.families()) text += fmt::format(" {} |", family);
    text += " worst cell |\n|---|---|---|";
    for (std::size_t i = 0; i < arena.families().size(); ++i) text += "---|";
    text += "---|\n";
    for (const ArenaRow& row : rows) {
      text += fmt::format("| {} | {} | {} |", row.policy, range(row.overall.g), range(row.overall.m));
      for (const ArenaScore& score : row.families) text += fmt::format(" {:.2f}, {:.2f} |", score.g.mean, score.m.mean);
      text += fmt::format(" {:.1f}: {} |\n", row.worst_ratio, row.worst_cell);
    }
    return text;
  }
  text += fmt::format("{:<22}{:>24}{:>24}   worst cell\n", "policy", "G (95 %)", "M (95 %)");
  for (const ArenaRow& row : rows) {
    text += fmt::format("{:<22}{:>24}{:>24}   {:.1f}: {}\n", row.policy, range(row.overall.g), range(row.overall.m),
                        row.worst_ratio, row.worst_cell);
  }
  text += "\nG, M by family\n";
  for (std::size_t i = 0; i < arena.families().size(); ++i) {
    text += fmt::format("\n{}\n", arena.families()[i]);
    for (const ArenaRow& row : rows) {
      text += fmt::format("  {:<20}{:>24}{:>24}\n", row.policy, range(row.families[i].g), range(row.families[i].m));
    }
  }
  return text;
}

}  // namespace longrun
