#include "longrun/report/replication.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "longrun/experiment/version.h"
#include "longrun/report/figure.h"

namespace longrun {
namespace {

std::string words(Finding finding) {
  switch (finding) {
    case Finding::holds:
      return "holds";
    case Finding::fails:
      return "**fails**";
    case Finding::too_close:
      return "too close";
  }
  return "";
}

std::string verdict_cell(const Verdict& verdict) {
  const std::string text = verdict.text();
  if (text == "holds") return text;
  return fmt::format("**{}** ({} of {})", text, verdict.holding(), verdict.scenes.size());
}

std::string with_interval(const Estimate& e) {
  if (e.high - e.low < 5e-7) return fmt::format("{:.5f}", e.mean);
  return fmt::format("{:.5f} ± {:.5f}", e.mean, (e.high - e.low) / 2);
}

/// A bar would end a cell.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Where readers of Markdown find a heading: lower case, spaces as dashes, nothing else but letters, digits, - and _.
std::string anchor(const std::string& heading) {
  std::string result;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') result += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) {
      result += static_cast<char>(std::tolower(byte));
    }
  }
  return result;
}

}  // namespace

void Replication::add(const Results& results) {
  const Config& config = results.config();
  if (config.checks.empty()) return;
  Experiment experiment{.name = config.name,
                        .title = config.title,
                        .claim = config.claim,
                        .longest = config.horizons.back(),
                        .judged = {},
                        .rankings = {}};
  for (const Check& check : config.checks) {
    const Check released = as_released(check, config);
    experiment.judged.push_back({.paper = judge(check, results),
                                 .released = judge(released, results),
                                 .differs = released.policy != check.policy || released.against != check.against});
  }
  for (std::size_t bandit = 0; bandit < config.bandits.size(); ++bandit) {
    for (std::size_t noise = 0; noise < config.noises.size(); ++noise) {
      const std::size_t seeds = results.seeds(bandit, noise).size();
      if (seeds == 0) continue;
      Ranking ranking{.bandit = config.bandits[bandit].name, .noise = described(config.noises[noise]), .entries = {}};
      for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
        std::vector<double> sums(seeds, 0);
        for (std::size_t h = 0; h < config.horizons.size(); ++h) {
          const std::vector<double> regrets = results.regrets(bandit, noise, policy, h);
          for (std::size_t k = 0; k < seeds; ++k) sums[k] += regrets[k] / static_cast<double>(config.horizons.size());
        }
        ranking.entries.push_back(
            {.policy = config.policies[policy].text(),
             .over_all = estimate(sums),
             .at_end = estimate(results.regrets(bandit, noise, policy, config.horizons.size() - 1))});
      }
      experiment.rankings.push_back(std::move(ranking));
    }
  }
  if (experiment.rankings.empty()) return;  // nothing recorded yet: nothing to judge by
  experiments_.push_back(std::move(experiment));
}

std::string Replication::summary(const std::vector<Experiment>& experiments) {
  std::string text = "| experiment | claim | the paper's algorithm | the released code's |\n|---|---|---|---|\n";
  for (const Experiment& experiment : experiments) {
    for (const Judged& judged : experiment.judged) {
      text += fmt::format("| [{}](#{}) | {} | {} | {} |\n", cell(experiment.name), anchor(experiment.name),
                          cell(judged.paper.check.says), verdict_cell(judged.paper),
                          judged.differs ? verdict_cell(judged.released) : "the same");
    }
  }
  return text;
}

