#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace longrun {

/// The delays of the outcomes of a study so far, in whole hours, rounded up. They determine when a pending outcome is
/// overdue.
class OutcomeDelays {
 public:
  /// Adds the delay between two times, as utc_text() writes them.
  void add(const std::string& decided_at, const std::string& reported_at);
  /// Returns how long a decision can be pending, in milliseconds, before its outcome is overdue: twice the delay that
  /// 90 % of the outcomes did not exceed, and at least a day; 30 days while fewer than 10 delays are known.
  std::int64_t overdue_after() const;
  /// Returns how many different delays are kept.
  std::size_t size() const { return counts_.size(); }

 private:
  std::map<std::int64_t, std::int64_t> counts_;  // of outcomes, by their delay in hours
  std::int64_t total_ = 0;
};

}  // namespace longrun
