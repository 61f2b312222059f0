#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/longrun/question_options.h"
#include "apps/longrun/study_requests.h"
#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/quoted_list.h"
#include "longrun/base/system_error.h"
#include "longrun/base/text.h"
#include "longrun/data/csv.h"

namespace longrun {
namespace {

using Json = StudyRequests::Json;

struct StudyOptions {
  std::string action;
  std::optional<std::string> name;
  std::optional<std::string> file;
  std::optional<std::string> url;
  std::optional<std::string> token;
  std::optional<std::string> certificate_authority;
  std::optional<std::string> key;
  std::optional<std::string> arms;
  std::optional<std::string> budget;
  std::optional<std::string> noise;
  std::optional<std::string> policy;
  std::optional<std::string> title;
  std::optional<std::string> mode;
  HistoryOptions rewards;  // only their scale
  std::optional<std::string> seed;
  ConstraintOptions constraints;
  std::optional<std::string> count;
  std::optional<std::string> among;
  std::optional<std::string> add_arms;
  std::optional<std::string> extend_budget;
  std::optional<std::string> decision;
  std::optional<std::string> arm;
  std::optional<std::string> observation;
  std::optional<std::string> entry;
  std::optional<std::string> reward;
  std::optional<std::string> kind;
  std::optional<std::string> reason;
  bool dry_run = false;
  bool json = false;
};

bool is_replayed(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "idempotent-replayed") return true;
  }
  return false;
}

/// Returns a text of the service on one line, as it is printed; --json prints it exactly.
std::string on_one_line(const Json& text) {
  auto line = text.get<std::string>();
  for (char& c : line) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return line;
}

std::string path_of(const StudyOptions& options) { return "/v1/studies/" + *options.name; }

std::string content_of(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  text << file.rdbuf();
  return text.str();
}

// ---- one action each

void list(const StudyOptions& options, StudyRequests& requests) {
  const HttpResponse response = requests.get("/v1/studies");
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  for (const Json& study : answer["studies"]) {
    fmt::print("{}\n", study["name"].get<std::string>());
  }
}

/// Returns the budget, in units of so many decimals.
Json budget_in(const StudyOptions& options, int decimals) {
  if (decimals == 0) return parse_whole<Pulls>("--budget", *options.budget, 1, kLongestHorizon);
  const auto units = parse_decimal(*options.budget, decimals);
  if (units && *units >= 1 && *units <= kLongestHorizon) {
    return static_cast<double>(*units) / static_cast<double>(power_of_ten(decimals));
  }
  throw InputError(fmt::format("--budget {}: must be a number > 0, at most {}, with at most {} decimals",
                               *options.budget, decimal_text(kLongestHorizon, decimals), decimals));
}

/// Returns the body of the request that creates a study.
Json creation_of(const StudyOptions& options) {
  if (!options.arms) throw InputError("--arms: missing; list the names, separated by commas");
  if (!options.budget) throw InputError("--budget: missing; give the number of pulls");
  const std::vector<std::string> arms = split_names(*options.arms);
  int decimals = options.constraints.unit_decimals();
  if (decimals > 0) decimals = std::max(decimals, std::min(decimals_of(*options.budget), kMostDecimals));
  Json body{{"name", *options.name}, {"arms", arms}, {"budget", budget_in(options, decimals)}};
  if (options.noise) body["noise"] = *options.noise;
  if (options.policy) body["policy"] = *options.policy;
  if (options.title) body["title"] = *options.title;
  if (options.mode) body["mode"] = *options.mode;
  if (options.rewards.scale) {
    const RewardScale scale = options.rewards.read_scale();
    body["scale"] = {scale.minimum, scale.maximum};
  }
  if (options.seed) {
    body["seed"] = parse_whole<std::int64_t>("--seed", *options.seed, 0, std::numeric_limits<std::int64_t>::max());
  }
  const ArmLabels labels(arms);
  const Constraints constraints = options.constraints.read({.arms = &labels, .arms_are_ordered = true}, decimals);
  const Json texts = as_json(constraints, {.arms = &labels, .arms_are_ordered = false});
  if (!texts.empty()) body["constraints"] = texts;
  if (decimals > 0) body["unit_decimals"] = decimals;
  return body;
}

void create(const StudyOptions& options, StudyRequests& requests) {
  const HttpResponse response = requests.post("/v1/studies", creation_of(options));
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} {}\n", *options.name, is_replayed(response) ? "exists already, with these settings" : "is created");
}

