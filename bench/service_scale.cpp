// What studies cost in memory, on the disk and in time when there are many of them: fills a store with studies, then
// spreads decisions over all of them. No sockets: service_load measures those. At the end the number of decisions in
// the store is compared with those that were answered, and some studies are read again and compared with the state in
// memory.
//
//   service_scale [--studies N] [--events N (of each study)] [--arms K] [--decisions N] [--memory MB] [--batch N]
//                 [--policy P] [--database postgresql://...]

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/bench_options.h"
#include "longrun/service/postgres_store.h"
#include "longrun/service/sqlite_store.h"
#include "longrun/service/study_service.h"

namespace longrun {
namespace {

using Clock = std::chrono::steady_clock;

struct ScaleOptions {
  std::int64_t studies = 1000;
  std::int64_t events = 100;  // of each study, in addition to its creation
  std::int64_t arms = 4;
  std::int64_t decisions = 20'000;
  std::int64_t memory = 1000;  // of studies, in MB
  std::int64_t batch = 64;     // decisions in one transaction
  std::string policy = "foresight";
  std::string database;
};

[[noreturn]] void stop(const std::string& message) {
  fmt::print(stderr, "service_scale: {}\n", message);
  std::exit(1);
}

/// Returns the memory of this process that is in use, in bytes.
double memory() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::string study_name(std::int64_t number) { return fmt::format("study-{}", number); }

class Scale {
 public:
  explicit Scale(const ScaleOptions& options)
      : options_(options),
        folder_(std::filesystem::temp_directory_path() / fmt::format("longrun-scale-{}", ::getpid())),
        store_(options.database.empty() ? std::unique_ptr<StudyStore>(std::make_unique<SqliteStore>(folder_))
                                        : std::make_unique<PostgresStore>(options.database)),
        service_(*store_, now, {.memory = static_cast<std::size_t>(options.memory) * 1'000'000}) {}
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;
  ~Scale() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void run() {
    fill();
    load();
    decide("all studies, at random", options_.studies);
    decide("one study", 1);
    check();
  }

 private:
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  std::vector<ChangeReply> changed(const std::vector<ChangeRequest>& requests) {
    std::vector<ChangeReply> replies = service_.change(requests);
    for (const ChangeReply& reply : replies) {
      if (reply.error) stop(reply.error->what());
    }
    return replies;
  }

  /// Creates the studies, in batches, each with half decisions and half outcomes.
  void fill() {
    CreateStudy create;
    for (int i = 0; i < options_.arms; ++i) create.spec.arms.push_back(fmt::format("arm {}", i));
    create.spec.budget = 1'000'000;
    create.spec.policy = options_.policy;
    const auto begin = Clock::now();
    const std::int64_t pairs = options_.events / 2;
    for (std::int64_t number = 0; number < options_.studies; ++number) {
      std::vector<ChangeRequest> batch{{.study = study_name(number), .change = create}};
      for (std::int64_t i = 0; i < pairs; ++i) {
        batch.push_back({.study = study_name(number), .key = fmt::format("k{}", i), .change = Change(AskDecisions{})});
        batch.push_back({.study = study_name(number),
                         .change = Change(ReportOutcome{.decision = i + 1, .outcome = Outcome::observed(0.5)})});
      }
      changed(batch);
    }
    const double elapsed = seconds_since(begin);
    const auto events = static_cast<double>(options_.studies * (1 + 2 * pairs));
    decisions_ += options_.studies * pairs;
    fmt::print("filled: {} studies of {} arms, {:.0f} entries, {:.0f} entries/s", options_.studies, options_.arms,
               events, events / elapsed);
    if (options_.database.empty()) fmt::print(", {:.0f} bytes on the disk per entry", bytes_on_disk() / events);
    fmt::print("\n");
  }

  double bytes_on_disk() const {
    double bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_))
      bytes += static_cast<double>(file.file_size());
    return bytes;
  }

  void load() {
    service_.forget_all();
    const double before = memory();
    const std::int64_t count = std::min<std::int64_t>(options_.studies, 10'000);
    const auto begin = Clock::now();
    for (std::int64_t number = 0; number < count; ++number) service_.study(study_name(number));
    const double elapsed = seconds_since(begin);
    const double bytes = memory() - before;
    fmt::print("loaded: {} studies, {:.3f} ms and {:.0f} bytes each; {:.0f} MB in all\n", count,
               1000 * elapsed / static_cast<double>(count), bytes / static_cast<double>(count), memory() / 1e6);
  }

  void decide(const std::string& where, std::int64_t studies) {
    std::mt19937_64 random(1);
    const auto begin = Clock::now();
    for (std::int64_t made = 0; made < options_.decisions; made += options_.batch) {
      std::vector<ChangeRequest> batch;
      for (std::int64_t i = 0; i < options_.batch; ++i) {
        const auto number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(studies));
        batch.push_back({.study = study_name(number),
                         .key = fmt::format("{} {}", where, made + i),
                         .change = Change(AskDecisions{})});
      }
      changed(batch);
      decisions_ += options_.batch;
    }
    const auto batches = (options_.decisions + options_.batch - 1) / options_.batch;
    const auto count = static_cast<double>(batches * options_.batch);
    fmt::print("decisions in {}: {:.0f} per second; {:.0f} MB in all\n", where, count / seconds_since(begin),
               memory() / 1e6);
  }

  void check() {
    std::int64_t stored = 0;
    for (std::int64_t number = 0; number < options_.studies;
         number += std::max<std::int64_t>(1, options_.studies / 20)) {
      const ServedStudy in_memory = service_.study(study_name(number));
      service_.forget(study_name(number));
      const ServedStudy& again = service_.study(study_name(number));
      Writer before;
      Writer after;
      in_memory.study().save(before);
      again.study().save(after);
      if (before.bytes() != after.bytes()) stop(study_name(number) + ": the log gives another state");
    }
    if (options_.studies > 2000) return;  // all of them are read only if that does not take long
    for (std::int64_t number = 0; number < options_.studies; ++number) {
      stored += service_.study(study_name(number)).study().last_decision();
    }
    if (stored != decisions_) stop(fmt::format("{} decisions were answered, {} are stored", decisions_, stored));
  }

  ScaleOptions options_;
  std::string folder_;
  std::unique_ptr<StudyStore> store_;
  StudyService service_;
  std::int64_t decisions_ = 0;  // answered
};

}  // namespace
}  // namespace longrun

int main(int argc, char** argv) {
  try {
    longrun::ScaleOptions options;
    longrun::read_options(argc, argv,
                          {{"--studies", {&options.studies, 1}},
                           {"--events", {&options.events, 0}},
                           {"--arms", {&options.arms, 1}},
                           {"--decisions", {&options.decisions, 0}},
                           {"--memory", {&options.memory, 0}},
                           {"--batch", {&options.batch, 1}}},
                          {{"--policy", &options.policy}, {"--database", &options.database}});
    longrun::Scale(options).run();
  } catch (const std::exception& error) {
    longrun::stop(error.what());
  }
}
