#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/longrun/parser.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/types.h"
#include "longrun/model/bandit.h"
#include "longrun/model/constraints.h"

namespace longrun {

/// A subcommand: its parser and its action. An action prints after it has checked all input, so that an error leaves
/// standard output empty (except for `bound` and `export`, which print line by line, and for a picture that can't be
/// drawn, which does not keep back the text).
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
Command add_plan(CLI::App& app);
Command add_backtest(CLI::App& app);
Command add_serve(CLI::App& app);
Command add_token(CLI::App& app);
Command add_study(CLI::App& app);
Command add_help(CLI::App& app);
Command add_completion(CLI::App& app);
Command add_man(CLI::App& app);

// Exit codes, in addition to 0.
inline constexpr int kFailedExit = 1;         ///< any failure without a code of its own
inline constexpr int kWrongInputExit = 2;     ///< the user's input is wrong
inline constexpr int kSystemFailedExit = 3;   ///< failure of a disk, a database, or to start gnuplot
inline constexpr int kInterruptedExit = 130;  ///< as shells report Ctrl-C

/// The exception for a command that the user stops before it has finished. The message says how to continue.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Prints one line on standard error. Control characters are replaced.
void say(std::string_view text);
/// Prints that gnuplot is not installed, so that the folder has no pictures, and which command draws them later.
void say_undrawn(const std::string& folder, const std::string& again);

/// Reads the value of --horizon, from 1 to kLongestHorizon. Throws InputError.
Pulls parse_horizon(const std::string& text);

/// Reads the value of an option that is a whole number from `least` to `most`, or what `also` says. Throws InputError.
template <class Number>
Number parse_whole(std::string_view option, std::string_view text, Number least, Number most,
                   std::string_view also = "") {
  const auto number = parse_number<Number>(text);
  if (!number || *number < least || *number > most)
    throw InputError(fmt::format("{} {}: must be a whole number from {} to {}{}{}", option, text, least, most, also,
                                 separator_hint(text)));
  return *number;
}

inline constexpr std::size_t kMostArmsShown = 20;  ///< rows of a table of arms, unless --all-arms is given
inline constexpr std::size_t kWidestLabel = 30;    ///< columns of a table; a longer label moves its row to the right

/// Prints how many arms a table leaves out, unless there are none.
void print_arms_not_shown(std::size_t count);

/// The options of `play` and `optimum` that select the bandit and the horizon.
struct BanditOptions {
  std::optional<std::string> name;
  std::optional<std::string> curves;
  std::optional<std::string> horizon;

  void add_to(CLI::App& parser);
};

/// The name of standard input in messages.
inline constexpr const char* kStandardInput = "standard input";

/// Returns the selected bandit, with the selected horizon. Throws InputError if its curves are shorter.
Bandit chosen_bandit(const BanditOptions& options);

/// The options for constraints that `play`, `optimum` and `recommend` share.
struct ConstraintOptions {
  std::array<std::optional<std::string>, kConstraintFields.size()> texts;

  void add_to(CLI::App& parser);
  /// Reads the options. Units have `decimals` decimals.
  Constraints read(const ConstraintForm& form = {}, int decimals = 0) const;
  /// Returns the largest number of decimals of the units in the options. Throws InputError for more than kMostDecimals.
  int unit_decimals() const;

 private:
  /// Calls use(field, text) for every option that is given. Errors name the option.
  template <class Use>
  void for_each_given(Use use) const;
};

/// Returns the constraints as users write them: as an object of texts, or as one text.
nlohmann::ordered_json as_json(const Constraints& constraints, const ConstraintForm& form = {});
std::string as_text(const Constraints& constraints);

/// Throws InputError, with the name of the option, if the horizon is too long for an option that keeps every step in
/// memory.
void check_steps_kept(std::string_view option, Pulls horizon);

}  // namespace longrun