void show(const StudyOptions& options, StudyRequests& requests) {
  const HttpResponse response = requests.get(path_of(options));
  if (options.json) return fmt::print("{}\n", response.body);
  const Json state = Json::parse(response.body);
  fmt::print("{}: {} of {} units spent{}, {} pending{}{}\n", *options.name, state["spent"].get<double>(),
             state["budget"].get<double>(),
             state.contains("overspent") ? fmt::format(" (overspent by {})", state["overspent"].get<double>()) : "",
             state["pending"].get<Pulls>(), state["mode"] == "shadow" ? ", shadow" : "",
             state["closed"].get<bool>() ? ", closed" : "");
  for (const Json& arm : state["arms"]) {
    fmt::print("  {:>8} pulls  {:>8} pending  {}{}\n", arm["pulls"].get<Pulls>(), arm["pending"].get<Pulls>(),
               on_one_line(arm["arm"]), arm["available"].get<bool>() ? "" : " (unavailable)");
  }
}

void decide(const StudyOptions& options, StudyRequests& requests) {
  Json body = Json::object();
  if (options.count) body["count"] = parse_whole<Pulls>("--count", *options.count, 1, 100'000);
  if (options.among) body["among"] = split_names(*options.among);
  const HttpResponse response = requests.post(path_of(options) + "/decisions", body);
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  for (const Json& decision : answer["decisions"]) {
    fmt::print("{}\t{}\n", decision["id"].get<Pulls>(), on_one_line(decision["arm"]));
  }
}

/// Prints what became of the rows of a report.
void print_reported(const StudyOptions& options, const HttpResponse& response) {
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  if (!options.dry_run) {
    return fmt::print("{} recorded, {} known already\n", answer["recorded"].get<Pulls>(),
                      answer["already_known"].get<Pulls>());
  }
  const Json& problems = answer["problems"];
  for (const Json& problem : problems) {
    const char* const place = problem.contains("line") ? "line" : "row";
    fmt::print("{} {}: {}\n", place, problem[place].get<Pulls>(), on_one_line(problem["detail"]));
  }
  if (!problems.empty()) {
    const auto all = answer["problem_count"].get<std::size_t>();
    throw InputError(
        fmt::format("{}: {} {} would be refused{}", options.file.value_or("--arm"), all, all == 1 ? "line" : "lines",
                    all > problems.size() ? fmt::format(", of which {} are listed", problems.size()) : ""));
  }
  fmt::print("all rows would be accepted: {} new, {} known already\n", answer["new"].get<Pulls>(),
             answer["already_known"].get<Pulls>());
}

void report(const StudyOptions& options, StudyRequests& requests) {
  if (!options.file) throw InputError("FILE: missing; give a CSV file with the columns decision and reward, or -");
  print_reported(options, requests.post(path_of(options) + "/outcomes", "text/csv", content_of(*options.file),
                                        StudyRequests::Key::none, options.dry_run));
}

/// Returns the number that an option has.
double number_in(std::string_view option, const std::string& text) {
  if (const auto number = parse_number(text); number && std::isfinite(*number)) return *number;
  throw InputError(fmt::format("{} {}: must be a finite number{}", option, text, number_hint(text)));
}

/// Returns whether the rows of a table have ids of their own. What is wrong with the table, the service says.
bool has_ids(const std::string& table) {
  try {
    std::istringstream text(table);
    const CsvReader csv("", text, "");
    return std::any_of(csv.names().begin(), csv.names().end(),
                       [](const std::string& name) { return lower_case(name) == "id"; });
  } catch (const InputError&) {
    return false;
  }
}

void observe(const StudyOptions& options, StudyRequests& requests) {
  if (options.file.has_value() == options.arm.has_value()) {
    throw InputError("give FILE, a CSV file with the columns arm, reward and perhaps id, or --arm and --reward");
  }
  const auto key = [](bool has_id) { return has_id ? StudyRequests::Key::none : StudyRequests::Key::sent; };
  const std::string path = path_of(options) + "/observations";
  if (options.file) {
    std::string table = content_of(*options.file);
    const bool with_ids = has_ids(table);
    if (with_ids && options.key) {
      throw InputError(fmt::format("--key: given beside the column id of {}; one of them is enough", *options.file));
    }
    return print_reported(options, requests.post(path, "text/csv", std::move(table), key(with_ids), options.dry_run));
  }
  if (!options.reward) throw InputError("--reward: missing; give the reward of the pull");
  if (options.observation && options.key) {
    throw InputError("--key: given beside --observation; one of them is enough");
  }
  Json body{{"arm", *options.arm}, {"reward", number_in("--reward", *options.reward)}};
  if (options.observation) body["id"] = *options.observation;
  print_reported(options, requests.post(path, "application/json", body.dump(), key(options.observation.has_value()),
                                        options.dry_run));
}

/// Returns the body of the request that changes the conditions of a study.
Json change_of(const StudyOptions& options) {
  constexpr std::string_view kNone = "none";
  Json body = Json::object();
  if (options.add_arms) body["add_arms"] = split_names(*options.add_arms);
  if (options.extend_budget) body["extend_budget"] = number_in("--extend-budget", *options.extend_budget);
  if (options.noise) body["noise"] = *options.noise;
  for (std::size_t i = 0; i < kConstraintFields.size(); ++i) {
    const auto& text = options.constraints.texts[i];
    if (text) body["constraints"][std::string(kConstraintFields[i].name)] = *text == kNone ? Json() : Json(*text);
  }
  if (options.mode) body["mode"] = *options.mode;
  return body;
}

void change(const StudyOptions& options, StudyRequests& requests) {
  const Json body = change_of(options);
  if (body.empty()) {
    throw InputError("nothing is changed; give --add-arms, --extend-budget, --noise, --mode or constraints");
  }
  const HttpResponse response = requests.post(path_of(options) + "/changes", body);
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} is changed\n", *options.name);
}

