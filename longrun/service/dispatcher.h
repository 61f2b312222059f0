#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "longrun/service/api.h"
#include "longrun/service/http_server.h"
#include "longrun/service/metrics.h"
#include "longrun/service/route.h"
#include "longrun/service/study_service.h"

namespace longrun {

class ComputingThreads;

/// One answered request, for the log.
struct AnsweredRequest {
  std::string method;
  std::string path;
  int status = 0;
  double milliseconds = 0;
  std::int64_t seq = -1;  ///< of the last entry that it caused; -1 if it caused none
  std::string study{};
};

/// A handler that answers HTTP requests with a StudyService. One thread makes all changes: it takes every request that
/// waits, carries them out in one transaction and answers after the commit. Answers that take time are computed by
/// other threads from a copy of the study, for at most Options::computing_time.
class Dispatcher : public HttpHandler {
 public:
  struct Options {
    std::size_t most_waiting = 10'000;  ///< requests; further ones are refused with 503
    int computing_threads = 1;
    std::chrono::seconds computing_time{60};  ///< of one answer; then it is refused with 503
    /// After this time, a comment tells the client of a stream that the server is alive.
    std::chrono::milliseconds stream_pause{15'000};
    /// Throws RequestError for a request that its sender may not make. Called with the header of a request, before its
    /// body is read. Not called for the files of the page.
    std::function<void(const HttpRequest&)> authorize{};
    std::function<void(const AnsweredRequest&)> on_answer{};  ///< called from any thread
    std::function<void(const std::string&)> on_failure{};     ///< receives the message of a failed transaction
  };

  Dispatcher(StudyService& service, Options options);
  /// Answers what waits, then ends its threads.
  ~Dispatcher() override;
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  std::optional<HttpResponse> refuse(const HttpRequest& header) override;
  void note_refused(const RefusedRequest& request) override;
  /// Does not ask for permission: the server has called refuse() before.
  void handle(HttpRequest request, std::function<void(HttpResponse)> respond) override;
  bool is_stream(const HttpRequest& request) const override;
  std::optional<HttpResponse> open_stream(const HttpRequest& request, std::shared_ptr<EventStream> stream) override;

  /// Makes entries that another process wrote known to streams; called periodically for a shared store.
  void poll_streams();

 private:
  using Clock = std::chrono::steady_clock;
  using Respond = std::function<void(HttpResponse, std::int64_t seq)>;
  struct Subscribe {
    std::string study;
    std::int64_t after = -1;
    std::shared_ptr<EventStream> stream;
  };
  struct Work {
    std::variant<ChangeRequest, Query, Subscribe> what;
    Respond respond;
  };
  struct Subscriber {
    std::int64_t sent = -1;  // number of the last entry that was sent
    std::shared_ptr<EventStream> stream;
  };
  /// Counts and logs a request that is answered.
  void note(const std::string& method, const std::string& path, int status, double seconds, std::int64_t seq = -1);
  /// Returns the answer to a request that needs no study, or nullopt.
  std::optional<HttpResponse> answer_at_once(const std::string& path, Route::What asked);
  /// Returns a function that sends an answer which caused no entry.
  static std::function<void(HttpResponse)> without_entry(Respond respond);
  /// Adds work, or returns false if too much waits or the dispatcher ends.
  bool enqueue(Work work);
  void run();
  void do_changes(std::vector<Work>& batch);
  /// Adds waiting changes of these studies to `requests` and `responds`, if they are at least as many as the
  /// transaction has: they cost one more round trip.
  void take_arrived(const std::set<std::string>& studies, std::vector<ChangeRequest>& requests,
                    std::vector<Respond>& responds);
  void do_query(const Query& query, const Respond& respond);
  void subscribe(const Subscribe& subscribe, const Respond& respond);
  /// Sends the entries of a study that its subscribers do not have yet, as far as they take them.
  void send_new_entries(const std::string& study);
  void send_new_entries(const std::string& study, Subscriber& subscriber);
  void send_all_new_entries();
  /// Sends a comment to all clients of streams that wait for entries, if it is time.
  void send_alive();

  StudyService& service_;
  Options options_;
  Metrics metrics_;

  std::mutex mutex_;  // protects the three below
  std::vector<Work> waiting_;
  bool is_ending_ = false;
  bool polls_streams_ = false;
  std::condition_variable has_work_;

  // Used by thread_ only.
  std::map<std::string, std::vector<Subscriber>> subscribers_;  // by study
  bool is_behind_ = false;                                      // whether a subscriber has not got all entries
  Clock::time_point alive_at_ = Clock::now();                   // when send_alive() last sent a comment

  std::unique_ptr<ComputingThreads> computing_;
  std::thread thread_;
};

}  // namespace longrun
