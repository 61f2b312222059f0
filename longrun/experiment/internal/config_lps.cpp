#include "longrun/experiment/internal/config_lps.h"

#include <fmt/format.h>

#include <cmath>

#include "longrun/experiment/internal/config_bandits.h"

namespace longrun {
namespace {

constexpr Pulls kMostPulls = 1000;  // a figure cannot show more
constexpr std::string_view kLpsForm = R"([[lp]] tables with title, arm, noise, observed and future)";
constexpr std::string_view kLpNoiseForm = R"(a text such as "uniform:0.1")";

LpChoice read_lp(const TomlValue& table) {
  table.check_keys(std::vector<std::string>{"title", "arm", "noise", "observed", "future"});
  const TomlValue arm = table.at("arm", R"({formula = NAME, ...} or {rewards = [...]})");
  const TomlValue noise = table.at("noise", kLpNoiseForm);
  const std::string noise_text = noise.text(kLpNoiseForm);
  const Pulls observed = table.at("observed", "a number of pulls").whole_number(1, kMostPulls);
  const Pulls future = table.at("future", "a number of pulls").whole_number(1, kMostPulls);
  ArmChoice choice = read_arm(arm, observed + future);
  if (choice.curve.length() < observed + future) {
    throw arm.error(fmt::format("has {} rewards; allowed: at least {}, as many as 'observed' and 'future' together",
                                choice.curve.length(), observed + future));
  }
  return {.title = table.at("title", "a text").text("a text"),
          .curve = std::move(choice.curve),
          .arm = std::move(choice.toml),
          .noise = noise.located([&] { return parse_noise(noise_text); }),
          .observed = observed,
          .future = future};
}

}  // namespace

std::vector<LpChoice> read_lps(const TomlValue& list) {
  std::vector<LpChoice> lps;
  for (const TomlValue& element : list.list(kLpsForm)) lps.push_back(read_lp(element));
  return lps;
}

std::string to_toml(const std::vector<LpChoice>& lps) {
  std::string text;
  for (const LpChoice& lp : lps) {
    text += fmt::format("\n[[lp]]\ntitle = {}\narm = {{{}}}\nnoise = {}\nobserved = {}\nfuture = {}\n",
                        toml_quoted(lp.title), lp.arm, toml_quoted(to_text(lp.noise)), lp.observed, lp.future);
  }
  return text;
}

}  // namespace longrun
