#include "longrun/service/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace longrun {

namespace {

/// Returns the method, or "other" for those that the service does not have: clients may invent any number of them.
std::string counted_method(const std::string& method) {
  constexpr std::array<std::string_view, 7> kMethods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  return std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end() ? "other" : method;
}

}  // namespace

void Metrics::add_request(const std::string& method, int status, double seconds) {
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  const std::lock_guard lock(mutex_);
  ++requests_[{counted_method(method), status}];
  ++times_[static_cast<std::size_t>(bucket)];
  time_sum_ += seconds;
}

void Metrics::add_commit(std::size_t requests, std::size_t entries, double seconds) {
  const std::lock_guard lock(mutex_);
  ++commits_;
  committed_requests_ += requests;
  entries_ += entries;
  commit_seconds_ += seconds;
}

void Metrics::set(const std::string& gauge, double value) {
  const std::lock_guard lock(mutex_);
  gauges_[gauge] = value;
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto head = [&](const char* name, const char* type, const char* help) {
    text += fmt::format("# HELP longrun_{0} {1}\n# TYPE longrun_{0} {2}\n", name, help, type);
  };
  head("requests_total", "counter", "Requests that were answered.");
  for (const auto& [key, count] : requests_) {
    text += fmt::format("longrun_requests_total{{method=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  }
  head("request_seconds", "histogram", "Time from a complete request to its answer.");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    below += times_[i];
    text += fmt::format("longrun_request_seconds_bucket{{le=\"{}\"}} {}\n", kBounds[i], below);
  }
  below += times_.back();
  text += fmt::format("longrun_request_seconds_bucket{{le=\"+Inf\"}} {}\n", below);
  text += fmt::format("longrun_request_seconds_sum {}\nlongrun_request_seconds_count {}\n", time_sum_, below);
  const auto counter = [&](const char* name, const char* help, auto value) {
    head(name, "counter", help);
    text += fmt::format("longrun_{} {}\n", name, value);
  };
  counter("commits_total", "Transactions that are on the disk.", commits_);
  counter("committed_requests_total", "Requests that were part of them.", committed_requests_);
  counter("entries_total", "Log entries that were written.", entries_);
  counter("commit_seconds_total", "Time of all transactions.", commit_seconds_);
  for (const auto& [name, value] : gauges_) {
    text += fmt::format("# TYPE longrun_{0} gauge\nlongrun_{0} {1}\n", name, value);
  }
  return text;
}

}  // namespace longrun
