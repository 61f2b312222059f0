#include "longrun/model/noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "longrun/base/input_error.h"
#include "longrun/base/nearest_name.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"

namespace longrun {
namespace {

/// Returns `make(Kind{})` for every kind of noise, in the order of Noise.
template <class Result, class Make>
std::vector<Result> of_every_kind(Make make) {
  const auto make_all = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector<Result>{make(std::variant_alternative_t<I, Noise>{})...};
  };
  return make_all(std::make_index_sequence<std::variant_size_v<Noise>>{});
}

template <NoiseKind Kind>
std::string form() {
  std::string text(Kind::kKind);
  for (const auto& field : Kind::kFields) text += fmt::format(":{}", field.placeholder);
  return text;
}

template <NoiseKind Kind>
std::string text_of(const Kind& noise) {
  std::string text(Kind::kKind);
  for (const auto& field : Kind::kFields) text += fmt::format(":{}", noise.*field.value);
  return text;
}

template <NoiseKind Kind>
Kind example() {
  Kind noise;
  for (const auto& field : Kind::kFields) noise.*field.value = field.example;
  return noise;
}

bool is_accepted(double value) { return value >= 0 && value <= kLargestNoise; }

/// Returns how the fields of the noise contradict each other, or an empty text.
template <NoiseKind Kind>
std::string_view contradiction_in(const Kind& noise) {
  if constexpr (requires { noise.problem(); }) return noise.problem();
  return {};
}

/// Returns the noise of one kind with these values of its fields.
template <NoiseKind Kind>
Kind with_values(std::span<const double> values) {
  if (values.size() != Kind::kFields.size()) {
    throw InputError(fmt::format("{} has {} fields, not {}", Kind::kKind, Kind::kFields.size(), values.size()));
  }
  Kind noise;
  std::size_t place = 0;
  for (const auto& field : Kind::kFields) {
    const double value = values[place++];
    if (!is_accepted(value))
      throw InputError(fmt::format("{} {} is not a number from 0 to {:g}", field.meaning, value, kLargestNoise));
    noise.*field.value = value;
  }
  if (const auto problem = contradiction_in(noise); !problem.empty()) throw InputError(std::string(problem));
  return noise;
}

/// Reads the fields of one kind; `parts` are those of `text` between colons, the kind first.
template <NoiseKind Kind>
Kind parse_kind(std::string_view text, std::span<const std::string_view> parts) {
  if (parts.size() != 1 + Kind::kFields.size()) {
    const bool has_fields = !Kind::kFields.empty();
    throw InputError(fmt::format("noise '{}' is not of the form {}{}", text, form<Kind>(),
                                 has_fields ? ", such as " + text_of(example<Kind>()) : ""));
  }
  Kind noise;
  std::size_t part = 1;
  for (const auto& field : Kind::kFields) {
    const auto value = parse_number(parts[part]);
    if (!value || !is_accepted(*value)) {
      throw InputError(fmt::format("noise '{}': {} '{}' is not a number from 0 to {:g}", text, field.meaning,
                                   parts[part], kLargestNoise));
    }
    noise.*field.value = *value;
    ++part;
  }
  if (const auto problem = contradiction_in(noise); !problem.empty())
    throw InputError(fmt::format("noise '{}': {}", text, problem));
  return noise;
}

}  // namespace

Noise parse_noise(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  std::optional<Noise> noise;
  const std::vector<std::string> kinds = of_every_kind<std::string>([&]<NoiseKind Kind>(const Kind&) {
    if (parts[0] == Kind::kKind) noise = parse_kind<Kind>(text, parts);
    return std::string(Kind::kKind);
  });
  if (noise) return *noise;
  const std::vector<std::string> forms = noise_forms();
  throw InputError(fmt::format("unknown noise '{}': use {} or {}{}", text,
                               fmt::join(forms.begin(), forms.end() - 1, ", "), forms.back(),
                               did_you_mean(parts[0], kinds)));
}

std::string to_text(const Noise& noise) {
  return std::visit([](const auto& kind) { return text_of(kind); }, noise);
}

NoiseFields fields_of(const Noise& noise) {
  return std::visit(
      []<NoiseKind Kind>(const Kind& kind) {
        NoiseFields fields{.kind = std::string(Kind::kKind), .values = {}};
        for (const auto& field : Kind::kFields) fields.values.push_back(kind.*field.value);
        return fields;
      },
      noise);
}

Noise noise_of(const NoiseFields& fields) {
  std::optional<Noise> noise;
  of_every_kind<bool>([&]<NoiseKind Kind>(const Kind&) {
    if (fields.kind == Kind::kKind) noise = with_values<Kind>(fields.values);
    return noise.has_value();
  });
  if (!noise) throw InputError(fmt::format("'{}' is no kind of noise", fields.kind));
  return *noise;
}

std::vector<std::string> noise_forms() {
  return of_every_kind<std::string>([]<NoiseKind Kind>(const Kind&) { return form<Kind>(); });
}

std::vector<Noise> example_noises() {
  return of_every_kind<Noise>([]<NoiseKind Kind>(const Kind&) { return example<Kind>(); });
}

double standard_deviation(const Noise& noise) {
  return std::visit([](const auto& kind) { return kind.standard_deviation(); }, noise);
}

double largest_error(const Noise& noise) {
  return std::visit([](const auto& kind) { return kind.largest_error(); }, noise);
}

double error_quantile(const Noise& noise, double miss) {
  if (miss <= 0) return largest_error(noise);
  return std::visit([miss](const auto& kind) { return kind.error_quantile(miss); }, noise);
}

std::string described(const Noise& noise) {
  return std::visit([](const auto& kind) { return kind.phrase(); }, noise);
}

void add_noise(const Noise& noise, const StreamKey& key, Pulls first_pull, std::span<double> out) {
  std::visit([&](const auto& kind) { kind.add(key, first_pull, out); }, noise);
}

}  // namespace longrun
