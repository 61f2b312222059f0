// What the package longrun is made of: policies, bandits and worlds as classes, the solvers and the simulation as
// functions. Noise crosses over as the text that the command line takes; python/longrun makes it feel native.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <tuple>

#include "longrun/base/input_error.h"
#include "longrun/base/interruption.h"
#include "longrun/base/parallel.h"
#include "longrun/data/named_bandits.h"
#include "longrun/model/world.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/contest.h"
#include "longrun/policy/optimal.h"
#include "longrun/policy/recommendation.h"
#include "longrun/policy/recommendation_words.h"
#include "longrun/report/estimate.h"
#include "longrun/report/palette.h"
#include "longrun/solve/optimistic_future.h"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): "name"_a, as nanobind means it

namespace longrun {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A NumPy array that owns the values.
template <class Value, class... Lengths>
auto numpy_array(std::vector<Value> values, Lengths... lengths) {
  auto* kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<sizeof...(lengths)>>(kept->data(), {static_cast<size_t>(lengths)...},
                                                                     owner);
}

std::string shown(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

// Taken as objects, so that what is no number is refused in one line, not with nanobind's list of signatures.

Arm arm_from(nb::handle object, Arm arms) {
  std::int64_t arm = 0;
  if (!nb::try_cast(object, arm) || arm < 0 || arm >= arms) {
    throw InputError(fmt::format("arm {} is not one of 0..{}", shown(object), arms - 1));
  }
  return static_cast<Arm>(arm);
}

double reward_from(nb::handle object) {
  double reward = 0;
  if (!nb::try_cast(object, reward)) throw InputError(fmt::format("reward {} is not a finite number", shown(object)));
  return reward;
}

using ConstraintTexts = std::map<std::string, std::string>;

Constraints constraints_from(const ConstraintTexts& texts) {
  Constraints constraints;
  for (const auto& [field, text] : texts) {
    try {
      set_constraint(constraints, field, text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", field, error.what()));
    }
  }
  return constraints;
}

void check_horizon(const Bandit& bandit, Pulls horizon) {
  if (horizon < 1) throw InputError(fmt::format("horizon {} must be at least 1", horizon));
  if (horizon > kLongestHorizon) {
    throw InputError(fmt::format("horizon {} would take days; at most {}", horizon, kLongestHorizon));
  }
  check_reaches(bandit, horizon);
}

// ---- long computations

/// Whether Python is shutting down: a thread that asks for its lock then never gets it.
bool python_is_leaving() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

/// Computes on another thread while this one calls `show` now and then and listens for Ctrl-C. compute() leaves soon
/// after `stop` is set, if it asks: the flag of its thread is set, that of others is up to it.
template <class Compute>
void watched(
    Compute compute, const std::function<void()>& show = [] {}) {
  std::exception_ptr interruption;
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release released;
    std::mutex finishing;
    std::condition_variable finished;
    bool is_finished = false;
    std::atomic<bool> stop{false};
    std::thread computing([&] {
      const Interruptible by(&stop);
      try {
        compute(stop);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(finishing);
      is_finished = true;
      finished.notify_one();
    });
    std::unique_lock lock(finishing);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_finished; })) {
      if (stop) continue;
      if (python_is_leaving()) {  // and takes this thread, a daemon, with it
        stop = true;
        continue;
      }
      const nb::gil_scoped_acquire acquired;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        show();
      } catch (...) {
        interruption = std::current_exception();
        stop = true;
      }
    }
    lock.unlock();
    computing.join();
    while (python_is_leaving()) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

// ---- policies

/// All that a policy is made from.
struct Recipe {
  std::string policy;
  Arm arms = 1;
  Pulls horizon = 1;
  std::string noise;
  std::optional<double> half_width;
  std::uint64_t seed = 0;
  std::uint32_t replicate = 0;
  std::vector<Pulls> plan;

