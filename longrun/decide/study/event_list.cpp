#include "longrun/decide/study/event_list.h"

#include <algorithm>
#include <cstring>

namespace longrun {
namespace {

enum class Kind : unsigned char { decision, settled, corrected, observed, large };
constexpr int kKindBits = 4;

/// Writes the bytes of one event.
class PackedWriter {
 public:
  explicit PackedWriter(char* bytes) : bytes_(bytes) {}

  void add(Kind kind, int detail = 0) {
    add(static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(detail) << kKindBits);
  }
  /// Adds seven bits per byte, the lowest first; the eighth bit says whether more follow.
  void add(std::uint64_t number) {
    for (; number > 0x7f; number >>= 7) *bytes_++ = static_cast<char>(number | 0x80);
    *bytes_++ = static_cast<char>(number);
  }
  /// Adds a number that may be negative; those near 0 take few bytes.
  void add_signed(std::int64_t number) {
    add((static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63));
  }
  void add(double reward) {
    std::memcpy(bytes_, &reward, sizeof reward);
    bytes_ += sizeof reward;
  }
  const char* position() const { return bytes_; }

 private:
  char* bytes_;
};

/// Reads what PackedWriter has written.
class PackedReader {
 public:
  explicit PackedReader(const char* bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t result = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*bytes_++);
      result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  }
  std::int64_t signed_number() {
    const std::uint64_t coded = number();
    return static_cast<std::int64_t>(coded >> 1) ^ -static_cast<std::int64_t>(coded & 1);
  }
  double reward() {
    double result = 0;
    std::memcpy(&result, bytes_, sizeof result);
    bytes_ += sizeof result;
    return result;
  }
  const char* position() const { return bytes_; }

 private:
  const char* bytes_;
};

void write_outcome(PackedWriter& writer, Kind kind, DecisionId difference, const Outcome& outcome) {
  writer.add(kind, static_cast<int>(outcome.kind));
  writer.add_signed(difference);
  writer.add(outcome.reward);
}

/// Returns about how many bytes an event takes that is kept as it is.
std::size_t bytes_of(const Event& event) {
  std::size_t bytes = sizeof(Event);
  if (const auto* decided = std::get_if<Decided>(&event)) {
    bytes += decided->decisions.capacity() * sizeof(Decision) + decided->among.capacity() * sizeof(Arm);
  } else if (const auto* changed = std::get_if<AvailabilityChanged>(&event)) {
    bytes += changed->unavailable.capacity() * sizeof(Arm);
  }
  return bytes;
}

}  // namespace

std::optional<Arm> EventList::arm_in(const Kept& event, DecisionId decision) {
  if (const auto* only = std::get_if<Decision>(&event)) {
    return only->id == decision ? std::optional(only->arm) : std::nullopt;
  }
  const auto* large = std::get_if<const Event*>(&event);
  if (large == nullptr) return std::nullopt;
  if (const auto* pulled = std::get_if<PulledInstead>(*large); pulled != nullptr && pulled->decision == decision) {
    return pulled->arm;
  }
  const auto* decided = std::get_if<Decided>(*large);
  if (decided == nullptr || decided->decisions.empty()) return std::nullopt;
  const DecisionId first = decided->decisions.front().id;
  if (decision < first || decision > decided->decisions.back().id) return std::nullopt;
  return decided->decisions[static_cast<std::size_t>(decision - first)].arm;
}

void EventList::pass(const Event& large, Place& place) {
  if (const auto* pulled = std::get_if<PulledInstead>(&large)) place.decision = pulled->decision;
  const auto* decided = std::get_if<Decided>(&large);
  if (decided == nullptr || decided->decisions.empty()) return;
  place.decision = decided->decisions.back().id;
  place.round = decided->round;
}

void EventList::begin_block_if_full() {
  if (!blocks_.empty() && end_.offset + kMostBytes <= kBlock) return;
  if (!blocks_.empty()) ++end_.block;
  end_.offset = 0;
  blocks_.push_back({.begin = end_, .bytes = std::vector<char>(kBlock)});
}

