#pragma once

namespace longrun {

/// Sums doubles with a running correction (Knuth's two-sum), so that 10^8 rewards add up to the last digits and a
/// regret, the difference of two large totals, is not rounding noise.
class RunningSum {
 public:
  void add(double x) {
    const double next = total_ + x;
    const double taken = next - total_;
    correction_ += (total_ - (next - taken)) + (x - taken);
    total_ = next;
  }
  double value() const { return total_ + correction_; }

 private:
  double total_ = 0;
  double correction_ = 0;
};

}  // namespace longrun
