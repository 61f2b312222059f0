#include <cstdio>

#include "longrun/data/named_bandits.h"
#include "longrun/simulate/play.h"

// A policy of one's own in the library's play loop.
class InTurn {
 public:
  longrun::Arm choose() { return next_ = 1 - next_; }
  void observe(longrun::Arm, double) {}

 private:
  longrun::Arm next_ = 1;
};

int main() {
  const longrun::Bandit bandit = longrun::named_bandit("inc_1_alpha_0.5");
  const longrun::RunResult outcome = longrun::play(longrun::World(bandit, 1), InTurn{}, 1000);
  std::printf("%lld and %lld pulls earned %.3f\n", static_cast<long long>(outcome.pulls[0]),
              static_cast<long long>(outcome.pulls[1]), outcome.earned);
  return outcome.pulls[0] == 500 && outcome.pulls[1] == 500 ? 0 : 1;
}
