#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <variant>
#include <vector>

#include "longrun/base/types.h"
#include "longrun/decide/study/study_events.h"

namespace longrun {

/// A list of events in little memory: a decision and its outcome take about 16 bytes.
class EventList {
 public:
  class Iterator;

  std::size_t size() const { return end_.event - begin_.event; }
  bool empty() const { return size() == 0; }
  Iterator begin() const;
  Iterator end() const;
  /// Returns an iterator to event `i`, from 0. O(log size).
  Iterator from(std::size_t i) const;
  /// Returns the arm of a decision, or of a pull in place of one; nullopt if no event has it. Reads the events of one
  /// block and copies none: O(log size), however many decisions an event has. Decisions must be in the order of their
  /// numbers, and those of one event consecutive, as those of a study are.
  std::optional<Arm> arm_of(DecisionId decision) const;
  /// Returns about how many bytes the events take.
  std::size_t memory() const { return blocks_.size() * (kBlock + sizeof(Block)) + large_bytes_; }

  void push_back(const Event& event);
  /// Removes the first `count` events.
  void drop_first(std::size_t count);

 private:
  // Events as bytes. The kind of an event and the cause of its decision, or the kind of its outcome, are in one byte.
  // Numbers follow in as many bytes as they need; those of decisions and rounds are differences to the event before.
  // Rewards have their eight bytes. Events that happen rarely, and rounds of several decisions, are only a kind: the
  // events themselves are in `large_`.
  static constexpr std::size_t kBlock = 4096;    // bytes of a block
  static constexpr std::size_t kMostBytes = 48;  // largest size of an event

  /// A place between two events. The numbers of the event after it are differences to `decision` and `round`.
  struct Place {
    std::size_t block = 0;    // place in blocks_, counted from the first block ever
    std::size_t offset = 0;   // in the block
    std::size_t large = 0;    // place in large_, counted from the first one ever
    std::size_t event = 0;    // events before, counted from the first one ever
    DecisionId decision = 0;  // the last decision before
    Pulls round = 0;          // its round
  };
  struct Block {
    Place begin;
    std::vector<char> bytes;  // kBlock
    std::size_t used = 0;     // of bytes
  };
  /// An event as it is kept: the only decision of a round, or another event of few bytes, or one of large_.
  using Kept = std::variant<Decision, Settled, Corrected, Observed, const Event*>;
  /// Returns the event after `place` and moves `place` behind it. Allocates nothing.
  Kept read_kept(Place& place) const;
  /// Does the same, and copies a large event.
  Event read(Place& place) const;
  /// Returns the arm of a decision, or of a pull in place of one, if this event has it.
  static std::optional<Arm> arm_in(const Kept& event, DecisionId decision);
  void begin_block_if_full();
  /// Notes the decisions of a large event, for the numbers after it.
  static void pass(const Event& large, Place& place);

  std::deque<Block> blocks_;  // full, except the last
  std::deque<Event> large_;
  std::size_t large_bytes_ = 0;     // of large_
  std::size_t dropped_blocks_ = 0;  // blocks before blocks_[0]
  std::size_t dropped_large_ = 0;   // events before large_[0]
  Place begin_;
  Place end_;
};

/// An iterator over events, one by one; see std::input_iterator.
class EventList::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Event;
  using difference_type = std::ptrdiff_t;
  using reference = const Event&;
  using pointer = const Event*;

  const Event& operator*() const { return event_; }
  const Event* operator->() const { return &event_; }
  Iterator& operator++();
  void operator++(int) { ++*this; }
  bool operator==(const Iterator& other) const { return left_ == other.left_; }

 private:
  friend class EventList;
  Iterator(const EventList& events, const Place& next, std::size_t left);

  const EventList* events_;
  Place next_;        // behind event_
  std::size_t left_;  // events from event_ to the end
  Event event_;
};

}  // namespace longrun
