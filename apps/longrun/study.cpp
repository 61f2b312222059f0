#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/quoted_list.h"
#include "longrun/base/system_error.h"
#include "longrun/service/http_client.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefaultUrl = "http://127.0.0.1:8042";
constexpr std::chrono::seconds kTimeout{30};
constexpr std::chrono::seconds kComputingTimeout{300};  // of exports and audits
constexpr std::chrono::seconds kPatience{10};           // a server may restart meanwhile

struct StudyOptions {
  std::string action;
  std::optional<std::string> name;
  std::optional<std::string> file;
  std::optional<std::string> url;
  std::optional<std::string> key;
  std::optional<std::string> arms;
  std::optional<std::string> budget;
  std::optional<std::string> noise;
  std::optional<std::string> policy;
  std::optional<std::string> title;
  std::optional<std::string> mode;
  std::optional<std::string> count;
  std::optional<std::string> among;
  bool dry_run = false;
  bool json = false;
};

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
      : client_(options.url.value_or(kDefaultUrl)), key_(options.key.value_or(random_key())) {}

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
    return send(request);
  }

 private:
  HttpResponse send(const HttpRequest& request) {
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
    throw InputError(detail);
  }

  BlockingHttpClient client_;
  std::string key_;  // of the request that changes something
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

void create(const StudyOptions& options, StudyRequests& requests) {
  if (!options.arms) throw InputError("--arms: missing; list the names, separated by commas");
  if (!options.budget) throw InputError("--budget: missing; give the number of pulls");
  Json body{{"name", *options.name},
            {"arms", split_names(*options.arms)},
            {"budget", parse_whole<Pulls>("--budget", *options.budget, 1, kLongestHorizon)}};
  if (options.noise) body["noise"] = *options.noise;
  if (options.policy) body["policy"] = *options.policy;
  if (options.title) body["title"] = *options.title;
  if (options.mode) body["mode"] = *options.mode;
  const HttpResponse response = requests.post("/v1/studies", body);
  if (options.json) return fmt::print("{}\n", response.body);
  fmt::print("{} {}\n", *options.name, is_replayed(response) ? "exists already, with these settings" : "is created");
}

void show(const StudyOptions& options, StudyRequests& requests) {
  const HttpResponse response = requests.get(path_of(options));
  if (options.json) return fmt::print("{}\n", response.body);
  const Json state = Json::parse(response.body);
  fmt::print("{}: {} of {} units spent, {} pending{}\n", *options.name, state["spent"].get<Pulls>(),
             state["budget"].get<Pulls>(), state["pending"].get<Pulls>(),
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
  add_value(*parser, "--arms", "NAMES", options->arms, "create: names of the arms, separated by commas");
  add_value(*parser, "--budget", "N", options->budget, "create: number of pulls");
  add_value(*parser, "--noise", "NOISE", options->noise, "create: noise of rewards (estimated)");
  add_value(*parser, "--policy", "POLICY", options->policy, "create: the policy that decides (foresight)");
  add_value(*parser, "--title", "TITLE", options->title, "create: title, any text");
  add_value(*parser, "--mode", "live|shadow", options->mode, "create: decide, or watch present practice (live)");
  add_value(*parser, "--count", "N", options->count, "decide: number of decisions (1)");
  add_value(*parser, "--among", "NAMES", options->among, "decide: only between these arms");
  add_value(*parser, "--key", "KEY", options->key, "decide: key of the request (random)");
  add_flag(*parser, "--dry-run", options->dry_run, "report: list the rows that would be refused, record nothing");
  add_flag(*parser, "--json", options->json, "print the answer of the service");
  return {parser, [options] { run_action(*options); }};
}

}  // namespace longrun
