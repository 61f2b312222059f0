#include <tuple>

#include "longrun/base/estimate.h"
#include "longrun/base/input_error.h"
#include "longrun/data/named_bandits.h"
#include "longrun/model/half_width.h"
#include "longrun/policy/catalog.h"
#include "longrun/policy/line_style.h"
#include "longrun/simulate/contest.h"
#include "python/src/parts.h"

namespace longrun {

void add_lists(nb::module_& module) {
  module.attr("default_policy") = std::string(kDefaultPolicy);
  module.def("policies", [] {
    std::vector<std::tuple<std::string, std::string, std::map<std::string, std::string>, bool>> all;
    for (const PolicyEntry& entry : policy_catalog()) {
      std::map<std::string, std::string> parameters;
      for (const Parameter& parameter : entry.parameters) parameters.emplace(parameter.name, parameter.help());
      all.emplace_back(entry.name, entry.summary, std::move(parameters), entry.traits.needs_plan);
    }
    return all;
  });
  module.def("bandits", [] {
    std::vector<std::tuple<std::string, std::string>> all;
    for (const NamedBandit& bandit : named_bandits()) all.emplace_back(bandit.name, bandit.summary);
    return all;
  });
  module.attr("largest_noise") = kLargestNoise;
  module.def(
      "noise_text", [](const NoiseTuple& noise) { return to_text(noise_from(noise)); }, "noise"_a);
  module.def(
      "noise_fields", [](const std::string& text) { return tuple_of(parse_noise(text)); }, "text"_a);
  module.def("check_horizon", &check_horizon, "bandit"_a, "horizon"_a);
  module.def(
      "check_policy", [](const std::string& policy) { PolicyChoice{policy}; }, "policy"_a);
  module.def(
      "half_width",
      [](const std::string& text, const NoiseTuple& noise, Pulls horizon) {
        return HalfWidthRule{.text = text}.at(noise_from(noise), horizon);
      },
      "text"_a, "noise"_a, "horizon"_a);
  module.def(
      "style_of",
      [](const std::string& policy) {
        const LineStyle style = line_style(policy);
        return std::tuple(style.colour, std::vector<int>(style.dashes.begin(), style.dashes.end()), style.width);
      },
      "policy"_a);
  module.def(
      "figure_lines",
      [](const std::vector<std::string>& policies) {
        std::vector<std::tuple<std::string, std::vector<int>, double>> lines;
        for (const FigureLine& line : figure_lines(policies)) lines.emplace_back(line.colour, line.dashes, line.width);
        return lines;
      },
      "policies"_a);
  module.def(
      "estimate",
      [](const Numbers& values) {
        if (values.size() == 0) throw InputError("no values to estimate a mean from");
        const Estimate of = estimate({values.data(), values.size()});
        return std::tuple(of.mean, of.low, of.high);
      },
      "values"_a);
}

}  // namespace longrun