void correct(const StudyOptions& options, StudyRequests& requests) {
  const int named = (options.decision ? 1 : 0) + (options.observation ? 1 : 0) + (options.entry ? 1 : 0);
  if (named != 1) throw InputError("give one of --decision, --observation and --entry");
  if (!options.reason) throw InputError("--reason: missing; say why the first outcome was wrong");
  if (options.reward.has_value() == options.kind.has_value()) {
    throw InputError("give one of --reward, the right reward, and --kind");
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Json body = Json::object();
  if (options.decision) body["decision"] = parse_whole<std::int64_t>("--decision", *options.decision, 1, kMost);
  if (options.observation) body["observation"] = *options.observation;
  if (options.entry) body["observation"] = parse_whole<std::int64_t>("--entry", *options.entry, 1, kMost);
  if (options.kind) body["kind"] = *options.kind;
  if (options.reward) body["reward"] = number_in("--reward", *options.reward);
  body["reason"] = *options.reason;
  const HttpResponse response = requests.post(path_of(options) + "/corrections", body);
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} is corrected\n", *options.name);
}

void export_lines(const StudyOptions& options, StudyRequests& requests) {
  fmt::print("{}", requests.get(path_of(options) + "/export").body);
}

void audit(const StudyOptions& options, StudyRequests& requests) {
  const HttpResponse response = requests.get(path_of(options) + "/audit");
  const Json answer = Json::parse(response.body);
  if (options.json) {
    fmt::print("{}\n", response.body);
  } else {
    const auto differ = answer["decisions_differ"].get<Pulls>();
    fmt::print("{} events; the state {}; the decisions of {} {} would be made otherwise\n",
               answer["events"].get<Pulls>(), answer["state_agrees"].get<bool>() ? "agrees" : "does not agree", differ,
               differ == 1 ? "entry" : "entries");
  }
  if (!answer["state_agrees"].get<bool>()) {
    throw SystemError(fmt::format("study '{}': its log does not lead to its state", *options.name));
  }
}

struct Action {
  std::string_view name;
  void (*run)(const StudyOptions&, StudyRequests&);
};
constexpr std::array kActions{Action{"list", list},       Action{"create", create}, Action{"show", show},
                              Action{"decide", decide},   Action{"report", report}, Action{"observe", observe},
                              Action{"correct", correct}, Action{"change", change}, Action{"export", export_lines},
                              Action{"audit", audit}};

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
    OptionOfActions{"NAME", "create, show, decide, report, observe, correct, change, export, audit"},
    OptionOfActions{"FILE", "report, observe"},
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
    OptionOfActions{"--decision", "correct"},
    OptionOfActions{"--entry", "correct"},
    OptionOfActions{"--kind", "correct"},
    OptionOfActions{"--reason", "correct"},
    OptionOfActions{"--arm", "observe"},
    OptionOfActions{"--observation", "observe, correct"},
    OptionOfActions{"--reward", "observe, correct"},
    OptionOfActions{"--key", "decide, observe, correct, change"},
    OptionOfActions{"--dry-run", "report, observe"},
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
  for (const Action& action : kActions) {
    names.emplace_back(action.name);
    if (action.name != options.action) continue;
    check_options(parser, options.action);
    check_encoding(parser);
    if (!options.name && action.run != list) throw InputError("NAME: missing; give the name of the study");
    StudyRequests requests({.url = options.url,
                            .certificate_authority = options.certificate_authority,
                            .token = options.token,
                            .key = options.key});
    return action.run(options, requests);
  }
  const std::string nearest = did_you_mean(options.action, names);
  throw InputError(fmt::format(
      "action '{}' is unknown{}", options.action,
      nearest.empty() ? "; actions: list, create, show, decide, report, observe, correct, change, export, audit"
                      : nearest));
}

}  // namespace

