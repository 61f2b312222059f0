#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "longrun/model/bandit.h"

namespace longrun {

/// An item that a recommender may show: its lasting value to the user, and a novelty that fades (see the formula
/// Novelty).
struct RecommenderItem {
  double value = 0;
  double novelty = 0;
  double decay = 0;
  double pull_to_value = 0;
};

/// Returns a bandit with one arm per item. An item whose reward would exceed 1 within its first 3000 pulls is scaled
/// down to a largest reward of 1, as in the paper.
Bandit recommender_bandit(std::string_view name, std::span<const RecommenderItem> items);

/// Returns the items of the paper's instance 'A', 'B' or 'C'. Throws InputError for any other.
std::span<const RecommenderItem> paper_recommender_items(char instance);

/// Returns four random items, a function of the instance alone. All parameters are uniform and independent: value in
/// [0, 0.5], novelty in [0, 0.35], decay in [0.9, 0.99] and pull_to_value in [0.005, 0.2]. These ranges contain all
/// items of the paper.
std::array<RecommenderItem, 4> random_recommender_items(std::uint64_t instance);

}  // namespace longrun
