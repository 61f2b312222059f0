#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "longrun/base/types.h"

namespace longrun {

/// A rank of an arm that does not change with time: as long as more than `until` pulls remain, arms with a FixedRank
/// are ordered by `rank` in the same way as by their indices, although the indices change.
struct FixedRank {
  double rank;  ///< larger is better
  Pulls until;
};

/// A priority queue of arms that finds the largest index, lowest arm on ties, without recomputing all indices. Indices
/// may change as fewer pulls remain, but the index of an arm that is not pulled must never grow.
///
/// A heap of indices that may be outdated is then enough: the top one is recomputed until it stays on top, and no other
/// can be larger. Arms with a FixedRank are in a second heap, whose order holds without recomputing, until the
/// number of remaining pulls comes close to their `until`.
class LazyArgmax {
 public:
  explicit LazyArgmax(Arm arms);

  /// Stores the index that `arm` has while `remaining` pulls remain. Amortised O(log arms).
  void set(Arm arm, double index, std::optional<FixedRank> fixed, Pulls remaining);

  /// Returns the arm with the largest index when `remaining` pulls remain. `current(arm)` computes an arm's index.
  template <class Current>
  Arm best(Pulls remaining, Current current) {
    release_ranks(remaining, current);
    refresh_top(current);
    if (fixed_.empty()) return lazy_.front().arm;
    if (lazy_.empty()) return fixed_.front().arm;
    const Node from_fixed{current(fixed_.front().arm), fixed_.front().arm};
    return ahead(from_fixed, lazy_.front()) ? from_fixed.arm : lazy_.front().arm;
  }

  /// Returns the arm with the largest stored index. Requires that no arm was ever given a FixedRank.
  Arm best_stored() const { return lazy_.front().arm; }
  /// Returns the stored index of an arm. Requires that no arm was ever given a FixedRank.
  double stored_index(Arm arm) const {
    return lazy_[static_cast<std::size_t>(places_[static_cast<std::size_t>(arm)].slot)].key;
  }

  /// Adds an arm without an index: the last one.
  void add_arm() {
    places_.emplace_back();
    if (!neighbours_.empty()) neighbours_.emplace_back();
  }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(lazy_, fixed_, places_, neighbours_, groups_, group_);
  }

 private:
  struct Node {
    double key;  // index in lazy_, rank in fixed_
    Arm arm;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(key, arm);
    }
  };
  using Heap = std::vector<Node>;  // best first; four children per node, which share a cache line

  static bool ahead(const Node& a, const Node& b) { return a.key > b.key || (a.key == b.key && a.arm < b.arm); }
  static int bits(Pulls count) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))); }

  template <class Current>
  void refresh_top(Current& current) {
    while (!lazy_.empty()) {
      const Node top = lazy_.front();
      const double key = current(top.arm);
      if (key == top.key) return;
      lazy_.front().key = key;
      sift_down(lazy_, 0);
      if (lazy_.front().arm == top.arm) return;
    }
  }

  /// Moves the arms whose rank may not hold for `remaining` pulls to the lazy heap. Ranks end in groups: those with an
  /// `until` of b bits end when `remaining` has at most b bits. Every arm is moved at most once per set().
  template <class Current>
  void release_ranks(Pulls remaining, Current& current) {
    for (; group_ > bits(remaining); --group_) {
      for (Arm arm = groups_[static_cast<std::size_t>(group_ - 1)]; arm != kNone;) {
        const Arm next = neighbours_[static_cast<std::size_t>(arm)].next;
        remove(arm);
        insert({current(arm), arm}, kLazy);
        arm = next;
      }
    }
  }

  Heap& heap_of(int group) { return group == kLazy ? lazy_ : fixed_; }
  void insert(Node node, int group);
  void remove(Arm arm);
  void put(Heap& heap, std::size_t slot, Node node);
  void replace(Heap& heap, std::size_t slot, Node node);
  void sift_up(Heap& heap, std::size_t slot);
  void sift_down(Heap& heap, std::size_t slot);
  void link(Arm arm, int group);
  void unlink(Arm arm);

  static constexpr Arm kNone = -1;
  static constexpr int kLazy = -1;
  struct Neighbours {  // in the doubly linked list of a group
    Arm previous;
    Arm next;

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(previous, next);
    }
  };
  struct Place {
    std::int32_t slot = kNone;   // position in the heap; kNone before the first set()
    std::int32_t group = kLazy;  // bits of `until` for an arm in fixed_, else kLazy

    template <class Visit>
    decltype(auto) visit_fields(Visit&& visit) {
      return visit(slot, group);
    }
  };
  Heap lazy_;                           // arms without a valid rank, by an index at least as large as the current one
  Heap fixed_;                          // arms with a valid rank, by rank
  std::vector<Place> places_;           // by arm
  std::vector<Neighbours> neighbours_;  // by arm; empty before the first fixed rank
  std::array<Arm, 65> groups_{};        // by bits of `until`, the first arm of the group, or kNone
  int group_ = 64;                      // groups from this number on are empty and stay so
};

}  // namespace longrun
