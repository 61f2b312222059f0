#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigtimedwait() is POSIX

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/service/dispatcher.h"
#include "longrun/service/http_server.h"
#include "longrun/service/postgres_store.h"
#include "longrun/service/sqlite_store.h"
#include "longrun/service/study_service.h"
#include "longrun/service/tokens.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

constexpr int kDefaultPort = 8042;
constexpr std::size_t kLargestImport = std::size_t{256} * 1024 * 1024;  // bytes; about a million decisions
constexpr std::chrono::milliseconds kPollTime{500};

struct ServeOptions {
  std::optional<std::string> data;
  std::optional<std::string> database;
  std::optional<std::string> address;
  std::optional<std::string> port;
  std::optional<std::string> certificate;
  std::optional<std::string> key;
  std::optional<std::string> tokens;
  std::vector<std::string> origins;
  std::optional<std::string> log;
  std::optional<std::string> threads;
};

std::int64_t milliseconds_now() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

std::vector<std::string> origins_in(const ServeOptions& options) {
  std::vector<std::string> origins;
  for (const std::string& text : options.origins) {
    try {
      origins.push_back(checked_origin(text));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--origin: {}", error.what()));
    }
  }
  return origins;
}

/// The log: one line of JSON per answered request and per failure.
class ServiceLog {
 public:
  explicit ServiceLog(const std::optional<std::string>& path) {
    if (!path) return;
    if (*path == "-") {
      stream_ = &std::cerr;
      return;
    }
    file_.open(*path, std::ios::app);
    if (!file_) throw InputError(fmt::format("--log {}: cannot be written", *path));
    stream_ = &file_;
  }
  void add(const AnsweredRequest& request) {
    nlohmann::ordered_json line{
        {"at", utc_text(milliseconds_now())},
        {"method", request.method},
        {"path", request.path},
        {"status", request.status},
        {"ms", static_cast<double>(static_cast<std::int64_t>(1000 * request.milliseconds)) / 1000}};
    if (!request.study.empty()) line["study"] = request.study;
    if (request.seq >= 0) line["seq"] = request.seq;
    write(line);
  }
  void add_failure(const std::string& message) {
    write({{"at", utc_text(milliseconds_now())}, {"failure", message}});
    if (stream_ != &std::cerr) say("longrun serve: " + message);
  }

 private:
  void write(const nlohmann::ordered_json& line) {
    if (stream_ == nullptr) return;
    const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(mutex_);
    *stream_ << text << std::flush;
  }

  std::mutex mutex_;  // protects what is written to stream_
  std::ofstream file_;
  std::ostream* stream_ = nullptr;  // nullptr: no log
};

/// Calls a function at the first signal to end (Ctrl-C, or that of a service manager), and ends the process at the
/// second. No other thread may take these signals, so this is made before all others.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// Waits for signals in a thread of its own, and calls `at_first` at the first one.
  void start(std::function<void()> at_first) {
    at_first_ = std::move(at_first);
    thread_ = std::thread([this] { wait(); });
  }
  /// Does not call the function any more; if it is being called, waits until it has returned.
  void forget() {
    const std::lock_guard lock(calling_);
    at_first_ = nullptr;
  }

 private:
  void wait() {
    constexpr timespec kLongestWait{.tv_sec = 0, .tv_nsec = 50'000'000};  // then looks whether to end
    bool is_first = true;
    while (!ends_) {
      const int signal = sigtimedwait(&signals_, nullptr, &kLongestWait);
      if (signal <= 0) continue;
      if (!std::exchange(is_first, false)) std::_Exit(128 + signal);  // as a shell reports it
      const std::lock_guard lock(calling_);
      if (at_first_) at_first_();
    }
  }

  sigset_t signals_{};
  std::mutex calling_;  // protects at_first_
  std::function<void()> at_first_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// Asks a shared database, now and then, what other processes have changed, until it is destroyed.
