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

/// Says that an arm's index, among arms that say so too, is ordered by `rank` (larger is better) as long as more than
/// `until` pulls remain, however the indices themselves change.
struct FixedRank {
  double rank;
  Pulls until;
};

/// The arm with the largest index among many, lowest arm on ties, without touching them all. Indices change as the
/// pulls that remain become fewer; it is enough that the index of an arm that is not pulled never grows.
///
/// Then a heap of indices that may be out of date is enough: recompute the top one until it stays on top, for no other
/// can be larger. And arms with a FixedRank need not even that: they wait in a heap of their own, in an order that
/// holds, until the pulls that remain come close to their `until`.
class LazyArgmax {
 public:
  explicit LazyArgmax(Arm arms);

  /// Gives `arm` its index as of now, `remaining` pulls before the end. Amortised O(log arms).
  void set(Arm arm, double index, std::optional<FixedRank> fixed, Pulls remaining);

  /// The best arm when `remaining` pulls remain. `current(arm)` computes its index afresh.
  template <class Current>
  Arm best(Pulls remaining, Current current) {
    retire(remaining, current);
    refresh_top(current);
    if (fixed_.empty()) return lazy_.front().arm;
    if (lazy_.empty()) return fixed_.front().arm;
    const Node from_fixed{current(fixed_.front().arm), fixed_.front().arm};
    return ahead(from_fixed, lazy_.front()) ? from_fixed.arm : lazy_.front().arm;
  }

  /// The arm whose index was largest when it was set.
  Arm best_as_set() const { return lazy_.front().arm; }
  /// The index an arm was set to, where no arm was ever given a FixedRank.
  double as_set(Arm arm) const {
    return lazy_[static_cast<std::size_t>(places_[static_cast<std::size_t>(arm)].slot)].key;
  }

 private:
  struct Node {
    double key;
    Arm arm;
  };
  using Heap = std::vector<Node>;  // four children per node: one cache line

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

  /// Moves the arms whose rank may not hold for `remaining` pulls to the lazy heap. Ranks end in groups: those with
  /// `until` of b bits when `remaining` has no more than b. Every arm is moved at most once per set().
  template <class Current>
  void retire(Pulls remaining, Current& current) {
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
  struct Neighbours {
    Arm previous;
    Arm next;
  };
  struct Place {
    std::int32_t slot = kNone;
    std::int32_t group = kLazy;  // where its rank is fixed: the number of bits of `until`
  };
  Heap lazy_;
  Heap fixed_;
  std::vector<Place> places_;           // of every arm
  std::vector<Neighbours> neighbours_;  // within the group; allocated with the first fixed rank
  std::array<Arm, 65> groups_{};        // first arm whose `until` has so many bits
  int group_ = 64;                      // groups from here on have retired
};

}  // namespace longrun
