#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/longrun/question_options.h"
#include "apps/longrun/study_requests.h"

namespace longrun {

/// The options of `longrun study`.
struct StudyOptions {
  std::string action;
  std::optional<std::string> name;
  std::optional<std::string> file;
  std::optional<std::string> url;
  std::optional<std::string> token;
  std::optional<std::string> certificate_authority;
  std::optional<std::string> key;
  std::optional<std::string> arms;
  std::optional<std::string> budget;
  std::optional<std::string> noise;
  std::optional<std::string> policy;
  std::optional<std::string> title;
  std::optional<std::string> mode;
  HistoryOptions rewards;  // only their scale
  std::optional<std::string> seed;
  std::optional<std::string> unit_decimals;
  ConstraintOptions constraints;
  std::optional<std::string> count;
  std::optional<std::string> among;
  std::optional<std::string> add_arms;
  std::optional<std::string> extend_budget;
  std::optional<std::string> unavailable_now;
  std::optional<std::string> decision;
  std::optional<std::string> arm;
  std::optional<std::string> observation;
  std::optional<std::string> entry;
  std::optional<std::string> reward;
  std::optional<std::string> kind;
  std::optional<std::string> instead;
  std::optional<std::string> reason;
  bool dry_run = false;
  bool json = false;
};

/// The actions of `longrun study`.
struct StudyAction {
  static constexpr std::string_view kConstraints = "CONSTRAINTS";  ///< stands for the options of all constraints

  std::string_view name;
  void (*run)(const StudyOptions&, StudyRequests&);  ///< throws InputError and SystemError
  std::string_view options{};  ///< those that not every action has, with spaces between them; NAME must be given
};
/// Returns all actions, in the order in which they are listed.
std::span<const StudyAction> study_actions();

}  // namespace longrun
