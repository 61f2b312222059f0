#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace longrun {

/// Counts of what the service does, for /metrics. Its functions may be called from any thread.
class Metrics {
 public:
  void add_request(const std::string& method, int status, double seconds);
  void add_commit(std::size_t requests, std::size_t entries, double seconds);
  void set(const std::string& gauge, double value);
  /// Returns all numbers in the text format of Prometheus.
  std::string text() const;

 private:
  // Upper bounds of the buckets of the histogram of request times, in seconds.
  static constexpr std::array<double, 10> kBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5};

  mutable std::mutex mutex_;                                       // protects all below
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by method and status
  std::array<std::uint64_t, kBounds.size() + 1> times_{};          // requests in each bucket; the last one has no bound
  double time_sum_ = 0;
  std::uint64_t commits_ = 0;
  std::uint64_t committed_requests_ = 0;
  std::uint64_t entries_ = 0;
  double commit_seconds_ = 0;
  std::map<std::string, double> gauges_;
};

}  // namespace longrun