Command add_study(CLI::App& app) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* parser = add_subcommand(
      app, "study", "Create, use and check the studies of a service, in scripts",
      "The service is started with 'longrun serve'. A request without an answer is sent again with the\n"
      "same key for 10 seconds, so each has one effect. A script that may itself be repeated gives keys\n"
      "of its own: the same --key returns the same decisions.\n\n"
      "Examples:\n"
      "  longrun study create lending --arms farms,shops --budget 300\n"
      "  longrun study decide lending --count 3 --key monday    prints numbers and arms\n"
      "  longrun study report lending outcomes.csv --dry-run    columns: decision, reward, kind\n"
      "  longrun study observe lending pulls.csv                columns: arm, reward, id\n"
      "  longrun study correct lending --decision 7 --reward 0.4 --reason 'typing error'\n"
      "  longrun study change lending --noise gaussian:0.2 --minimum-share shops:0.1\n"
      "  longrun study export lending > lending.jsonl");
  add_argument(*parser, "ACTION", options->action,
               "list, create, show, decide, report, observe, correct,\nchange, export or audit");
  add_optional_argument(*parser, "NAME", options->name, "name of the study");
  add_optional_argument(*parser, "FILE", options->file, "report, observe: CSV file; - is standard input");
  add_value(*parser, "--url", "URL", options->url, fmt::format("of the service ({})", StudyRequests::kDefaultUrl));
  add_value(*parser, "--token", "TOKEN", options->token,
            fmt::format("token of the service (the environment variable {})", StudyRequests::kTokenVariable));
  add_value(*parser, "--certificate-authority", "FILE", options->certificate_authority,
            "certificate, in PEM, of the authority that signed that of\nthe service (those of the system)");
  add_value(*parser, "--arms", "NAMES", options->arms, "create: names of the arms, separated by commas");
  add_value(*parser, "--budget", "N", options->budget, "create: number of pulls");
  add_value(*parser, "--noise", "NOISE", options->noise, "create, change: noise of rewards, or estimate (estimate)");
  add_value(*parser, "--policy", "POLICY", options->policy, "create: the policy that decides (foresight)");
  add_value(*parser, "--title", "TITLE", options->title, "create: title, any text");
  add_value(*parser, "--mode", "live|shadow", options->mode,
            "create: decide, or watch present practice (live);\nchange: live, so that a shadow decides from now on");
  add_value(*parser, "--scale", "MIN:MAX", options->rewards.scale, "create: mean rewards lie in [MIN, MAX] (0:1)");
  add_value(*parser, "--seed", "N", options->seed, "create: seed of randomized policies (0)");
  add_value(*parser, "--count", "N", options->count, "decide: number of decisions (1)");
  add_value(*parser, "--among", "NAMES", options->among, "decide: only between these arms");
  add_value(*parser, "--add-arms", "NAMES", options->add_arms, "change: names of new arms, separated by commas");
  add_value(*parser, "--extend-budget", "N", options->extend_budget, "change: units that the budget grows by");
  add_value(*parser, "--decision", "N", options->decision, "correct: number of the decision");
  add_value(*parser, "--arm", "NAME", options->arm, "observe: the arm of one pull that was not decided here");
  add_value(*parser, "--observation", "ID", options->observation,
            "observe: id of the pull, which is recorded once;\ncorrect: id of the observation");
  add_value(*parser, "--entry", "N", options->entry, "correct: number of the entry of an observation without id");
  add_value(*parser, "--reward", "REWARD", options->reward,
            "observe: the reward of the pull; correct: the right reward");
  add_value(*parser, "--kind", "lost|void", options->kind, "correct: the right outcome, if it is not a reward");
  add_value(*parser, "--reason", "REASON", options->reason, "correct: why the first outcome was wrong");
  add_value(*parser, "--key", "KEY", options->key, "decide, observe, correct, change: key of the request (random)");
  add_flag(*parser, "--dry-run", options->dry_run,
           "report, observe: list the lines that would be refused,\nrecord nothing");
  add_flag(*parser, "--json", options->json, "print the answer of the service");
  options->constraints.add_to(*parser);
  return {parser, [options, parser] { run_action(*options, *parser); }};
}

}  // namespace longrun
