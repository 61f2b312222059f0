#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "longrun/service/http_server.h"
#include "longrun/service/request_error.h"

namespace longrun {

/// The error for a request that cannot be taken because too much waits.
RequestError too_busy(const char* what);

/// Threads that compute answers which take time. An answer that takes too long is cancelled. Its functions may be
/// called from any thread.
class ComputingThreads {
 public:
  struct Computation {
    std::function<void()> run;                  ///< computes and sends the answer; may throw RequestError
    std::function<void(HttpResponse)> respond;  ///< answers what fails
    std::int64_t events = 0;                    ///< of the study, in its memory
  };

  ComputingThreads(int threads, std::chrono::seconds longest);
  /// Cancels what is being computed, and refuses what waits.
  ~ComputingThreads();
  ComputingThreads(const ComputingThreads&) = delete;
  ComputingThreads& operator=(const ComputingThreads&) = delete;

  /// Throws RequestError if so much waits that nothing more should be added.
  void check_has_room();
  void add(Computation computation);
  /// Cancels computations that take too long; called periodically.
  void stop_late();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::atomic<bool> stop = false;
    std::optional<Clock::time_point> since;  // when its computation began; nullopt if it waits
    std::thread thread;
  };
  void run(Worker& self);

  const std::chrono::seconds longest_;
  std::mutex mutex_;  // protects the three below, and `since` of the workers
  std::deque<Computation> waiting_;
  std::int64_t events_ = 0;  // in the memory of waiting_
  bool is_ending_ = false;
  std::condition_variable has_work_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace longrun