  std::unique_ptr<AskTell> make() const {
    const PolicyChoice choice(policy);
    if (choice.entry().needs_plan && plan.size() != static_cast<std::size_t>(arms)) {
      throw InputError(fmt::format("policy '{}' needs a plan: the pulls of each of the {} arms", policy, arms));
    }
    return choice.make({.arms = arms,
                        .horizon = horizon,
                        .noise = parse_noise(noise),
                        .half_width = half_width,
                        .seed = seed,
                        .replicate = replicate,
                        .plan = plan});
  }
};

/// A policy with a memory of what it was asked and told, which is what a pickle holds: a policy depends on nothing
/// else, so replaying it gives the same state to the bit. 16 bytes per question with its answer.
class Policy {
 public:
  using State = std::tuple<std::string, std::string, Arm, Pulls, std::string, std::optional<double>, std::uint64_t,
                           std::uint32_t, std::vector<Pulls>, nb::bytes, nb::bytes>;

  explicit Policy(Recipe recipe) : recipe_(std::move(recipe)), policy_(recipe_.make()) {}

  Arm ask() {
    const Arm arm = policy_->choose();
    calls_.push_back(kAsked);
    return arm;
  }
  void tell(Arm arm, double reward) {
    policy_->observe(arm, reward);
    calls_.push_back(arm);
    rewards_.push_back(reward);
  }

  const Recipe& recipe() const { return recipe_; }

  State state() const {
    const auto bytes = [](const auto& values) {
      return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    };
    const Recipe& r = recipe_;
    return {LONGRUN_VERSION, r.policy,    r.arms, r.horizon,     r.noise,        r.half_width,
            r.seed,          r.replicate, r.plan, bytes(calls_), bytes(rewards_)};
  }
  static Policy resumed(const State& state) {
    const auto& [version, policy, arms, horizon, noise, half_width, seed, replicate, plan, calls, rewards] = state;
    if (version != LONGRUN_VERSION) {
      throw InputError(fmt::format("this policy was pickled by longrun {}, and this is {}", version, LONGRUN_VERSION));
    }
    Policy resumed({policy, arms, horizon, noise, half_width, seed, replicate, plan});
    if (!resumed.replay(values<Arm>(calls), values<double>(rewards))) {
      throw InputError("this pickle of a policy is damaged: its rewards are not those of its calls");
    }
    return resumed;
  }

 private:
  static constexpr Arm kAsked = -1;

  template <class Value>
  static std::vector<Value> values(const nb::bytes& bytes) {
    if (bytes.size() % sizeof(Value) != 0) throw InputError("this pickle of a policy is damaged: a part is missing");
    std::vector<Value> all(bytes.size() / sizeof(Value));
    std::memcpy(all.data(), bytes.c_str(), all.size() * sizeof(Value));
    return all;
  }
  /// Whether there was a reward for every call that tells one.
  bool replay(const std::vector<Arm>& calls, const std::vector<double>& rewards) {
    std::size_t told = 0;
    for (const Arm call : calls) {
      if (call == kAsked) {
        ask();
      } else {
        if (told == rewards.size()) return false;
        tell(call, rewards[told++]);
      }
    }
    return told == rewards.size();
  }

  Recipe recipe_;
  PolicyState policy_;
  std::vector<Arm> calls_;  // kAsked, or the arm whose reward was told
  std::vector<double> rewards_;
};

// ---- bandits

Bandit bandit_by_name(const std::string& name, const std::string& noise) {
  Bandit bandit = named_bandit(name);
  bandit.noise = parse_noise(noise);
  return bandit;
}

Bandit bandit_from_rewards(const Rows& rewards, std::vector<std::string> arm_names, std::string name,
                           const std::string& noise) {
  if (rewards.shape(0) == 0 || rewards.shape(1) == 0) throw InputError("a bandit needs at least one arm and one pull");
  if (arm_names.size() != rewards.shape(0)) {
    throw InputError(fmt::format("{} names for {} arms", arm_names.size(), rewards.shape(0)));
  }
  Bandit bandit{.name = std::move(name),
                .arm_names = std::move(arm_names),
                .arms = {},
                .noise = parse_noise(noise),
                .recorded_noise = nullptr,
                .horizon = static_cast<Pulls>(rewards.shape(1))};
  for (std::size_t arm = 0; arm < rewards.shape(0); ++arm) {
    const double* row = rewards.data() + arm * rewards.shape(1);
    for (std::size_t pull = 0; pull < rewards.shape(1); ++pull) {
      if (row[pull] >= 0 && row[pull] <= 1) continue;
      throw InputError(fmt::format("arm {}: reward {} of pull {} is outside [0, 1]", arm, row[pull], pull + 1));
    }
    bandit.arms.push_back(Curve::from_rewards({row, row + rewards.shape(1)}));
  }
  return bandit;
}

constexpr Pulls kMostRewards = Pulls{1} << 31;  // 16 GiB

auto mean_rewards(const Bandit& bandit, Pulls pulls) {
  check_horizon(bandit, pulls);
  if (pulls > kMostRewards / bandit.arm_count()) {
    throw InputError(fmt::format("{} pulls of {} arms are too many for an array", pulls, bandit.arm_count()));
  }
  std::vector<double> rewards;
  rewards.reserve(bandit.arms.size() * static_cast<std::size_t>(pulls));
  for (const Curve& curve : bandit.arms) {
    for (Pulls pull = 1; pull <= pulls; ++pull) rewards.push_back(curve.reward(pull));
  }
  return numpy_array(std::move(rewards), bandit.arms.size(), pulls);
}

/// A world whose mistakes are errors.
class CheckedWorld {
 public:
  CheckedWorld(const Bandit& bandit, Pulls horizon, std::uint64_t seed, std::uint32_t replicate)
      : horizon_(horizon), world_(checked(bandit, horizon), seed, replicate) {}

