#include "longrun/solve/single_peaked_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "longrun/base/cancellation.h"

namespace longrun {
namespace {

constexpr double kRounding = 1e-12;  // relative size of gradients and differences that count as 0

/// Consecutive rewards, summarised. Positions u are counted from the node before the cell, the end of the last cell.
/// Sums of squares are around the means of the cell, so that they lose no digits.
struct Cell {
  Pulls first_pull = 1;
  double count = 0;
  double mean_u = 0;
  double mean_y = 0;
  double uu = 0;
  double uy = 0;
  double yy = 0;

  void add(double u, double y) {
    count += 1;
    const double du = u - mean_u;
    const double dy = y - mean_y;
    mean_u += du / count;
    mean_y += dy / count;
    uu += du * (u - mean_u);
    uy += du * (y - mean_y);
    yy += dy * (y - mean_y);
  }
};

/// The rewards in cells. Node j is the end of cell j; node 0 is pull 1, whether or not pull 1 has a reward.
struct Cells {
  std::vector<Cell> cells;
  std::vector<double> nodes;  // positions, one per cell
  double size = 0;            // sum of |y|, for tolerances
};

/// Returns the numbers of the rewards that end a cell, ascending. Half of them are spread evenly, half geometrically:
/// curves change most in their first pulls.
std::vector<std::size_t> cell_ends(std::size_t rewards, const SinglePeakedFitOptions& options) {
  const std::size_t last = rewards - 1;
  std::set<std::size_t> ends{0, last};
  if (rewards <= options.most_cells) {
    for (std::size_t i = 0; i < rewards; ++i) ends.insert(i);
  } else {
    const std::size_t half = std::max<std::size_t>(1, options.most_cells / 2 - 1);
    for (std::size_t i = 1; i < half; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(half);
      ends.insert(last * i / half);
      ends.insert(static_cast<std::size_t>(std::pow(static_cast<double>(last), share)));
    }
  }
  std::vector<std::size_t> kept{std::min(options.smallest_cell - 1, last)};
  const std::size_t last_cell = std::max(options.smallest_cell, options.last_cell);
  for (const std::size_t end : ends) {
    if (end >= kept.back() + options.smallest_cell && end + last_cell <= last) kept.push_back(end);
  }
  if (kept.back() < last) kept.push_back(last);
  return kept;
}

Cells cells_of(std::span<const PullReward> rewards, const SinglePeakedFitOptions& options) {
  Cells result;
  double base = 1;
  std::size_t reward = 0;
  for (const std::size_t end : cell_ends(rewards.size(), options)) {
    Cell cell{.first_pull = rewards[reward].pull};
    for (; reward <= end; ++reward) {
      cell.add(static_cast<double>(rewards[reward].pull) - base, rewards[reward].reward);
      result.size += std::abs(rewards[reward].reward);
    }
    if (!result.cells.empty()) base = static_cast<double>(rewards[end].pull);  // node 0 is pull 1
    result.cells.push_back(cell);
    result.nodes.push_back(base);
  }
  return result;
}

/// The concave, non-decreasing regression of the first cells, one cell more at a time.
class ConcaveRise {
 public:
  ConcaveRise(const Cells& data, double least)
      : data_(data), least_(least), start_(std::max(least, data.cells[0].mean_y)) {
    evaluate();
  }

  /// Adds the next cell.
  void extend() {
    ++last_;
    refit();
  }

  double squares() const { return squares_; }
  double end() const { return values_.back(); }
  std::size_t parameters() const { return bends_.size() + (start_free_ ? 1 : 0); }
  std::vector<PullReward> corners() const {
    std::vector<PullReward> corners{{1, values_[0]}};
    for (const Bend& bend : bends_) corners.push_back({static_cast<Pulls>(data_.nodes[bend.node]), values_[bend.node]});
    const auto peak = static_cast<Pulls>(data_.nodes[last_]);
    if (corners.back().pull < peak) corners.push_back({peak, values_[last_]});
    return corners;
  }

