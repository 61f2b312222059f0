#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/field_error.h"
#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/system_error.h"
#include "longrun/base/unknown_name_error.h"
#include "longrun/base/version.h"
#include "longrun/simulate/plan/plan.h"

namespace longrun {
namespace {

/// CLI11's help with a blank line below the description.
class Help : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n\n"; }
};

void describe(CLI::App& app) {
  app.name("longrun");
  app.description(
      "longrun: decisions that change what they decide about\n\n"
      "The reward of a choice (an arm) can depend on how often it was chosen before: practice raises\n"
      "the reward, repetition lowers it. Here the reward of an arm rises, ever more slowly, with the\n"
      "number of its pulls, and may fall later. A policy chooses an arm for each pull from what it has\n"
      "observed so far. Its policy regret is the difference between the best possible total reward,\n"
      "with the same number of pulls, and its own.");
  app.footer(
      "Examples:\n"
      "  longrun bandits                                 list the bandits\n"
      "  longrun policies                                list the policies\n"
      "  longrun play --bandit inc_dec_3 --policy spo    one run and its regret\n"
      "  longrun optimum --bandit inc_dec_3              the best possible total reward\n"
      "  longrun recommend --horizon 500 --arms 3        the next pull; --history gives past rewards\n"
      "  longrun help play                               all options of a command, here those of play\n\n"
      "Exit status: 0 success, 2 invalid input, 3 disk or database failure or gnuplot cannot be started,\n"
      "130 interrupted, 1 any other failure.");
  // No short options for CLI11: it would read -horizon as -h with a value.
  app.set_help_flag("--help", "print this help (also -h)");
  app.set_version_flag("--version", fmt::format("longrun {}", kVersion), "print the version (also -V)");
  app.formatter(std::make_shared<Help>());
  app.get_formatter()->column_width(24);
  app.require_subcommand(0, 1);
}

/// Returns "; did you mean '--horizon'?" for the option of this parser that is nearest, or an empty text.
std::string nearest_option(const CLI::App& parser, std::string_view given) {
  const auto without_dashes = [](std::string_view text) {
    return std::string(text.substr(std::min(text.find_first_not_of('-'), text.size())));
  };
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    if (!option->get_positional()) names.push_back(without_dashes(option->get_name()));
  }
  const std::string nearest = nearest_name(without_dashes(given.substr(0, given.find('='))), names);
  return nearest.empty() ? "" : fmt::format("; did you mean '--{}'?", nearest);
}

/// Throws InputError for the first argument that no parser accepted. CLI11 would list all of them without a suggestion.
void check_nothing_left(const CLI::App& app, const std::vector<Command>& commands) {
  for (const std::string& unknown : app.remaining()) {
    if (unknown.starts_with('-')) {
      throw InputError(fmt::format("unknown option '{}'{} (options of a subcommand come after it)", unknown,
                                   nearest_option(app, unknown)));
    }
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const Command& command : commands) names.push_back(command.parser->get_name());
    throw InputError(
        fmt::format("unknown subcommand '{}'{} ('longrun --help' lists them)", unknown, did_you_mean(unknown, names)));
  }
  for (const CLI::App* parser : app.get_subcommands()) {
    for (const std::string& unknown : parser->remaining()) {
      const bool option = unknown.starts_with('-');
      throw InputError(fmt::format("{} '{}'{} (see 'longrun {} --help')",
                                   option ? "unknown option" : "unexpected argument", unknown,
                                   option ? nearest_option(*parser, unknown) : "", parser->get_name()));
    }
  }
}

/// Returns CLI11's error message, reworded where its own is hard to read.
std::string reworded(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  for (const CLI::App* parser : app.get_subcommands()) {
    for (const CLI::Option* option : parser->get_options()) {
      const bool repeats = option->get_expected_max() > 1;  // such as files
      if (option->count() > 1 && !repeats)
        return fmt::format("{} is given {} times", option->get_name(), option->count());
    }
  }
  if (text.ends_with("flag override")) return fmt::format("--{} takes no value", text.substr(0, text.find(' ')));
  if (text.ends_with("missing")) return fmt::format("{} needs a value", text.substr(0, text.find(':')));
  return text;
}

