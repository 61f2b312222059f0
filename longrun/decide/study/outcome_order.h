#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// The outcomes of pulls, passed on in the order of each arm's pulls. An arm's reward is a function of the number of
/// its pulls, so a policy that took rewards in the order of their arrival would see a rising arm fall if the newest
/// arrive first.
///
/// An outcome waits for those of earlier pulls of its arm, but at most kMostWaiting outcomes of an arm wait. With more,
/// the oldest of them is passed on, and the pulls before it are passed on whenever their outcomes arrive: outcomes that
/// never arrive keep nothing back for long. Amortised O(log pending) per outcome.
class OutcomeOrder {
 public:
  static constexpr std::size_t kMostWaiting = 64;

  /// A reward on the scale from 0 to 1, or a pull whose reward is lost.
  struct Result {
    bool is_lost = false;
    double reward = 0;
  };

  explicit OutcomeOrder(Arm arms) : arms_(static_cast<std::size_t>(arms)) {}
  void add_arm() { arms_.emplace_back(); }

  /// Adds a pull of `arm`. Decisions have ascending numbers.
  void add(Arm arm, std::int64_t decision) {
    arms_[static_cast<std::size_t>(arm)].pulls.push_back({.decision = decision});
  }
  /// Adds the result of a pull, and calls pass_on(result) for every result that need not wait any longer.
  template <class PassOn>
  void settle(Arm arm, std::int64_t decision, const Result& result, PassOn pass_on) {
    Queue& queue = arms_[static_cast<std::size_t>(arm)];
    if (queue.has_one_pull()) {  // the common case
      queue.clear();
      pass_on(result);
      return;
    }
    const std::size_t place = queue.find(decision);
    queue.wait(place, result);
    if (place < queue.passed) {
      pass_on(queue.take(place));
    } else {
      while (const auto next = queue.next()) pass_on(queue.take(*next));
    }
    queue.drop_taken();
  }
  /// Removes a pull that was not made. The results that waited for it are passed on.
  template <class PassOn>
  void remove(Arm arm, std::int64_t decision, PassOn pass_on) {
    Queue& queue = arms_[static_cast<std::size_t>(arm)];
    queue.remove(queue.find(decision));
    while (const auto next = queue.next()) pass_on(queue.take(*next));
    queue.drop_taken();
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(arms_);
  }

 private:
  enum class State : std::uint8_t { pending, waiting, taken };
  struct Pull {
    std::int64_t decision = 0;
    State state = State::pending;
    Result result{};

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(decision, state, result.is_lost, result.reward);
    }
  };
  /// The pulls of one arm. Those that are taken stay until they are half of all, so that a place changes rarely.
  struct Queue {
    std::vector<Pull> pulls;
    std::uint64_t taken = 0;    // number of pulls that are taken
    std::uint64_t passed = 0;   // place behind the last pull that was passed on
    std::uint64_t waiting = 0;  // number of pulls that wait
    std::uint64_t search = 0;   // no pull before this place waits

    bool has_one_pull() const { return pulls.size() == 1; }
    void clear() {
      pulls.clear();
      taken = passed = search = 0;
    }
    std::size_t find(std::int64_t decision) const;
    void wait(std::size_t place, const Result& result);
    /// Returns the place of the pull to pass on next, if there is one.
    std::optional<std::size_t> next();
    Result take(std::size_t place);
    /// Takes a pull that is not passed on.
    void remove(std::size_t place);
    /// Erases the pulls that are taken, once they are half of all: memory is in proportion to the others.
    void drop_taken();

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(pulls, taken, passed, waiting, search);
    }
  };

  std::vector<Queue> arms_;
};

}  // namespace longrun
