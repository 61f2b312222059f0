#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/longrun/question_options.h"
#include "longrun/base/decimal.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/quoted_list.h"
#include "longrun/base/system_error.h"
#include "longrun/service/http_client.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefaultUrl = "http://127.0.0.1:8042";
constexpr const char* kTokenVariable = "LONGRUN_TOKEN";
constexpr std::chrono::seconds kTimeout{30};            // without a byte of the answer
constexpr std::chrono::seconds kComputingTimeout{300};  // of exports and audits
constexpr std::chrono::seconds kPatience{10};           // a server may restart meanwhile

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
  bool dry_run = false;
  bool json = false;
};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string random_key() {
  std::random_device chance;
  std::string key;
  for (int i = 0; i < 4; ++i) key += fmt::format("{:08x}", chance());
  return key;
}

/// Sends the requests of one command, and turns refusals into errors.
class StudyRequests {
 public:
  explicit StudyRequests(const StudyOptions& options)
      : client_(options.url.value_or(kDefaultUrl), options.certificate_authority.value_or("")),
        token_(options.token.value_or(environment(kTokenVariable))),
        key_(options.key.value_or(random_key())) {
    if (token_.find_first_of(" \t\r\n") != std::string::npos) {
      throw InputError("--token: has a space or a line break; give the token as 'longrun token create' printed it");
    }
  }

  HttpResponse get(const std::string& path) { return send({.method = "GET", .path = path}); }
  HttpResponse post(const std::string& path, const Json& body) {
    return send({.method = "POST",
                 .path = path,
                 .headers = {{"content-type", "application/json"}, {"idempotency-key", key_}},
                 .body = body.dump()});
  }
  HttpResponse post_file(const std::string& path, const std::string& type, std::string body, bool dry_run) {
    HttpRequest request{.method = "POST", .path = path, .headers = {{"content-type", type}}, .body = std::move(body)};
    if (dry_run) request.query.emplace_back("dry_run", "true");
    return send(std::move(request));
  }

 private:
  HttpResponse send(HttpRequest request) {
    if (!token_.empty()) request.headers.emplace_back("authorization", "Bearer " + token_);
    HttpResponse response;
    try {
      const bool computes = request.path.ends_with("/export") || request.path.ends_with("/audit");
      response = client_.send_until_answered(request, computes ? kComputingTimeout : kTimeout, kPatience);
    } catch (const SystemError& error) {
      const bool has_key = request.header("idempotency-key") != nullptr;
      throw SystemError(fmt::format(
          "{}{}", error.what(),
          has_key ? fmt::format("; repeat the command with --key {}", key_) : "; is 'longrun serve' running there?"));
    }
    if (response.status < 300) return response;
    const Json problem = Json::parse(response.body, nullptr, false);
    if (!problem.is_object() || !problem.contains("detail")) {
      throw InputError(fmt::format("--url {}: no longrun service (status {})", client_.url(), response.status));
    }
    const std::string detail = problem["detail"].get<std::string>();
    if (response.status >= 500) throw SystemError(fmt::format("{}: {}", client_.url(), detail));
    if (response.status == 401) throw InputError(fmt::format("{} (--token, or {})", detail, kTokenVariable));
    throw InputError(detail);
  }

