// Runs the benchmarks and prints the time of one step of each, then the ratios of times that the project promises. A
// time is the smallest of all repetitions, because other work on the machine can only increase it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "bench/report.h"

std::vector<Claim>& claims() {
  static std::vector<Claim> list;
  return list;
}

namespace {

/// A reporter that prints the time of one step of each benchmark, and then the claims.
class StepReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    fmt::print("{} cores at {:.0f} MHz; smallest of all repetitions\n\n", context.cpu_info.num_cpus,
               context.cpu_info.cycles_per_second / 1e6);
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.run_name.function_name + (run.run_name.args.empty() ? "" : "/" + run.run_name.args);
      if (run.error_occurred) {
        failed_ = true;
        fmt::print("{:<44} FAILED: {}\n", name, run.error_message);
        continue;
      }
      const auto step = run.counters.find("step");
      const double seconds = step != run.counters.end()
                                 ? step->second.value
                                 : run.real_accumulated_time / static_cast<double>(run.iterations);
      const auto [found, fresh] = seconds_.emplace(name, seconds);
      if (!fresh) found->second = std::min(found->second, seconds);
      extra_[name].clear();
      for (const auto& [counter, value] : run.counters) {
        if (counter != "step") extra_[name] += fmt::format("   {} {:.4g}", counter, value.value);
      }
      if (run.repetition_index + 1 == run.repetitions || run.repetitions <= 1) {
        fmt::print("{:<44} {:>12}{}\n", name, readable(seconds_[name]), extra_[name]);
        std::fflush(stdout);
      }
    }
  }

  /// Prints every claim whose benchmarks have run. Returns whether all promised claims are met and no benchmark failed.
  bool report_claims() const {
    bool all_met = !failed_;
    fmt::print("\n");
    for (const Claim& claim : claims()) {
      const auto above = seconds_.find(claim.numerator);
      const auto below = seconds_.find(claim.denominator);
      if (above == seconds_.end() || below == seconds_.end()) continue;
      const double ratio = above->second / below->second;
      const bool met = claim.at_least ? ratio >= claim.bar : ratio <= claim.bar;
      all_met = all_met && (met || !claim.promised);
      fmt::print("{:<7} {:>10.4g} (at {} {:g})  {}\n",
                 met              ? "met"
                 : claim.promised ? "NOT MET"
                                  : "beyond",
                 ratio, claim.at_least ? "least" : "most", claim.bar, claim.text);
    }
    return all_met;
  }

 private:
  static std::string readable(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
    return fmt::format("{:.2f} s", seconds);
  }

  std::map<std::string, double> seconds_;     // by benchmark, the smallest time of all repetitions
  std::map<std::string, std::string> extra_;  // by benchmark, its other counters as text
  bool failed_ = false;                       // whether any benchmark failed
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  StepReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.report_claims() ? 0 : 1;
}