  double pull(Arm arm) {
    if (made_ == horizon_) throw InputError(fmt::format("all {} pulls are made", horizon_));
    ++made_;
    return world_.pull(arm);
  }
  Arm arms() const { return static_cast<Arm>(world_.pulls().size()); }
  const std::vector<Pulls>& pulls() const { return world_.pulls(); }
  double earned() const { return world_.earned(); }

 private:
  static Bandit checked(const Bandit& bandit, Pulls horizon) {
    check_horizon(bandit, horizon);
    constexpr Pulls kAtOnce = 1 << 20;  // too few pulls to be worth a thread
    if (horizon <= kAtOnce) return bandit.tabulated(horizon);
    Bandit ready;
    watched([&](const auto&) { ready = bandit.tabulated(horizon); });
    return ready;
  }

  Pulls horizon_;
  Pulls made_ = 0;
  World world_;
};

// ---- solvers

std::optional<double> future(const Numbers& lower, const Numbers& upper, Pulls remaining) {
  if (lower.size() != upper.size()) {
    throw InputError(fmt::format("{} lower ends and {} upper ends", lower.size(), upper.size()));
  }
  if (remaining < 0) throw InputError(fmt::format("remaining: {} is negative", remaining));
  std::vector<Band> bands;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const Band band{lower.data()[i], upper.data()[i]};
    if (!std::isfinite(band.lower) || !std::isfinite(band.upper) || band.lower > band.upper) {
      throw InputError(fmt::format("band {}: [{}, {}] is not an interval", i, band.lower, band.upper));
    }
    bands.push_back(band);
  }
  return optimistic_future(bands, remaining);
}

// ---- recommendation

using Reported = std::tuple<double, double>;  // value, standard error

std::optional<Reported> reported(const std::optional<Measured>& measured) {
  if (!measured) return std::nullopt;
  return Reported(measured->value, measured->standard_error);
}

auto recommendation(std::vector<std::string> arm_names, const std::vector<std::tuple<Arm, double>>& history,
                    Pulls horizon, const std::optional<std::string>& noise, std::string policy, std::vector<Arm> away,
                    const ConstraintTexts& constraints, std::tuple<double, double> scale, std::uint64_t seed) {
  Question question{.history = {.arm_names = std::move(arm_names), .pulls = {}},
                    .horizon = horizon,
                    .noise = noise ? std::optional(parse_noise(*noise)) : std::nullopt,
                    .policy = std::move(policy),
                    .constraints = constraints_from(constraints),
                    .away = std::move(away),
                    .scale = {.minimum = std::get<0>(scale), .maximum = std::get<1>(scale)},
                    .seed = seed};
  for (const auto& [arm, reward] : history) question.history.pulls.push_back({arm, reward});
  Recommendation answer;
  watched([&](const auto&) { answer = recommend(question); });
  std::vector<std::tuple<Pulls, std::optional<Reported>, std::optional<Reported>, std::string, double, double,
                         std::vector<std::tuple<Pulls, double>>>>
      arms;
  for (const ArmReport& arm : answer.arms) {
    std::vector<std::tuple<Pulls, double>> curve;
    for (const FuturePull& future : arm.bound) curve.emplace_back(future.pull, future.reward);
    arms.emplace_back(arm.pulls, reported(arm.level), reported(arm.slope), name(arm.trend), arm.worth, arm.bound_total,
                      std::move(curve));
  }
  std::vector<std::tuple<Arm, std::string>> next;
  for (const NextPull& pull : answer.next) next.emplace_back(pull.arm, name(pull.cause));
  return std::tuple(next, what_to_do(question, answer), why(question, answer), what_would_change(question, answer),
                    answer.remaining, answer.sd, arms);
}

