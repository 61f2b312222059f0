#include "longrun/data/instance_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

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
  struct Named {
    std::string name;
    InstanceFamily family;
  };
  for (const Named& random : {Named{"random_peaked_3", InstanceFamily::random_peaked},
                              Named{"random_rising_3", InstanceFamily::random_rising},
                              Named{"random_falling_3", InstanceFamily::random_falling},
                              Named{"random_constant_3", InstanceFamily::random_constant}}) {
    const auto arms = static_cast<Arm>(2 * std::pow(21.0 / 2, share(random.family)));
    EXPECT_EQ(named_bandit(random.name).arm_count(), arms) << random.name;
  }
}

}  // namespace
}  // namespace longrun
