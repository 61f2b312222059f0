#include "longrun/data/recommender.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "longrun/base/input_error.h"
#include "longrun/data/instance_family.h"

namespace longrun {
namespace {

// The parameters that the authors' released code draws for the three instances of the paper's appendix. Instance B is
// that of Figure 3b.
constexpr std::array kInstanceA{
    RecommenderItem{.value = 0.36016224672107905,
                    .novelty = 5.718740867244332e-05,
                    .decay = 0.930233257263184,
                    .pull_to_value = 0.02935117816342261},
    RecommenderItem{
        .value = 0.0, .novelty = 0.17278036352152387, .decay = 0.9396767474230671, .pull_to_value = 0.1077633468006714},
    RecommenderItem{.value = 0.34260975019837975,
                    .novelty = 0.10222612486575872,
                    .decay = 0.9878117436390945,
                    .pull_to_value = 0.005477518639585233},
    RecommenderItem{.value = 0.20865240118356349,
                    .novelty = 0.27934491422287583,
                    .decay = 0.9140386938595234,
                    .pull_to_value = 0.039620297816975764},
};
constexpr std::array kInstanceB{
    RecommenderItem{.value = 0.012963115913945666,
                    .novelty = 0.27483123893935457,
                    .decay = 0.9435322392618277,
                    .pull_to_value = 0.0840735604174978},
    RecommenderItem{.value = 0.10232431701892125,
                    .novelty = 0.30963548317533185,
                    .decay = 0.9299654673674523,
                    .pull_to_value = 0.05336545502057333},
    RecommenderItem{.value = 0.26457104713851953,
                    .novelty = 0.06728997267246678,
                    .decay = 0.9513578121265747,
                    .pull_to_value = 0.03688797312938306},
    RecommenderItem{.value = 0.4269876463197444,
                    .novelty = 0.2471184186909639,
                    .decay = 0.9846561485357468,
                    .pull_to_value = 0.0159290954018122},
};
constexpr std::array kInstanceC{
    RecommenderItem{.value = 0.3540739113090524,
                    .novelty = 0.14545236945647216,
                    .decay = 0.9510827605197664,
                    .pull_to_value = 0.17858939086953096},
    RecommenderItem{.value = 0.06279265523191813,
                    .novelty = 0.10362143906909338,
                    .decay = 0.905146720330083,
                    .pull_to_value = 0.0881619687301273},
    RecommenderItem{.value = 0.0,
                    .novelty = 0.32457202380738037,
                    .decay = 0.9278487282647976,
                    .pull_to_value = 0.13525098039602626},
    RecommenderItem{.value = 0.011990941188582682,
                    .novelty = 0.279427043995441,
                    .decay = 0.9259252446907466,
                    .pull_to_value = 0.08302023940201393},
};

constexpr Pulls kScaledOver = 3000;  // pulls within which no reward may exceed 1

}  // namespace

Bandit recommender_bandit(std::string_view name, std::span<const RecommenderItem> items) {
  Bandit bandit{.name = std::string(name), .arm_names = {}, .arms = {}, .recorded_noise = nullptr, .horizon = 3000};
  for (const RecommenderItem& item : items) {
    Novelty curve{
        .value = item.value, .novelty = item.novelty, .decay = item.decay, .pull_to_value = item.pull_to_value};
    double largest = 1;
    for (Pulls pull = 1; pull <= kScaledOver; ++pull) largest = std::max(largest, curve(pull));
    curve.scale = largest;
    bandit.arms.emplace_back(curve);
    bandit.arm_names.push_back(fmt::format("item {}", bandit.arms.size()));
  }
  return bandit;
}

std::span<const RecommenderItem> paper_recommender_items(char instance) {
  switch (instance) {
    case 'A':
      return kInstanceA;
    case 'B':
      return kInstanceB;
    case 'C':
      return kInstanceC;
    default:
      throw InputError(fmt::format("recommender instance '{}' is not A, B or C", instance));
  }
}

std::array<RecommenderItem, 4> random_recommender_items(std::uint64_t instance) {
  std::array<RecommenderItem, 4> items;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const StreamKey key = instance_stream(InstanceFamily::recommender_random, instance, i);
    const auto first = random_block(key, 0);
    const auto second = random_block(key, 1);
    const auto between = [](double low, double high, std::uint64_t bits) {
      return low + (high - low) * unit_interval(bits);
    };
    items[i] = {.value = between(0, 0.5, first[0]),
                .novelty = between(0, 0.35, first[1]),
                .decay = between(0.9, 0.99, second[0]),
                .pull_to_value = between(0.005, 0.2, second[1])};
  }
  return items;
}

}  // namespace longrun
