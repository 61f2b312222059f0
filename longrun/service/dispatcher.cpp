#include "longrun/service/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "longrun/base/parse_number.h"
#include "longrun/base/system_error.h"
#include "longrun/service/internal/computing_threads.h"
#include "longrun/service/page_files.h"

namespace longrun {
namespace {

constexpr std::size_t kEntriesAtOnce = 100;                    // read for a stream; one may have megabytes
constexpr std::size_t kStreamAhead = std::size_t{256} * 1024;  // bytes that may wait for the client of a stream
constexpr std::size_t kMostAtOnce = 1000;  // requests of a transaction; a database has locks for some thousands
constexpr std::chrono::milliseconds kStreamPause{50};  // until a client that was slow gets more
constexpr std::chrono::milliseconds kLatePause{1000};  // between two looks for computations that take too long

RequestError store_failed() {
  return {RequestError::Kind::unavailable,
          "the store failed; it is not known whether the request was recorded: repeat it with the same key"};
}

RequestError store_not_readable() {
  return {RequestError::Kind::unavailable, "the store cannot be read now; try again"};
}

RequestError not_ready() {
  return {RequestError::Kind::unavailable, "the store cannot be read, or was not written last time and cannot be now"};
}

/// Returns whether a path belongs to the interface, which needs permission, and not to the page.
bool is_of_interface(const std::string& path) { return path == "/v1" || path.starts_with("/v1/"); }

/// Throws RequestError for a request that does more than read a file, or has a body.
void check_reads(const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    throw wrong_method(request, "GET, HEAD");
  }
  const std::string* length = request.header("content-length");
  if (length != nullptr && *length != "0") {
    throw RequestError(RequestError::Kind::malformed, fmt::format("a request for {} has no body", request.path));
  }
}

std::string stream_message(const LogEntry& entry) {
  return fmt::format("id: {}\nevent: entry\ndata: {}\n\n", entry.seq, exported_line(entry));
}

}  // namespace

Dispatcher::Dispatcher(StudyService& service, Options options)
    : service_(service),
      options_(std::move(options)),
      computing_(std::make_unique<ComputingThreads>(options_.computing_threads, options_.computing_time)) {
  thread_ = std::thread([this] { run(); });
}

Dispatcher::~Dispatcher() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_all();
  thread_.join();
}

std::function<void(HttpResponse)> Dispatcher::without_entry(Respond respond) {
  return [respond = std::move(respond)](HttpResponse response) { respond(std::move(response), -1); };
}

// ---- on the server's threads

void Dispatcher::note(const std::string& method, const std::string& path, int status, double seconds,
                      std::int64_t seq) {
  metrics_.add_request(method, status, seconds);
  if (!options_.on_answer) return;
  options_.on_answer({.method = method,
                      .path = path,
                      .status = status,
                      .milliseconds = 1000 * seconds,
                      .seq = seq,
                      .study = route_of(method, path).study});
}

void Dispatcher::note_refused(const RefusedRequest& request) {
  note(request.method, request.path, request.status, request.time.count());
}

std::optional<HttpResponse> Dispatcher::refuse(const HttpRequest& header) {
  try {
    const bool is_of_service = is_of_interface(header.path);
    if (!is_of_service) check_reads(header);
    const Route route = route_of(header.method, header.path);
    const bool is_file = !is_of_service && route.what == Route::What::nothing;
    if (options_.authorize && !is_file && route.needs_token) options_.authorize(header);
    return std::nullopt;
  } catch (const RequestError& error) {
    HttpResponse response = response_to(error);
    note(header.method, header.path, response.status, 0);
    return response;
  }
}

void Dispatcher::handle(HttpRequest request, std::function<void(HttpResponse)> respond) {
  auto finish = [this, begin = Clock::now(), method = request.method, path = request.path,
                 respond = std::move(respond)](HttpResponse response, std::int64_t seq) {
    note(method, path, response.status, std::chrono::duration<double>(Clock::now() - begin).count(), seq);
    respond(std::move(response));
  };
  try {
    const Route::What asked = route_of(request.method, request.path).what;
    if (auto response = answer_at_once(request.path, asked)) return finish(*std::move(response), -1);
    auto parse = [this, finish](const HttpRequest& parsed) mutable {
      Work work;
      std::visit([&](auto what) { work.what = std::move(what); }, parse_request(parsed));
      work.respond = finish;
      if (!enqueue(std::move(work))) finish(response_to(too_busy("requests")), -1);
    };
    if (asked != Route::What::import) return parse(request);
    computing_->check_has_room();  // reading a long export takes seconds
    auto shared = std::make_shared<const HttpRequest>(std::move(request));
    computing_->add({.run = [parse, shared]() mutable { parse(*shared); }, .respond = without_entry(finish)});
  } catch (const RequestError& error) {
    finish(response_to(error), -1);
  }
}

