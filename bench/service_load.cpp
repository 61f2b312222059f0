// Load on the decision service: real sockets, a durable store on the disk, decisions of a policy, JSON. Every answer is
// checked, and at the end the log is compared with the number of answers. Prints requests per second and the times of
// answers.
//
//   service_load [--connections N] [--seconds S] [--rate R] [--slow N] [--policy P] [--arms K] [--events N]
//                [--database postgresql://... [--processes N]]
//
// With --processes, as many processes serve the same study, each with its own connections.

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench_options.h"
#include "longrun/service/dispatcher.h"
#include "longrun/service/postgres_store.h"
#include "longrun/service/sqlite_store.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

using Clock = std::chrono::steady_clock;

struct LoadOptions {
  std::int64_t connections = 64;
  std::int64_t seconds = 5;
  std::int64_t rate = 0;  // requests per second of all connections; 0: as many as possible
  std::int64_t slow = 0;  // connections that send a byte now and then
  std::int64_t arms = 4;
  std::int64_t events = 0;  // of the study before the load
  std::string policy = "foresight";
  std::string database;
  std::int64_t processes = 1;
};

[[noreturn]] void stop(const std::string& message) {
  fmt::print(stderr, "service_load: {}\n", message);
  std::exit(1);
}

int connected(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) stop("cannot connect");
  return socket;
}

/// A connection with one request at a time: a decision, then its outcome.
class LoadConnection {
 public:
  /// `name` is unique among all connections of all processes.
  LoadConnection(std::uint16_t port, std::string name) : socket_(connected(port)), name_(std::move(name)) {}
  ~LoadConnection() { ::close(socket_); }
  LoadConnection(const LoadConnection&) = delete;
  LoadConnection& operator=(const LoadConnection&) = delete;

  int socket() const { return socket_; }
  bool is_waiting() const { return is_waiting_; }
  std::int64_t decisions() const { return decisions_; }

  void send() {
    const std::string body =
        decision_ == 0 ? "{}" : fmt::format("{{\"reward\":{}}}", 0.25 + 0.001 * static_cast<double>(sent_ % 500));
    const std::string path = decision_ == 0 ? "decisions" : fmt::format("decisions/{}/outcome", decision_);
    const std::string request = fmt::format(
        "{} /v1/studies/load/{} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{}content-length: "
        "{}\r\n\r\n{}",
        decision_ == 0 ? "POST" : "PUT", path,
        decision_ == 0 ? fmt::format("idempotency-key: {}-{}\r\n", name_, sent_) : "", body.size(), body);
    if (::send(socket_, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) stop("cannot send");
    begin_ = Clock::now();
    is_waiting_ = true;
    ++sent_;
  }
  /// Reads what has arrived. Returns the time of the answer in seconds once it is complete, else a negative number.
  double receive() {
    char bytes[8192];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) stop("the server closed a connection");
    answer_.append(bytes, static_cast<std::size_t>(count));
    const std::size_t head = answer_.find("\r\n\r\n");
    if (head == std::string::npos) return -1;
    const std::size_t length_at = answer_.find("content-length: ");
    const auto length = static_cast<std::size_t>(std::strtoll(answer_.c_str() + length_at + 16, nullptr, 10));
    if (answer_.size() < head + 4 + length) return -1;
    const bool ok = answer_.starts_with("HTTP/1.1 20");
    if (!ok) stop("refused: " + answer_);
    if (decision_ == 0) {
      const std::size_t id = answer_.find("\"id\":");
      decision_ = std::strtoll(answer_.c_str() + id + 5, nullptr, 10);
      ++decisions_;
    } else {
      decision_ = 0;
    }
    answer_.clear();
    is_waiting_ = false;
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  int socket_;
  std::string name_;
  bool is_waiting_ = false;
  std::int64_t sent_ = 0;
  std::int64_t decisions_ = 0;
  std::int64_t decision_ = 0;  // whose outcome is reported next; 0: a decision is next
  std::string answer_;
  Clock::time_point begin_;
};

/// Returns a quantile in milliseconds; not a number if there are no times.
double quantile(std::vector<double>& times, double share) {
  if (times.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), at, times.end());
  return 1000 * *at;
}

std::vector<ChangeReply> changed(StudyService& service, const std::vector<ChangeRequest>& requests) {
  std::vector<ChangeReply> replies = service.change(requests);
  for (const ChangeReply& reply : replies) {
    if (reply.error) stop(fmt::format("refused: {}", reply.error->what()));
  }
  return replies;
}

void fill(StudyService& service, std::int64_t events) {
  for (std::int64_t made = 0; made < events;) {
    std::vector<ChangeRequest> batch;
    batch.reserve(500);
    for (int i = 0; i < 500; ++i)
      batch.push_back({.study = "load", .key = fmt::format("fill {}", made + i), .change = Change(AskDecisions{})});
    changed(service, batch);
    ReportOutcomes report;
    const std::int64_t last = service.study("load").study().last_decision();
    for (std::int64_t id = last - 499; id <= last; ++id)
      report.rows.push_back({.decision = id, .outcome = Outcome::observed(0.5)});
    changed(service, {{.study = "load", .change = Change(std::move(report))}});
    made += 1000;
  }
}

/// A store and the service on it.
struct Served {
  Served(const LoadOptions& options, const std::string& folder)
      : store(options.database.empty() ? std::unique_ptr<StudyStore>(std::make_unique<SqliteStore>(folder))
                                       : std::make_unique<PostgresStore>(options.database)),
        service(*store, milliseconds_now) {}

  std::int64_t decisions() { return service.study("load").study().last_decision(); }

  std::unique_ptr<StudyStore> store;
  StudyService service;
};

