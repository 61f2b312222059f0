#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "longrun/model/bandit.h"

namespace longrun {

/// An item a recommender may show: what it is worth to the user, and a novelty that wears off (see the formula
/// Novelty).
struct RecommenderItem {
  double value = 0;
  double novelty = 0;
  double decay = 0;
  double pull_to_value = 0;
};

/// The bandit of these items. An item whose reward would exceed 1 within its first 3000 pulls is scaled down to a
/// largest reward of 1, as in the paper.
Bandit recommender_bandit(std::string_view name, std::span<const RecommenderItem> items);

/// The paper's instances 'A', 'B' and 'C'.
std::span<const RecommenderItem> paper_recommender_items(char instance);

/// Four items drawn uniformly and independently: value from [0, 0.5], novelty from [0, 0.35], decay from [0.9, 0.99]
/// and pull_to_value from [0.005, 0.2], ranges in which all items of the paper lie. The same for the same instance.
std::array<RecommenderItem, 4> random_recommender_items(std::uint64_t instance);

}  // namespace longrun
