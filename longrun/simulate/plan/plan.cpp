#include "longrun/simulate/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "longrun/base/cancellation.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parallel.h"
#include "longrun/base/random.h"
#include "longrun/decide/advice/arm_futures.h"
#include "longrun/decide/advice/explanation.h"
#include "longrun/decide/advice/noise_by_arm.h"
#include "longrun/decide/advice/pooled_reward.h"
#include "longrun/decide/advice/standing.h"
#include "longrun/decide/next_round.h"
#include "longrun/simulate/plan/future_world.h"
#include "longrun/simulate/plan/plan_of_study.h"
#include "longrun/simulate/plan/plan_text.h"
#include "longrun/simulate/plan/simple_choices.h"

namespace longrun {
namespace {

constexpr double kLowQuantile = 0.1;        // and 1 - this one: an interval of 80 %
constexpr std::size_t kShownFutures = 200;  // that are also played as shown: enough for a mean, and little time

/// Returns whether the policy of the question decides.
bool is_policy(CourseKind kind) { return kind == CourseKind::policy || kind == CourseKind::constrained; }

bool has_rewards(const History& history) {
  return std::any_of(history.pulls.begin(), history.pulls.end(), [](const PastPull& pull) { return pull.reward; });
}

/// A course before it is played.
struct Plot {
  CourseKind kind;
  std::string name;
  ConstrainedPolicy state;             // now
  std::optional<Arm> arm{};            // as in Course
  std::string field{};                 // the same
  std::optional<Study> study{};        // whose policy is `state`; nullopt for simple courses
  std::optional<Question> reseeded{};  // the one that a randomized policy is made from, future by future
  PullObstacle obstacle{};             // why no arm can be pulled now, as recommend() finds it; set by plots_of()

