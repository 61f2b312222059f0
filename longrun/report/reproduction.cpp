#include "longrun/report/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "longrun/base/version.h"
#include "longrun/experiment/paper.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/markdown.h"
#include "longrun/report/policy_roles.h"
#include "longrun/report/summary.h"

namespace longrun {
namespace {

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

bool is_of_the_paper(const std::string& name) {
  const auto files = paper_experiments();
  return std::any_of(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == name + ".toml"; });
}

/// Returns the names of all variants in the catalog: "`spo@released`, `ucb@released` and `sw-ucb@released`".
std::string variant_names() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_catalog()) {
    if (!entry.traits.variant_of.empty()) names.push_back(fmt::format("`{}`", entry.name));
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string about_released_code() {
  return markdown_lines(fmt::format(
      "The column \"as described\" shows the algorithms of the paper, which update the index of every arm at every "
      "step. The column \"as released\" shows the variants {}, which do what the authors' released code does, on the "
      "same seeds. They update only the index of the arm that was just pulled. `{}` also leaves the next pull out of "
      "its linear program, and it classifies an arm as falling after two equal rewards (see docs/method.md). For other "
      "policies, the released code draws observations without a pull, or pays the reward of a pull other than the one "
      "made. No policy can do that here, so these policies are the same in both columns.",
      variant_names(), variant_text(yardstick_name())));
}

constexpr const char* kHowClaimsAreJudged = R"(
A claim compares two measures, usually regrets per step, averaged over a range of horizons. For
each bandit and noise, the claim

- **holds** if the 95 % interval of the difference (Student's t, paired by seed) lies below 0;
- **fails** if the interval lies above 0;
- is **equal** if both measures are the same in every run;
- is **too close to tell** otherwise: there are too few seeds.

The verdict over all bandits and noises, where **equal** counts as a failure:

- **holds**: the claim holds for all of them;
- **holds only without noise**: for every bandit without noise and for none with noise, where it
  fails at least once;
- **holds only with noise**: for every bandit with noise and for none without, where it fails at
  least once;
- **holds in 2 of 3**: it holds for 2 of 3, and none of the above applies;
- **does not hold**: it holds for none and fails at least once;
- **not settled**: it holds for none and fails for none.
)";

}  // namespace

Reproduction::Ranking Reproduction::rank(const Results& results, std::size_t bandit, std::size_t noise) {
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

std::vector<Reproduction::Ranking::Entry> Reproduction::Ranking::ranked(bool variants) const {
  std::vector<Entry> ranked;
  for (const Entry& entry : entries) {
    const PolicyTraits traits = traits_of(entry.policy);
    if (!traits.reference && (variants || traits.variant_of.empty())) ranked.push_back(entry);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Entry& a, const Entry& b) { return a.at_end.mean < b.at_end.mean; });
  return ranked;
}

