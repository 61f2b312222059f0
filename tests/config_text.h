#pragma once

// The smallest experiment as a text, and the errors of texts that differ from it.
#include <string>
#include <string_view>
#include <vector>

#include "longrun/experiment/config.h"
#include "tests/error_of.h"

namespace longrun {

/// The smallest experiment, in lines 1 to 3.
inline const std::string kSmallestConfig = "bandits = ['inc_dec_3']\npolicies = ['spo']\nhorizons = [10, 20]\n";

inline Config config_of(const std::string& text) { return parse_config(text, "x.toml"); }

/// Returns the error of a whole text, or "no error".
inline std::string error_of_config(const std::string& text, const std::string& path = "x.toml") {
  return error_of([&] { parse_config(text, path); });
}
/// Returns the error of one more line, the fourth.
inline std::string error_of_line(const std::string& more) { return error_of_config(kSmallestConfig + more + "\n"); }

/// The form of the key `bandits`, as errors describe it.
inline constexpr std::string_view kBanditForm = R"(names and CSV files, such as ["inc_dec_3", "const_*", "mine.csv"])";

/// Returns an experiment with these horizons.
inline std::string with_horizons(const std::string& horizons) {
  return "bandits = ['inc_1']\npolicies = ['spo']\nhorizons = " + horizons + "\n";
}

}  // namespace longrun