/// Returns the name of a field as options have it.
std::string with_dashes(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return field;
}

/// Runs a command. The library does not know the commands and their options: what its errors are about is given the
/// names that it has here.
void run_command(const Command& command) {
  const auto option = [&](const std::string& field) {
    const std::string name = "--" + with_dashes(field);
    return command.parser->get_option_no_throw(name) == nullptr ? field : name;
  };
  try {
    command.run();
  } catch (const ComparisonError& error) {
    throw InputError(fmt::format("--compare {}: {}", error.comparison(), error.named(with_dashes)));
  } catch (const FieldError& error) {
    throw InputError(error.named(option));
  } catch (const UnknownNameError& error) {
    const std::string list = error.kind() == "policy" ? "policies" : "bandits";
    throw InputError(fmt::format("{} ('longrun {}' lists them)", error.what(), list));
  }
}

void run(int argc, char** argv) {
  CLI::App app;
  describe(app);
  const std::vector<Command> commands{
      add_reproduce(app), add_recommend(app), add_plan(app),       add_backtest(app), add_serve(app), add_token(app),
      add_study(app),     add_play(app),      add_optimum(app),    add_check(app),    add_run(app),   add_summary(app),
      add_report(app),    add_export(app),    add_merge(app),      add_policies(app), add_arena(app), add_bandits(app),
      add_bound(app),     add_help(app),      add_completion(app), add_man(app)};
  app.allow_extras();
  for (const Command& command : commands) command.parser->allow_extras();

  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::replace(arguments.begin(), arguments.end(), std::string("-h"), std::string("--help"));
  if (!arguments.empty() && arguments[0] == "-V") arguments[0] = "--version";
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return;
  } catch (const CLI::ParseError& error) {
    throw InputError(reworded(app, error));
  }
  check_nothing_left(app, commands);
  const auto chosen = std::find_if(commands.begin(), commands.end(), [](const auto& c) { return c.parser->parsed(); });
  chosen == commands.end() ? fmt::print("{}", app.help()) : run_command(*chosen);
}

/// Limits the memory of this process to the memory of the machine less an eighth, plus what is mapped at the start.
/// Above that an allocation fails and the process reports it; without a limit Linux would kill the process silently.
void limit_memory() {
  std::ifstream usage("/proc/self/statm");
  rlim_t mapped = 0;
  for (int field = 0; field < 6; ++field) usage >> mapped;  // the sixth is data and stack, in pages
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  rlimit limit{};
  if (!usage || pages <= 0 || page <= 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t wanted = (mapped + static_cast<rlim_t>(pages - pages / 8)) * static_cast<rlim_t>(page);
  limit.rlim_cur = std::min(limit.rlim_cur, wanted);
  setrlimit(RLIMIT_DATA, &limit);
}

int failed(int code, std::string_view why) {
  say(why);
  return code;
}

/// Reports that standard output can't be written, unless its reader has closed it, as '| head' does.
int failed_to_write(const std::error_code& error) {
  if (error == std::errc::broken_pipe) return kFailedExit;
  return failed(kFailedExit, "standard output: " + error.message());
}

int exit_code(int argc, char** argv) {
  try {
    limit_memory();
    std::ios::sync_with_stdio(false);
    run(argc, argv);
    if (std::fflush(stdout) != 0) return failed_to_write({errno, std::generic_category()});
    return 0;
  } catch (const InputError& error) {
    return failed(kWrongInputExit, error.what());
  } catch (const SystemError& error) {
    return failed(kSystemFailedExit, error.what());
  } catch (const Interrupted& error) {
    return failed(kInterruptedExit, error.what());
  } catch (const std::bad_alloc&) {
    return failed(kFailedExit, "out of memory; a shorter horizon takes less");
  } catch (const std::system_error& error) {
    return failed_to_write(error.code());
  } catch (const std::exception& error) {
    return failed(kFailedExit, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace
}  // namespace longrun

int main(int argc, char** argv) { return longrun::exit_code(argc, argv); }