void EventList::push_back(const Event& event) {
  begin_block_if_full();
  Block& block = blocks_.back();
  PackedWriter writer(block.bytes.data() + end_.offset);
  if (const auto* decided = std::get_if<Decided>(&event);
      decided != nullptr && decided->decisions.size() == 1 && decided->among.empty()) {
    const Decision& decision = decided->decisions[0];
    writer.add(Kind::decision, static_cast<int>(decision.cause));
    writer.add(static_cast<std::uint64_t>(decision.arm));
    writer.add_signed(decision.id - end_.decision - 1);
    writer.add_signed(decided->round - end_.round - 1);
    writer.add(static_cast<std::uint64_t>(decision.pull));
    end_.decision = decision.id;
    end_.round = decided->round;
  } else if (const auto* settled = std::get_if<Settled>(&event)) {
    write_outcome(writer, Kind::settled, end_.decision - settled->decision, settled->outcome);
  } else if (const auto* corrected = std::get_if<Corrected>(&event);
             corrected != nullptr && corrected->observation == 0) {
    write_outcome(writer, Kind::corrected, end_.decision - corrected->decision, corrected->outcome);
  } else if (const auto* observed = std::get_if<Observed>(&event)) {
    writer.add(Kind::observed);
    writer.add(static_cast<std::uint64_t>(observed->arm));
    writer.add(observed->reward);
  } else {
    large_.push_back(event);
    large_bytes_ += bytes_of(large_.back());
    writer.add(Kind::large);
    ++end_.large;
    pass(event, end_);
  }
  end_.offset = static_cast<std::size_t>(writer.position() - block.bytes.data());
  block.used = end_.offset;
  ++end_.event;
}

EventList::Kept EventList::read_kept(Place& place) const {
  if (place.offset == blocks_[place.block - dropped_blocks_].used) {
    ++place.block;
    place.offset = 0;
  }
  const std::vector<char>& block = blocks_[place.block - dropped_blocks_].bytes;
  PackedReader bytes(block.data() + place.offset);
  const std::uint64_t first = bytes.number();
  const auto kind = static_cast<Kind>(first & ((1U << kKindBits) - 1));
  const auto outcome = [&] { return Outcome{static_cast<OutcomeKind>(first >> kKindBits), bytes.reward()}; };
  Kept event;
  switch (kind) {
    case Kind::decision: {
      Decision decision{.cause = static_cast<PullCause>(first >> kKindBits)};
      decision.arm = static_cast<Arm>(bytes.number());
      decision.id = place.decision += bytes.signed_number() + 1;
      place.round += bytes.signed_number() + 1;
      decision.pull = static_cast<Pulls>(bytes.number());
      event = decision;
      break;
    }
    case Kind::settled: {
      const DecisionId decision = place.decision - bytes.signed_number();
      event = Settled{decision, outcome()};
      break;
    }
    case Kind::corrected: {
      const DecisionId decision = place.decision - bytes.signed_number();
      event = Corrected{decision, outcome()};
      break;
    }
    case Kind::observed: {
      const auto arm = static_cast<Arm>(bytes.number());
      event = Observed{arm, bytes.reward()};
      break;
    }
    case Kind::large: {
      const Event& large = large_[place.large++ - dropped_large_];
      pass(large, place);
      event = &large;
      break;
    }
  }
  place.offset = static_cast<std::size_t>(bytes.position() - block.data());
  ++place.event;
  return event;
}

Event EventList::read(Place& place) const {
  const Kept kept = read_kept(place);
  if (const auto* decision = std::get_if<Decision>(&kept)) return Decided{place.round, {*decision}};
  if (const auto* settled = std::get_if<Settled>(&kept)) return *settled;
  if (const auto* corrected = std::get_if<Corrected>(&kept)) return *corrected;
  if (const auto* observed = std::get_if<Observed>(&kept)) return *observed;
  return *std::get<const Event*>(kept);
}

void EventList::drop_first(std::size_t count) {
  for (; count > 0; --count) read_kept(begin_);
  for (; dropped_blocks_ < begin_.block; ++dropped_blocks_) blocks_.pop_front();
  for (; dropped_large_ < begin_.large; ++dropped_large_) {
    large_bytes_ -= bytes_of(large_.front());
    large_.pop_front();
  }
}

EventList::Iterator::Iterator(const EventList& events, const Place& next, std::size_t left)
    : events_(&events), next_(next), left_(left) {
  if (left_ > 0) event_ = events_->read(next_);
}

EventList::Iterator& EventList::Iterator::operator++() {
  if (--left_ > 0) event_ = events_->read(next_);
  return *this;
}

EventList::Iterator EventList::begin() const { return {*this, begin_, size()}; }
EventList::Iterator EventList::end() const { return {*this, end_, 0}; }

EventList::Iterator EventList::from(std::size_t i) const {
  if (i >= size()) return end();
  const std::size_t event = begin_.event + i;
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), event,
                       [](std::size_t number, const Block& block) { return number < block.begin.event; });
  Place place = after == blocks_.begin() ? begin_ : std::prev(after)->begin;
  if (place.event < begin_.event) place = begin_;
  while (place.event < event) read_kept(place);
  return {*this, place, size() - i};
}

std::optional<Arm> EventList::arm_of(DecisionId decision) const {
  const auto after = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const Block& block) { return block.begin.decision < decision; });
  Place place = after == blocks_.begin() ? begin_ : std::prev(after)->begin;
  if (place.event < begin_.event) place = begin_;
  while (place.event < end_.event) {
    const Kept event = read_kept(place);
    if (place.decision >= decision) return arm_in(event, decision);
  }
  return std::nullopt;
}

}  // namespace longrun
