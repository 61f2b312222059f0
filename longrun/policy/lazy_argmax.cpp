#include "longrun/policy/lazy_argmax.h"

#include <algorithm>

namespace longrun {

LazyArgmax::LazyArgmax(Arm arms) : places_(static_cast<std::size_t>(arms)) { groups_.fill(kNone); }

void LazyArgmax::set(Arm arm, double index, std::optional<FixedRank> fixed, Pulls remaining) {
  // A rank is of use only if its group has not ended yet, see release_ranks().
  const bool is_fixed = fixed && bits(fixed->until) < std::min(group_, bits(remaining));
  const int group = is_fixed ? bits(fixed->until) : kLazy;
  const Node node{is_fixed ? fixed->rank : index, arm};
  const Place place = places_[static_cast<std::size_t>(arm)];
  if (place.slot == kNone) return insert(node, group);
  if ((place.group == kLazy) != (group == kLazy)) {
    remove(arm);
    return insert(node, group);
  }
  if (place.group != group) {
    unlink(arm);
    link(arm, group);
  }
  replace(heap_of(group), static_cast<std::size_t>(place.slot), node);
}

void LazyArgmax::insert(Node node, int group) {
  if (group != kLazy) link(node.arm, group);
  Heap& heap = heap_of(group);
  heap.push_back(node);
  sift_up(heap, heap.size() - 1);
}

void LazyArgmax::remove(Arm arm) {
  const Place place = places_[static_cast<std::size_t>(arm)];
  if (place.group != kLazy) unlink(arm);
  Heap& heap = heap_of(place.group);
  const Node last = heap.back();
  heap.pop_back();
  if (last.arm != arm) replace(heap, static_cast<std::size_t>(place.slot), last);
  places_[static_cast<std::size_t>(arm)] = {};
}

void LazyArgmax::put(Heap& heap, std::size_t slot, Node node) {
  heap[slot] = node;
  places_[static_cast<std::size_t>(node.arm)].slot = static_cast<std::int32_t>(slot);
}

void LazyArgmax::replace(Heap& heap, std::size_t slot, Node node) {
  const bool better = ahead(node, heap[slot]);
  heap[slot] = node;
  if (better) {
    sift_up(heap, slot);
  } else {
    sift_down(heap, slot);
  }
}

void LazyArgmax::sift_up(Heap& heap, std::size_t slot) {
  const Node node = heap[slot];
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / 4;
    if (!ahead(node, heap[parent])) break;
    put(heap, slot, heap[parent]);
    slot = parent;
  }
  put(heap, slot, node);
}

void LazyArgmax::sift_down(Heap& heap, std::size_t slot) {
  const Node node = heap[slot];
  for (;;) {
    const std::size_t first = 4 * slot + 1;
    if (first >= heap.size()) break;
    const std::size_t last = std::min(first + 4, heap.size());
    std::size_t best = first;
    for (std::size_t child = first + 1; child < last; ++child) {
      if (ahead(heap[child], heap[best])) best = child;
    }
    if (!ahead(heap[best], node)) break;
    put(heap, slot, heap[best]);
    slot = best;
  }
  put(heap, slot, node);
}

void LazyArgmax::link(Arm arm, int group) {
  if (neighbours_.empty()) neighbours_.resize(places_.size());
  Arm& head = groups_[static_cast<std::size_t>(group)];
  if (head != kNone) neighbours_[static_cast<std::size_t>(head)].previous = arm;
  neighbours_[static_cast<std::size_t>(arm)] = {kNone, head};
  head = arm;
  places_[static_cast<std::size_t>(arm)].group = group;
}

void LazyArgmax::unlink(Arm arm) {
  const auto [previous, next] = neighbours_[static_cast<std::size_t>(arm)];
  Place& place = places_[static_cast<std::size_t>(arm)];
  if (previous != kNone) {
    neighbours_[static_cast<std::size_t>(previous)].next = next;
  } else {
    groups_[static_cast<std::size_t>(place.group)] = next;
  }
  if (next != kNone) neighbours_[static_cast<std::size_t>(next)].previous = previous;
  place.group = kLazy;
}

}  // namespace longrun
