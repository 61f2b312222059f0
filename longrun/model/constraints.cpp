#include "longrun/model/constraints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/quoted_list.h"

namespace longrun {
namespace {

/// Returns the error for a text that does not have the accepted form.
InputError wrong(std::string_view text, const std::string& form) {
  // NOLINTNEXTLINE(modernize-return-braced-init-list)
  return InputError(fmt::format("'{}' should read {}{}", text, form, separator_hint(text)));
}

/// Returns what to write for the first share of a text with a decimal comma, "; write 0.2" for "0,2" or "north:0,2"; an
/// empty text if there is none.
std::string decimal_comma_hint(std::string_view text) {
  constexpr std::string_view kBegin = "0,";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    const std::string_view decimals =
        text.substr(at + kBegin.size()).substr(0, text.find(',', at + kBegin.size()) - at - kBegin.size());
    const bool begins = at == 0 || text[at - 1] == ':' || text[at - 1] == ',';
    if (begins && is_whole_number(decimals) && decimals[0] != '-') return fmt::format("; write 0.{}", decimals);
  }
  return "";
}

/// The values of a field: their range, their name in errors, and their text.
template <class Value>
struct Allowed {
  Value least;
  Value most;
  int decimals = 0;  // of units; they are counted in 10^-decimals

  std::optional<Value> parse(std::string_view text) const {
    std::optional<Value> value;
    if constexpr (std::is_same_v<Value, Pulls>) {
      value = parse_decimal(text, decimals);
    } else {
      value = parse_number<Value>(text);
    }
    return value && *value >= least && *value <= most ? value : std::nullopt;
  }
  std::string text(Value value) const {
    if constexpr (std::is_same_v<Value, Pulls>) return decimal_text(value, decimals);
    return fmt::format("{}", value);
  }
  std::string kind() const {
    const char* number = std::is_same_v<Value, Pulls> && decimals == 0 ? "whole number" : "number";
    const std::string precision = decimals > 0 ? fmt::format(" with at most {} decimals", decimals) : "";
    return fmt::format("a {} from {} to {}{}", number, text(least), text(most), precision);
  }
  /// Returns the error for `value`, a part of `text`, that parse() refuses. `form` is what the whole text should read.
  InputError refused(std::string_view text, std::string_view value, const std::string& form) const {
    if (std::is_same_v<Value, double> && value.ends_with('%')) {
      const auto percent = parse_number<double>(value.substr(0, value.size() - 1));
      if (percent && *percent / 100 >= static_cast<double>(least) && *percent / 100 <= static_cast<double>(most)) {
        // NOLINTNEXTLINE(modernize-return-braced-init-list)
        return InputError(fmt::format("'{}': {} is not a number; write {:g}", text, value, *percent / 100));
      }
    }
    const auto number = parse_number<double>(value);
    const auto unit = static_cast<double>(power_of_ten(decimals));
    const bool is_small = number && *number * unit < static_cast<double>(least);
    const bool is_large = number && *number * unit > static_cast<double>(most);
    if (std::isnan(number.value_or(0)) || (!is_small && !is_large) || !separator_hint(text).empty()) {
      return wrong(text, form);
    }
    // Units may have decimals in some interfaces, so their least value is not 1 everywhere.
    const bool are_units = std::is_same_v<Value, Pulls> && least == 1;
    if (are_units && *number > 0 && is_small) return wrong(text, form);
    const std::string accepted = are_units && is_small ? "more than 0" : kind();
    // NOLINTNEXTLINE(modernize-return-braced-init-list)
    return InputError(fmt::format("'{}': {} is out of range; must be {}{}", text, value, accepted, hint(text)));
  }
  /// Returns what to write instead of a text; empty if that is not clear.
  static std::string hint(std::string_view text) {
    return std::is_same_v<Value, double> ? decimal_comma_hint(text) : "";
  }
  std::string form(const ConstraintForm& form) const {
    return fmt::format("X for every arm, ARM:X,ARM:X for some, X,ARM:X,... for the others too{}, with {}X {}",
                       form.arms_are_ordered ? " or X,X,... for each" : "", form.arms ? "" : "arms from 0 and ",
                       kind());
  }
};

Allowed<Pulls> units_of(const Constraints& constraints) { return {1, kLongestHorizon, constraints.unit_decimals}; }
constexpr Allowed<Pulls> kRounds{1, kLongestHorizon};
constexpr Allowed<Pulls> kPulls{0, kLongestHorizon};
constexpr Allowed<double> kShare{0, 1};

Arm arm_of(const std::string& name, const ConstraintForm& form, std::string_view text, const std::string& accepted) {
  if (form.arms) {
    try {
      return form.arms->at(name);
    } catch (const InputError& error) {
      throw InputError(fmt::format("'{}': {}", text, error.what()));
    }
  }
  const auto arm = parse_number<Arm>(name);
  if (!arm || *arm < 0) throw wrong(text, accepted);
  return *arm;
}

std::string arm_text(Arm arm, const ConstraintForm& form) {
  return form.arms ? list_name(form.arms->text(arm)) : std::to_string(arm);
}

/// Throws InputError, which shows the same values by name, for a list of values if the arms have no order.
void check_order(std::string_view text, const std::vector<NamedValue>& items, const ConstraintForm& form) {
  if (form.arms_are_ordered || !form.arms) return;
  constexpr std::size_t kMostShown = 5;
  std::vector<std::string> named;
  const std::size_t shown = std::min({items.size(), static_cast<std::size_t>(form.arms->arms()), kMostShown});
  for (std::size_t i = 0; i < shown; ++i) {
    named.push_back(fmt::format("{}:{}", arm_text(static_cast<Arm>(i), form), items[i].value));
  }
  if (shown < items.size()) named.emplace_back("...");
  throw InputError(fmt::format("'{}' is a list, but the arms have no given order; name them: {}{}", text,
                               fmt::join(named, ","),
                               separator_hint(text).empty() ? "" : ", or write one number" + separator_hint(text)));
}

template <class Value>
PerArm<Value> parse_per_arm(std::string_view text, const Allowed<Value>& allowed, Value otherwise,
                            const ConstraintForm& form) {
  PerArm<Value> result{.every = otherwise};
  const std::vector<NamedValue> items = split_named_values(text);
  result.listed =
      items.size() > 1 && std::none_of(items.begin(), items.end(), [](const NamedValue& item) { return item.name; });
  for (const NamedValue& item : items) {
    const auto value = allowed.parse(item.value);
    if (!value) throw allowed.refused(text, item.value, allowed.form(form));
    // "1,000" is probably a number, not a list of 1 and 0.
    const bool has_zeros = item.value.size() > 1 && item.value[0] == '0' && item.value[1] != '.';
    if (result.listed && has_zeros) throw wrong(text, allowed.form(form) + allowed.hint(text));
    if (!item.name && !result.listed) {
      if (&item != &items.front()) throw wrong(text, allowed.form(form) + allowed.hint(text));
      result.every = *value;
      continue;
    }
    const Arm arm =
        result.listed ? static_cast<Arm>(result.named.size()) : arm_of(*item.name, form, text, allowed.form(form));
    if (!result.named.emplace(arm, *value).second)
      throw InputError(fmt::format("'{}': arm {} is given twice", text, *item.name));
  }
  if (result.listed) check_order(text, items, form);
  return result;
}

template <class Value>
std::string text_of(const PerArm<Value>& values, const Allowed<Value>& allowed, Value otherwise,
                    const ConstraintForm& form) {
  if (values.named.empty()) return values.every == otherwise ? "" : allowed.text(values.every);
  std::vector<std::string> parts;
  const bool listed = values.listed && form.arms_are_ordered;
  if (!values.listed && values.every != otherwise) parts.push_back(allowed.text(values.every));
  for (const auto& [arm, value] : values.named) {
    parts.push_back(listed ? allowed.text(value) : fmt::format("{}:{}", arm_text(arm, form), allowed.text(value)));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::map<Arm, std::vector<RoundRange>> parse_unavailable(std::string_view text, const ConstraintForm& form) {
  const std::string accepted = fmt::format("ARM:FROM-TO,... or ARM:ROUND,..., with {}rounds from 1, FROM <= TO",
                                           form.arms ? "" : "arms from 0 and ");
  std::map<Arm, std::vector<RoundRange>> ranges;
  for (const auto& [name, value] : split_named_values(text)) {
    if (!name) throw wrong(text, accepted);
    const std::string_view rounds = value;
    const std::size_t dash = rounds.find('-');
    const auto from = kRounds.parse(rounds.substr(0, dash));
    const auto to = dash == std::string_view::npos ? from : kRounds.parse(rounds.substr(dash + 1));
    if (!from || !to || *from > *to) throw wrong(text, accepted);
    ranges[arm_of(*name, form, text, accepted)].push_back({*from, *to});
  }
  return ranges;
}

std::string text_of(const std::map<Arm, std::vector<RoundRange>>& unavailable, const ConstraintForm& form) {
  std::vector<std::string> parts;
  for (const auto& [arm, ranges] : unavailable) {
    for (const auto& [from, to] : ranges) {
      const std::string rounds = from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
      parts.push_back(fmt::format("{}:{}", arm_text(arm, form), rounds));
    }
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

/// The functions that read and write the text of a field. `text` returns an empty text for the default value.
struct FieldText {
  std::string_view name;
  bool has_units;
  void (*set)(Constraints& constraints, std::string_view text, const ConstraintForm& form);
  std::string (*text)(const Constraints& constraints, const ConstraintForm& form);
};

constexpr std::array kFieldTexts{
    FieldText{"units_per_round", true,
              [](Constraints& constraints, std::string_view text, const ConstraintForm&) {
                const auto allowed = units_of(constraints);
                const auto units = allowed.parse(text);
                if (!units) throw allowed.refused(text, text, allowed.kind());
                constraints.units_per_round = *units;
              },
              [](const Constraints& constraints, const ConstraintForm&) {
                const bool is_default = constraints.units_per_round == power_of_ten(constraints.unit_decimals);
                return is_default ? "" : constraints.units_text(constraints.units_per_round);
              }},
    FieldText{"costs", true,
              [](Constraints& constraints, std::string_view text, const ConstraintForm& form) {
                constraints.costs =
                    parse_per_arm<Pulls>(text, units_of(constraints), power_of_ten(constraints.unit_decimals), form);
              },
              [](const Constraints& constraints, const ConstraintForm& form) {
                return text_of<Pulls>(constraints.costs, units_of(constraints), power_of_ten(constraints.unit_decimals),
                                      form);
              }},
    FieldText{"minimum_pulls", false,
              [](Constraints& constraints, std::string_view text, const ConstraintForm& form) {
                constraints.minimum_pulls = parse_per_arm<Pulls>(text, kPulls, 0, form);
              },
              [](const Constraints& constraints, const ConstraintForm& form) {
                return text_of<Pulls>(constraints.minimum_pulls, kPulls, 0, form);
              }},
    FieldText{"minimum_share", false,
              [](Constraints& constraints, std::string_view text, const ConstraintForm& form) {
                constraints.minimum_share = parse_per_arm<double>(text, kShare, 0, form);
              },
              [](const Constraints& constraints, const ConstraintForm& form) {
                return text_of<double>(constraints.minimum_share, kShare, 0, form);
              }},
    FieldText{"unavailable", false,
              [](Constraints& constraints, std::string_view text, const ConstraintForm& form) {
                constraints.unavailable = parse_unavailable(text, form);
              },
              [](const Constraints& constraints, const ConstraintForm& form) {
                return text_of(constraints.unavailable, form);
              }},
    FieldText{"unspent", false,
              [](Constraints& constraints, std::string_view text, const ConstraintForm&) {
                if (text != "keep" && text != "lapse") throw wrong(text, "keep or lapse");
                constraints.units_lapse = text == "lapse";
              },
              [](const Constraints& constraints, const ConstraintForm&) {
                return std::string(constraints.units_lapse ? "lapse" : "");
              }},
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

void set_constraint(Constraints& constraints, std::string_view field, std::string_view text,
                    const ConstraintForm& form) {
  field_text(field).set(constraints, text, form);
}

int unit_decimals_of(std::string_view field, std::string_view text) {
  if (!field_text(field).has_units) return 0;
  int decimals = 0;
  for (const NamedValue& item : split_named_values(text)) decimals = std::max(decimals, decimals_of(item.value));
  return decimals;
}

std::string constraint_text(const Constraints& constraints, std::string_view field, const ConstraintForm& form) {
  return field_text(field).text(constraints, form);
}

std::vector<std::pair<std::string, std::string>> constraint_texts(const Constraints& constraints,
                                                                  const ConstraintForm& form) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const FieldText& field : kFieldTexts) {
    std::string text = field.text(constraints, form);
    if (!text.empty()) texts.emplace_back(field.name, std::move(text));
  }
  return texts;
}

}  // namespace longrun
