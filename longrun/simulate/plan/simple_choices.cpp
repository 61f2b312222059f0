#include "longrun/simulate/plan/simple_choices.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "longrun/base/archive.h"

namespace longrun {
namespace {

/// A policy that chooses the arm with the smallest rank. The rank of an arm grows by `step_` with every choice of it.
class SmallestRank final : public LivePolicy {
 public:
  SmallestRank(std::vector<Pulls> ranks, Pulls step) : ranks_(std::move(ranks)), step_(step), pending_(ranks_.size()) {}

  Arm choose() override { return record(std::min_element(ranks_.begin(), ranks_.end()) - ranks_.begin()); }
  Arm choose(const Restriction& restriction) override {
    return record(*std::min_element(restriction.arms.begin(), restriction.arms.end(),
                                    [this](Arm a, Arm b) { return ranks_[index(a)] < ranks_[index(b)]; }));
  }
  void adopt(Arm arm) override { record(arm); }
  void observe(Arm arm, double) override { settle(arm); }
  void lose(Arm arm) override { settle(arm); }
  void cancel(Arm arm) override {
    settle(arm);
    ranks_[index(arm)] -= step_;
  }
  void add(Arm arm, double) override { ranks_[index(arm)] += step_; }
  void add_arm() override {
    const auto [least, most] = std::minmax_element(ranks_.begin(), ranks_.end());
    ranks_.push_back(step_ == 0 ? *most + 1 : *least);
    pending_.push_back(0);
  }
  void extend(Pulls) override {}

  Pulls pending(Arm arm) const override { return pending_[index(arm)]; }
  std::unique_ptr<LivePolicy> clone() const override {
    auto copy = std::make_unique<SmallestRank>(ranks_, step_);
    copy->pending_ = pending_;
    return copy;
  }

  void save(Writer& writer) const override;
  void load(Reader& reader) override;
  std::uint64_t layout() const override;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(ranks_, step_, pending_);
  }

 private:
  static std::size_t index(Arm arm) { return static_cast<std::size_t>(arm); }

  Arm record(std::ptrdiff_t chosen) {
    const auto arm = static_cast<Arm>(chosen);
    ranks_[index(arm)] += step_;
    ++pending_[index(arm)];
    return arm;
  }
  /// A pull that was pending when this policy took over is not counted here.
  void settle(Arm arm) { pending_[index(arm)] = std::max<Pulls>(0, pending_[index(arm)] - 1); }

  std::vector<Pulls> ranks_;    // [arm]
  Pulls step_;                  // 0 or 1
  std::vector<Pulls> pending_;  // [arm], choices without an outcome
};

// Outside of the class, whose fields are known only at its end.

void SmallestRank::save(Writer& writer) const { writer.write_checked(*this); }
void SmallestRank::load(Reader& reader) { reader.read_checked(*this); }
std::uint64_t SmallestRank::layout() const { return layout_hash<SmallestRank>(); }

}  // namespace

std::unique_ptr<LivePolicy> make_equal_split(Arm arms) {
  return std::make_unique<SmallestRank>(std::vector<Pulls>(static_cast<std::size_t>(arms), 0), 1);
}

std::unique_ptr<LivePolicy> make_fixed_choice(const std::vector<Arm>& order) {
  std::vector<Pulls> ranks(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    ranks[static_cast<std::size_t>(order[place])] = static_cast<Pulls>(place);
  }
  return std::make_unique<SmallestRank>(std::move(ranks), 0);
}

}  // namespace longrun
