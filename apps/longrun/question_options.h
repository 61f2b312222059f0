#pragma once

#include <optional>
#include <string>

#include "apps/longrun/commands.h"
#include "longrun/decide/advice/question.h"

namespace longrun {

/// The options that say where past pulls are and what their arms and rewards mean.
struct HistoryOptions {
  std::optional<std::string> history;
  std::optional<std::string> arm_column;
  std::optional<std::string> reward_column;
  std::optional<std::string> round_column;
  std::optional<std::string> time_column;
  std::optional<std::string> arms;
  std::optional<std::string> names;
  bool positions = false;
  bool keep_outliers = false;
  std::optional<std::string> scale;

  void add_to(CLI::App& parser);
  /// Reads the file, or makes a history without pulls. Throws InputError, which names the option, or the file and its
  /// line. Copies the file into `bytes`, if that is not null: standard input can be read only once.
  History read_history(std::string* bytes = nullptr) const;
  RewardScale read_scale() const;
  /// Returns whether the order of the arms is given, so that a list can have one value per arm.
  bool arms_are_ordered() const { return !history || names || positions; }
  /// Throws InputError, which names the file, if the rewards of the question's history are not on its scale.
  void check(const Question& question) const;
};

/// The options that say what has happened so far and under which conditions the next pulls are decided. Commands that
/// answer a Question share them.
struct QuestionOptions : HistoryOptions {
  std::optional<std::string> horizon;
  std::optional<std::string> noise;
  std::optional<std::string> sd;
  std::optional<std::string> policy;
  std::optional<std::string> unavailable_now;
  ConstraintOptions constraints;

  void add_to(CLI::App& parser);
  /// Returns whether any of the options is given.
  bool any() const;
  /// Reads the history, checks its rewards and prints its warnings on standard error. Throws InputError, which names
  /// the option, or the file and its line. Copies the file of the history into `history_bytes`, if that is not null.
  Question read(std::string* history_bytes = nullptr) const;
};

}  // namespace longrun