void Reproduction::add(const Results& results) {
  const Config& config = results.config();
  if (config.checks.empty() || results.recorded() == 0) return;
  Experiment experiment{.name = config.name,
                        .title = config.title,
                        .claim = config.claim,
                        .constraints = constraints_text(config.constraints),
                        .longest = config.horizons.back(),
                        .horizons = config.horizons.size(),
                        .seeds = config.seeds,
                        .recorded = results.recorded(),
                        .runs = config.runs(),
                        .judged = {},
                        .rankings = {}};
  for (const Check& check : config.checks) {
    const Check released = as_released(check, config);
    experiment.judged.push_back({.described = judge(check, results),
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

void Reproduction::add(Reproduction&& other) {
  std::move(other.experiments_.begin(), other.experiments_.end(), std::back_inserter(experiments_));
  other.experiments_.clear();
}

std::string Reproduction::what_was_run() const {
  std::map<std::string, std::vector<std::string>> scopes;
  for (const Experiment& e : experiments_) {
    scopes[e.recorded == e.runs ? fmt::format("{} horizons, {} seeds", e.horizons, e.seeds)
                                : fmt::format("**preliminary**: {} of {} runs with {} horizons and {} seeds",
                                              e.recorded, e.runs, e.horizons, e.seeds)]
        .push_back(markdown_cell(e.name));
  }
  std::string text;
  for (const auto& [scope, names] : scopes) {
    text += markdown_lines(fmt::format("- {}: {}", scope, fmt::join(names, ", ")), "  ");
  }
  return text;
}

std::string Reproduction::introduction() const {
  const bool paper = std::all_of(experiments_.begin(), experiments_.end(),
                                 [](const Experiment& e) { return is_of_the_paper(e.name); });
  std::string text = fmt::format("# {}, and what was measured\n\n", paper ? "The paper's claims" : "Claims");
  text += fmt::format(
      "A reference page, written by longrun {} from the records of its runs. Do not edit it by hand.\n\n", kVersion);
  if (paper) {
    text += markdown_lines(
        "The paper is Lindner, Heidari & Krause, *Addressing the Long-term Impact of ML Decisions via Policy Regret* "
        "(IJCAI 2021). The claims are stated in our own words. The files in `experiments/` define each of them "
        "exactly.");
    text += '\n';
  }
  text += fmt::format("Experiments:\n\n{}{}", what_was_run(), kHowClaimsAreJudged);
  return paper ? fmt::format("{}\n{}", text, about_released_code()) : text;
}

std::string Reproduction::better_than_yardstick() const {
  std::string rows;
  for (const Experiment& experiment : experiments_) {
    for (const Ranking& ranking : experiment.rankings) {
      const auto ranked = ranking.ranked(false);
      const auto yardstick = std::find_if(ranked.begin(), ranked.end(),
                                          [](const Ranking::Entry& e) { return e.policy == yardstick_name(); });
      if (yardstick == ranked.end() || yardstick->at_end.mean <= ranked.front().at_end.mean) continue;
      rows +=
          fmt::format("| {} | {} | {} | {} | {:.3g} | {:.3g} | {} of {} | {:.3g} |\n", markdown_cell(experiment.name),
                      markdown_cell(ranking.bandit), ranking.noise, ranked.front().policy, ranked.front().at_end.mean,
                      yardstick->at_end.mean, yardstick - ranked.begin() + 1, ranked.size(), yardstick->median_at_end);
    }
  }
  if (rows.empty()) return "";
  return fmt::format(
      "Here, a policy other than {0} has the least mean regret per step at the longest horizon:\n\n"
      "| experiment | bandit | noise | best policy | its regret | regret of {0} | place of {0} | {0}'s median over "
      "seeds |\n|---|---|---|---|--:|--:|--:|--:|\n{1}\n",
      yardstick_title(), rows);
}

std::string Reproduction::summary() const {
  std::map<std::string, int> verdicts;
  for (const Experiment& experiment : experiments_) {
    for (const Judged& judged : experiment.judged) {
      const std::string text = judged.described.text();
      ++verdicts[text.starts_with("holds in") ? "holds in part" : text];
    }
  }
  std::vector<std::string> counts;
  counts.reserve(verdicts.size());
  for (const auto& [text, count] : verdicts) counts.push_back(fmt::format("{}: {}", text, count));
  return fmt::format("## Summary\n\n{}\n",
                     markdown_lines(fmt::format("Number of claims by verdict: {}.", fmt::join(counts, "; ")))) +
         better_than_yardstick();
}

std::string Reproduction::all_claims() const {
  const bool released = std::any_of(experiments_.begin(), experiments_.end(), [](const Experiment& experiment) {
    return std::any_of(experiment.judged.begin(), experiment.judged.end(), [](const Judged& j) { return j.differs; });
  });
  std::string text = "## All claims\n\n";
  text += released ? "| experiment | claim | as described | as released |\n|---|---|---|---|\n"
                   : "| experiment | claim | verdict |\n|---|---|---|\n";
  for (const Experiment& experiment : experiments_) {
    const std::string name = markdown_cell(experiment.name);
    for (const Judged& judged : experiment.judged) {
      text += fmt::format("| [{}](#{}) | {} | {} |", name, markdown_anchor(name),
                          markdown_cell(judged.described.check.says), bold_unless_it_holds(judged.described.text()));
      if (released)
        text += fmt::format(" {} |", judged.differs ? bold_unless_it_holds(judged.released.text()) : "not run");
      text += '\n';
    }
  }
  return text + "\n";
}

std::string Reproduction::measurements(const Judged& judged) {
  std::string text =
      "| bandit | noise | policy | measured | bound | measured - bound | finding |\n|---|---|---|--:|--:|--:|---|\n";
  const auto add = [&](const Verdict& verdict) {
    for (const CheckedScene& scene : verdict.scenes) {
      text += fmt::format("| {} | {} | {} | {:.3g} | {:.3g}{} | {} | {} |\n", markdown_cell(scene.bandit),
                          described(parse_noise(scene.noise)), verdict.check.policy, scene.measured, scene.allowed,
                          scene.against.empty() ? "" : fmt::format(" ({})", scene.against), with_interval(scene.excess),
                          bold_unless_it_holds(to_text(scene.finding)));
    }
  };
  add(judged.described);
  if (judged.differs) add(judged.released);
  return text + "\n";
}

std::string Reproduction::details(const Experiment& experiment) {
  std::string text = fmt::format("### {}\n\n{}\n", markdown_cell(experiment.name),
                                 markdown_lines(markdown_cell(experiment.title) + "."));
  const auto add_paragraph = [&](const std::string& paragraph, std::string_view indent = "") {
    text += markdown_lines(paragraph, indent);
    text += '\n';
  };
  if (!experiment.constraints.empty()) add_paragraph(fmt::format("Constraints: {}.", experiment.constraints));
  if (!experiment.claim.empty()) add_paragraph(fmt::format("> {}", markdown_cell(experiment.claim)), "> ");
  for (const Judged& judged : experiment.judged) {
    add_paragraph(fmt::format("**{}**: {}.", judged.described.text(), markdown_cell(judged.described.check.says)));
    text += measurements(judged);
  }
  text += fmt::format(
      "Mean regret per step at T = {}, with the median over seeds in parentheses:\n\n"
      "| bandit | noise | policies, best first |\n|---|---|---|\n",
      experiment.longest);
  for (const Ranking& ranking : experiment.rankings) {
    std::vector<std::string> parts;
    for (const Ranking::Entry& entry : ranking.ranked(true)) {
      parts.push_back(fmt::format("{} {:.3g} ({:.2g})", entry.policy, entry.at_end.mean, entry.median_at_end));
    }
    text += fmt::format("| {} | {} | {} |\n", markdown_cell(ranking.bandit), ranking.noise, fmt::join(parts, ", "));
  }
  return text + "\n";
}

std::string Reproduction::effect_of_release() const {
  std::string rows;
  for (const Experiment& experiment : experiments_) {
    for (const Ranking& ranking : experiment.rankings) {
      for (const Ranking::Entry& entry : ranking.entries) {
        const std::string variant = variant_text(entry.policy);
        const auto released = std::find_if(ranking.entries.begin(), ranking.entries.end(),
                                           [&](const Ranking::Entry& other) { return other.policy == variant; });
        if (released == ranking.entries.end()) continue;
        rows += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} |\n", markdown_cell(experiment.name), markdown_cell(ranking.bandit),
            ranking.noise, entry.policy, with_interval(entry.over_all), with_interval(released->over_all),
            entry.over_all.mean > 0 ? fmt::format("{:.2f}", released->over_all.mean / entry.over_all.mean) : "–");
      }
    }
  }
  if (rows.empty()) return "";
  return "## Effect of the differences in the released code\n\nMean regret per step over all horizons:\n\n"
         "| experiment | bandit | noise | policy | as described | as released | released / described |\n"
         "|---|---|---|---|--:|--:|--:|\n" +
         rows;
}

std::string Reproduction::text() const {
  std::string by_experiment;
  for (const Experiment& experiment : experiments_) by_experiment += details(experiment);
  return fmt::format("{}\n{}{}## Details by experiment\n\n{}{}", introduction(), summary(), all_claims(), by_experiment,
                     effect_of_release());
}

}  // namespace longrun
