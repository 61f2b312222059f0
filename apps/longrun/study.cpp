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

/// The actions of every option that not all actions have. Those of constraints, which are not here, are kCreateChange.
struct OptionOfActions {
  std::string_view option;
  std::string_view actions;
};
constexpr std::string_view kEveryAction = "";
constexpr std::string_view kCreateChange = "create, change";
constexpr std::array kOptionsOfActions{
    OptionOfActions{"ACTION", kEveryAction},
    OptionOfActions{"--help", kEveryAction},
    OptionOfActions{"--url", kEveryAction},
    OptionOfActions{"--token", kEveryAction},
    OptionOfActions{"--certificate-authority", kEveryAction},
    OptionOfActions{"--json", kEveryAction},
    OptionOfActions{"NAME", "create, show, decide, report, observe, correct, change, close, export, import, audit"},
    OptionOfActions{"FILE", "report, observe, import"},
    OptionOfActions{"--arms", "create"},
    OptionOfActions{"--budget", "create"},
    OptionOfActions{"--policy", "create"},
    OptionOfActions{"--title", "create"},
    OptionOfActions{"--scale", "create"},
    OptionOfActions{"--seed", "create"},
    OptionOfActions{"--count", "decide"},
    OptionOfActions{"--among", "decide"},
    OptionOfActions{"--add-arms", "change"},
    OptionOfActions{"--extend-budget", "change"},
    OptionOfActions{"--unavailable-now", "change"},
    OptionOfActions{"--decision", "correct"},
    OptionOfActions{"--entry", "correct"},
    OptionOfActions{"--kind", "correct"},
    OptionOfActions{"--reason", "correct"},
    OptionOfActions{"--arm", "observe"},
    OptionOfActions{"--observation", "observe, correct"},
    OptionOfActions{"--reward", "observe, correct"},
    OptionOfActions{"--key", "decide, observe, correct, change, close"},
    OptionOfActions{"--dry-run", "report, observe, import"},
};

/// Throws InputError for an option that the action does not have: it would be ignored, as if it had been obeyed.
void check_options(const CLI::App& parser, const std::string& action) {
  for (const CLI::Option* option : parser.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    const auto* const found = std::find_if(kOptionsOfActions.begin(), kOptionsOfActions.end(),
                                           [&](const OptionOfActions& one) { return one.option == name; });
    const std::string_view actions = found == kOptionsOfActions.end() ? kCreateChange : found->actions;
    if (actions == kEveryAction || fmt::format(", {},", actions).find(fmt::format(" {},", action)) != std::string::npos)
      continue;
    throw InputError(fmt::format("{}: not for '{}'; it is for {}", name, action, actions));
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

void run_action(const StudyOptions& options, const CLI::App& parser) {
  std::vector<std::string> names;
  for (const StudyAction& action : study_actions()) {
    names.emplace_back(action.name);
    if (action.name != options.action) continue;
    check_options(parser, options.action);
    check_encoding(parser);
    if (!options.name && action.needs_name) throw InputError("NAME: missing; give the name of the study");
    StudyRequests requests({.url = options.url,
                            .certificate_authority = options.certificate_authority,
                            .token = options.token,
                            .key = options.key});
    return action.run(options, requests);
  }
  const std::string nearest = did_you_mean(options.action, names);
  throw InputError(fmt::format(
      "action '{}' is unknown{}", options.action,
      nearest.empty()
          ? "; actions: list, create, show, decide, report, observe, correct, change, close, export, import, audit"
          : nearest));
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
      "  longrun study observe lending pulls.csv                columns: arm, reward, id\n"
      "  longrun study correct lending --decision 7 --reward 0.4 --reason 'typing error'\n"
      "  longrun study change lending --noise gaussian:0.2 --minimum-share shops:0.1\n"
      "  longrun study export lending > lending.jsonl\n"
      "  longrun study import copy lending.jsonl");
  add_argument(*parser, "ACTION", options->action,
               "list, create, show, decide, report, observe, correct,\nchange, close, export, import or audit");
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
  add_value(*parser, "--count", "N", options->count, "decide: number of decisions (default: 1)");
  add_value(*parser, "--among", "NAMES", options->among, "decide: choose among these arms only");
  add_value(*parser, "--add-arms", "NAMES", options->add_arms, "change: names of new arms, separated by commas");
  add_value(*parser, "--extend-budget", "N", options->extend_budget, "change: units that the budget grows by");
  add_value(*parser, "--unavailable-now", "NAMES", options->unavailable_now,
            "change: exactly these arms cannot be pulled from now on;\nnone: all can");
  add_value(*parser, "--decision", "N", options->decision, "correct: number of the decision");
  add_value(*parser, "--arm", "NAME", options->arm, "observe: the arm of one pull that was not decided here");
  add_value(*parser, "--observation", "ID", options->observation,
            "observe: id of the pull, which is recorded once;\ncorrect: id of the observation");
  add_value(*parser, "--entry", "N", options->entry, "correct: number of the entry of an observation without id");
  add_value(*parser, "--reward", "REWARD", options->reward,
            "observe: the reward of the pull; correct: the right reward");
  add_value(*parser, "--kind", "lost|void", options->kind, "correct: the right outcome, if it is not a reward");
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
