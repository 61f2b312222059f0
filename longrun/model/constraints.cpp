#include "longrun/model/constraints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"

namespace longrun {
namespace {

/// Returns the error for a text that does not have the accepted form.
InputError wrong(std::string_view text, const std::string& form) {
  return InputError(fmt::format("'{}' should read {}", text, form));  // NOLINT(modernize-return-braced-init-list)
}

/// The range of a value, and its name in errors.
template <class Value>
struct Allowed {
  Value least;
  Value most;
  std::string_view kind;

  std::optional<Value> parse(std::string_view text) const {
    const auto value = parse_number<Value>(text);
    return value && *value >= least && *value <= most ? value : std::nullopt;
  }
  std::string form() const {
    return fmt::format(
        "X for every arm, ARM:X,ARM:X for some, X,ARM:X,... for the others too or X,X,... for each, with arms from 0 "
        "and X a {} from {} to {}",
        kind, least, most);
  }
};

constexpr Allowed<Pulls> kUnits{1, kLongestHorizon, "whole number"};
constexpr Allowed<Pulls> kPulls{0, kLongestHorizon, "whole number"};
constexpr Allowed<double> kShare{0, 1, "number"};

std::optional<Arm> parse_arm(std::string_view text) {
  const auto arm = parse_number<Arm>(text);
  return arm && *arm >= 0 ? arm : std::nullopt;
}

template <class Value>
PerArm<Value> parse_per_arm(std::string_view text, const Allowed<Value>& allowed, Value otherwise) {
  PerArm<Value> result{.every = otherwise};
  const std::vector<std::string_view> parts = split(text, ',');
  result.listed = parts.size() > 1 && text.find(':') == std::string_view::npos;
  for (const std::string_view part : parts) {
    const std::size_t colon = part.find(':');
    const bool names_arm = colon != std::string_view::npos;
    const auto value = allowed.parse(names_arm ? part.substr(colon + 1) : part);
    if (!value) throw wrong(text, allowed.form());
    if (!names_arm && !result.listed && part.data() == text.data()) {  // the first one
      result.every = *value;
      continue;
    }
    const auto arm =
        result.listed ? static_cast<Arm>(result.named.size()) : parse_arm(part.substr(0, names_arm ? colon : 0));
    if (!arm) throw wrong(text, allowed.form());
    if (!result.named.emplace(*arm, *value).second)
      throw InputError(fmt::format("'{}': arm {} is given twice", text, *arm));
  }
  return result;
}

template <class Value>
std::string text_of(const PerArm<Value>& values, Value otherwise) {
  if (values.named.empty()) return values.every == otherwise ? "" : fmt::format("{}", values.every);
  std::vector<std::string> parts;
  if (!values.listed && values.every != otherwise) parts.push_back(fmt::format("{}", values.every));
  for (const auto& [arm, value] : values.named) {
    parts.push_back(values.listed ? fmt::format("{}", value) : fmt::format("{}:{}", arm, value));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::map<Arm, std::vector<RoundRange>> parse_unavailable(std::string_view text) {
  const std::string form = "ARM:FROM-TO,... or ARM:ROUND,..., with arms from 0 and rounds from 1, FROM <= TO";
  std::map<Arm, std::vector<RoundRange>> ranges;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) throw wrong(text, form);
    const std::string_view rounds = part.substr(colon + 1);
    const std::size_t dash = rounds.find('-');
    const auto arm = parse_arm(part.substr(0, colon));
    const auto from = kUnits.parse(rounds.substr(0, dash));
    const auto to = dash == std::string_view::npos ? from : kUnits.parse(rounds.substr(dash + 1));
    if (!arm || !from || !to || *from > *to) throw wrong(text, form);
    ranges[*arm].push_back({*from, *to});
  }
  return ranges;
}

std::string text_of(const std::map<Arm, std::vector<RoundRange>>& unavailable) {
  std::vector<std::string> parts;
  for (const auto& [arm, ranges] : unavailable) {
    for (const auto& [from, to] : ranges) {
      parts.push_back(from == to ? fmt::format("{}:{}", arm, from) : fmt::format("{}:{}-{}", arm, from, to));
    }
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

/// How the text of a field is read and written. `text` returns an empty text for the default value.
struct FieldText {
  std::string_view name;
  void (*set)(Constraints& constraints, std::string_view text);
  std::string (*text)(const Constraints& constraints);
};

constexpr std::array kFieldTexts{
    FieldText{"units_per_round",
              [](Constraints& constraints, std::string_view text) {
                const auto units = kUnits.parse(text);
                if (!units) throw wrong(text, fmt::format("a whole number from {} to {}", kUnits.least, kUnits.most));
                constraints.units_per_round = *units;
              },
              [](const Constraints& constraints) {
                return constraints.units_per_round == 1 ? "" : fmt::format("{}", constraints.units_per_round);
              }},
    FieldText{"costs",
              [](Constraints& constraints, std::string_view text) {
                constraints.costs = parse_per_arm<Pulls>(text, kUnits, 1);
              },
              [](const Constraints& constraints) { return text_of<Pulls>(constraints.costs, 1); }},
    FieldText{"minimum_pulls",
              [](Constraints& constraints, std::string_view text) {
                constraints.minimum_pulls = parse_per_arm<Pulls>(text, kPulls, 0);
              },
              [](const Constraints& constraints) { return text_of<Pulls>(constraints.minimum_pulls, 0); }},
    FieldText{"minimum_share",
              [](Constraints& constraints, std::string_view text) {
                constraints.minimum_share = parse_per_arm<double>(text, kShare, 0);
              },
              [](const Constraints& constraints) { return text_of<double>(constraints.minimum_share, 0); }},
    FieldText{
        "unavailable",
        [](Constraints& constraints, std::string_view text) { constraints.unavailable = parse_unavailable(text); },
        [](const Constraints& constraints) { return text_of(constraints.unavailable); }},
    FieldText{"unspent",
              [](Constraints& constraints, std::string_view text) {
                if (text != "keep" && text != "lapse") throw wrong(text, "keep or lapse");
                constraints.units_lapse = text == "lapse";
              },
              [](const Constraints& constraints) { return std::string(constraints.units_lapse ? "lapse" : ""); }},
};

constexpr bool field_texts_match(const decltype(kConstraintFields)& fields) {
  if (fields.size() != kFieldTexts.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != kFieldTexts[i].name) return false;
  }
  return true;
}
static_assert(field_texts_match(kConstraintFields), "every field needs a row in kFieldTexts, in the same order");

const FieldText& field_text(std::string_view field) {
  const auto* const found =
      std::find_if(kFieldTexts.begin(), kFieldTexts.end(), [&](const FieldText& each) { return each.name == field; });
  if (found == kFieldTexts.end()) throw InputError(fmt::format("'{}' is not a constraint", field));
  return *found;
}

}  // namespace

void set_constraint(Constraints& constraints, std::string_view field, std::string_view text) {
  field_text(field).set(constraints, text);
}

std::string constraint_text(const Constraints& constraints, std::string_view field) {
  return field_text(field).text(constraints);
}

std::vector<std::pair<std::string, std::string>> constraint_texts(const Constraints& constraints) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const FieldText& field : kFieldTexts) {
    std::string text = field.text(constraints);
    if (!text.empty()) texts.emplace_back(field.name, std::move(text));
  }
  return texts;
}

}  // namespace longrun
