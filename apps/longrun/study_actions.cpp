#include "apps/longrun/study_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/decimal.h"
#include "longrun/base/field_error.h"
#include "longrun/base/input_error.h"
#include "longrun/base/quoted_list.h"
#include "longrun/base/system_error.h"
#include "longrun/base/text.h"
#include "longrun/data/csv.h"
#include "longrun/service/request_error.h"

namespace longrun {
namespace {

using Json = StudyRequests::Json;

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
  if (std::filesystem::is_directory(path)) throw InputError(fmt::format("{}: is a folder; give a file", path));
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

/// Returns how many decimals units have: as many as are given, else as many as the constraints need, and the budget
/// beside them. Throws InputError if the constraints need more than are given.
int unit_decimals_in(const StudyOptions& options) {
  const int needed = options.constraints.unit_decimals();
  if (!options.unit_decimals)
    return needed == 0 ? 0 : std::max(needed, std::min(decimals_of(*options.budget), kMostDecimals));
  const int given = parse_whole<int>("--unit-decimals", *options.unit_decimals, 0, kMostDecimals);
  if (given >= needed) return given;
  throw InputError(fmt::format("--unit-decimals {}: the constraints have units with {} decimal{}; give at least {}",
                               given, needed, needed == 1 ? "" : "s", needed));
}

/// Returns the body of the request that creates a study.
Json creation_of(const StudyOptions& options) {
  if (!options.arms) throw InputError("--arms: missing; list the names, separated by commas");
  if (!options.budget) throw InputError("--budget: missing; give the number of pulls");
  const std::vector<std::string> arms = split_names(*options.arms);
  const int decimals = unit_decimals_in(options);
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
  // Without a key: the name of the study identifies the request.
  const HttpResponse response =
      requests.post("/v1/studies", "application/json", creation_of(options).dump(), StudyRequests::Key::none, false);
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} {}\n", *options.name,
             StudyRequests::is_replayed(response) ? "exists already, with these settings" : "is created");
  if (const std::vector<std::string> arms = split_names(*options.arms); arms.size() == 1) {
    say(fmt::format("the study has one arm, '{}'; names of arms are separated by commas", arms[0]));
  }
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
  const Json answer = Json::parse(response.body);
  const auto made = std::ssize(answer["decisions"]);
  const auto asked = body.value("count", Pulls{1});
  if (made == 0) {
    // Only a round can be empty; what cannot be decided otherwise is refused.
    say(
        fmt::format("round {} has no decision: units are saved for a later round, or no arm is available in it; decide "
                    "again for the next round",
                    answer["round"].get<Pulls>()));
  } else if (made < asked) {
    say(fmt::format("{} of {} decisions; no more can be made now", made, asked));
  }
  if (options.json) return fmt::print("{}\n", response.body);
  for (const Json& decision : answer["decisions"]) {
    fmt::print("{}\t{}\n", decision["id"].get<Pulls>(), on_one_line(decision["arm"]));
  }
}

