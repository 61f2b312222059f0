#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/longrun/study_actions.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/text.h"

namespace longrun {
namespace {

constexpr std::array<std::string_view, 6> kOfEveryAction{
    "ACTION", "--help", "--url", "--token", "--certificate-authority", "--json"};

bool is_word_of(std::string_view words, std::string_view word) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

/// Returns the name that an option has in StudyAction::options. An option that they do not name is a constraint.
std::string_view name_in_actions(std::string_view option) {
  const auto has_it = [&](const StudyAction& action) { return is_word_of(action.options, option); };
  const auto actions = study_actions();
  return std::any_of(actions.begin(), actions.end(), has_it) ? option : StudyAction::kConstraints;
}

/// Throws InputError for an option that the action does not have: it would be ignored, as if it had been obeyed.
void check_options(const CLI::App& parser, const StudyAction& action) {
  for (const CLI::Option* option : parser.get_options()) {
    const std::string name = option->get_name();
    const std::string_view word = name_in_actions(name);
    const bool is_of_every_action =
        std::find(kOfEveryAction.begin(), kOfEveryAction.end(), name) != kOfEveryAction.end();
    if (option->count() == 0 || is_of_every_action || is_word_of(action.options, word)) continue;
    std::vector<std::string_view> others;
    for (const StudyAction& other : study_actions()) {
      if (is_word_of(other.options, word)) others.push_back(other.name);
    }
    throw InputError(fmt::format("{}: not for '{}'; it is for {}", name, action.name, fmt::join(others, ", ")));
  }
}

/// Throws InputError for an argument that is not UTF-8: requests are.
void check_encoding(const CLI::App& parser) {
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& value : option->results()) {
      if (!is_utf8(value)) throw InputError(fmt::format("{}: not UTF-8", option->get_name()));
    }
  }
}

std::vector<std::string> names_of_actions() {
  std::vector<std::string> names;
  for (const StudyAction& action : study_actions()) names.emplace_back(action.name);
  return names;
}

/// Returns the names of all actions as lines of the help.
std::string help_of_actions() {
  constexpr std::size_t kColumns = 56;
  std::string lines;
  std::size_t begin = 0;  // of the last line
  for (const std::string& name : names_of_actions()) {
    const bool fits = lines.size() + name.size() + 3 - begin <= kColumns;
    if (!lines.empty()) lines += fits ? ", " : ",\n";
    if (!fits) begin = lines.size();
    lines += name;
  }
  return lines;
}

void run_action(const StudyOptions& options, const CLI::App& parser) {
  for (const StudyAction& action : study_actions()) {
    if (action.name != options.action) continue;
    check_options(parser, action);
    check_encoding(parser);
    if (!options.name && is_word_of(action.options, "NAME")) {
      throw InputError("NAME: missing; give the name of the study");
    }
    StudyRequests requests({.url = options.url,
                            .certificate_authority = options.certificate_authority,
                            .token = options.token,
                            .key = options.key});
    return action.run(options, requests);
  }
  const std::vector<std::string> names = names_of_actions();
  const std::string nearest = did_you_mean(options.action, names);
  throw InputError(fmt::format("action '{}' is unknown{}", options.action,
                               nearest.empty() ? fmt::format("; actions: {}", fmt::join(names, ", ")) : nearest));
}

}  // namespace

