// The time of one Gaussian observation with every vector unit of the processor, compared with the functions of the C++
// library, one number at a time.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "bench/report.h"
#include "longrun/base/random_numbers.h"
#include "longrun/model/noise.h"

namespace longrun {
namespace {

constexpr std::size_t kBlock = 16;  // as World draws them
constexpr StreamKey kKey{.seed = 1};

/// Adds Gaussian noise as it is defined, with the functions of the library.
void add_by_definition(double sd, std::uint64_t first_block, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); k += 2) {
    const auto [a, b] = random_block(kKey, first_block + k / 2);
    const double radius = std::sqrt(-2 * std::log(unit_interval(a)));
    const double angle = 2 * std::numbers::pi * unit_interval(b);
    out[k] += sd * radius * std::cos(angle);
    out[k + 1] += sd * radius * std::sin(angle);
  }
}

void add_with(VectorUnit unit, double sd, std::uint64_t first_block, std::span<double> out) {
  std::array<double, kBlock> numbers;
  normal_numbers(kKey, first_block, std::span(numbers).first(out.size()), unit);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += sd * numbers[k];
}

/// Returns whether `add` gives the observations of the definition, up to rounding.
template <class Add>
bool is_right(Add add) {
  for (std::uint64_t block = 0; block < 10'000; block += kBlock / 2) {
    std::vector<double> expected(kBlock, 0.5);
    std::vector<double> found(kBlock, 0.5);
    add_by_definition(0.05, block, expected);
    add(0.05, block, found);
    for (std::size_t k = 0; k < kBlock; ++k) {
      if (std::abs(found[k] - expected[k]) > 1e-15) return false;
    }
  }
  return true;
}

template <class Add>
void gaussian_observation(benchmark::State& state, Add add) {
  if (!is_right(add)) return state.SkipWithError("the observations differ from those of the definition");
  std::vector<double> observations(kBlock, 0.5);
  std::uint64_t block = 0;
  for ([[maybe_unused]] auto _ : state) {
    add(0.05, block, observations);
    block += kBlock / 2;
    benchmark::ClobberMemory();
  }
  count_steps(state, static_cast<double>(kBlock) * static_cast<double>(state.iterations()));
}

[[maybe_unused]] const bool kNoiseRegistered = [] {
  const std::string by_definition = "gaussian_observation/library";
  const auto add = [](const std::string& name, auto function) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      gaussian_observation(state, function);
    })->Repetitions(5);
  };
  add(by_definition, add_by_definition);
  struct Bar {
    VectorUnit unit;
    const char* name;
    double ratio;
  };
  for (const Bar& bar :
       {Bar{VectorUnit::plain, "plain", 1.5}, Bar{VectorUnit::avx2, "avx2", 3}, Bar{VectorUnit::avx512, "avx512", 3}}) {
    if (!has_vector_unit(bar.unit)) continue;
    const std::string benchmark = fmt::format("gaussian_observation/{}", bar.name);
    add(benchmark,
        [unit = bar.unit](double sd, std::uint64_t block, std::span<double> out) { add_with(unit, sd, block, out); });
    claims().push_back({fmt::format("Gaussian observation: functions of the library / {} vectors", bar.name),
                        by_definition, benchmark, bar.ratio, true});
  }
  add("gaussian_observation/add_noise", [](double sd, std::uint64_t block, std::span<double> out) {
    add_noise(Gaussian{sd}, kKey, static_cast<Pulls>(2 * block + 1), out);
  });
  return true;
}();

}  // namespace
}  // namespace longrun