 private:
  /// A decrease of the slope at a node, from 1 on. After the last bend the curve is constant.
  struct Bend {
    std::size_t node = 0;
    double amount = 0;  // >= 0
  };

  /// Computes values, slopes and residuals from the start and the bends.
  void evaluate() {
    slopes_.assign(last_ + 1, 0);
    for (const Bend& bend : bends_) slopes_[bend.node] += bend.amount;
    for (std::size_t j = last_; j-- > 1;) slopes_[j] += slopes_[j + 1];
    if (last_ > 0) slopes_[0] = slopes_[1];
    values_.assign(last_ + 1, start_);
    residuals_.assign(last_ + 1, 0);
    moments_.assign(last_ + 1, 0);
    squares_ = 0;
    for (std::size_t j = 0; j <= last_; ++j) {
      if (j > 0) values_[j] = values_[j - 1] + slopes_[j] * (data_.nodes[j] - data_.nodes[j - 1]);
      const Cell& cell = data_.cells[j];
      const double at_base = j > 0 ? values_[j - 1] : start_;
      const double mean = cell.mean_y - at_base - slopes_[j] * cell.mean_u;
      residuals_[j] = cell.count * mean;
      moments_[j] = cell.mean_u * residuals_[j] + cell.uy - slopes_[j] * cell.uu;
      squares_ += cell.count * mean * mean + std::max(0.0, cell.yy - slopes_[j] * (2 * cell.uy - slopes_[j] * cell.uu));
    }
  }

  void refit() {
    evaluate();
    descend();
    double before = squares_;
    while (add_steepest()) {
      descend();
      if (squares_ >= before) return;  // only rounding is left
      before = squares_;
    }
  }

  /// Moves to the least-squares curve with the present bends. Bends that would become negative are dropped on the way.
  void descend() {
    while (true) {
      const std::vector<double> nodes = least_squares();
      const std::vector<double> wanted = amounts(nodes);
      double step = 1;
      std::optional<std::size_t> blocking;  // wanted.size(): the start
      for (std::size_t i = 0; i < bends_.size(); ++i) {
        if (wanted[i] > 0) continue;
        const double reach = bends_[i].amount / (bends_[i].amount - wanted[i]);
        if (!blocking || reach < step) {
          step = std::isfinite(reach) ? reach : 0;
          blocking = i;
        }
      }
      if (start_free_ && nodes[0] < least_) {
        const double reach = (start_ - least_) / (start_ - nodes[0]);
        if (!blocking || reach < step) {
          step = reach;
          blocking = bends_.size();
        }
      }
      for (std::size_t i = 0; i < bends_.size(); ++i) bends_[i].amount += step * (wanted[i] - bends_[i].amount);
      start_ += step * (nodes[0] - start_);
      if (!blocking) break;
      if (*blocking == bends_.size()) {
        start_free_ = false;
        start_ = least_;
      } else {
        bends_.erase(bends_.begin() + static_cast<std::ptrdiff_t>(*blocking));
      }
      for (Bend& bend : bends_) bend.amount = std::max(0.0, bend.amount);
    }
    evaluate();
  }

