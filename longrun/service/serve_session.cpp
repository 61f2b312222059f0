#include "longrun/service/serve_session.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/service/dispatcher.h"
#include "longrun/service/internal/end_signals.h"
#include "longrun/service/internal/service_log.h"
#include "longrun/service/postgres_store.h"
#include "longrun/service/route.h"
#include "longrun/service/sqlite_store.h"
#include "longrun/service/study_service.h"
#include "longrun/service/tokens.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

constexpr std::size_t kLargestImport = std::size_t{256} * 1024 * 1024;  // bytes; about a million decisions
constexpr std::chrono::milliseconds kPollTime{500};
constexpr int kComputingThreads = 2;

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

/// Returns an address of this machine that a browser can open.
std::string address_to_open(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  return address == "::" ? "::1" : address;
}

/// Asks a shared database periodically what other processes have changed, until it is destroyed.
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

/// Throws InputError if other machines could do everything.
std::unique_ptr<StudyStore> opened_store(const ServeSessionOptions& options, const TokenFile& tokens) {
  const bool has_tokens = !tokens.tokens().empty();  // a file that cannot be read ends the start
  if (!has_tokens && !is_loopback(options.http.address)) {
    throw InputError(fmt::format(
        "address {}: other machines could change every study; create a token first, or use a loopback address",
        options.http.address));
  }
  if (!options.database.empty()) return std::make_unique<PostgresStore>(options.database);
  return std::make_unique<SqliteStore>(options.folder);
}

}  // namespace

struct ServeSession::Parts {
  explicit Parts(ServeSessionOptions its_options)
      : options(std::move(its_options)),
        tokens(options.tokens_file, options.origins),
        store(opened_store(options, tokens)),
        log(options.log_file, options.on_message),
        service(*store, milliseconds_now),
        dispatcher(service, dispatcher_options()),
        server(http_options(), dispatcher) {}

  Dispatcher::Options dispatcher_options() {
    const bool needs_token = !is_loopback(options.http.address);
    return {.computing_threads = kComputingThreads,
            .authorize = [this, needs_token](const HttpRequest& request) { tokens.check(request, needs_token); },
            .on_answer = [this](const AnsweredRequest& request) { log.add(request); },
            .on_failure = [this](const std::string& message) { log.add_failure(message); }};
  }
  const HttpOptions& http_options() {
    HttpOptions& http = options.http;
    http.limits.large_body_path = kImportPath;  // an export is restored by one request
    http.limits.large_body_bytes = kLargestImport;
    http.log = [this](const std::string& line) { log.add_failure(line); };
    return http;
  }

  ServeSessionOptions options;
  EndSignals signals;  // ends after the dispatcher, for whose answers the process may wait
  TokenFile tokens;
  std::unique_ptr<StudyStore> store;
  ServiceLog log;
  StudyService service;
  Dispatcher dispatcher;
  HttpServer server;
};

ServeSession::ServeSession(ServeSessionOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

ServeSession::~ServeSession() = default;

std::string ServeSession::url() const {
  const HttpOptions& http = parts_->options.http;
  const std::string address = address_to_open(http.address);
  return fmt::format("{}://{}:{}/", http.certificate_file.empty() ? "http" : "https",
                     address.find(':') == std::string::npos ? address : fmt::format("[{}]", address),
                     parts_->server.port());
}

bool ServeSession::is_on_every_address() const {
  const std::string& address = parts_->options.http.address;
  return address_to_open(address) != address;
}

void ServeSession::run() {
  Parts& parts = *parts_;
  std::optional<Polling> polling;
  if (parts.store->is_shared()) polling.emplace(parts.dispatcher);
  parts.signals.start([&parts] {
    const auto longest =
        std::chrono::duration_cast<std::chrono::seconds>(parts.options.http.limits.response_time).count();
    parts.log.say(
        fmt::format("stopping; waits, for at most {} s, until what has arrived on {} connections is answered. A second "
                    "signal ends it at once.",
                    longest, parts.server.connections()));
    parts.server.stop();
  });
  // The server ends while the thread of the signals may still be in server.stop().
  struct Forget {
    EndSignals& signals;
    ~Forget() { signals.forget(); }
  } const forget{parts.signals};
  parts.server.run();
}

}  // namespace longrun
