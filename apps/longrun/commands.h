#pragma once

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/longrun/parser.h"
#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"

namespace longrun {

/// A subcommand: its parser, and what it does. Everything it prints comes after everything it checks, so that an error
/// leaves standard output empty.
struct Command {
  CLI::App* parser;
  std::function<void()> run;
};

Command add_policies(CLI::App& app);
Command add_bandits(CLI::App& app);
Command add_play(CLI::App& app);
Command add_optimum(CLI::App& app);
Command add_bound(CLI::App& app);
Command add_check(CLI::App& app);
Command add_run(CLI::App& app);
Command add_export(CLI::App& app);
Command add_summary(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_report(CLI::App& app);
Command add_reproduce(CLI::App& app);
Command add_arena(CLI::App& app);
Command add_recommend(CLI::App& app);

/// Stopped by the user before the work was done; says how to go on.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One line on standard error, whatever the text holds.
void say(std::string_view text);
/// The same where there is no gnuplot: what the folder lacks, and what draws it once there is.
void say_undrawn(const std::string& folder, const std::string& again);

/// --horizon, from 1 to what can be computed in a day.
Pulls parse_horizon(const std::string& text);

/// Which bandit, and for how many pulls: the options that `play` and `optimum` share.
struct BanditOptions {
  std::optional<std::string> name;
  std::optional<std::string> curves;
  std::optional<std::string> horizon;

  void add_to(CLI::App& parser);
};

/// A bandit whose curves reach its horizon, the one asked for.
Bandit chosen_bandit(const BanditOptions& options);

/// What may not be done with the pulls: options that `play` and `optimum` share.
struct ConstraintOptions {
  std::array<std::optional<std::string>, kConstraintFields.size()> texts;

  void add_to(CLI::App& parser);
  Constraints read() const;
};

/// As users wrote them: an object of texts, or one text.
nlohmann::ordered_json as_json(const Constraints& constraints);
std::string as_text(const Constraints& constraints);

/// Refuses a horizon whose every step would be kept; `option` is what asks for that.
void check_steps_kept(std::string_view option, Pulls horizon);

}  // namespace longrun
