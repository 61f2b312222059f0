#pragma once

namespace longrun {

/// A sum of doubles with a running correction (Knuth's two-sum). The sum of 10^8 rewards is then exact to its last
/// digits, so a regret, the difference of two large totals, does not consist of rounding errors.
class RunningSum {
 public:
  void add(double x) {
    const double next = total_ + x;
    const double taken = next - total_;
    correction_ += (total_ - (next - taken)) + (x - taken);
    total_ = next;
  }
  double value() const { return total_ + correction_; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(total_, correction_);
  }

 private:
  double total_ = 0;       // the rounded sum
  double correction_ = 0;  // the sum of all rounding errors of total_
};

}  // namespace longrun