  BlockingHttpClient client_;
  std::string token_;  // empty: none
  std::string key_;    // of the request that changes something
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

/// Returns the budget in units of so many decimals.
Pulls budget_in(const StudyOptions& options, int decimals) {
  if (decimals == 0) return parse_whole<Pulls>("--budget", *options.budget, 1, kLongestHorizon);
  const auto units = parse_decimal(*options.budget, decimals);
  if (units && *units >= 1 && *units <= kLongestHorizon) return *units;
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
  const int decimals = state.value("unit_decimals", 0);
  const auto units = [&](const char* field) { return decimal_text(state[field].get<Pulls>(), decimals); };
  fmt::print("{}: {} of {} units spent, {} pending{}\n", *options.name, units("spent"), units("budget"),
             state["pending"].get<Pulls>(), state["closed"].get<bool>() ? ", closed" : "");
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

void report(const StudyOptions& options, StudyRequests& requests) {
  if (!options.file) throw InputError("FILE: missing; give a CSV file with the columns decision and reward, or -");
  const HttpResponse response =
      requests.post_file(path_of(options) + "/outcomes", "text/csv", content_of(*options.file), options.dry_run);
  if (options.json) return fmt::print("{}\n", response.body);
  const Json answer = Json::parse(response.body);
  if (!options.dry_run) {
    return fmt::print("{} recorded, {} known already\n", answer["recorded"].get<Pulls>(),
                      answer["already_known"].get<Pulls>());
  }
  const Json& problems = answer["problems"];
  for (const Json& problem : problems) {
    fmt::print("row {}: {}\n", problem["row"].get<Pulls>(), on_one_line(problem["detail"]));
  }
  if (!problems.empty()) throw InputError(fmt::format("{}: {} rows would be refused", *options.file, problems.size()));
  fmt::print("all rows would be accepted\n");
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
    fmt::print("{} events; the state {}; {} decisions would be made otherwise\n", answer["events"].get<Pulls>(),
               answer["state_agrees"].get<bool>() ? "agrees" : "does not agree",
               answer["decisions_differ"].get<Pulls>());
  }
  if (!answer["state_agrees"].get<bool>()) {
    throw SystemError(fmt::format("study '{}': its log does not lead to its state", *options.name));
  }
}

struct Action {
  std::string_view name;
  void (*run)(const StudyOptions&, StudyRequests&);
};
constexpr std::array kActions{Action{"list", list},     Action{"create", create}, Action{"show", show},
                              Action{"decide", decide}, Action{"report", report}, Action{"export", export_lines},
                              Action{"audit", audit}};

void run_action(const StudyOptions& options) {
  std::vector<std::string> names;
  for (const Action& action : kActions) {
    names.emplace_back(action.name);
    if (action.name != options.action) continue;
    if (!options.name && action.run != list) throw InputError("NAME: missing; give the name of the study");
    StudyRequests requests(options);
    return action.run(options, requests);
  }
  const std::string nearest = did_you_mean(options.action, names);
  throw InputError(
      fmt::format("action '{}' is unknown{}", options.action,
                  nearest.empty() ? "; actions: list, create, show, decide, report, export, audit" : nearest));
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
      "  longrun study export lending > lending.jsonl");
  add_argument(*parser, "ACTION", options->action, "list, create, show, decide, report, export or audit");
  add_optional_argument(*parser, "NAME", options->name, "name of the study");
  add_optional_argument(*parser, "FILE", options->file, "report: CSV file; - is standard input");
  add_value(*parser, "--url", "URL", options->url, fmt::format("of the service ({})", kDefaultUrl));
  add_value(*parser, "--token", "TOKEN", options->token,
            fmt::format("token of the service (the environment variable {})", kTokenVariable));
  add_value(*parser, "--certificate-authority", "FILE", options->certificate_authority,
            "certificate, in PEM, of the authority that signed that of\nthe service (those of the system)");
  add_value(*parser, "--arms", "NAMES", options->arms, "create: names of the arms, separated by commas");
  add_value(*parser, "--budget", "N", options->budget, "create: number of pulls");
  add_value(*parser, "--noise", "NOISE", options->noise, "create: noise of rewards (estimated)");
  add_value(*parser, "--policy", "POLICY", options->policy, "create: the policy that decides (foresight)");
  add_value(*parser, "--title", "TITLE", options->title, "create: title, any text");
  add_value(*parser, "--mode", "live|shadow", options->mode, "create: decide, or watch present practice (live)");
  add_value(*parser, "--scale", "MIN:MAX", options->rewards.scale, "create: mean rewards lie in [MIN, MAX] (0:1)");
  add_value(*parser, "--seed", "N", options->seed, "create: seed of randomized policies (0)");
  add_value(*parser, "--count", "N", options->count, "decide: number of decisions (1)");
  add_value(*parser, "--among", "NAMES", options->among, "decide: only between these arms");
  add_value(*parser, "--key", "KEY", options->key, "decide: key of the request (random)");
  add_flag(*parser, "--dry-run", options->dry_run, "report: list the rows that would be refused, record nothing");
  add_flag(*parser, "--json", options->json, "print the answer of the service");
  options->constraints.add_to(*parser);
  return {parser, [options] { run_action(*options); }};
}

}  // namespace longrun