Command add_study(CLI::App& app) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* parser = add_subcommand(
      app, "study", "Create, use and check the studies of a service, in scripts",
      "The service is started with 'longrun serve'. A request without an answer is sent again with the\n"
      "same key for 10 seconds, so it has one effect. A script that may itself be repeated gives its own\n"
      "keys: the same --key returns the same decisions.\n\n"
      "Examples:\n"
      "  longrun study create lending --arms farms,shops --budget 300\n"
      "  longrun study decide lending --count 3 --key monday    prints numbers and arms\n"
      "  longrun study report lending outcomes.csv --dry-run    columns: decision, reward, kind\n"
      "  longrun study report lending --decision 7 --instead shops\n"
      "  longrun study observe lending pulls.csv                columns: arm, reward, id\n"
      "  longrun study correct lending --decision 7 --reward 0.4 --reason 'typing error'\n"
      "  longrun study correct lending --decision 7 --instead shops --reason 'mixed up'\n"
      "  longrun study change lending --noise gaussian:0.2 --minimum-share shops:0.1\n"
      "  longrun study export lending > lending.jsonl\n"
      "  longrun study import copy lending.jsonl");
  add_argument(*parser, "ACTION", options->action, help_of_actions());
  add_optional_argument(*parser, "NAME", options->name, "name of the study");
  add_optional_argument(*parser, "FILE", options->file,
                        "report, observe: CSV file; import: an exported log;\n- is standard input");
  add_value(*parser, "--url", "URL", options->url,
            fmt::format("address of the service\n(default: {})", StudyRequests::kDefaultUrl));
  add_value(*parser, "--token", "TOKEN", options->token,
            fmt::format("token of the service (default: the environment variable\n{})", StudyRequests::kTokenVariable));
  add_value(*parser, "--certificate-authority", "FILE", options->certificate_authority,
            "PEM certificate of the authority that signed the\n"
            "certificate of the service (default: those of the system)");
  add_value(*parser, "--arms", "NAMES", options->arms, "create: names of the arms, separated by commas");
  add_value(*parser, "--budget", "N", options->budget, "create: number of pulls");
  add_value(*parser, "--noise", "NOISE", options->noise,
            "create, change: noise of rewards, or 'estimate'\n(default of create: estimate)");
  add_value(*parser, "--policy", "POLICY", options->policy, "create: the policy that decides (default: foresight)");
  add_value(*parser, "--title", "TITLE", options->title, "create: title, any text");
  add_value(*parser, "--mode", "live|shadow", options->mode,
            "create: live decides, shadow only observes present\n"
            "practice (default: live); change: live, so that a shadow\n"
            "decides from now on");
  add_value(*parser, "--scale", "MIN:MAX", options->rewards.scale,
            "create: mean rewards lie in [MIN, MAX] (default: 0:1)");
  add_value(*parser, "--seed", "N", options->seed, "create: seed of randomized policies (default: 0)");
  add_value(*parser, "--unit-decimals", "N", options->unit_decimals,
            "create: decimals of units, as in a budget of 100.5\n(default: as many as the constraints need)");
  add_value(*parser, "--count", "N", options->count, "decide: number of decisions (default: 1)");
  add_value(*parser, "--among", "NAMES", options->among, "decide: choose among these arms only");
  add_value(*parser, "--add-arms", "NAMES", options->add_arms, "change: names of new arms, separated by commas");
  add_value(*parser, "--extend-budget", "N", options->extend_budget, "change: units that the budget grows by");
  add_value(*parser, "--unavailable-now", "NAMES", options->unavailable_now,
            "change: exactly these arms cannot be pulled from now on;\nnone: all can");
  add_value(*parser, "--decision", "N", options->decision, "report, correct: number of the decision");
  add_value(*parser, "--arm", "NAME", options->arm, "observe: the arm of one pull that was not decided here");
  add_value(*parser, "--observation", "ID", options->observation,
            "observe: id of the pull, which is recorded once;\ncorrect: id of the observation");
  add_value(*parser, "--entry", "N", options->entry, "correct: number of the entry of an observation without id");
  add_value(*parser, "--reward", "REWARD", options->reward,
            "report: the reward of the decision, or of the pull in its\n"
            "place; observe: that of the pull; correct: the right one,\nor that of the pull in its place");
  add_value(*parser, "--kind", "lost|void", options->kind, "report, correct: the outcome, if it is not a reward");
  add_value(*parser, "--instead", "NAME", options->instead,
            "report, correct: the arm that was pulled in place of the\ndecision; without --reward, its reward is not "
            "known yet");
  add_value(*parser, "--reason", "REASON", options->reason, "correct: why the first outcome was wrong");
  add_value(*parser, "--key", "KEY", options->key,
            "decide, observe, correct, change, close: key of the\nrequest (default: a random one)");
  add_flag(*parser, "--dry-run", options->dry_run,
           "report, observe, import: list what would be refused,\nrecord nothing");
  add_flag(*parser, "--json", options->json, "print the answer of the service");
  options->constraints.add_to(*parser);
  return {parser, [options, parser] { run_action(*options, *parser); }};
}

}  // namespace longrun