/// Returns the CPU time of this process in microseconds: server and clients.
double cpu_microseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto in_microseconds = [](const timeval& time) {
    return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec);
  };
  return in_microseconds(usage.ru_utime) + in_microseconds(usage.ru_stime);
}

/// Creates the study, and returns the number of its decisions.
std::int64_t prepare(const LoadOptions& options, const std::string& folder) {
  Served served(options, folder);
  CreateStudy create;
  for (int i = 0; i < options.arms; ++i) create.spec.arms.push_back(fmt::format("arm {}", i));
  create.spec.budget = 100'000'000;
  create.spec.policy = options.policy;
  const ChangeRequest creation{.study = "load", .change = create};
  changed(served.service, {creation});
  fill(served.service, options.events);
  if (options.events > 0) {
    served.service.forget_all();
    const auto begin = Clock::now();
    served.service.study("load");
    fmt::print("loading {} events: {:.2f} s\n", options.events,
               std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return served.decisions();
}

/// Serves the study and loads it. Returns the decisions that were answered.
std::int64_t load(const LoadOptions& options, const std::string& folder, int process) {
  Served served(options, folder);
  Dispatcher dispatcher(served.service, {});
  HttpServer server({}, dispatcher);
  std::thread serving([&] { server.run(); });
  std::vector<int> slow;
  for (int i = 0; i < options.slow; ++i) {
    slow.push_back(connected(server.port()));
    if (::send(slow.back(), "GET / HT", 8, 0) != 8) stop("cannot send");
  }
  std::vector<std::unique_ptr<LoadConnection>> connections;
  connections.reserve(static_cast<std::size_t>(options.connections));
  for (int i = 0; i < options.connections; ++i) {
    connections.push_back(std::make_unique<LoadConnection>(server.port(), fmt::format("{}-{}", process, i)));
  }
  std::vector<pollfd> polled;
  polled.reserve(connections.size());
  for (const auto& each : connections) polled.push_back({each->socket(), POLLIN, 0});
  std::vector<double> times;
  const double cpu_before = cpu_microseconds();
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::int64_t sent = 0;
  while (true) {
    const double at = seconds();
    const bool is_over = at > static_cast<double>(options.seconds);
    bool is_waiting = false;
    for (auto& each : connections) {
      const bool is_due = options.rate == 0 || static_cast<double>(sent) < at * static_cast<double>(options.rate);
      if (!is_over && !each->is_waiting() && is_due) {
        each->send();
        ++sent;
      }
      is_waiting = is_waiting || each->is_waiting();
    }
    if (is_over && !is_waiting) break;
    ::poll(polled.data(), polled.size(), 1);
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      if (const double time = connections[i]->receive(); time >= 0) times.push_back(time);
    }
  }
  const double elapsed = seconds();
  const double cpu = cpu_microseconds() - cpu_before;
  std::int64_t decisions = 0;
  for (const auto& each : connections) decisions += each->decisions();
  fmt::print(
      "{} connections{}, {}, {} arms: {:.0f} requests/s ({:.0f} decisions/s), ms: median {:.2f}, 99 % {:.2f}, most "
      "{:.2f}; CPU of server and clients per request: {:.0f} us\n",
      options.connections, options.slow > 0 ? fmt::format(" beside {} slow ones", options.slow) : "", options.policy,
      options.arms, static_cast<double>(times.size()) / elapsed, static_cast<double>(decisions) / elapsed,
      quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1), cpu / static_cast<double>(times.size()));
  std::fflush(stdout);
  connections.clear();
  for (const int socket : slow) ::close(socket);
  server.stop();
  serving.join();
  return decisions;
}

/// Does the same in processes of their own, at once.
std::int64_t load_in_processes(const LoadOptions& options, const std::string& folder) {
  int pipe[2];
  if (::pipe(pipe) != 0) stop("cannot make a pipe");
  for (int process = 0; process < options.processes; ++process) {
    if (::fork() != 0) continue;
    const std::int64_t decisions = load(options, folder, process);
    if (::write(pipe[1], &decisions, sizeof decisions) != sizeof decisions) stop("cannot write");
    std::_Exit(0);
  }
  std::int64_t sum = 0;
  for (int process = 0; process < options.processes; ++process) {
    int status = 0;
    std::int64_t decisions = 0;
    if (::wait(&status) < 0 || status != 0) stop("a process failed");
    if (::read(pipe[0], &decisions, sizeof decisions) != sizeof decisions) stop("cannot read");
    sum += decisions;
  }
  return sum;
}

void run_load(const LoadOptions& options) {
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("longrun-load-{}", ::getpid());
  const std::int64_t before = prepare(options, folder);
  const std::int64_t answered = options.processes == 1 ? load(options, folder, 0) : load_in_processes(options, folder);
  const std::int64_t stored = Served(options, folder).decisions() - before;
  if (stored != answered) stop(fmt::format("{} decisions were answered, {} are stored", answered, stored));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace longrun

int main(int argc, char** argv) {
  try {
    longrun::LoadOptions options;
    longrun::read_options(argc, argv,
                          {{"--connections", {&options.connections, 1}},
                           {"--seconds", {&options.seconds, 1}},
                           {"--rate", {&options.rate, 0}},
                           {"--slow", {&options.slow, 0}},
                           {"--arms", {&options.arms, 1}},
                           {"--events", {&options.events, 0}},
                           {"--processes", {&options.processes, 1}}},
                          {{"--policy", &options.policy}, {"--database", &options.database}});
    if (options.processes > 1 && options.database.empty()) longrun::stop("several processes need a database");
    longrun::run_load(options);
  } catch (const std::exception& error) {
    longrun::stop(error.what());
  }
}