class Polling {
 public:
  explicit Polling(Dispatcher& dispatcher)
      : thread_([this, &dispatcher] {
          while (!ends_) {
            std::this_thread::sleep_for(kPollTime);
            dispatcher.poll_streams();
          }
        }) {}
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;
  ~Polling() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

std::unique_ptr<StudyStore> opened_store(const ServeOptions& options, const std::string& data) {
  if (options.database) return std::make_unique<PostgresStore>(*options.database);
  return std::make_unique<SqliteStore>(data);
}

HttpOptions http_options(const ServeOptions& options) {
  HttpOptions http;
  http.address = options.address.value_or("127.0.0.1");
  if (http.address == "localhost") http.address = "127.0.0.1";
  if (options.certificate.has_value() != options.key.has_value()) {
    throw InputError("--certificate and --key: one of them is missing");
  }
  http.limits.large_body_path = "/v1/studies/import";  // an export is restored by one request
  http.limits.large_body_bytes = kLargestImport;
  http.certificate_file = options.certificate.value_or("");
  http.key_file = options.key.value_or("");
  http.port = options.port ? parse_whole<std::uint16_t>("--port", *options.port, 0, 65535) : kDefaultPort;
  if (options.threads) http.threads = parse_whole<int>("--threads", *options.threads, 1, 64);
  return http;
}

void serve(const ServeOptions& options) {
  if (options.data && options.database) throw InputError("--data and --database: only one of them can be given");
  HttpOptions http = http_options(options);
  const std::string data = options.data.value_or("longrun-data");
  TokenFile tokens(options.tokens.value_or(data + "/tokens.jsonl"), origins_in(options));
  const bool needs_token = !is_loopback(http.address);
  const bool has_tokens = !tokens.tokens().empty();  // a file that cannot be read ends the start
  if (needs_token && !has_tokens) {
    throw InputError(fmt::format(
        "--address {}: other machines could change every study; create a token first (longrun token)", http.address));
  }
  EndSignals signals;  // ends after the dispatcher, for whose answers the process may wait
  ServiceLog log(options.log);
  const std::string place = options.database ? "the database" : data;
  const std::unique_ptr<StudyStore> store = opened_store(options, data);
  StudyService service(*store, milliseconds_now);
  Dispatcher dispatcher(service, {.computing_threads = 2,
                                  .authorize = [&](const HttpRequest& request) { tokens.check(request, needs_token); },
                                  .on_answer = [&](const AnsweredRequest& request) { log.add(request); },
                                  .on_failure = [&](const std::string& message) { log.add_failure(message); }});
  http.log = [&](const std::string& line) { log.add_failure(line); };
  HttpServer server(http, dispatcher);
  fmt::print("longrun serves the studies in {}. Ctrl-C ends it.\nOpen {}://{}:{}/\n", place,
             options.certificate ? "https" : "http",
             http.address.find(':') == std::string::npos ? http.address : fmt::format("[{}]", http.address),
             server.port());
  std::fflush(stdout);
  std::optional<Polling> polling;
  if (options.database) polling.emplace(dispatcher);
  signals.start([&] {
    const auto longest = std::chrono::duration_cast<std::chrono::seconds>(http.limits.response_time).count();
    say(
        fmt::format("stopping; waits, for at most {} s, until what has arrived on {} connections is answered. A second "
                    "signal ends it at once.",
                    longest, server.connections()));
    server.stop();
  });
  // The server ends while the thread of the signals may still be in server.stop().
  struct Forget {
    EndSignals& signals;
    ~Forget() { signals.forget(); }
  } const forget{signals};
  server.run();
  fmt::print("Stopped. Everything that was answered is in {}.\n", place);
}

}  // namespace

Command add_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* parser = add_subcommand(
      app, "serve", "Answer requests for decisions over HTTP, and show a page",
      "Studies are kept in a folder or a PostgreSQL database: every decision and outcome is stored before\n"
      "it is answered. Only programs of this machine can connect, unless --address names another address,\n"
      "which needs a token. docs/service.md explains requests and operation.\n\n"
      "Example:\n  longrun serve --data lending");
  add_value(*parser, "--data", "DIR", options->data,
            "folder of the studies, created if missing\n(default: longrun-data)");
  add_value(*parser, "--database", "URL", options->database,
            "PostgreSQL database instead of a folder, for one server or\n"
            "several: postgresql://user@host/name");
  add_value(*parser, "--port", "N", options->port,
            fmt::format("port to listen on; 0 takes a free one (default: {})", kDefaultPort));
  add_value(*parser, "--address", "ADDRESS", options->address,
            "IP address to listen on, or localhost\n(default: 127.0.0.1)");
  add_value(*parser, "--certificate", "FILE", options->certificate, "certificate, in PEM: serve HTTPS");
  add_value(*parser, "--key", "FILE", options->key, "key of the certificate, in PEM");
  add_value(*parser, "--tokens", "FILE", options->tokens,
            "file of tokens, see 'longrun token'\n(default: DIR/tokens.jsonl)");
  add_repeated_value(*parser, "--origin", "ORIGIN", options->origins,
                     "address of the page behind a proxy, such as\nhttps://decisions.example.org; can be repeated");
  add_value(*parser, "--log", "FILE", options->log, "add one line of JSON per request to FILE; - is standard error");
  add_value(*parser, "--threads", "N", options->threads, "number of threads that serve connections (default: 1)");
  return {parser, [options] { serve(*options); }};
}

}  // namespace longrun