std::optional<HttpResponse> Dispatcher::answer_at_once(const std::string& path, Route::What asked) {
  if (asked == Route::What::health) return HttpResponse{.body = R"({"status":"ok"})"};
  if (asked == Route::What::metrics) {
    {
      const std::lock_guard lock(mutex_);
      metrics_.set("waiting_requests", static_cast<double>(waiting_.size()));
    }
    return HttpResponse{.content_type = "text/plain; version=0.0.4", .body = metrics_.text()};
  }
  if (asked != Route::What::nothing || is_of_interface(path)) return std::nullopt;
  if (auto file = page_file(path)) return file;
  throw nothing_at(path);
}

bool Dispatcher::is_stream(const HttpRequest& request) const {
  const std::string* accept = request.header("accept");
  return request.method == "GET" && accept != nullptr && accept->find("text/event-stream") != std::string::npos &&
         route_of(request.method, request.path).what == Route::What::events;
}

std::optional<HttpResponse> Dispatcher::open_stream(const HttpRequest& request, std::shared_ptr<EventStream> stream) {
  const auto note_status = [this, begin = Clock::now(), method = request.method, path = request.path](int status) {
    note(method, path, status, std::chrono::duration<double>(Clock::now() - begin).count());
  };
  try {
    const Query query = std::get<Query>(parse_request(request));
    for (const char* name : {"decision", "most"}) {
      if (request.parameter(name) == nullptr) continue;
      throw RequestError(RequestError::Kind::invalid, fmt::format("parameter '{}' is not possible for a stream", name));
    }
    Subscribe subscribe{.study = query.study, .after = query.after, .stream = std::move(stream)};
    if (const std::string* last = request.header("last-event-id")) {
      const auto seq = parse_number<std::int64_t>(*last);
      if (!seq) throw RequestError(RequestError::Kind::malformed, "Last-Event-ID is not the number of an entry");
      subscribe.after = *seq;
    }
    subscribe.stream->hold();  // whether there is such a study is known only later
    auto respond = [note_status, stream = subscribe.stream](HttpResponse response, std::int64_t) {
      note_status(response.status);
      if (response.status != 200) stream->refuse(std::move(response));
    };
    if (!enqueue({.what = std::move(subscribe), .respond = std::move(respond)})) throw too_busy("requests");
    return std::nullopt;
  } catch (const RequestError& error) {
    HttpResponse response = response_to(error);
    note_status(response.status);
    return response;
  }
}

bool Dispatcher::enqueue(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_ || waiting_.size() >= options_.most_waiting) return false;
    waiting_.push_back(std::move(work));
  }
  has_work_.notify_one();
  return true;
}

void Dispatcher::poll_streams() {
  {
    const std::lock_guard lock(mutex_);
    polls_streams_ = true;
  }
  has_work_.notify_one();
}

// ---- on the thread that makes changes

void Dispatcher::run() {
  while (true) {
    std::vector<Work> batch;
    bool polls = false;
    {
      std::unique_lock lock(mutex_);
      has_work_.wait_for(lock, is_behind_ ? kStreamPause : kLatePause,
                         [&] { return is_ending_ || polls_streams_ || !waiting_.empty(); });
      if (waiting_.empty() && is_ending_) break;
      const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMostAtOnce));
      batch.assign(std::move_iterator(waiting_.begin()), std::move_iterator(end));
      waiting_.erase(waiting_.begin(), end);
      polls = std::exchange(polls_streams_, false);
    }
    do_changes(batch);
    for (Work& work : batch) {
      // After the changes, so that an answer shows only what is on the disk.
      if (const auto* query = std::get_if<Query>(&work.what)) do_query(*query, work.respond);
      if (const auto* wanted = std::get_if<Subscribe>(&work.what)) subscribe(*wanted, work.respond);
    }
    computing_->stop_late();
    if (polls || is_behind_) send_all_new_entries();
    send_alive();
  }
  for (auto& [study, subscribers] : subscribers_) {
    for (Subscriber& subscriber : subscribers) subscriber.stream->close();
  }
}

void Dispatcher::do_changes(std::vector<Work>& batch) {
  std::vector<ChangeRequest> requests;
  std::vector<Respond> responds;
  for (Work& work : batch) {
    if (auto* change = std::get_if<ChangeRequest>(&work.what)) {
      requests.push_back(std::move(*change));
      responds.push_back(std::move(work.respond));
    }
  }
  if (requests.empty()) return;
  const auto begin = Clock::now();
  std::vector<ChangeReply> replies;
  try {
    replies = service_.change(requests, [&](const std::set<std::string>& studies) {
      take_arrived(studies, requests, responds);
      return std::span<const ChangeRequest>(requests);
    });
  } catch (const std::exception& failure) {
    if (options_.on_failure) options_.on_failure(failure.what());
    for (const Respond& respond : responds) respond(response_to(store_failed()), -1);
    return;
  }
  const auto is_new = [&](std::size_t i) {
    return !replies[i].error && !replies[i].is_repeated && !replies[i].entries.empty();
  };
  std::size_t entries = 0;
  std::set<std::string> changed;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (!is_new(i)) continue;
    entries += replies[i].recorded;
    changed.insert(requests[i].study);
  }
  // Before the answers: a client that has one finds its entries counted.
  metrics_.add_commit(requests.size(), entries, std::chrono::duration<double>(Clock::now() - begin).count());
  for (std::size_t i = 0; i < replies.size(); ++i) {
    HttpResponse response;
    try {
      response = response_to(requests[i], replies[i]);
    } catch (const std::exception& error) {
      response = response_to(RequestError(RequestError::Kind::damaged, error.what()));
    }
    responds[i](std::move(response), is_new(i) ? replies[i].entries.back().seq : -1);
  }
  for (const std::string& study : changed) {
    if (subscribers_.contains(study)) send_new_entries(study);
  }
}