/// Prints what became of the rows of a report.
void print_reported(const StudyOptions& options, const HttpResponse& response) {
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  if (!options.dry_run) {
    const auto recorded = answer["recorded"].get<Pulls>();
    const auto known = answer["already_known"].get<Pulls>();
    const bool is_known = StudyRequests::is_replayed(response);  // answered as the first time
    fmt::print("{} recorded, {} known already\n", is_known ? 0 : recorded, is_known ? recorded + known : known);
    return;
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

/// Calls a function that sends a file; what the service says of the body is said of the file.
template <class Send>
HttpResponse sent_file(const std::string& file, Send send) {
  try {
    return send();
  } catch (const FieldError& error) {
    const auto file_or_field = [&](const std::string& field) { return field == kWholeBody ? file : field; };
    throw InputError(error.named(file_or_field));
  }
}

/// Returns the number that an option has.
double number_in(std::string_view option, const std::string& text) {
  if (const auto number = parse_number(text); number && std::isfinite(*number)) return *number;
  throw InputError(fmt::format("{} {}: must be a finite number{}", option, text, number_hint(text)));
}

/// Adds the pull in place of a void decision to a request.
void add_instead(const StudyOptions& options, Json& body) {
  if (options.kind.value_or("void") != "void") throw InputError("--kind: the decision is void if --instead is given");
  body["kind"] = "void";
  body["instead"] = {{"arm", *options.instead}};
  if (options.reward) body["instead"]["reward"] = number_in("--reward", *options.reward);
}

/// Prints the number of that pull, by which its outcome is reported or corrected, and its arm.
void print_instead(const StudyOptions& options, const Json& answer) {
  fmt::print("{}\t{}\n", answer["decision"].get<Pulls>(), on_one_line(Json(*options.instead)));
}

/// Reports the outcome of one decision: a reward, a kind without one, or what was pulled in its place.
void report_one(const StudyOptions& options, StudyRequests& requests) {
  if (options.dry_run) throw InputError("--dry-run: is for FILE");
  const auto decision =
      parse_whole<std::int64_t>("--decision", *options.decision, 1, std::numeric_limits<std::int64_t>::max());
  Json body = Json::object();
  if (options.instead) {
    add_instead(options, body);
  } else if (options.reward.has_value() == options.kind.has_value()) {
    throw InputError("give one of --reward, --kind and --instead");
  } else if (options.reward) {
    body["reward"] = number_in("--reward", *options.reward);
  } else {
    body["kind"] = *options.kind;
  }
  const HttpResponse response = requests.put(fmt::format("{}/decisions/{}/outcome", path_of(options), decision), body);
  if (options.json) return fmt::print("{}\n", response.body);
  const bool is_known = StudyRequests::is_replayed(response);
  fmt::print("{} recorded, {} known already\n", is_known ? 0 : 1, is_known ? 1 : 0);
  if (options.instead) print_instead(options, Json::parse(response.body));
}

void report(const StudyOptions& options, StudyRequests& requests) {
  if (options.file && options.decision)
    throw InputError("--decision: given together with FILE, which names the decisions");
  if (!options.file && !options.decision) {
    throw InputError(
        "FILE: missing; give a CSV file with the columns decision and reward, or -; or --decision and its outcome");
  }
  if (options.decision) return report_one(options, requests);
  for (const auto& [name, option] :
       {std::pair{"--reward", &options.reward}, {"--kind", &options.kind}, {"--instead", &options.instead}}) {
    if (*option) throw InputError(fmt::format("{}: given together with FILE, which has a column for it", name));
  }
  const HttpResponse response = sent_file(*options.file, [&] {
    return requests.post(path_of(options) + "/outcomes", "text/csv", content_of(*options.file),
                         StudyRequests::Key::none, options.dry_run);
  });
  print_reported(options, response);
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
    if (options.reward) throw InputError("--reward: given together with FILE, which has a column of rewards");
    if (options.observation)
      throw InputError("--observation: given together with FILE; give the ids in a column id of the file");
    std::string table = content_of(*options.file);
    const bool with_ids = has_ids(table);
    if (with_ids && options.key) {
      throw InputError(fmt::format("--key: given together with the column id of {}; give one of them", *options.file));
    }
    const HttpResponse response = sent_file(*options.file, [&] {
      return requests.post(path, "text/csv", std::move(table), key(with_ids), options.dry_run);
    });
    print_reported(options, response);
    if (with_ids || options.key) return;
    return say(fmt::format("{} has no column id: whenever it is sent, its pulls are recorded again", *options.file));
  }
  if (!options.reward) throw InputError("--reward: missing; give the reward of the pull");
  if (options.observation && options.key) {
    throw InputError("--key: given together with --observation; give one of them");
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
  if (options.unavailable_now) {
    body["unavailable"] =
        *options.unavailable_now == kNone ? Json::array() : Json(split_names(*options.unavailable_now));
  }
  if (options.mode) body["mode"] = *options.mode;
  return body;
}

void change(const StudyOptions& options, StudyRequests& requests) {
  const Json body = change_of(options);
  if (body.empty()) {
    throw InputError(
        "nothing is changed; give --add-arms, --extend-budget, --noise, --unavailable-now, --mode or constraints");
  }
  const HttpResponse response = requests.post(path_of(options) + "/changes", body);
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} is changed\n", *options.name);
}

void correct(const StudyOptions& options, StudyRequests& requests) {
  const int named = (options.decision ? 1 : 0) + (options.observation ? 1 : 0) + (options.entry ? 1 : 0);
  if (named != 1) throw InputError("give one of --decision, --observation and --entry");
  if (!options.reason) throw InputError("--reason: missing; say why the first outcome was wrong");
  if (options.instead && !options.decision) throw InputError("--instead: is for --decision");
  if (!options.instead && options.reward.has_value() == options.kind.has_value()) {
    throw InputError("give one of --reward, the right reward, --kind and --instead");
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Json body = Json::object();
  if (options.decision) body["decision"] = parse_whole<std::int64_t>("--decision", *options.decision, 1, kMost);
  if (options.observation) body["observation"] = *options.observation;
  if (options.entry) body["observation"] = parse_whole<std::int64_t>("--entry", *options.entry, 1, kMost);
  if (options.instead) {
    add_instead(options, body);
  } else if (options.kind) {
    body["kind"] = *options.kind;
  } else {
    body["reward"] = number_in("--reward", *options.reward);
  }
  body["reason"] = *options.reason;
  const HttpResponse response = requests.post(path_of(options) + "/corrections", body);
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  std::string also;
  for (const auto& [field, verb] : {std::pair{"voided", "is"}, {"still_void", "stays"}}) {
    if (answer.contains(field)) {
      const char* const which = options.instead ? "" : ", which was pulled instead,";
      also = fmt::format("; decision {}{} {} void", answer[field].dump(), which, verb);
    }
  }
  fmt::print("{} is corrected{}\n", *options.name, also);
  if (options.instead) print_instead(options, answer);
}

void close(const StudyOptions& options, StudyRequests& requests) {
  const HttpResponse response = requests.post(path_of(options) + "/close", Json::object());
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} is closed\n", *options.name);
}

void export_lines(const StudyOptions& options, StudyRequests& requests) {
  fmt::print("{}", requests.get(path_of(options) + "/export").body);
}

void import_lines(const StudyOptions& options, StudyRequests& requests) {
  if (!options.file) throw InputError("FILE: missing; give a log that 'longrun study export' has written, or -");
  const HttpResponse response = sent_file(
      *options.file, [&] { return requests.import(*options.name, content_of(*options.file), options.dry_run); });
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  for (const Json& caution : answer.value("cautions", Json::array())) say(caution.get<std::string>());
  if (!options.dry_run) {
    return fmt::print("{} {}\n", *options.name,
                      StudyRequests::is_replayed(response) ? "exists already, with this log" : "is imported");
  }
  const bool is_known = answer["new"].get<Pulls>() == 0;
  fmt::print("{} {}\n", *options.name, is_known ? "exists already, with this log" : "would be imported");
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

}  // namespace

std::span<const StudyAction> study_actions() {
  static constexpr std::array kActions{
      StudyAction{"list", list},
      StudyAction{"create", create,
                  "NAME --arms --budget --policy --title --scale --seed --noise --mode --unit-decimals CONSTRAINTS"},
      StudyAction{"show", show, "NAME"},
      StudyAction{"decide", decide, "NAME --count --among --key"},
      StudyAction{"report", report, "NAME FILE --dry-run --decision --reward --kind --instead"},
      StudyAction{"observe", observe, "NAME FILE --arm --observation --reward --key --dry-run"},
      StudyAction{"correct", correct, "NAME --decision --entry --kind --instead --reason --observation --reward --key"},
      StudyAction{"change", change,
                  "NAME --add-arms --extend-budget --unavailable-now --noise --mode --key CONSTRAINTS"},
      StudyAction{"close", close, "NAME --key"},
      StudyAction{"export", export_lines, "NAME"},
      StudyAction{"import", import_lines, "NAME FILE --dry-run"},
      StudyAction{"audit", audit, "NAME"}};
  return kActions;
}

}  // namespace longrun
