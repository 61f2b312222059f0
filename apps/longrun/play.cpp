#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/write_file.h"
#include "longrun/data/csv_curves.h"
#include "longrun/decide/advice/noise_by_arm.h"
#include "longrun/model/half_width.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/json_values.h"
#include "longrun/simulate/compared_run.h"
#include "longrun/simulate/optimum.h"
#include "longrun/simulate/trajectory.h"
#include "longrun/solve/best_allocation.h"

namespace longrun {
namespace {

constexpr std::size_t kStepsPerLine = 40;       // of a trace in text
constexpr std::size_t kStepsPerPiece = 10'000;  // of a trace in JSON, printed at once

struct PlayOptions {
  BanditOptions bandit;
  ConstraintOptions constraints;
  std::optional<std::string> policy;
  std::optional<std::string> noise;
  std::optional<std::string> noise_file;
  std::optional<std::string> half_width;
  std::optional<std::string> seed;
  std::optional<std::string> replicate;
  std::optional<std::string> trajectory;
  bool trace = false;
  bool json = false;
};

/// A run, with its noise as the output shows it.
struct Run : RunSpec {
  std::string noise;
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

RecordedNoise noise_from(const PlayOptions& options, const Bandit& bandit) {
  if (options.noise_file != "-") return read_csv_noise(*options.noise_file, bandit);
  if (options.bandit.curves == "-") throw InputError("--curves - and --noise-file - exclude each other");
  return read_csv_noise(kStandardInput, std::cin, bandit);
}

/// Returns the noise that the policy assumes if the noise is recorded: that of --noise, or else uniform noise with the
/// recorded bound.
Noise described(const PlayOptions& options, const RecordedNoise& recorded) {
  if (options.noise) return parse_noise(*options.noise);
  if (options.half_width && half_width_needs_noise(*options.half_width)) {
    throw InputError(fmt::format("--half-width {} with --noise-file needs --noise, to say what noise the file holds",
                                 *options.half_width));
  }
  return bounding_noise(recorded);
}

/// Returns the policy of --policy, or the default policy. The default policy estimates the noise if it is recorded and
/// --noise does not describe it.
PolicyChoice chosen_policy(const PlayOptions& options) {
  if (options.policy) return PolicyChoice(*options.policy);
  const PolicyChoice policy(kDefaultPolicy);
  return options.noise_file && !options.noise ? policy.estimating_noise() : policy;
}

Run prepare(const PlayOptions& options) {
  Run run{{.policy = chosen_policy(options), .bandit = {}, .setting = {}, .constraints = options.constraints.read()},
          {}};
  run.setting.seed = parse_seed(options.seed.value_or("0"));
  run.setting.replicate = parse_replicate(options.replicate.value_or("0"));
  run.setting.noise = parse_noise(options.noise.value_or("none"));

  run.bandit = chosen_bandit(options.bandit);
  run.bandit.noise = run.setting.noise;
  run.noise = to_text(run.setting.noise);
  run.setting.arms = run.bandit.arm_count();
  run.setting.horizon = run.bandit.horizon;
  if (options.trace) check_steps_kept("--trace", run.setting.horizon);
  if (options.trajectory) check_steps_kept("--trajectory", run.setting.horizon);
  if (options.noise_file) {
    auto recorded = std::make_shared<const RecordedNoise>(noise_from(options, run.bandit));
    run.setting.noise = described(options, *recorded);
    run.noise = "file:" + *options.noise_file;
    run.bandit.recorded_noise = std::move(recorded);
  }
  const Noise& noise = run.setting.noise;
  run.setting.half_width =
      options.half_width ? parse_half_width(*options.half_width, noise, run.setting.horizon) : paper_half_width(noise);
  check(run.setting);
  return run;
}

/// Prints a note if arms are not single-peaked. The policies assume that they are, but run on any bandit.
void note_other_shapes(const Bandit& bandit) {
  const OtherShapes others = other_shapes(bandit);
  if (others.count == 0) return;
  say(
      fmt::format("note: {}: {} of {} arms {} not single-peaked, which the policies assume; the largest deviation, "
                  "{:.2g}, is that of arm {} ({})",
                  bandit.name, others.count, bandit.arms.size(), others.count == 1 ? "is" : "are", others.deviation,
                  others.worst, bandit.arm_names[others.worst]));
}

/// Prints a note if the policy learns nothing: an interval of half-width 1 around a reward in [0, 1] contains every
/// mean.
void note_useless_intervals(const Run& run) {
  const double half_width = run.setting.resolved_half_width();
  if (!run.policy.entry().traits.uses_intervals || half_width < 1) return;
  say(
      fmt::format("note: with half-width {:g} every observation is compatible with every mean reward, so policy '{}' "
                  "learns nothing; give a smaller --half-width",
                  half_width, run.policy.text()));
}

/// Prints a note if the policy does not use the half-width. Without noise, the default policy does.
void note_unused_half_width(const Run& run, const PlayOptions& options) {
  const PolicyTraits& traits = run.policy.entry().traits;
  const bool exact = traits.uses_noise && standard_deviation(run.setting.noise) == 0 && !run.policy.estimates_noise();
  if (!options.half_width || traits.uses_intervals || exact) return;
  say(fmt::format("note: policy '{}' draws no intervals around these observations, so --half-width has no effect",
                  run.policy.text()));
}

/// Prints a note if the default policy is the variant that estimates the noise.
void note_estimated_noise(const Run& run, const PlayOptions& options) {
  if (options.policy || !options.noise_file || options.noise) return;
  say(fmt::format(
      "note: --noise-file without --noise does not say how large the noise is, so the policy is '{}', which "
      "estimates it",
      run.policy.text()));
}

/// Prints a note if the noise that the policy uses is not that of the file.
void note_wrong_noise(const Run& run, const PlayOptions& options) {
  if (!options.noise_file || !options.noise || !run.policy.entry().traits.uses_noise) return;
  if (run.policy.estimates_noise()) return;
  const double stated = standard_deviation(run.setting.noise);
  const auto recorded = contradicted_noise(*run.bandit.recorded_noise, stated);
  if (!recorded) return;
  say(fmt::format(
      "note: {}: the noise has standard deviation {:.3g}, but policy '{}' uses {:.3g}, the one of --noise {}",
      *options.noise_file, *recorded, run.policy.text(), stated, *options.noise));
}

/// Returns the values of `count` steps, or of those that are left, beginning with step `first` (from 0).
template <class Value>
std::string steps(const std::vector<Value>& values, std::size_t first, std::size_t count, const char* separator) {
  const std::span<const Value> trace(values);
  return fmt::format("{}", fmt::join(trace.subspan(first, std::min(count, trace.size() - first)), separator));
}

void print_as_text(const Run& run, const ComparedRun& result) {
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

/// Prints a list piece by piece, because one JSON value would take many times its memory.
template <class Value>
void print_steps(std::string_view key, const std::vector<Value>& trace) {
  fmt::print(",\"{}\":[", key);
  for (std::size_t first = 0; first < trace.size(); first += kStepsPerPiece) {
    fmt::print("{}{}", first == 0 ? "" : ",", steps(trace, first, kStepsPerPiece, ","));
  }
  fmt::print("]");
}

void print_as_json(const Run& run, const ComparedRun& result) {
  nlohmann::ordered_json object{{"policy", run.policy.text()},
                                {"bandit", run.bandit.name},
                                {"horizon", run.setting.horizon},
                                {"noise", run.noise},
                                {"half_width", *run.setting.half_width},
                                {"seed", seed_json<nlohmann::ordered_json>(run.setting.seed)},
                                {"arm_names", run.bandit.arm_names},
                                {"pulls", result.pulls},
                                {"best_pulls", result.best.pulls},
                                {"return", result.earned},
                                {"optimum", result.best.value},
                                {"regret", result.regret},
                                {"per_step_regret", result.per_step_regret}};
  if (!run.constraints.none()) object["constraints"] = as_json(run.constraints);
  // JSON must be UTF-8, which the name of a file need not be.
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
  if (options.trajectory && run.constraints.none()) {  // its regrets need the optimum of every horizon
    check_best_allocations(known_arms(run.bandit, run.setting.horizon));
  }
  ComparedRun result = play_and_compare(run, options.trace || options.trajectory);
  const std::string trajectory = options.trajectory ? trajectory_csv(run, result) : "";
  if (!options.trace) {
    result.trace.clear();
    result.rounds.clear();
  }
  note_other_shapes(run.bandit);
  note_useless_intervals(run);
  note_unused_half_width(run, options);
  note_estimated_noise(run, options);
  note_wrong_noise(run, options);
  options.json ? print_as_json(run, result) : print_as_text(run, result);
  if (!options.trajectory) return;
  std::fflush(stdout);  // the answer must not wait for the file, nor be lost with it
  check_folder_of(*options.trajectory);
  write_file(*options.trajectory, trajectory);
}

void add_noise_options(CLI::App& parser, PlayOptions& options) {
  add_value(parser, "--noise", "KIND", options.noise,
            "noise of the rewards that the policy observes (default\n"
            "none): none, gaussian:SD, uniform:BOUND, beta:BOUND:SD,\n"
            "student:SD (heavy tails) or bernoulli (rewards are 0 or\n"
            "1, with the mean reward as the probability of 1)");
  add_value(parser, "--noise-file", "FILE.csv", options.noise_file,
            "recorded noise, in place of random noise: a header with\n"
            "one name per arm, then one row per pull; '-' reads\n"
            "standard input");
  add_value(parser, "--half-width", "W", options.half_width,
            "half-width of the interval that the policy draws around\n"
            "an observation: a number, bound, Ksd (K standard\n"
            "deviations, such as 2sd) or failure:P (all intervals\n"
            "contain their means with probability 1 - P). Default:\n"
            "the bound of the noise, or 2sd; with --noise-file and no\n"
            "--noise, the largest magnitude in the file");
  add_value(parser, "--seed", "S", options.seed,
            "whole number >= 0 that determines all random numbers\n"
            "(default: 0)");
  add_value(parser, "--replicate", "R", options.replicate,
            "number of the run with that seed (default: 0); to repeat a\n"
            "run of an experiment, give the experiment's 'seed' as S\n"
            "and the seed in its records as R");
}

}  // namespace

Command add_play(CLI::App& app) {
  CLI::App* parser = add_subcommand(
      app, "play", "Run a policy on a bandit and compare it with the optimum",
      "Return, optimum and regret are sums of mean rewards, without noise. Regret is optimum - return.\n"
      "Arms are numbered from 0. Under constraints the horizon is a budget in units, and the optimum\n"
      "satisfies the same constraints.\n\n"
      "Examples:\n"
      "  longrun play --bandit inc_dec_3 --policy spo\n"
      "  longrun play --bandit inc_dec_3 --policy spo --horizon 2000 --noise gaussian:0.05 --seed 7\n"
      "  longrun play --bandit recommender_B --policy sw-ucb:window=200 --json\n"
      "  longrun play --curves curves.csv --policy greedy --trace\n"
      "  longrun play --bandit inc_dec_3 --policy spo --units-per-round 5 --minimum-share 0.1 --unavailable 1:10-20");
  const auto options = std::make_shared<PlayOptions>();
  options->bandit.add_to(*parser);
  add_value(*parser, "--policy", "NAME", options->policy,
            fmt::format("a policy from 'longrun policies' (default: {})", kDefaultPolicy));
  add_noise_options(*parser, *options);
  options->constraints.add_to(*parser);
  add_flag(*parser, "--trace", options->trace, "print the arm of every step as well");
  add_value(*parser, "--trajectory", "FILE.csv", options->trajectory,
            "write a row per step: its arm, which pull of the arm it\n"
            "is, the observed reward, and the regret if the run ended\n"
            "there (under constraints only in the last row)");
  add_flag(*parser, "--json", options->json, "print JSON instead of text");
  return {parser, [options] { run_play(*options); }};
}

}  // namespace longrun