  /// Returns the values at node 0 and at the bends of the least-squares curve with these bends of any sign.
  std::vector<double> least_squares() const {
    const std::size_t size = bends_.size() + 1;
    std::vector<double> diagonal(size, 0);
    std::vector<double> beside(size, 0);  // [i]: between i and i + 1
    std::vector<double> right(size, 0);
    std::size_t segment = 0;
    for (std::size_t j = 0; j <= last_; ++j) {
      while (segment < bends_.size() && j > bends_[segment].node) ++segment;
      const Cell& cell = data_.cells[j];
      if (segment == bends_.size()) {  // constant after the last bend
        diagonal[segment] += cell.count;
        right[segment] += cell.count * cell.mean_y;
        continue;
      }
      const double left = segment == 0 ? data_.nodes[0] : data_.nodes[bends_[segment - 1].node];
      const double length = data_.nodes[bends_[segment].node] - left;
      const double base = j > 0 ? data_.nodes[j - 1] : data_.nodes[0];
      const double mean = (base - left + cell.mean_u) / length;  // share of the way along the segment
      const double squares = cell.uu / length / length + cell.count * mean * mean;
      const double products = cell.uy / length + cell.count * mean * cell.mean_y;
      diagonal[segment] += cell.count * (1 - 2 * mean) + squares;
      diagonal[segment + 1] += squares;
      beside[segment] += cell.count * mean - squares;
      right[segment] += cell.count * cell.mean_y - products;
      right[segment + 1] += products;
    }
    if (!start_free_) {
      if (size > 1) right[1] -= beside[0] * least_;
      diagonal[0] = 1;
      beside[0] = 0;
      right[0] = least_;
    }
    for (std::size_t i = 1; i < size; ++i) {
      const double factor = beside[i - 1] / diagonal[i - 1];
      diagonal[i] -= factor * beside[i - 1];
      right[i] -= factor * right[i - 1];
    }
    right[size - 1] /= diagonal[size - 1];
    for (std::size_t i = size - 1; i-- > 0;) right[i] = (right[i] - beside[i] * right[i + 1]) / diagonal[i];
    return right;
  }

  /// Returns the bends of the curve with these values at node 0 and at the bends.
  std::vector<double> amounts(const std::vector<double>& values) const {
    std::vector<double> amounts(bends_.size());
    double next_slope = 0;
    for (std::size_t i = bends_.size(); i-- > 0;) {
      const double left = i == 0 ? data_.nodes[0] : data_.nodes[bends_[i - 1].node];
      const double slope = (values[i + 1] - values[i]) / (data_.nodes[bends_[i].node] - left);
      amounts[i] = slope - next_slope;
      next_slope = slope;
    }
    return amounts;
  }

  /// Adds the bend that lowers the sum of squares most per amount, or frees the start. Returns false if nothing does.
  bool add_steepest() {
    double tail = 0;  // sum of the residuals of the cells from j on
    for (const double residual : residuals_) tail += residual;
    if (!start_free_ && tail > kRounding * data_.size) return start_free_ = true;
    double gradient = moments_[0];  // of the hinge min(m, node j) - 1: the sum of its products with the residuals
    tail -= residuals_[0];
    double steepest = 0;
    std::size_t best = 0;
    for (std::size_t j = 1; j <= last_; ++j) {
      tail -= residuals_[j];
      gradient += moments_[j] + (data_.nodes[j] - data_.nodes[j - 1]) * tail;
      if (gradient > std::max(steepest, kRounding * data_.size * (data_.nodes[j] - data_.nodes[0]))) {
        steepest = gradient;
        best = j;
      }
    }
    const auto after = std::find_if(bends_.begin(), bends_.end(), [&](const Bend& bend) { return bend.node >= best; });
    if (best == 0 || (after != bends_.end() && after->node == best)) return false;
    bends_.insert(after, Bend{best, 0});
    return true;
  }

  const Cells& data_;
  double least_;
  std::size_t last_ = 0;     // the cells 0..last_ are fitted
  double start_;             // value at node 0, >= least_
  bool start_free_ = true;   // if false, start_ is least_
  std::vector<Bend> bends_;  // ascending
  // Of the present curve, one per cell:
  std::vector<double> values_;     // at the node that ends the cell
  std::vector<double> slopes_;     // within the cell
  std::vector<double> residuals_;  // sum of reward - curve
  std::vector<double> moments_;    // sum of u (reward - curve)
  double squares_ = 0;
};

/// The non-increasing regression of the last cells, one cell more at a time, from the last to the first.
class Fall {
 public:
  explicit Fall(double least) : least_(least) {}

  void add(const Cell& cell) {
    Block block{.first_pull = cell.first_pull, .count = cell.count, .mean = cell.mean_y, .squares = cell.yy};
    while (!blocks_.empty() && block.mean <= blocks_.back().mean) {
      const Block& right = blocks_.back();
      const double count = block.count + right.count;
      const double difference = right.mean - block.mean;
      block.squares += right.squares + block.count * right.count / count * difference * difference;
      block.mean += right.count / count * difference;
      block.count = count;
      blocks_.pop_back();
    }
    const double below = std::max(0.0, least_ - block.mean);
    block.total = block.squares + block.count * below * below + (blocks_.empty() ? 0 : blocks_.back().total);
    blocks_.push_back(block);
  }