void Dispatcher::take_arrived(const std::set<std::string>& studies, std::vector<ChangeRequest>& requests,
                              std::vector<Respond>& responds) {
  const auto stays = [&](const Work& work) {
    const auto* change = std::get_if<ChangeRequest>(&work.what);
    return change == nullptr || !studies.contains(change->study);
  };
  const std::lock_guard lock(mutex_);
  const auto arrived =
      waiting_.size() - static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), stays));
  if (arrived < requests.size() || arrived + requests.size() > kMostAtOnce) return;
  responds.reserve(responds.size() + arrived);  // both before anything is moved, so that a failure loses nothing
  requests.reserve(requests.size() + arrived);
  const auto first = std::stable_partition(waiting_.begin(), waiting_.end(), stays);
  for (auto work = first; work != waiting_.end(); ++work) {
    requests.push_back(std::get<ChangeRequest>(std::move(work->what)));
    responds.push_back(std::move(work->respond));
  }
  waiting_.erase(first, waiting_.end());
}

void Dispatcher::do_query(const Query& query, const Respond& respond) {
  try {
    if (takes_time(query)) computing_->check_has_room();
    Answer answer = answer_to(query, service_);
    if (!answer.compute) return respond(std::move(answer.response), -1);
    const auto send = without_entry(respond);
    computing_->add({.run = [compute = std::move(answer.compute), send] { send(compute()); },
                     .respond = send,
                     .events = answer.events});
  } catch (const RequestError& error) {
    respond(response_to(error), -1);
  } catch (const SystemError& error) {
    if (options_.on_failure) options_.on_failure(error.what());
    respond(response_to(query.kind == Query::Kind::ready ? not_ready() : store_not_readable()), -1);
  } catch (const std::exception& error) {
    respond(response_to(RequestError(RequestError::Kind::damaged, error.what())), -1);
  }
}

void Dispatcher::subscribe(const Subscribe& wanted, const Respond& respond) {
  try {
    check_after(wanted.after, service_.last_seq(wanted.study));
  } catch (const RequestError& error) {
    return respond(response_to(error), -1);
  } catch (const std::exception& failure) {
    if (options_.on_failure) options_.on_failure(failure.what());
    return respond(response_to(store_not_readable()), -1);
  }
  respond({}, -1);
  wanted.stream->send(": connected\n\n");
  subscribers_[wanted.study].push_back({.sent = wanted.after, .stream = wanted.stream});
  send_new_entries(wanted.study);
}

void Dispatcher::send_new_entries(const std::string& study) {
  std::vector<Subscriber>& subscribers = subscribers_[study];
  try {
    for (Subscriber& subscriber : subscribers) send_new_entries(study, subscriber);
  } catch (const std::exception& failure) {
    if (options_.on_failure) options_.on_failure(failure.what());
    for (Subscriber& subscriber : subscribers) subscriber.stream->close();  // clients come back
  }
  std::erase_if(subscribers, [](const Subscriber& subscriber) { return !subscriber.stream->is_open(); });
  if (subscribers.empty()) subscribers_.erase(study);
}

void Dispatcher::send_new_entries(const std::string& study, Subscriber& subscriber) {
  while (subscriber.stream->is_open()) {
    if (subscriber.stream->waiting() >= kStreamAhead) {
      is_behind_ = true;
      return;
    }
    const std::vector<LogEntry> entries = service_.entries(study, subscriber.sent, kEntriesAtOnce);
    if (entries.empty()) return;
    for (const LogEntry& entry : entries) {
      std::string message = stream_message(entry);
      const std::size_t waiting = subscriber.stream->waiting();
      if (waiting > 0 && waiting + message.size() > kStreamAhead) {
        is_behind_ = true;
        return;
      }
      if (!subscriber.stream->send(std::move(message))) return;
      subscriber.sent = entry.seq;
    }
  }
}

void Dispatcher::send_all_new_entries() {
  is_behind_ = false;
  std::vector<std::string> studies;
  for (const auto& [study, list] : subscribers_) studies.push_back(study);
  for (const std::string& study : studies) send_new_entries(study);
}

void Dispatcher::send_alive() {
  if (Clock::now() - alive_at_ < options_.stream_pause) return;
  alive_at_ = Clock::now();
  for (auto& [study, subscribers] : subscribers_) {
    for (Subscriber& subscriber : subscribers) {
      if (subscriber.stream->waiting() == 0) subscriber.stream->send(": alive\n\n");
    }
    std::erase_if(subscribers, [](const Subscriber& subscriber) { return !subscriber.stream->is_open(); });
  }
  std::erase_if(subscribers_, [](const auto& of_study) { return of_study.second.empty(); });
}

}  // namespace longrun
