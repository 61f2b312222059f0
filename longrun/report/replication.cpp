#include "longrun/report/replication.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "longrun/experiment/paper.h"
#include "longrun/experiment/version.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/figure.h"

namespace longrun {
namespace {

/// As a cell of a table, or within a line: nothing that would end it.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string bold_unless_it_holds(const std::string& text) {
  return text == "holds" ? text : fmt::format("**{}**", text);
}

std::string with_interval(const Estimate& e) {
  if (e.high == e.low) return fmt::format("{:.3g}", e.mean);
  return fmt::format("{:.3g} ± {:.2g}", e.mean, (e.high - e.low) / 2);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
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

bool is_of_the_paper(const std::string& name) {
  const auto files = paper_experiments();
  return std::any_of(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == name + ".toml"; });
}

}  // namespace

Replication::Ranking Replication::rank(const Results& results, std::size_t bandit, std::size_t noise) {
  const Config& config = results.config();
  const auto horizons = static_cast<double>(config.horizons.size());
  Ranking ranking{.bandit = config.bandits[bandit].name, .noise = described(config.noises[noise]), .entries = {}};
  for (std::size_t policy = 0; policy < config.policies.size(); ++policy) {
    std::vector<double> means(results.seeds(bandit, noise).size(), 0);
    for (std::size_t h = 0; h < config.horizons.size(); ++h) {
      const std::vector<double> regrets = results.regrets(bandit, noise, policy, h);
      for (std::size_t k = 0; k < means.size(); ++k) means[k] += regrets[k] / horizons;
    }
    const std::vector<double> at_end = results.regrets(bandit, noise, policy, config.horizons.size() - 1);
    ranking.entries.push_back({.policy = config.policies[policy].text(),
                               .over_all = estimate(means),
                               .at_end = estimate(at_end),
                               .median_at_end = median(at_end)});
  }
  return ranking;
}

std::vector<Replication::Ranking::Entry> Replication::Ranking::ranked(bool variants) const {
  std::vector<Entry> ranked;
  for (const Entry& entry : entries) {
    if (entry.policy != "optimal" && (variants || traits_of(entry.policy).variant_of.empty())) ranked.push_back(entry);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Entry& a, const Entry& b) { return a.at_end.mean < b.at_end.mean; });
  return ranked;
}

void Replication::add(const Results& results) {
  const Config& config = results.config();
  if (config.checks.empty() || results.recorded() == 0) return;
  Experiment experiment{.name = config.name,
                        .title = config.title,
                        .claim = config.claim,
                        .longest = config.horizons.back(),
                        .horizons = config.horizons.size(),
                        .seeds = config.seeds,
                        .recorded = results.recorded(),
                        .runs = config.runs(),
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
      if (!results.seeds(bandit, noise).empty()) experiment.rankings.push_back(rank(results, bandit, noise));
    }
  }
  experiments_.push_back(std::move(experiment));
}

std::string Replication::introduction() const {
  const bool paper = std::all_of(experiments_.begin(), experiments_.end(),
                                 [](const Experiment& e) { return is_of_the_paper(e.name); });
  std::string text = paper ? "# The paper's claims, and what was measured\n\n" : "# Claims, and what was measured\n\n";
  text += fmt::format("Written by longrun {} from the records of its runs, not by hand. ", kVersion);
  if (paper) {
    text += R"(The paper is Lindner, Heidari & Krause, *Addressing the Long-term
Impact of ML Decisions via Policy Regret* (IJCAI 2021); the claims are in our words, and the files in `experiments/` say precisely what each is
taken to mean.)";
  }
  std::map<std::string, std::vector<std::string>> scopes;
  for (const Experiment& e : experiments_) {
    scopes[e.recorded == e.runs ? fmt::format("{} horizons, {} seeds", e.horizons, e.seeds)
                                : fmt::format("**preliminary**: {} of {} runs with {} horizons and {} seeds",
                                              e.recorded, e.runs, e.horizons, e.seeds)]
        .push_back(cell(e.name));
  }
  text += "\n\nWhat was run:\n\n";
  for (const auto& [scope, names] : scopes) text += fmt::format("- {}: {}\n", scope, fmt::join(names, ", "));
  text += R"(
A claim compares two measures, usually regrets per step, averaged over a range of horizons. It **holds** for a bandit and a noise if the 95 % interval
(Student's t, paired by seed) of their difference lies below 0, **fails** if the interval lies above 0, and is **equal** if both are the same in every run;
else the seeds are too few to tell. "Holds only without noise" is said where it holds for every bandit without noise and for none with noise.
)";
  if (!paper) return text;
  return text + R"(
"The paper's algorithm" refreshes every arm's index at every step. "The released code's" stands for `spo@released`, `ucb@released`,
`d-ucb@released` and `sw-ucb@released` on the same seeds: they refresh only the arm just pulled, and `spo@released` also leaves the next
pull out of its linear program and takes a level step for a falling one (docs/method.md). What the released code does differently for the other policies,
drawing observations without a pull or paying for another pull than the one made, no policy can do here; those are the same in both columns.
)";
}

