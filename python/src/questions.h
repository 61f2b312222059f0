#pragma once

// The arguments that recommend(), plan() and backtest() have in common.
#include <fmt/format.h>
#include <nanobind/stl/variant.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/advice/question.h"
#include "longrun/decide/advice/recommendation.h"
#include "longrun/decide/study/study_json.h"
#include "python/src/parts.h"

namespace longrun {

/// Rounds of a history: the number, the first pull and the end of each.
using RoundFields = std::vector<std::tuple<Pulls, Pulls, Pulls>>;
/// A number of an arm per row.
using ArmNumbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// The places of rows, from 0.
using RowPlaces = std::vector<std::int64_t>;
/// Past pulls: the arm of each, its reward (nan if it is pending or lost), those whose rewards are lost, and the rounds
/// that they state; or the path of a CSV file.
using PastPulls = std::variant<std::tuple<ArmNumbers, Numbers, RowPlaces, RoundFields>, std::string>;

/// The names of the arms, the past pulls, horizon, noise, policy, unavailable arms, constraints, scale, whether
/// outliers are kept, and the seed of randomized policies.
using QuestionArguments =
    std::tuple<std::vector<std::string>, PastPulls, Pulls, std::optional<NoiseTuple>, std::string, std::vector<Arm>,
               ConstraintFields, std::tuple<double, double>, bool, std::uint64_t>;

/// Returns the history. What may be a mistake in a file, or in rounds, becomes a warning of Python. The caller holds
/// the global lock.
History history_from(std::vector<std::string> arm_names, const PastPulls& past, const Constraints& constraints = {});

/// The labels of the arms of a history, and what may be a mistake in it.
using HistoryText = std::tuple<std::vector<std::string>, std::vector<std::string>>;
/// The same, whether rounds, times or dates say that the rows are in order, the rounds, and the rows whose rewards are
/// lost.
using OrderedHistoryText = std::tuple<std::vector<std::string>, std::vector<std::string>, bool, RoundFields, RowPlaces>;
/// Further columns of a data frame: the name of each, and its cells as texts.
using TextColumns = std::vector<std::tuple<std::string, std::vector<std::string>>>;

/// Reads the rows of a data frame as those of a CSV file. Errors and warnings call it "history", and its rows as a
/// frame does. `labels` has the label of each number in `arms`. If they are the names of all arms, the order of the
/// arms is theirs; else it is that of a file, and the names that are returned have it. Rewards are as in PastPulls.
OrderedHistoryText read_history_rows(const ArmNumbers& arms, const Numbers& rewards, const RowPlaces& lost,
                                     const TextColumns& others, std::vector<std::string> labels, bool are_all_names);

/// Returns the labels of the arms in the file, and the warnings that it gives only if the caller does not name the
/// arms.
HistoryText arms_of_file(const std::string& path);

/// Calls `compute`. An error about a reward names its row as a data frame does, from 0.
template <class Compute>
auto in_rows(const Compute& compute) {
  try {
    return compute();
  } catch (const PastRewardError& error) {
    throw InputError(fmt::format("history: row {}: {}", error.pull(), error.what()));
  }
}

/// Returns the question.
Question question_from(const QuestionArguments& arguments);

/// Constraints to compare with, each as the text of one constraint or as all of them; number and seed of the futures,
/// number of threads, and a function that is called with the number of futures that are played.
using PlanArguments = std::tuple<std::vector<std::variant<std::string, ConstraintFields>>, Pulls, std::uint64_t, int,
                                 std::function<void(Pulls)>>;

/// Returns the plan of a study as the fields of Python's Plan. The caller holds the global lock.
nb::object plan_of_study(StudyHistory study, const PlanArguments& arguments);

/// Returns a recommendation as the fields of Python's Recommendation. The caller holds the global lock.
nb::object fields_of_answer(const Question& question, const Recommendation& answer);

}  // namespace longrun
