#pragma once
// STAND-IN until the model of futures is merged.
#include <vector>

#include "longrun/base/random.h"
#include "longrun/decide/question.h"
namespace longrun {
class FutureCurve {
 public:
  explicit FutureCurve(double level) : level_(level) {}
  double at(Pulls) const { return level_; }

 private:
  double level_;
};
class ArmFutures {
 public:
  ArmFutures(double mean, double error) : mean_(mean), error_(error) {}
  FutureCurve draw(const StreamKey& key) const;

 private:
  double mean_;
  double error_;
};
std::vector<ArmFutures> futures_of(const Question& question);
}  // namespace longrun