// ---- simulation

using Columns = nb::typed<nb::dict, nb::str, nb::object>;

/// The runs of the catalog's policies as columns: by policy, then horizon, then replicate. There is one bandit for all
/// replicates, or one for each.
Columns simulate(const std::vector<const Bandit*>& bandits, const std::vector<std::string>& policies,
                 std::vector<Pulls> horizons, const ConstraintTexts& constraints, std::string half_width,
                 std::uint64_t seed, const std::vector<std::uint32_t>& replicates, int threads,
                 const std::function<void(std::uint64_t)>& progress) {
  Contest contest{.half_width = {.text = std::move(half_width)},
                  .policies = {},
                  .horizons = std::move(horizons),
                  .seed = seed,
                  .constraints = constraints_from(constraints)};
  for (const std::string& policy : policies) contest.policies.emplace_back(policy);
  if (bandits.size() != 1 && bandits.size() != replicates.size()) throw InputError("a bandit, or one per replicate");
  std::size_t arms = 0;
  for (const Bandit* bandit : bandits) {
    arms = std::max(arms, bandit->arms.size());
    for (const Pulls horizon : contest.horizons) {
      check_horizon(*bandit, horizon);
      contest.half_width.at(bandit->noise, horizon);
    }
  }

  std::vector<std::vector<ContestRun>> runs(replicates.size());
  std::uint64_t steps = 0;  // of a replicate
  for (const Pulls horizon : contest.horizons) steps += static_cast<std::uint64_t>(horizon) * policies.size();
  std::atomic<std::uint64_t> done{0};
  const auto compute = [&](const std::atomic<bool>& stop) {
    std::optional<ContestBandit> shared;
    if (bandits.size() == 1) shared.emplace(contest, *bandits[0]);
    in_parallel(threads, replicates.size(), [&](std::size_t i) {
      const Interruptible playing(&stop);
      std::uint64_t played = 0;
      const auto watch = [&](std::uint64_t more) {
        played += more;
        done += more;
      };
      const Bandit& bandit = *bandits[shared ? 0 : i];
      runs[i] = shared ? shared->play(bandit.noise, replicates[i], watch)
                       : ContestBandit(contest, bandit).play(bandit.noise, replicates[i], watch);
      done += steps - played;  // those that another replicate played for this one
    });
  };
  watched(compute, [&] { progress(done); });

  const std::size_t cells = policies.size() * contest.horizons.size();
  const std::size_t rows = cells * replicates.size();
  std::vector<Pulls> pulls(rows * arms);  // 0 of arms that a bandit does not have
  std::vector<double> earned(rows);
  std::vector<double> optimum(rows);
  std::vector<double> regret(rows);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const ContestRun& run : runs[i]) {
      const std::size_t row = (run.policy * contest.horizons.size() + run.horizon) * replicates.size() + i;
      std::copy(run.pulls.begin(), run.pulls.end(), pulls.begin() + static_cast<std::ptrdiff_t>(row * arms));
      earned[row] = run.earned;
      optimum[row] = run.optimum;
      regret[row] = policy_regret(run.optimum, run.earned);
    }
  }
  Columns columns;
  columns["pulls"] = numpy_array(std::move(pulls), rows, arms);
  columns["return"] = numpy_array(std::move(earned), rows);
  columns["optimum"] = numpy_array(std::move(optimum), rows);
  columns["regret"] = numpy_array(std::move(regret), rows);
  return columns;
}