std::string Replication::details(const Experiment& experiment) {
  std::string text =
      fmt::format("### {}\n\n{}.\n\n> {}\n\n", experiment.name, experiment.title, cell(experiment.claim));
  for (const Judged& judged : experiment.judged) {
    text += fmt::format("**{}**: {}.\n\n", judged.paper.text(), judged.paper.check.says);
    text += "| bandit | noise | measured | may be at most | compared with | finding |";
    text += judged.differs
                ? " measured as released | may be at most | finding |\n|---|---|--:|--:|---|---|--:|--:|---|\n"
                : "\n|---|---|--:|--:|---|---|\n";
    for (std::size_t i = 0; i < judged.paper.scenes.size(); ++i) {
      const CheckedScene& paper = judged.paper.scenes[i];
      text += fmt::format("| {} | {} | {:.5f} | {:.5f} | {} | {} |", cell(paper.bandit),
                          described(parse_noise(paper.noise)), paper.measured, paper.allowed, paper.against,
                          words(paper.finding));
      if (judged.differs) {
        const CheckedScene& released = judged.released.scenes[i];
        text += fmt::format(" {:.5f} | {:.5f}{} | {} |", released.measured, released.allowed,
                            released.against.empty() ? "" : fmt::format(" ({})", released.against),
                            words(released.finding));
      }
      text += '\n';
    }
    text += '\n';
  }
  text += fmt::format("Policies from best to worst, by regret per step at T = {}:\n\n", experiment.longest);
  for (const Ranking& ranking : experiment.rankings) {
    std::vector<Ranking::Entry> ranked;
    for (const Ranking::Entry& entry : ranking.entries) {
      if (entry.policy != "optimal") ranked.push_back(entry);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.at_end.mean < b.at_end.mean; });
    std::vector<std::string> parts;
    for (const Ranking::Entry& entry : ranked)
      parts.push_back(fmt::format("{} {:.5f}", entry.policy, entry.at_end.mean));
    text += fmt::format("- {}, {}: {}\n", ranking.bandit, ranking.noise, fmt::join(parts, ", "));
  }
  return text + "\n";
}

std::string Replication::released_table(const std::vector<Experiment>& experiments) {
  std::string text =
      "| experiment | bandit | noise | policy | regret per step over all horizons | as released | released / paper |\n"
      "|---|---|---|---|--:|--:|--:|\n";
  for (const Experiment& experiment : experiments) {
    for (const Ranking& ranking : experiment.rankings) {
      for (const Ranking::Entry& entry : ranking.entries) {
        const std::string variant = released_name(entry.policy);
        const auto released = std::find_if(ranking.entries.begin(), ranking.entries.end(),
                                           [&](const Ranking::Entry& other) { return other.policy == variant; });
        if (released == ranking.entries.end()) continue;
        text += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} |\n", experiment.name, cell(ranking.bandit), ranking.noise,
            entry.policy, with_interval(entry.over_all), with_interval(released->over_all),
            entry.over_all.mean > 0 ? fmt::format("{:.2f}", released->over_all.mean / entry.over_all.mean) : "–");
      }
    }
  }
  return text;
}

std::string Replication::text() const {
  return fmt::format(
      R"(# The paper's claims, and what was measured

Written by `longrun reproduce` (longrun {}) from the records of its runs, not by hand. The paper is Lindner, Heidari & Krause,
*Addressing the Long-term Impact of ML Decisions via Policy Regret* (IJCAI 2021); the claims are in our words, and the files in `experiments/`
say precisely what each is taken to mean.

A claim compares regrets per step, averaged over a range of horizons. It **holds** for a bandit and a noise if the 95 % interval of the
difference, paired by seed, lies on its side; it **fails** if the interval lies on the other side, and is **too close** to tell else. Over all
bandits and noises of an experiment it holds only if it holds for every one; in brackets stands for how many it does.

"The paper's algorithm" refreshes every arm's index at every step. "The released code's" stands for `spo@released`, `ucb@released`,
`d-ucb@released` and `sw-ucb@released` on the same seeds: they refresh only the arm just pulled, and `spo@released` also leaves the next
pull out of its linear program and takes a level step for a falling one (docs/method.md). What the released code does differently for the other policies,
drawing observations without a pull or paying for another pull than the one made, no policy can do here; those are the same in both columns.

## All claims

{}
## One by one

{}## What the released code's departures change

{})",
      kVersion, summary(experiments_),
      [&] {
        std::string all;
        for (const Experiment& experiment : experiments_) all += details(experiment);
        return all;
      }(),
      released_table(experiments_));
}

}  // namespace longrun
