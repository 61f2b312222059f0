#include "longrun/decide/study/pending_by_arm.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace longrun {
namespace {

Study study_of(int arms) {
  StudySpec spec{.arms = {}, .budget = 1000, .policy = "exp3", .seed = 3};
  for (int arm = 0; arm < arms; ++arm) spec.arms.push_back("arm " + std::to_string(arm));
  return Study(spec);
}

TEST(PendingByArm, TheOldestDecisionIsTheFirstPendingOneOfTheArm) {
  Study study = study_of(4);
  study.decide(200);
  PendingByArm pending;
  for (DecisionId settled = 3; settled < 200; settled += 1 + settled % 4) study.settle(settled, {OutcomeKind::lost});
  for (int step = 0; step < 300; ++step) {
    const Arm arm = step % 4;
    const std::vector<Study::Pending> all = study.pending();
    const auto expected = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.arm == arm; });
    const auto found = pending.oldest(arm, study);
    ASSERT_EQ(found.has_value(), expected != all.end());
    if (!found) continue;
    ASSERT_EQ(*found, expected->id);
    study.settle(*found, Outcome::observed(0.5));
  }
  EXPECT_TRUE(study.pending().empty());
}

TEST(PendingByArm, ReadsThePendingDecisionsOnce) {
  Study study = study_of(1);
  study.decide(2);
  PendingByArm pending;
  EXPECT_EQ(pending.oldest(0, study), 1);
  study.decide(1);
  study.settle(1, {OutcomeKind::lost});
  study.settle(2, {OutcomeKind::lost});
  EXPECT_TRUE(study.is_pending(3));
  EXPECT_EQ(pending.oldest(0, study), std::nullopt) << "decision 3 was made after the first call";
}

TEST(PendingByArm, HasTheDecisionsThatAreAdded) {
  for (const bool is_read_before : {false, true}) {
    Study study = study_of(3);
    study.decide(1);
    const Arm decided = study.pending()[0].arm;
    const Arm other = (decided + 1) % 3;
    study.settle(1, {OutcomeKind::voided});
    PendingByArm pending;
    if (is_read_before) {
      EXPECT_EQ(pending.oldest(other, study), std::nullopt);
    }
    const PulledInstead pulled = study.pull_instead(1, other);
    pending.add(other, pulled.decision);
    EXPECT_EQ(pending.oldest(other, study), 2);
    study.settle(2, Outcome::observed(0.5));
    EXPECT_EQ(pending.oldest(other, study), std::nullopt);
  }
}

TEST(PendingByArm, AnArmWithoutDecisionsHasNone) {
  Study study = study_of(2);
  PendingByArm pending;
  EXPECT_EQ(pending.oldest(0, study), std::nullopt);
  EXPECT_EQ(pending.oldest(7, study), std::nullopt);
}

}  // namespace
}  // namespace longrun
