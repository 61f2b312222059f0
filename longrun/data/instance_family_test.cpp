#include "longrun/data/instance_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "longrun/data/arena_bandits.h"
#include "longrun/data/named_bandits.h"
#include "longrun/data/recommender.h"

namespace longrun {
namespace {

TEST(InstanceFamily, NoTwoPurposesOrFamiliesShareAStream) {
  std::set<std::uint64_t> first_numbers;
  std::size_t streams = 0;
  const auto add = [&](const StreamKey& key) {
    first_numbers.insert(random_block(key, 0)[0]);
    ++streams;
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      for (const InstanceFamily family : kInstanceFamilies) add(instance_stream(family, seed, lane));
      for (const Purpose purpose : kPurposes) {
        if (purpose == Purpose::instance) continue;  // above, family by family
        for (std::uint32_t replicate = 0; replicate < 2 * kInstanceFamilies.size(); ++replicate) {
          add({.seed = seed, .replicate = replicate, .purpose = purpose, .lane = lane});
        }
      }
    }
  }
  EXPECT_EQ(first_numbers.size(), streams);
}

TEST(InstanceFamily, EveryFamilyDrawsFromItsOwnStream) {
  const auto share = [](InstanceFamily family) {
    return unit_interval(random_block(instance_stream(family, 3), 0)[0]);
  };
  EXPECT_EQ(named_bandit("const_3").arms[0].reward(1), share(InstanceFamily::constant));
  EXPECT_EQ(random_recommender_items(3)[0].value, 0.5 * share(InstanceFamily::recommender_random));
  std::set<InstanceFamily> streams{InstanceFamily::constant, InstanceFamily::fico_sample,
                                   InstanceFamily::recommender_random};
  for (const RandomFamily& random : kRandomFamilies) {
    const auto arms = static_cast<Arm>(2 * std::pow((random.most_arms + 1) / 2.0, share(random.stream)));
    EXPECT_EQ(named_bandit(std::string(random.name) + "_3").arm_count(), arms) << random.name;
    EXPECT_TRUE(streams.insert(random.stream).second) << random.name << " shares its stream with another family";
  }
  EXPECT_EQ(streams.size(), kInstanceFamilies.size()) << "a family has no bandits";
}

}  // namespace
}  // namespace longrun