// ---- the module

void add_policy(nb::module_& module) {
  const char* ask =
      "The arm to pull next. Counts as pulled from now on, its reward in flight.\n\n"
      "select_arm() is the same.";
  const char* tell =
      "A reward of `arm`. Raises ValueError for an arm that does not exist or a reward that is not finite.\n\n"
      "update() is the same.";
  const auto observe = [](Policy& self, nb::handle arm, nb::handle reward) {
    self.tell(arm_from(arm, self.recipe().arms), reward_from(reward));
  };
  nb::class_<Policy>(
      module, "Policy",
      "A policy outside the play loop: ask which arm to pull, tell what was observed. Rewards may come back late, in "
      "any order, for arms that were not suggested, or before the first question (a logged history).\n\n"
      "A pickle holds what the policy was made from and all it was asked and told, which is replayed on loading: the "
      "state is the same to the bit, and loading takes as long as those calls did.")
      .def(
          "__init__",
          [](Policy* self, std::string policy, Arm arms, Pulls horizon, std::string noise,
             std::optional<double> half_width, std::uint64_t seed, std::uint32_t replicate, std::vector<Pulls> plan) {
            new (self) Policy(Recipe{std::move(policy), arms, horizon, std::move(noise), half_width, seed, replicate,
                                     std::move(plan)});
          },
          "policy"_a, "arms"_a, "horizon"_a, "noise"_a, "half_width"_a.none(), "seed"_a, "replicate"_a, "plan"_a)
      .def("ask", &Policy::ask, ask)
      .def("select_arm", &Policy::ask, ask)
      .def("tell", observe, "arm"_a.none(), "reward"_a.none(),
           nb::sig("def tell(self, arm: typing.SupportsIndex, reward: typing.SupportsFloat) -> None"), tell)
      .def("update", observe, "arm"_a.none(), "reward"_a.none(),
           nb::sig("def update(self, arm: typing.SupportsIndex, reward: typing.SupportsFloat) -> None"), tell)
      .def_prop_ro("name", [](const Policy& self) { return self.recipe().policy; })
      .def_prop_ro("arms", [](const Policy& self) { return self.recipe().arms; })
      .def_prop_ro("horizon", [](const Policy& self) { return self.recipe().horizon; })
      .def("__copy__", [](const Policy& self) { return Policy(self); })
      .def(
          "__deepcopy__", [](const Policy& self, nb::handle) { return Policy(self); }, "memo"_a)
      .def("__getstate__", &Policy::state)
      .def("__setstate__", [](Policy& self, const Policy::State& state) { new (&self) Policy(Policy::resumed(state)); })
      .def("__repr__", [](const Policy& self) {
        const Recipe& recipe = self.recipe();
        return fmt::format("<longrun.Policy {}, {} arms, horizon {}>", recipe.policy, recipe.arms, recipe.horizon);
      });
}

void add_bandit(nb::module_& module) {
  nb::class_<Bandit>(module, "Bandit")
      .def_ro("name", &Bandit::name)
      .def_ro("arm_names", &Bandit::arm_names)
      .def_ro("horizon", &Bandit::horizon)
      .def_prop_ro("longest_horizon", &Bandit::longest_horizon)
      .def("rewards", &mean_rewards, "pulls"_a);
  module.def("bandit_by_name", &bandit_by_name, "name"_a, "noise"_a);
  module.def("bandit_from_rewards", &bandit_from_rewards, "rewards"_a, "arm_names"_a, "name"_a, "noise"_a);
}