  /// Returns the study, which is set, with random numbers for this future.
  Study study_in(const StreamKey& future) const {
    if (!reseeded) return *study;
    StreamKey key = future;
    key.purpose = Purpose::policy;
    Question question = *reseeded;
    question.seed = random_block(key, 0)[0];
    return standing_of(question).study;
  }
  /// Returns the state in which the course begins in a future.
  ConstrainedPolicy start(const StreamKey& future) const { return reseeded ? study_in(future).policy() : state; }
};

/// Returns the course of a policy from the catalog. `question` is that of the plan, or a variant of it.
Plot plot_of(CourseKind kind, std::string name, const PlanQuestion& asked, const Question& question) {
  Study study =
      asked.study ? replayed(*asked.study, question.policy, question.constraints) : standing_of(question).study;
  ConstrainedPolicy state = study.policy();
  Plot plot{.kind = kind, .name = std::move(name), .state = std::move(state), .study = std::move(study)};
  // The random numbers of a study are determined by its seed; a recommendation draws others after each pull.
  const bool randomized = PolicyChoice(question.policy).entry().traits.randomized;
  if (randomized && !asked.study) plot.reseeded = question;
  return plot;
}

/// Returns the arms in the order of their newest rewards per unit of cost, the largest first; arms without rewards are
/// last.
std::vector<Arm> by_newest_rewards(const Standing& standing) {
  const ResolvedConstraints& constraints = standing.study.policy().constraints();
  const Restriction restriction{.arms = {}, .costs = constraints.costs()};
  std::vector<double> newest;
  for (Arm arm = 0; arm < constraints.arms(); ++arm) {
    const std::optional<RewardNow> now = standing.reports.reward_now(arm);
    newest.push_back(now ? restriction.per_unit(now->mean, arm) : -std::numeric_limits<double>::infinity());
  }
  std::vector<Arm> order(newest.size());
  std::iota(order.begin(), order.end(), Arm{0});
  std::stable_sort(order.begin(), order.end(), [&](Arm a, Arm b) {
    return newest[static_cast<std::size_t>(a)] > newest[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<Plot> plots_of(const PlanQuestion& asked, const Standing& standing) {
  const Question& question = asked.question;
  std::vector<Plot> plots;
  plots.push_back(plot_of(CourseKind::policy, PolicyChoice(question.policy).text(), asked, question));
  const auto add_simple = [&](CourseKind kind, std::string name, std::unique_ptr<LivePolicy> policy,
                              std::optional<Arm> arm = {}) {
    ConstrainedPolicy state = plots.front().state.with_policy(std::move(policy));
    plots.push_back({.kind = kind, .name = std::move(name), .state = std::move(state), .arm = arm});
  };
  add_simple(CourseKind::equal_split, "equal split", make_equal_split(question.history.arms()));
  if (has_rewards(question.history)) {
    const std::vector<Arm> order = by_newest_rewards(standing);
    add_simple(CourseKind::best_so_far, arm_label(question.history.arm_names, order[0]) + " only",
               make_fixed_choice(order), order[0]);
  }
  if (const PolicyEntry& myopic = policy_with(&PolicyTraits::myopic); !traits_of(question.policy).myopic) {
    Question greedy = question;
    greedy.policy = myopic.name;
    greedy.history.pulls = pulls_by_arm(question.history);  // ties must not depend on the order of rows between arms
    plots.push_back(plot_of(CourseKind::greedy, greedy.policy, asked, greedy));
  }
  for (const ComparedConstraints& compared : asked.compare) {
    Question other = question;
    other.constraints = compared.constraints;
    try {
      plots.push_back(plot_of(CourseKind::constrained, compared.name, asked, other));
      plots.back().field = compared.field;
    } catch (const FieldError& error) {
      throw ComparisonError(compared.name, error.fields(), error.problem());
    } catch (const InputError& error) {
      throw ComparisonError(compared.name, {}, error.what());
    }
  }
  for (Plot& plot : plots) plot.obstacle = next_round(plot.state).obstacle;
  return plots;
}

/// The result of one course in one future.
struct Played {
  double mean_total = 0;      // of the mean rewards, on the scale from 0 to 1
  double observed_total = 0;  // of the rewards
  Pulls pulls = 0;
  bool unmet = false;  // whether an arm ends below its minimum or share
};

/// One course in one future, while it is played.
class CoursePlay {
 public:
  /// `arm_pulls` and `next_round`, which begin with zeros, receive the pulls of each arm.
  CoursePlay(FutureWorld world, std::span<Pulls> arm_pulls, std::span<Pulls> next_round)
      : world_(std::move(world)), arm_pulls_(arm_pulls), next_round_(next_round) {}

  /// Decides on the first round while decisions are pending, and then gives all of them their outcomes. A course
  /// without a study reads no rewards, so it needs no outcomes; but the pending pulls are made. Returns the state then.
  ConstrainedPolicy begin(const Plot& plot, const StreamKey& future, std::span<const Study::Pending> pending,
                          const RewardScale& scale) {
    std::vector<Settled> outcomes;
    const auto settle = [&](DecisionId id, double reward) {
      outcomes.push_back({id, Outcome::observed(scale.from_unit(reward))});
    };
    for (const Study::Pending& each : pending) settle(each.id, world_.pull(each.arm).observed);
    if (!plot.study) return plot.state;
    Study study = plot.study_in(future);
    if (plot.obstacle == PullObstacle::none) {
      // Rounds without pulls go by, as in next_round(): what is left of them may pay for no arm.
      std::vector<Decision> decisions;
      while (decisions.empty()) decisions = study.decide().decisions;
      for (const Decision& decision : decisions) settle(decision.id, pull(decision.arm, true));
    }
    for (const Settled& settled : outcomes) study.apply(settled, Study::Trust::accepted);
    return study.policy();
  }

  /// Plays to the end. If `only_now`, arms that are unavailable now are available after the next round: the first one
  /// that has pulls, as recommend() defines it. `obstacle` is why it has none, if no arm can be pulled now.
  Played finish(ConstrainedPolicy state, bool only_now, PullObstacle obstacle) {
    bool is_next = played_.pulls == 0 && obstacle == PullObstacle::none;
    if (played_.pulls == 0 && !is_next && !state.done()) state.next_round();  // in which nothing can be pulled
    if (!is_next && only_now) state.set_unavailable({});
    for (Pulls rounds = 0; !state.done(); ++rounds) {
      if (rounds % 1024 == 0) throw_if_cancelled();
      const Pulls before = state.round();
      const std::span<const Arm> pulls = state.next_round();
      for (const Arm arm : pulls) state.observe(arm, pull(arm, is_next));
      if (pulls.empty() && state.round() == before) break;  // no arm can be pulled, now or later
      if (pulls.empty() || !is_next) continue;
      is_next = false;
      if (only_now) state.set_unavailable({});
    }
    for (Arm arm = 0; arm < state.constraints().arms(); ++arm) {
      if (state.issued(arm) - state.saved_for(arm) < state.least(arm)) played_.unmet = true;
    }
    return played_;
  }

 private:
  /// Pulls `arm` and returns its reward.
  double pull(Arm arm, bool is_first_round) {
    const FutureWorld::Reward reward = world_.pull(arm);
    played_.mean_total += reward.mean;
    played_.observed_total += reward.observed;
    ++played_.pulls;
    ++arm_pulls_[static_cast<std::size_t>(arm)];
    if (is_first_round) ++next_round_[static_cast<std::size_t>(arm)];
    return reward.observed;
  }

  FutureWorld world_;
  std::span<Pulls> arm_pulls_;   // [arm]
  std::span<Pulls> next_round_;  // [arm]
  Played played_;
};

/// The results of one course in all futures.
struct Results {
  std::vector<Played> played;  // [future]
  /// [future], of the first ones, if arms go on as their rewards show; only of courses of the policy
  std::vector<Played> as_shown;
  std::vector<Pulls> arm_pulls;   // [future * arms + arm]
  std::vector<Pulls> next_round;  // the same
};

FutureRange range_of(std::vector<double> values) {
  const auto last = static_cast<double>(values.size() - 1);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::sort(values.begin(), values.end());
  if (values.front() == values.back()) return {values[0], values[0], values[0]};
  // Outwards, so that at least 80 % of the futures are within.
  return {.mean = mean,
          .low = values[static_cast<std::size_t>(std::floor(kLowQuantile * last))],
          .high = values[static_cast<std::size_t>(std::ceil((1 - kLowQuantile) * last))]};
}

template <class Value>
FutureRange range_over(Pulls futures, Value value) {
  std::vector<double> values(static_cast<std::size_t>(futures));
  for (std::size_t future = 0; future < values.size(); ++future) values[future] = static_cast<double>(value(future));
  return range_of(std::move(values));
}

std::vector<FutureRange> arm_ranges(const std::vector<Pulls>& pulls, std::size_t arms, Pulls futures) {
  std::vector<FutureRange> ranges;
  ranges.reserve(arms);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    ranges.push_back(range_over(futures, [&](std::size_t future) { return pulls[future * arms + arm]; }));
  }
  return ranges;
}

Course course_of(const Plot& plot, const Results& results, const Results& policy, std::size_t arms,
                 const RewardScale& scale) {
  const auto futures = std::ssize(results.played);
  const auto total = [&](const Played& played, double unit_total) {
    return scale.minimum * static_cast<double>(played.pulls) + scale.range() * unit_total;
  };
  const auto mean_total = [&](const Played& played) { return total(played, played.mean_total); };
  Course course{.kind = plot.kind,
                .name = plot.name,
                .arm = plot.arm,
                .field = plot.field,
                .arm_pulls = arm_ranges(results.arm_pulls, arms, futures)};
  course.total = range_over(futures, [&](std::size_t future) {
    return total(results.played[future], results.played[future].observed_total);
  });
  course.total.mean = range_over(futures, [&](std::size_t future) { return mean_total(results.played[future]); }).mean;
  course.pulls = range_over(futures, [&](std::size_t future) { return results.played[future].pulls; });
  course.loss = range_over(futures, [&](std::size_t future) {
    return mean_total(policy.played[future]) - mean_total(results.played[future]);
  });
  const auto share = [&](auto has) {
    std::size_t count = 0;
    for (std::size_t future = 0; future < results.played.size(); ++future) count += has(future) ? 1U : 0U;
    return static_cast<double>(count) / static_cast<double>(futures);
  };
  course.unmet = share([&](std::size_t future) { return results.played[future].unmet; });
  course.worse_share =
      share([&](std::size_t future) { return mean_total(policy.played[future]) > mean_total(results.played[future]); });
  course.better_share =
      share([&](std::size_t future) { return mean_total(policy.played[future]) < mean_total(results.played[future]); });
  if (!is_policy(plot.kind)) return course;
  const auto without = std::ssize(results.as_shown);
  const double not_shown = range_over(without, [&](std::size_t future) {
                             return mean_total(results.played[future]) - mean_total(results.as_shown[future]);
                           }).mean;
  // The difference is that of the first futures only, and may exceed what all of them earn on average.
  course.total_as_shown =
      std::clamp(course.total.mean - not_shown, scale.minimum * course.pulls.mean, scale.maximum * course.pulls.mean);
  course.loss_as_shown = range_over(without, [&](std::size_t future) {
                           return mean_total(policy.as_shown[future]) - mean_total(results.as_shown[future]);
                         }).mean;
  return course;
}

void check(const PlanQuestion& asked) {
  if (asked.futures < kFewestFutures || asked.futures > kMostFutures) {
    throw FieldError({"futures"}, fmt::format("{} is not in {}..{}", asked.futures, kFewestFutures, kMostFutures));
  }
  const auto courses = static_cast<Pulls>(kSimpleCourses + asked.compare.size());
  const Pulls arms = asked.question.history.arms();
  const Pulls most_futures = kMostArmFutures / courses / std::max<Pulls>(1, arms);
  if (most_futures < kFewestFutures) {
    throw InputError(fmt::format("{} arms: too many for a plan with {} courses; at most {}", arms, courses,
                                 kMostArmFutures / courses / kFewestFutures));
  }
  if (asked.futures > most_futures) {
    throw FieldError({"futures"},
                     fmt::format("{} are too many for {} arms and {} courses; at most {} are kept in memory",
                                 asked.futures, arms, courses, most_futures));
  }
}

/// Throws InputError if too many pulls would be played: `pulls` by each course in each future.
void check_played(Pulls futures, Pulls pulls, std::size_t courses) {
  const double per_future = static_cast<double>(pulls) * static_cast<double>(courses);
  if (per_future * static_cast<double>(futures) <= kMostPlayedPulls) return;
  const auto most = static_cast<Pulls>(kMostPlayedPulls / per_future);
  if (most >= kFewestFutures) {
    throw FieldError({"futures"}, fmt::format("{} are too many for {} remaining pulls and {} courses; at most {}",
                                              futures, pulls, courses, most));
  }
  throw InputError(fmt::format(
      "{} remaining pulls: too many for a plan with {} courses; at most {}, with {} futures", pulls, courses,
      static_cast<Pulls>(kMostPlayedPulls) / static_cast<Pulls>(courses) / kFewestFutures, kFewestFutures));
}

/// Returns the noise of all arms and of each, in the unit of the rewards.
NoiseByArm noise_of(const Question& question, const Standing& standing) {
  const ArmReports& reports = standing.reports;
  const double unit = question.scale.range();
  std::vector<double> sds;
  const bool is_estimated = reports.sd_is_estimate() && !reports.yes_or_no();
  for (Arm arm = 0; arm < question.history.arms() && is_estimated; ++arm) sds.push_back(unit * reports.noise_sd(arm));
  return noise_by_arm(standing.counted, unit * reports.stated_sd(), sds);
}

/// Returns the mean reward of every arm so far, or nullopt if its trend is stated as rising or falling. The means of
/// noisy rewards are drawn towards each other (pooled_rewards()): else the best of them, which the policy chooses,
/// would be too high. An arm without rewards has the mean of all rewards, or the middle of the scale.
std::vector<std::optional<double>> shown_rewards(const ArmReports& reports, Arm arms) {
  std::vector<OwnEstimate> own;
  for (Arm arm = 0; arm < arms; ++arm) {
    if (reports.rewards(arm) == 0) continue;
    const ArmNoise noise{.sd = reports.noise_sd(arm), .yes_or_no = reports.yes_or_no()};
    const double mean = *reports.mean_reward(arm);
    const double error = noise.sd / std::sqrt(static_cast<double>(reports.rewards(arm)));
    own.push_back({.noise = noise,
                   .reward_now = RewardNow{.mean = mean, .standard_error = error, .pulls = reports.rewards(arm)}});
  }
  const std::vector<PooledReward> pooled = pooled_rewards(own);
  auto next = pooled.begin();
  std::vector<std::optional<double>> shown;
  for (Arm arm = 0; arm < arms; ++arm) {
    const double mean = reports.rewards(arm) > 0 ? (next++)->mean : reports.mean_of_all().value_or(0.5);
    const Trend trend = reports.trend(arm).stated();
    const bool moves = trend == Trend::rising || trend == Trend::falling;
    shown.push_back(moves ? std::nullopt : std::optional(std::clamp(mean, 0.0, 1.0)));
  }
  return shown;
}

/// Draws the curve of an arm in a future.
FutureCurve drawn(const ArmFutures& futures, const StreamKey& key) {
  std::array<double, ArmFutures::kUniform> uniform{};
  for (std::size_t i = 0; i < uniform.size(); i += 2) {
    const auto bits = random_block(key, i / 2);
    uniform[i] = unit_interval(bits[0]);
    if (i + 1 < uniform.size()) uniform[i + 1] = unit_interval(bits[1]);
  }
  return futures.draw(uniform);
}

/// The parts that all futures have in common.
struct Futures {
  const PlanQuestion& asked;
  std::vector<Plot> plots;
  std::vector<ArmFutures> arms;
  std::vector<Noise> noise;                  // by arm
  std::vector<std::optional<double>> shown;  // by arm: the mean of its rewards so far; nullopt if these rise or fall
  std::vector<Study::Pending> pending;

  /// Plays all courses in one future.
  void play(std::size_t future, std::vector<Results>& results) const {
    StreamKey key{.seed = asked.seed, .replicate = static_cast<std::uint32_t>(future), .purpose = Purpose::future};
    std::vector<FutureCurve> curves;
    curves.reserve(arms.size());
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      key.lane = static_cast<std::uint32_t>(arm);
      curves.push_back(drawn(arms[arm], key));
    }
    key.purpose = Purpose::future_noise;
    const auto played = [&](const Plot& plot, std::span<Pulls> arm_pulls, std::span<Pulls> next) {
      CoursePlay play(FutureWorld(curves, noise, key), arm_pulls, next);
      ConstrainedPolicy state =
          pending.empty() ? plot.start(key) : play.begin(plot, key, pending, asked.question.scale);
      return play.finish(std::move(state), !asked.study, plot.obstacle);
    };
    for (std::size_t course = 0; course < plots.size(); ++course) {
      Results& result = results[course];
      result.played[future] =
          played(plots[course], std::span(result.arm_pulls).subspan(future * arms.size(), arms.size()),
                 std::span(result.next_round).subspan(future * arms.size(), arms.size()));
    }
    if (future >= kShownFutures) return;
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      if (shown[arm]) curves[arm] = FutureCurve::line(*shown[arm], 0, 0);
    }
    std::vector<Pulls> unused(2 * arms.size());
    for (std::size_t course = 0; course < plots.size(); ++course) {
      if (!is_policy(plots[course].kind)) continue;
      results[course].as_shown[future] =
          played(plots[course], std::span(unused).first(arms.size()), std::span(unused).last(arms.size()));
    }
  }
};

/// Plays all futures and returns the results of each course.
std::vector<Results> played_in(const Futures& futures, const PlanOptions& options) {
  const auto count = static_cast<std::size_t>(futures.asked.futures);
  std::vector<Results> results(futures.plots.size());
  for (Results& result : results) {
    result.played.resize(count);
    result.as_shown.resize(std::min(count, kShownFutures));
    result.arm_pulls.resize(count * futures.arms.size());
    result.next_round.resize(count * futures.arms.size());
  }
  std::mutex reporting;
  Pulls done = 0;  // futures that were played; guarded by `reporting`
  in_parallel(options.threads, count, [&](std::size_t future) {
    const CancellationScope scope(options.stop);
    throw_if_cancelled();
    futures.play(future, results);
    if (!options.on_progress) return;
    const std::lock_guard lock(reporting);
    options.on_progress(++done);
  });
  return results;
}

}  // namespace

Noise future_noise(const Question& question, double sd) {
  if (question.noise) return *question.noise;
  if (has_rewards(question.history) && rewards_are_yes_or_no(question.history, question.scale)) return Bernoulli{};
  return Gaussian{.sd = sd};
}

Plan plan(const PlanQuestion& asked, const PlanOptions& options) {
  check(asked);
  const Question& question = asked.question;
  const Standing standing =
      asked.study ? standing_of(without_minima(question), ObservedOrder::of_history) : standing_of(question);
  if (!asked.study) check_means(question);
  Futures futures{
      .asked = asked, .plots = plots_of(asked, standing), .arms = {}, .noise = {}, .shown = {}, .pending = {}};
  const Noise noise_of_all = future_noise(question, standing.reports.sd_of_rewards().value_or(standing.reports.sd()));
  const NoiseByArm own_noise = noise_of(question, standing);
  futures.noise.assign(question.history.arm_names.size(), noise_of_all);
  std::vector<double> arm_noise_sds;
  if (clearly_different(own_noise)) {
    for (std::size_t arm = 0; arm < futures.noise.size(); ++arm) {
      arm_noise_sds.push_back(standing.reports.noise_sd(static_cast<Arm>(arm)));
      futures.noise[arm] = Gaussian{.sd = arm_noise_sds.back()};
    }
  }
  const Study& study = *futures.plots[0].study;
  futures.pending = study.pending();
  const auto arms = static_cast<std::size_t>(question.history.arms());
  for (std::size_t arm = 0; arm < arms; ++arm) {
    futures.arms.push_back(standing.reports.futures_with_pending(static_cast<Arm>(arm)));
  }
  futures.shown = shown_rewards(standing.reports, question.history.arms());
  const Pulls units_left = study.left();
  const Pulls most_pulls = study.policy().constraints().most_pulls(units_left);
  check_played(asked.futures, most_pulls, futures.plots.size());
  if (options.on_start) options.on_start(most_pulls, futures.plots.size());
  const std::vector<Results> results = played_in(futures, options);

  Plan answer{.policy = futures.plots[0].name, .futures = asked.futures, .arms = {}, .courses = {}};
  answer.pending = std::ssize(futures.pending);
  answer.units_left = units_left;
  answer.noise = noise_of_all;
  answer.noise_estimated = !question.noise;
  answer.noise_of_rewards = standing.reports.sd_of_rewards().has_value();
  answer.arm_noise_sds = std::move(arm_noise_sds);
  answer.cautions = cautions(question, {standing.outliers, standing.doubtful}, standing.misfits, own_noise);
  answer.obstacle = futures.plots[0].obstacle;
  answer.some_trends_are_shown =
      std::find(futures.shown.begin(), futures.shown.end(), std::nullopt) != futures.shown.end();
  for (std::size_t course = 0; course < results.size(); ++course) {
    answer.courses.push_back(course_of(futures.plots[course], results[course], results[0], arms, question.scale));
  }
  const std::vector<FutureRange> next = arm_ranges(results[0].next_round, arms, asked.futures);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    answer.arms.push_back({.made = study.pulls(static_cast<Arm>(arm)),
                           .next_round = next[arm],
                           .rest = answer.courses[0].arm_pulls[arm]});
  }
  for (const Study::Pending& pending : futures.pending) ++answer.arms[static_cast<std::size_t>(pending.arm)].pending;
  for (const PlannedArm& arm : answer.arms) answer.made += arm.made;
  if (std::string caution = better_course_caution(asked, answer); !caution.empty())
    answer.cautions.push_back(std::move(caution));
  for (std::string& caution : shown_cautions(asked, answer)) answer.cautions.push_back(std::move(caution));
  return answer;
}

}  // namespace longrun