std::string Replication::in_short() const {
  std::map<std::string, int> verdicts;
  for (const Experiment& experiment : experiments_) {
    for (const Judged& judged : experiment.judged) {
      const std::string text = judged.paper.text();
      ++verdicts[text.starts_with("holds in") ? "holds in part" : text];
    }
  }
  std::vector<std::string> counts;
  counts.reserve(verdicts.size());
  for (const auto& [text, count] : verdicts) counts.push_back(fmt::format("{}: {}", text, count));
  std::string text = fmt::format("## In short\n\nClaims by verdict: {}.\n\n", fmt::join(counts, "; "));
  std::string beaten;
  for (const Experiment& experiment : experiments_) {
    for (const Ranking& ranking : experiment.rankings) {
      const auto ranked = ranking.ranked(false);
      const auto spo = std::find_if(ranked.begin(), ranked.end(), [](const auto& e) { return e.policy == "spo"; });
      if (spo == ranked.end() || spo->at_end.mean <= ranked.front().at_end.mean) continue;
      beaten += fmt::format("- {}, {}, {}: {} {:.3g}; spo {:.3g}, place {} of {}, median over seeds {:.3g}\n",
                            cell(experiment.name), cell(ranking.bandit), ranking.noise, ranked.front().policy,
                            ranked.front().at_end.mean, spo->at_end.mean, spo - ranked.begin() + 1, ranked.size(),
                            spo->median_at_end);
    }
  }
  if (beaten.empty()) return text;
  return text + "Where another policy than SPO has the least mean regret per step at the longest horizon:\n\n" +
         beaten + "\n";
}

std::string Replication::all_claims() const {
  std::string text = "## All claims\n\n";
  text += "| experiment | claim | as described | as released |\n|---|---|---|---|\n";
  for (const Experiment& experiment : experiments_) {
    for (const Judged& judged : experiment.judged) {
      text += fmt::format("| [{}](#{}) | {} | {} | {} |\n", cell(experiment.name), anchor(cell(experiment.name)),
                          cell(judged.paper.check.says), bold_unless_it_holds(judged.paper.text()),
                          judged.differs ? bold_unless_it_holds(judged.released.text()) : "not run");
    }
  }
  return text + "\n";
}

std::string Replication::details(const Experiment& experiment) {
  std::string text = fmt::format("### {}\n\n{}.\n\n", cell(experiment.name), cell(experiment.title));
  if (!experiment.claim.empty()) text += fmt::format("> {}\n\n", cell(experiment.claim));
  for (const Judged& judged : experiment.judged) {
    text += fmt::format("**{}**: {}.\n\n", judged.paper.text(), cell(judged.paper.check.says));
    text +=
        "| bandit | noise | policy | measured | bound | measured less bound | finding "
        "|\n|---|---|---|--:|--:|--:|---|\n";
    const auto add = [&](const Verdict& verdict) {
      for (const CheckedScene& scene : verdict.scenes) {
        text += fmt::format("| {} | {} | {} | {:.3g} | {:.3g}{} | {} | {} |\n", cell(scene.bandit),
                            described(parse_noise(scene.noise)), verdict.check.policy, scene.measured, scene.allowed,
                            scene.against.empty() ? "" : fmt::format(" ({})", scene.against),
                            with_interval(scene.excess), bold_unless_it_holds(to_text(scene.finding)));
      }
    };
    add(judged.paper);
    if (judged.differs) add(judged.released);
    text += '\n';
  }
  text += fmt::format("Policies from best to worst, by mean regret per step at T = {} (median over seeds):\n\n",
                      experiment.longest);
  for (const Ranking& ranking : experiment.rankings) {
    std::vector<std::string> parts;
    for (const Ranking::Entry& entry : ranking.ranked(true)) {
      parts.push_back(fmt::format("{} {:.3g} ({:.2g})", entry.policy, entry.at_end.mean, entry.median_at_end));
    }
    text += fmt::format("- {}, {}: {}\n", cell(ranking.bandit), ranking.noise, fmt::join(parts, ", "));
  }
  return text + "\n";
}

std::string Replication::released_table() const {
  std::string rows;
  for (const Experiment& experiment : experiments_) {
    for (const Ranking& ranking : experiment.rankings) {
      for (const Ranking::Entry& entry : ranking.entries) {
        const std::string variant = released_name(entry.policy);
        const auto released = std::find_if(ranking.entries.begin(), ranking.entries.end(),
                                           [&](const Ranking::Entry& other) { return other.policy == variant; });
        if (released == ranking.entries.end()) continue;
        rows += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} |\n", cell(experiment.name), cell(ranking.bandit), ranking.noise,
            entry.policy, with_interval(entry.over_all), with_interval(released->over_all),
            entry.over_all.mean > 0 ? fmt::format("{:.2f}", released->over_all.mean / entry.over_all.mean) : "–");
      }
    }
  }
  if (rows.empty()) return "";
  return "## What the released code's departures change\n\n"
         "| experiment | bandit | noise | policy | mean regret per step, all horizons | as released | released / "
         "described |\n"
         "|---|---|---|---|--:|--:|--:|\n" +
         rows;
}

std::string Replication::text() const {
  std::string one_by_one;
  for (const Experiment& experiment : experiments_) one_by_one += details(experiment);
  return introduction() + "\n" + in_short() + all_claims() + "## One by one\n\n" + one_by_one + released_table();
}

}  // namespace longrun