void add_world(nb::module_& module) {
  nb::class_<CheckedWorld>(
      module, "World",
      "One replicate of a bandit, being played. Noise is keyed by (seed, replicate, arm, pull), not by time: two "
      "policies that make the same pull see the same reward.\n\nBandit.world() makes one.")
      .def(
          "pull", [](CheckedWorld& self, nb::handle arm) { return self.pull(arm_from(arm, self.arms())); },
          "arm"_a.none(), nb::sig("def pull(self, arm: typing.SupportsIndex) -> float"),
          "Pulls `arm` once more and returns what is observed.")
      .def("__copy__", [](const CheckedWorld& self) { return CheckedWorld(self); })
      .def(
          "__deepcopy__", [](const CheckedWorld& self, nb::handle) { return CheckedWorld(self); }, "memo"_a)
      .def_prop_ro("pulls", &CheckedWorld::pulls, "How often every arm was pulled.")
      .def_prop_ro("earned", &CheckedWorld::earned,
                   "Sum of the mean rewards of all pulls made, the return of the run. Noise plays no part in it.");
  module.def(
      "world",
      [](const Bandit& bandit, Pulls horizon, std::uint64_t seed, std::uint32_t replicate) {
        return CheckedWorld(bandit, horizon, seed, replicate);
      },
      "bandit"_a, "horizon"_a, "seed"_a, "replicate"_a);
}

void add_lists(nb::module_& module) {
  module.attr("default_policy") = std::string(kDefaultPolicy);
  module.def("policies", [] {
    std::vector<std::tuple<std::string, std::string, std::map<std::string, std::string>>> all;
    for (const PolicyEntry& entry : policy_catalog()) {
      std::map<std::string, std::string> parameters;
      for (const Parameter& parameter : entry.parameters) parameters.emplace(parameter.name, parameter.meaning);
      all.emplace_back(entry.name, entry.summary, std::move(parameters));
    }
    return all;
  });
  module.def("bandits", [] {
    std::vector<std::tuple<std::string, std::string>> all;
    for (const NamedBandit& bandit : named_bandits()) all.emplace_back(bandit.name, bandit.summary);
    return all;
  });
  module.def(
      "noise_text", [](const std::string& noise) { return to_text(parse_noise(noise)); }, "noise"_a);
  module.def(
      "constrains", [](const ConstraintTexts& texts) { return !constraints_from(texts).none(); }, "texts"_a);
  module.def(
      "half_width",
      [](const std::string& text, const std::string& noise, Pulls horizon) {
        return HalfWidthRule{.text = text}.at(parse_noise(noise), horizon);
      },
      "text"_a, "noise"_a, "horizon"_a);
  module.def(
      "style_of",
      [](const std::string& policy) {
        const LineStyle style = style_of(policy);
        return std::tuple(style.colour, style.dashes, style.width);
      },
      "policy"_a);
  module.def("spare_colours", [] { return std::vector<std::string>(kSpareColours.begin(), kSpareColours.end()); });
  module.def(
      "estimate",
      [](const Numbers& values) {
        if (values.size() == 0) throw InputError("no values to estimate a mean from");
        const Estimate of = estimate({values.data(), values.size()});
        return std::tuple(of.mean, of.low, of.high);
      },
      "values"_a);
}

void add_solvers(nb::module_& module) {
  module.def(
      "optimum",
      [](const Bandit& bandit, Pulls horizon, const ConstraintTexts& constraints) {
        check_horizon(bandit, horizon);
        const Constraints allowed = constraints_from(constraints);
        Allocation best;
        watched([&](const auto&) { best = optimal_allocation(bandit, horizon, allowed); });
        return std::tuple(best.value, numpy_array(std::move(best.pulls), bandit.arms.size()),
                          std::string(name(best.method)));
      },
      "bandit"_a, "horizon"_a, "constraints"_a);
  module.def("optimistic_future", &future, "lower"_a, "upper"_a, "remaining"_a);
  module.def("policy_regret", &policy_regret, "optimum"_a, "earned"_a);
  module.def("recommend", &recommendation, "arm_names"_a, "history"_a, "horizon"_a, "noise"_a.none(), "policy"_a,
             "away"_a, "constraints"_a, "scale"_a, "seed"_a);
  module.def("simulate", &simulate, "bandits"_a, "policies"_a, "horizons"_a, "constraints"_a, "half_width"_a, "seed"_a,
             "replicates"_a, "threads"_a, "progress"_a);
}

}  // namespace
}  // namespace longrun

NB_MODULE(_core, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const longrun::InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  nb::set_leak_warnings(false);  // a program may end while a daemon thread simulates, whose objects are then left
  module.attr("version") = LONGRUN_VERSION;
  longrun::add_lists(module);
  longrun::add_policy(module);
  longrun::add_bandit(module);
  longrun::add_world(module);
  longrun::add_solvers(module);
}