  double squares() const { return blocks_.back().total; }
  double first() const { return std::max(least_, blocks_.back().mean); }
  std::vector<PullReward> steps() const {
    std::vector<PullReward> steps;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {  // NOLINT(modernize-loop-convert): reverse
      const double reward = std::max(least_, block->mean);
      if (steps.empty() || reward < steps.back().reward) steps.push_back({block->first_pull, reward});
    }
    return steps;
  }

 private:
  struct Block {
    Pulls first_pull = 1;
    double count = 0;
    double mean = 0;
    double squares = 0;  // around the mean
    double total = 0;    // sum of squares of this block and all later ones
  };
  double least_;
  std::vector<Block> blocks_;  // from the last pulls to the first, with ascending means
};

/// The best falling part after every cell.
struct FallCosts {
  std::vector<double> squares;  // of the cells after cell p
  std::vector<double> first;    // value of the first of them; -infinity if there are none
};

FallCosts fall_costs(const Cells& data, double least) {
  const std::size_t count = data.cells.size();
  FallCosts costs{std::vector<double>(count, 0), std::vector<double>(count, -std::numeric_limits<double>::infinity())};
  Fall fall(least);
  for (std::size_t p = count - 1; p-- > 0;) {
    fall.add(data.cells[p + 1]);
    costs.squares[p] = fall.squares();
    costs.first[p] = fall.first();
  }
  return costs;
}

}  // namespace

std::vector<double> SinglePeakedFit::values(Pulls pulls) const {
  std::vector<double> values(static_cast<std::size_t>(pulls));
  std::size_t corner = 0;
  std::size_t step = 0;
  for (Pulls pull = 1; pull <= pulls; ++pull) {
    double& value = values[static_cast<std::size_t>(pull - 1)];
    if (pull >= peak()) {
      while (step < fall.size() && fall[step].pull <= pull) ++step;
      value = step == 0 ? peak_reward() : std::min(most, fall[step - 1].reward);
      continue;
    }
    while (rise[corner + 1].pull <= pull) ++corner;
    const PullReward& left = rise[corner];
    const PullReward& right = rise[corner + 1];
    const double way = static_cast<double>(pull - left.pull) / static_cast<double>(right.pull - left.pull);
    value = std::min(most, left.reward + (right.reward - left.reward) * way);
  }
  return values;
}

SinglePeakedFit fit_single_peaked(std::span<const PullReward> rewards, const SinglePeakedFitOptions& options) {
  const Cells data = cells_of(rewards, options);
  const FallCosts after = fall_costs(data, options.least);
  const double slack = kRounding * data.size / static_cast<double>(rewards.size());
  ConcaveRise rise(data, options.least);
  SinglePeakedFit best{.rise = {}, .fall = {}, .last = rewards.back().pull, .squares = -1, .most = options.most};
  std::size_t peak = 0;
  for (std::size_t p = 0; p < data.cells.size(); ++p) {
    throw_if_cancelled();
    if (p > 0) rise.extend();
    if (best.squares >= 0 && rise.squares() >= best.squares) break;  // it only grows
    const double squares = rise.squares() + after.squares[p];
    if (after.first[p] > rise.end() + slack || (best.squares >= 0 && squares >= best.squares)) continue;
    best.rise = rise.corners();
    best.squares = squares;
    best.parameters = rise.parameters();
    peak = p;
  }
  Fall fall(options.least);
  for (std::size_t j = data.cells.size(); j-- > peak + 1;) fall.add(data.cells[j]);
  if (peak + 1 < data.cells.size()) best.fall = fall.steps();
  if (!best.fall.empty() && best.fall.front().reward >= best.rise.back().reward - slack) {
    best.fall.erase(best.fall.begin());  // the level of the peak continues
  }
  best.parameters += best.fall.size();
  return best;
}

}  // namespace longrun
