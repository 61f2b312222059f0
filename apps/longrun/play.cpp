#include "longrun/simulate/play.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv_curves.h"
#include "longrun/decide/constrained_policy.h"
#include "longrun/model/half_width.h"
#include "longrun/policy/catalog.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/play_constrained.h"
#include "longrun/simulate/regret.h"

namespace longrun {
namespace {

constexpr std::size_t kStepsPerLine = 40;       // of a trace as text
constexpr std::size_t kStepsPerPiece = 10'000;  // of a trace as JSON

struct PlayOptions {
  BanditOptions bandit;
  ConstraintOptions constraints;
  std::optional<std::string> policy;
  std::optional<std::string> noise;
  std::optional<std::string> noise_file;
  std::optional<std::string> half_width;
  std::optional<std::string> seed;
  std::optional<std::string> replicate;
  bool trace = false;
  bool json = false;
};

struct Run {
  PolicyChoice policy;
  Bandit bandit;
  Constraints constraints;
  std::string noise;  // as reported
  Setting setting;
};

struct Result {
  std::vector<Pulls> pulls;
  std::vector<Arm> trace;     // empty unless asked for
  std::vector<Pulls> rounds;  // of each step; empty without constraints
  Allocation best;
  double earned = 0;
  double regret = 0;
  double per_step_regret = 0;
};

std::uint32_t parse_replicate(const std::string& text) {
  const auto replicate = parse_number<std::uint32_t>(text);
  if (!replicate) throw InputError(fmt::format("--replicate {}: must be a whole number >= 0 and below 2^32", text));
  return *replicate;
}

std::uint64_t parse_seed(const std::string& text) {
  const auto seed = parse_number<std::uint64_t>(text);
  if (!seed) throw InputError(fmt::format("--seed {}: must be a whole number >= 0 and below 2^64", text));
  return *seed;
}

RecordedNoise noise_from(const std::string& path, const Bandit& bandit) {
  RecordedNoise noise = read_csv_noise(path, bandit);
  const auto rows = static_cast<Pulls>(noise.front().size());
  if (rows < bandit.horizon) {
    throw InputError(fmt::format("{}: has {} rows, too few for horizon {}", path, rows, bandit.horizon));
  }
  return noise;
}

double largest_magnitude(const RecordedNoise& noise) {
  double largest = 0;
  for (const auto& column : noise) {
    for (const double value : column) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// What the policy is told of noise that comes from a file: what the user says of it, else that it is bounded.
Noise described(const PlayOptions& options, const RecordedNoise& recorded) {
  if (options.noise) return parse_noise(*options.noise);
  const std::string half_width = options.half_width.value_or("bound");
  if (half_width.ends_with("sd") || half_width.starts_with("failure:")) {
    throw InputError(
        fmt::format("--half-width {} with --noise-file needs --noise, to say what noise the file holds", half_width));
  }
  return Uniform{.bound = largest_magnitude(recorded)};
}

Run prepare(const PlayOptions& options) {
  Run run{.policy = PolicyChoice(options.policy.value_or(std::string(kDefaultPolicy))),
          .bandit = {},
          .constraints = options.constraints.read(),
          .noise = {},
          .setting = {}};
  run.setting.seed = parse_seed(options.seed.value_or("0"));
  run.setting.replicate = parse_replicate(options.replicate.value_or("0"));
  run.setting.noise = parse_noise(options.noise.value_or("none"));

  run.bandit = chosen_bandit(options.bandit);
  run.bandit.noise = run.setting.noise;
  run.noise = to_text(run.setting.noise);
  run.setting.arms = run.bandit.arm_count();
  run.setting.horizon = run.bandit.horizon;
  if (options.trace) check_steps_kept("--trace", run.setting.horizon);
  if (options.noise_file) {
    auto recorded = std::make_shared<const RecordedNoise>(noise_from(*options.noise_file, run.bandit));
    run.setting.noise = described(options, *recorded);
    if (!options.policy && !options.noise)
      run.policy = PolicyChoice("foresight:estimate_sd=1");  // nobody says how noisy
    run.noise = "file:" + *options.noise_file;
    run.bandit.recorded_noise = std::move(recorded);
  }
  const Noise& noise = run.setting.noise;
  run.setting.half_width =
      options.half_width ? parse_half_width(*options.half_width, noise, run.setting.horizon) : paper_half_width(noise);
  check(run.setting);
  return run;
}

RunResult play_freely(const Run& run, const Setting& setting, bool with_trace, Result& result) {
  if (with_trace) result.trace.resize(static_cast<std::size_t>(setting.horizon));
  return play(run.policy, run.bandit, setting, result.trace);
}

RunResult play_under_constraints(const Run& run, const Setting& setting, bool with_trace, Result& result) {
  std::vector<RoundPull> pulls;
  RunResult outcome = play_constrained(World(run.bandit, setting.seed, setting.replicate), run.policy, setting,
                                       run.constraints, with_trace ? &pulls : nullptr);
  for (const auto& [round, arm] : pulls) {
    result.rounds.push_back(round);
    result.trace.push_back(arm);
  }
  return outcome;
}

Result result_of(const Run& run, bool with_trace) {
  Result result;
  result.best = optimal_allocation(run.bandit, run.setting.horizon, run.constraints);
  Setting setting = run.setting;
  if (run.policy.entry().traits.needs_plan) setting.plan = result.best.pulls;
  const auto play = run.constraints.none() ? play_freely : play_under_constraints;
  RunResult outcome = play(run, setting, with_trace, result);
  result.pulls = std::move(outcome.pulls);
  result.earned = outcome.earned;
  result.regret = policy_regret(result.best.value, outcome.earned);
  result.per_step_regret = result.regret / static_cast<double>(setting.horizon);
  return result;
}

/// The policies take every arm to rise ever more slowly, then fall. Curves of a user's own may not; the run is still
/// worth having, so this is no error.
void note_other_shapes(const Bandit& bandit) {
  std::size_t worst = 0;
  std::size_t others = 0;
  double deviation = 0;
  for (std::size_t arm = 0; arm < bandit.arms.size(); ++arm) {
    const Shape shape = shape_of(bandit.arms[arm], bandit.horizon, rounding_tolerance(bandit.arms[arm]));
    if (shape.single_peaked) continue;
    ++others;
    if (shape.deviation > deviation) worst = arm;
    deviation = std::max(deviation, shape.deviation);
  }
  if (others == 0) return;
  say(fmt::format(
      "note: {}: {} of {} arms {} not single-peaked, which the policies assume; furthest off is arm {} ({}), "
      "where a step or slope is wrong by {:.2g}",
      bandit.name, others, bandit.arms.size(), others == 1 ? "is" : "are", worst, bandit.arm_names[worst], deviation));
}

/// An interval of half-width 1 around an observation in [0, 1] holds every mean: nothing is learned from it.
void note_useless_intervals(const Run& run) {
  const bool uses_intervals =
      run.policy.entry().name.starts_with("spo") || run.policy.entry().name == "one-step-optimistic";
  if (!uses_intervals || run.setting.resolved_half_width() < 1) return;
  say(fmt::format(
      "note: half-width {:g} lets every observation stand for any reward, so '{}' learns nothing; try --half-width",
      run.setting.resolved_half_width(), run.policy.text()));
}

/// What `count` steps from the `first` on (from 0), or those that are left, have in the trace.
template <class Value>
std::string steps(const std::vector<Value>& steps, std::size_t first, std::size_t count, const char* separator) {
  const std::span<const Value> trace(steps);
  return fmt::format("{}", fmt::join(trace.subspan(first, std::min(count, trace.size() - first)), separator));
}

void print_as_text(const Run& run, const Result& result) {
  fmt::print("policy            {}\n", run.policy.text());
  fmt::print("bandit            {}\n", run.bandit.name);
  fmt::print("horizon           {}\n", run.setting.horizon);
  if (!run.constraints.none()) fmt::print("constraints       {}\n", as_text(run.constraints));
  fmt::print("noise             {} (half-width {:.6g})\n", run.noise, *run.setting.half_width);
  fmt::print("seed              {}\n\n", run.setting.seed);
  fmt::print("return            {:.10g}\n", result.earned);
  fmt::print("optimum           {:.10g}\n", result.best.value);
  fmt::print("regret            {:.6g}\n", result.regret);
  fmt::print("per-step regret   {:.6g}\n\n", result.per_step_regret);
  fmt::print("{:>5}  {:>12}  {:>12}  {}\n", "arm", "pulls", "best pulls", "name");
  for (std::size_t arm = 0; arm < result.pulls.size(); ++arm) {
    fmt::print("{:>5}  {:>12}  {:>12}  {}\n", arm, result.pulls[arm], result.best.pulls[arm],
               run.bandit.arm_names[arm]);
  }
  if (result.trace.empty()) return;
  const bool rounds = !result.rounds.empty();
  fmt::print("\n{:>9}  {}{}\n", "from step", rounds ? "   in round  " : "",
             "arm of each step (arms are numbered from 0)");
  for (std::size_t first = 0; first < result.trace.size(); first += kStepsPerLine) {
    const std::string round = rounds ? fmt::format("{:>11}  ", result.rounds[first]) : "";
    fmt::print("{:>9}  {}{}\n", first + 1, round, steps(result.trace, first, kStepsPerLine, " "));
  }
}

/// Piece by piece: as one JSON value a trace would take many times its memory.
template <class Value>
void print_steps(std::string_view key, const std::vector<Value>& trace) {
  fmt::print(",\"{}\":[", key);
  for (std::size_t first = 0; first < trace.size(); first += kStepsPerPiece) {
    fmt::print("{}{}", first == 0 ? "" : ",", steps(trace, first, kStepsPerPiece, ","));
  }
  fmt::print("]");
}

void print_as_json(const Run& run, const Result& result) {
  nlohmann::ordered_json object{{"policy", run.policy.text()},
                                {"bandit", run.bandit.name},
                                {"horizon", run.setting.horizon},
                                {"noise", run.noise},
                                {"half_width", *run.setting.half_width},
                                {"seed", run.setting.seed},
                                {"pulls", result.pulls},
                                {"return", result.earned},
                                {"optimum", result.best.value},
                                {"regret", result.regret},
                                {"per_step_regret", result.per_step_regret}};
  if (!run.constraints.none()) object["constraints"] = as_json(run.constraints);
  // A file may have a name that is not UTF-8, which JSON must be.
  std::string text = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (result.trace.empty()) {
    fmt::print("{}\n", text);
    return;
  }
  text.pop_back();
  fmt::print("{}", text);
  print_steps("arms", result.trace);
  if (!result.rounds.empty()) print_steps("rounds", result.rounds);
  fmt::print("}}\n");
}

void run_play(const PlayOptions& options) {
  const Run run = prepare(options);
  const Result result = result_of(run, options.trace);
  note_other_shapes(run.bandit);
  note_useless_intervals(run);
  options.json ? print_as_json(run, result) : print_as_text(run, result);
}

void add_noise_options(CLI::App& parser, PlayOptions& options) {
  add_value(parser, "--noise", "KIND", options.noise,
            "noise of what the policy observes (default none):\n"
            "none, gaussian:SD, uniform:BOUND, beta:BOUND:SD,\n"
            "student:SD (heavy tails) or bernoulli (observe 1 or 0,\n"
            "the mean reward on average)");
  add_value(parser, "--noise-file", "FILE.csv", options.noise_file,
            "add this noise instead of drawing any: a header with a\n"
            "name per arm, then a row per pull");
  add_value(parser, "--half-width", "W", options.half_width,
            "how far off the policy takes an observation to be: a\n"
            "number, bound, Ksd (such as 2sd: standard deviations),\n"
            "or failure:P (wide enough for all observations at once\n"
            "but with probability P). Default: what --noise implies\n"
            "(its bound; 2sd if gaussian); with --noise-file alone,\n"
            "the largest magnitude in the file");
  add_value(parser, "--seed", "S", options.seed, "whole number >= 0 that fixes all randomness (default 0)");
  add_value(parser, "--replicate", "R", options.replicate,
            "which run with that seed (default 0); with an experiment's\n"
            "'seed' as S, the seed in its records");
}

}  // namespace

Command add_play(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "play", "Let a policy decide, and compare it with the best possible",
      "Return, optimum and regret are sums of mean rewards: noise misleads the policy but is not paid out. Regret is\n"
      "optimum - return, the price of not having known the curves. Arms are numbered from 0.\n"
      "Under constraints the horizon is a budget in units, and the optimum keeps to them, too. Minimum pulls come "
      "first.\n\n"
      "Examples:\n"
      "  longrun play --bandit inc_dec_3 --policy spo\n"
      "  longrun play --bandit inc_dec_3 --policy spo --horizon 2000 --noise gaussian:0.05 --seed 7\n"
      "  longrun play --bandit recommender_B --policy sw-ucb:window=200 --json\n"
      "  longrun play --curves curves.csv --policy greedy --trace\n"
      "  longrun play --bandit inc_dec_3 --policy spo --units-per-round 5 --minimum-share 0.1 --unavailable 1:10-20");
  const auto options = std::make_shared<PlayOptions>();
  options->bandit.add_to(*parser);
  add_value(*parser, "--policy", "NAME", options->policy, "who decides, from 'longrun policies' (default: foresight)");
  add_noise_options(*parser, *options);
  options->constraints.add_to(*parser);
  add_flag(*parser, "--trace", options->trace, "print the arm of every step, too");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run_play(*options); }};
}

}  // namespace longrun
