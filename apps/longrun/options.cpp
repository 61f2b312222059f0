#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/data/csv_curves.h"
#include "longrun/data/named_bandits.h"
#include "longrun/report/summary.h"

namespace longrun {
namespace {

constexpr Pulls kMostStepsKept = 100'000'000;          // about a gigabyte
constexpr Pulls kMostLookedUpPerArm = Pulls{1} << 20;  // rewards, 8 bytes each
constexpr Pulls kMostLookedUp = Pulls{1} << 24;        // of all arms

std::string option_name(const ConstraintField& field) {
  std::string name = "--" + std::string(field.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Returns the same bandit with rewards in tables instead of computed, for speed, unless the tables would be large.
Bandit looked_up(const Bandit& bandit) {
  const Pulls pulls = std::min(bandit.horizon, kMostLookedUpPerArm);
  return bandit.arm_count() * pulls <= kMostLookedUp ? bandit.tabulated(pulls) : bandit;
}

Bandit curves_from(const std::string& path) {
  return path == "-" ? read_csv_curves(kStandardInput, std::cin) : read_csv_curves(path);
}

}  // namespace

void say(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  std::fputs(fmt::format("longrun: {}\n", line).c_str(), stderr);  // fmt::print would throw if standard error is closed
}

void print_arms_not_shown(std::size_t count) {
  if (count == 0) return;
  fmt::print("{} not shown; --all-arms shows all.\n",
             count == 1 ? "1 more arm is" : fmt::format("{} more arms are", count));
}

Pulls parse_horizon(const std::string& text) {
  const auto horizon = parse_number<Pulls>(text);
  const bool beyond_numbers = !horizon && text.find_first_not_of("0123456789") == std::string::npos;
  if (beyond_numbers || (horizon && *horizon > kLongestHorizon)) {
    throw InputError(fmt::format("--horizon {}: must be at most {}", text, kLongestHorizon));
  }
  if (!horizon || *horizon < 1) {
    throw InputError(fmt::format("--horizon {}: must be a whole number >= 1{}", text, separator_hint(text)));
  }
  return *horizon;
}

void BanditOptions::add_to(CLI::App& parser) {
  add_value(parser, "--bandit", "NAME", name,
            "a bandit from 'longrun bandits'; this or --curves is\n"
            "required");
  add_value(parser, "--curves", "FILE.csv", curves,
            "your own bandit: a header with one name per arm, then one\n"
            "row per pull with the mean reward of each arm, in [0, 1];\n"
            "separated by commas, semicolons, tabs or |; '-' reads\n"
            "standard input");
  add_value(parser, "--horizon", "T", horizon,
            "number of pulls (default: the bandit's own horizon, or\n"
            "the number of rows in FILE.csv)");
}

Bandit chosen_bandit(const BanditOptions& options) {
  if (options.name && options.curves) throw InputError("--bandit and --curves exclude each other; give one of them");
  if (!options.name && !options.curves) {
    throw InputError("no bandit is given; give --bandit NAME ('longrun bandits' lists them) or --curves FILE.csv");
  }
  if (options.name && options.name->ends_with(".csv"))
    throw InputError(
        fmt::format("--bandit {0}: is not the name of a bandit; give a file with --curves {0}", *options.name));
  const Pulls horizon = options.horizon ? parse_horizon(*options.horizon) : 0;
  Bandit bandit = options.name ? named_bandit(*options.name) : curves_from(*options.curves);
  if (horizon > 0) bandit.horizon = horizon;
  if (bandit.horizon > bandit.longest_horizon()) {
    throw InputError(
        fmt::format("{}: has {} rows, too few for horizon {}", bandit.name, bandit.longest_horizon(), bandit.horizon));
  }
  return looked_up(bandit);
}

void ConstraintOptions::add_to(CLI::App& parser) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const ConstraintField& field = kConstraintFields[i];
    add_value(parser, option_name(field), std::string(field.form), texts[i], std::string(field.meaning),
              "Constraints (one number for all arms, ARM:NUMBER,... for some, or a list with one per arm)");
  }
}

template <class Use>
void ConstraintOptions::for_each_given(Use use) const {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i]) continue;
    try {
      use(kConstraintFields[i], *texts[i]);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", option_name(kConstraintFields[i]), error.what()));
    }
  }
}

Constraints ConstraintOptions::read(const ConstraintForm& form, int decimals) const {
  Constraints constraints = Constraints::with_decimals(decimals);
  for_each_given([&](const ConstraintField& field, const std::string& text) {
    set_constraint(constraints, field.name, text, form);
  });
  return constraints;
}

int ConstraintOptions::unit_decimals() const {
  int decimals = 0;
  for_each_given([&](const ConstraintField& field, const std::string& text) {
    decimals = std::max(decimals, unit_decimals_of(field.name, text));
    if (decimals > kMostDecimals)
      throw InputError(fmt::format("'{}': units have at most {} decimals", text, kMostDecimals));
  });
  return decimals;
}

nlohmann::ordered_json as_json(const Constraints& constraints, const ConstraintForm& form) {
  nlohmann::ordered_json object;
  for (const auto& [name, text] : constraint_texts(constraints, form)) object[name] = text;
  return object;
}

std::string as_text(const Constraints& constraints) { return constraints_text(constraints); }

void check_steps_kept(std::string_view option, Pulls horizon) {
  if (horizon <= kMostStepsKept) return;
  throw InputError(fmt::format("{} needs a horizon of at most {}, not {}", option, kMostStepsKept, horizon));
}

}  // namespace longrun
