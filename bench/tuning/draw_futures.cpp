// Prints the futures that foresight expects of one arm and their weights, for the picture in docs/method.md.
//
// usage: draw_futures FOLDER [SCALE]
//
// The arm rises from 0.2 to 0.8 with a scale of SCALE pulls (default 80); noise of sd 0.1, 2000 pulls, two other arms
// that have told nothing. Writes FOLDER/rewards.tsv (pull, reward, mean reward) and FOLDER/futures.tsv: per number of
// pulls a block with the weights of all futures whose average reward lies in a bin, and the index.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <span>
#include <string>

#include "longrun/base/random.h"
#include "longrun/model/noise.h"
#include "longrun/policy/foresight/arm_foresight.h"

namespace {

using namespace longrun;  // NOLINT(google-build-using-namespace): a program of one file

constexpr Pulls kHorizon = 2'000;
constexpr double kSd = 0.1;
constexpr std::size_t kBins = 25;
constexpr std::array<Pulls, 4> kShown{5, 20, 80, 320};

double curve(Pulls pull, double scale) { return 0.2 - 0.6 * std::expm1(-static_cast<double>(pull - 1) / scale); }

/// Prints the weights by bin: of the evidence, of straight lines and of hidden growth.
void print_futures(const ArmForesight& arm, const ForesightModel& model, std::ostream& out) {
  const Pulls remaining = kHorizon - arm.pulls();
  const Prospects prospects = arm.prospects(remaining, model);
  std::array<std::array<double, 3>, kBins> weights{};
  for (std::size_t k = 0; k < prospects.size(); ++k) {
    const std::size_t from_end = prospects.size() - 1 - k;
    const std::size_t kind = from_end == 0 ? 2 : from_end <= kForesightTuning.deviations.size() ? 1 : 0;
    const auto bin = static_cast<std::size_t>(prospects[k].average * kBins);
    weights[std::min(bin, kBins - 1)][kind] += prospects[k].weight;
  }
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    out << fmt::format("{}\t{:.4f}\t{:.5f}\t{:.5f}\t{:.5f}\t{:.4f}\n", arm.pulls(),
                       (static_cast<double>(bin) + 0.5) / kBins, weights[bin][0], weights[bin][1], weights[bin][2],
                       arm.index(remaining, model));
  }
  out << "\n\n";
}

}  // namespace

int main(int argc, char** argv) {
  const double scale = argc == 3 ? std::stod(argv[2]) : 80;
  if ((argc != 2 && argc != 3) || !(scale > 0)) {
    fmt::print(stderr, "usage: draw_futures FOLDER [SCALE]\n");
    return 2;
  }
  const std::string folder = argv[1];
  std::ofstream rewards(folder + "/rewards.tsv");
  std::ofstream futures(folder + "/futures.tsv");
  const ForesightModel model(kHorizon, 3, kSd);
  const StreamKey key{.seed = 1, .replicate = 1, .purpose = Purpose::noise};
  ArmForesight arm;
  for (Pulls pull = 1; pull <= kShown.back(); ++pull) {
    double reward = curve(pull, scale);
    add_noise(Gaussian{.sd = kSd}, key, pull, std::span(&reward, 1));
    rewards << fmt::format("{}\t{:.4f}\t{:.4f}\n", pull, reward, curve(pull, scale));
    arm.add(reward, model);
    if (std::find(kShown.begin(), kShown.end(), pull) != kShown.end()) print_futures(arm, model, futures);
  }
}
