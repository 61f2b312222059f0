#include "apps/longrun/run_experiments.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/experiment/engine.h"

namespace longrun {
namespace {

std::atomic<bool> interrupted{false};

/// While it lives, the first Ctrl-C asks to stop; a second one is not caught any more.
class StopWhenInterrupted {
 public:
  StopWhenInterrupted() {
    std::signal(SIGINT, [](int) {
      interrupted = true;
      constexpr std::string_view kStopping = "\nstopping; once more to stop at once\n";
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kStopping.data(), kStopping.size());
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~StopWhenInterrupted() { std::signal(SIGINT, SIG_DFL); }
  StopWhenInterrupted(const StopWhenInterrupted&) = delete;
  StopWhenInterrupted& operator=(const StopWhenInterrupted&) = delete;
};

/// A number that mpirun (Open MPI) gives its processes.
std::optional<std::uint32_t> given_by_mpirun(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text);
  if (!number) throw InputError(fmt::format("{}={}: must be a whole number, as mpirun sets it", variable, text));
  return number;
}

/// The cores of this machine shared out among the processes mpirun started on it; none gets more than it is bound to.
int threads_per_rank() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned ranks_here = std::max(1U, given_by_mpirun("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1));
  cpu_set_t bound_to;
  const bool known = sched_getaffinity(0, sizeof(bound_to), &bound_to) == 0;
  const unsigned usable = known ? static_cast<unsigned>(CPU_COUNT(&bound_to)) : cores;
  return static_cast<int>(std::max(1U, std::min(cores / ranks_here, usable)));
}

int chosen_threads(const std::optional<std::string>& text, bool by_mpirun) {
  if (!text) return by_mpirun ? threads_per_rank() : 0;
  const auto threads = parse_number<int>(*text);
  if (!threads || *threads < 1 || *threads > 4096)
    throw InputError(fmt::format("--threads {}: must be a whole number from 1 to 4096", *text));
  return *threads;
}

/// What this process does: all, the shard it was asked for, or the one that follows from its rank.
struct Part {
  Shard shard{};
  bool by_mpirun = false;
  int threads = 0;  ///< 0: one per core

  bool whole() const { return shard.count == 1; }
};

Part chosen_part(const RunFlags& flags) {
  const std::uint32_t ranks = given_by_mpirun("OMPI_COMM_WORLD_SIZE").value_or(1);
  const int threads = chosen_threads(flags.threads, ranks > 1);
  if (ranks <= 1) return {.shard = flags.shard ? parse_shard(*flags.shard) : Shard{}, .threads = threads};
  if (flags.shard) {
    throw InputError(fmt::format(
        "--shard {}: mpirun gives each of its {} processes a shard; leave --shard or mpirun out", *flags.shard, ranks));
  }
  const auto rank = given_by_mpirun("OMPI_COMM_WORLD_RANK");
  if (!rank || *rank >= ranks) {
    throw InputError(fmt::format("OMPI_COMM_WORLD_SIZE={} needs OMPI_COMM_WORLD_RANK from 0 to {}, as mpirun sets it",
                                 ranks, ranks - 1));
  }
  return {.shard = {*rank + 1, ranks}, .by_mpirun = true, .threads = threads};
}

/// Does it. Where this is one process of several, whatever it throws says which.
template <class Act>
auto naming_shard(const Part& part, Act act) {
  if (part.whole()) return act();
  const auto named = [&](std::string_view what) { return fmt::format("shard {}: {}", to_text(part.shard), what); };
  try {
    return act();
  } catch (const InputError& error) {
    throw InputError(named(error.what()));
  } catch (const Interrupted& error) {
    throw Interrupted(named(error.what()));
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(named("out of memory; a shorter horizon takes less"));
  } catch (const std::exception& error) {
    throw std::runtime_error(named(error.what()));
  }
}

/// Three digits: "35.0 k".
std::string readable(double count) {
  const auto scaled = [&](double unit, const char* letter) {
    const double number = count / unit;
    return fmt::format("{:.{}f} {}", number, number < 10 ? 2 : number < 100 ? 1 : 0, letter);
  };
  if (count >= 1e9) return scaled(1e9, "G ");
  if (count >= 1e6) return scaled(1e6, "M ");
  if (count >= 1e4) return scaled(1e3, "k ");
  return fmt::format("{:.0f} ", count);
}

std::string readable_time(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 120 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// Runs, and the steps they make.
struct Work {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;

  Work operator+(const Work& other) const { return {runs + other.runs, steps + other.steps}; }
  Work operator-(const Work& other) const { return {runs - other.runs, steps - other.steps}; }
};

/// What a shard has to do, and what of it is recorded.
struct Ahead {
  Work total;
  Work recorded;
};

Ahead work_ahead(const Config& config, const Store& store, const Shard& shard) {
  const std::vector<bool> recorded = store.recorded(config);
  Ahead ahead;
  if (recorded.empty()) return ahead;  // illustrations
  const Work unit{config.runs() / recorded.size(), config.steps() / recorded.size()};
  for (std::size_t number = 0; number < recorded.size(); ++number) {
    if (!shard.has(number)) continue;
    ahead.total = ahead.total + unit;
    if (recorded[number]) ahead.recorded = ahead.recorded + unit;
  }
  return ahead;
}

/// How far all experiments of a call are: one line that is rewritten on a terminal, a line every few seconds elsewhere.
class ProgressLine {
 public:
  ProgressLine(const Ahead& ahead, bool quiet)
      : ahead_(ahead), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), shown_(started_) {}
  ~ProgressLine() {
    if (line_open_) write("\n");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& name, const Work& done) {
    const auto now = Clock::now();
    if (now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(5))) return;
    shown_ = now;
    const Work fresh = done - ahead_.recorded;
    const Work left = ahead_.total - done;
    const double seconds_per_step = seconds() / static_cast<double>(std::max<std::uint64_t>(fresh.steps, 1));
    print(name, done,
          fmt::format("{}, {} left", rates(fresh), readable_time(seconds_per_step * static_cast<double>(left.steps))));
  }

  void show_end(const std::string& name) {
    const Work fresh = ahead_.total - ahead_.recorded;
    print(name, ahead_.total,
          fresh.runs == 0 ? "nothing was left to do" : fmt::format("{}, {:.1f} s", rates(fresh), seconds()));
    if (line_open_) write("\n");
    line_open_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::max(1e-9, std::chrono::duration<double>(Clock::now() - started_).count()); }

  std::string rates(const Work& fresh) const {
    return fmt::format("{}runs/s, {}steps/s", readable(static_cast<double>(fresh.runs) / seconds()),
                       readable(static_cast<double>(fresh.steps) / seconds()));
  }

  void print(const std::string& name, const Work& done, const std::string& rest) {
    if (quiet_) return;
    const std::uint64_t percent = ahead_.total.runs == 0 ? 100 : 100 * done.runs / ahead_.total.runs;
    std::string line = fmt::format("{}: {} of {} runs ({} %), {}", name, done.runs, ahead_.total.runs, percent, rest);
    if (!terminal_) return write(line + "\n");
    // A line that wraps can't be rewritten.
    winsize window{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
      line.resize(std::min<std::size_t>(line.size(), window.ws_col - 1));
    write("\r" + line + "\x1b[K");
    line_open_ = true;
  }

  /// Where progress can't be shown, the work still goes on: fmt would throw.
  static void write(const std::string& text) { std::fputs(text.c_str(), stderr); }

  Ahead ahead_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_;
};

/// Records are found by the names of their experiments.
void check_named_once(const std::vector<Config>& configs) {
  std::set<std::string> names;
  for (const Config& config : configs) {
    if (!names.insert(config.name).second)
      throw InputError(fmt::format("{}: experiment '{}' is named twice", config.path, config.name));
  }
}

/// All of them, before the first is run: what is refused is refused at once, and a shard knows all it has to do.
void begin_all(Store& store, const std::vector<Config>& configs, const Shard& shard, bool restart) {
  for (const Config& config : configs) store.begin(config, shard, restart);
}

std::string label(const std::string& name, const Part& part) {
  return part.whole() ? name : fmt::format("shard {}, {}", to_text(part.shard), name);
}

/// Computes what is not recorded yet of experiments that were begun.
void run_begun(Store& store, const std::vector<Config>& configs, const Part& part, const RunFlags& flags) {
  std::vector<Ahead> each;
  Ahead all;
  for (const Config& config : configs) {
    each.push_back(work_ahead(config, store, part.shard));
    all = {all.total + each.back().total, all.recorded + each.back().recorded};
  }
  // One of the processes of mpirun is enough to watch.
  ProgressLine line(all, flags.quiet || (part.by_mpirun && part.shard.index > 1));
  RunOptions options{.threads = part.threads, .shard = part.shard, .stop = &interrupted};
  const StopWhenInterrupted guard;
  Work done = all.recorded;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const std::string name =
        configs.size() == 1 ? configs[i].name : fmt::format("{} ({} of {})", configs[i].name, i + 1, configs.size());
    const Work others = done - each[i].recorded;
    options.on_progress = [&](const Progress& progress) {
      done = others + Work{progress.runs_done, progress.steps_done};
      line.show(label(name, part), done);
    };
    const Progress progress = run_experiment(configs[i], store, options);
    if (progress.runs_done < progress.runs_total) {
      throw Interrupted(fmt::format("stopped: {} of {} runs are recorded; the same command{} goes on from there",
                                    done.runs, all.total.runs, flags.restart ? " without --restart" : ""));
    }
  }
  line.show_end(label(configs.size() == 1 ? configs[0].name : fmt::format("{} experiments", configs.size()), part));
}

/// Held by one process of mpirun at a time, also across machines that share the folder; others wait for it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) throw InputError(fmt::format("{}: cannot be made: {}", folder, failure.message()));
    file_ = open((folder + "/shards.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);  // NOLINT
    if (file_ >= 0 && flock(file_, LOCK_EX) == 0) return;
    const std::string why = std::generic_category().message(errno);
    if (file_ >= 0) close(file_);
    throw InputError(fmt::format("{}: cannot be locked: {}", folder, why));
  }
  ~FolderLock() { close(file_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

std::string shard_folder(const std::string& out, const Shard& shard) {
  return fmt::format("{}/shard-{}-of-{}", out, shard.index, shard.count);
}

/// Begins or resumes all, and returns those whose records are not merged yet. Merging is all or nothing: an experiment
/// that is there in part was run without mpirun.
std::vector<Config> not_merged(Store& merged, const std::vector<Config>& configs, const std::string& out,
                               bool restart) {
  begin_all(merged, configs, {}, restart);
  std::vector<Config> pending;
  for (const Config& config : configs) {
    if (merged.complete(config, {})) continue;
    const std::vector<bool> recorded = merged.recorded(config);
    if (std::find(recorded.begin(), recorded.end(), true) != recorded.end()) {
      throw InputError(
          fmt::format("{}: experiment '{}' was begun without mpirun; go on without it, use another folder, "
                      "or --restart to drop its records",
                      out, config.name));
    }
    pending.push_back(config);
  }
  return pending;
}

bool shard_is_finished(const std::string& out, const Shard& shard, const std::vector<Config>& configs) {
  const std::string folder = shard_folder(out, shard);
  // SQLite's files can't be shared between machines: a store is only looked into while nobody writes to it.
  if (Store::being_written(folder) || !std::filesystem::exists(folder + "/records.sqlite")) return false;
  const Store store(folder, Store::Access::read);
  return std::all_of(configs.begin(), configs.end(), [&](const Config& c) { return store.complete(c, shard); });
}

/// Merges, if all shards are finished: to be called, with the folder locked, by every process that has finished its
/// own. The last of them then finds nobody writing.
bool merge_if_last(const std::vector<Config>& configs, const std::string& out, std::uint32_t count) {
  Store merged(out, Store::Access::write);
  const std::vector<Config> pending = not_merged(merged, configs, out, false);
  std::vector<std::string> folders;
  for (std::uint32_t index = 1; index <= count; ++index) {
    if (!pending.empty() && !shard_is_finished(out, {index, count}, pending)) return false;
    folders.push_back(shard_folder(out, {index, count}));
  }
  std::set<std::string> names;
  for (const Config& config : pending) names.insert(config.name);
  if (!names.empty()) merged.merge(folders, names);
  return true;
}

/// One process of mpirun. out/records.sqlite says what is run, from the first moment on, and takes the records of all
/// shards at the end.
bool run_as_rank(const std::vector<Config>& configs, const std::string& out, const Part& part, const RunFlags& flags) {
  std::vector<Config> pending;
  std::optional<Store> store;
  {
    const FolderLock lock(out);
    Store merged(out, Store::Access::write);
    pending = not_merged(merged, configs, out, flags.restart);
    if (pending.empty()) return part.shard.index == 1;  // one is enough to draw what there is
    // Opened before others may lock the folder: who merges sees that this one is at work.
    store.emplace(shard_folder(out, part.shard), Store::Access::write);
    begin_all(*store, pending, part.shard, flags.restart);
  }
  run_begun(*store, pending, part, flags);
  store.reset();
  const FolderLock lock(out);
  return merge_if_last(configs, out, part.shard.count);
}

}  // namespace

void RunFlags::add_to(CLI::App& parser) {
  add_value(parser, "--threads", "N", threads,
            "how many threads compute (default: one per core; mpirun's\nprocesses on a machine share its cores)");
  add_value(parser, "--shard", "i/n", shard, "compute only part i of n; 'longrun merge' joins the parts");
  add_flag(parser, "--restart", restart, "drop what DIR has recorded of these experiments");
  add_flag(parser, "--quiet", quiet, "no progress on standard error");
}

std::vector<Config> load_configs(const std::vector<std::string>& files, const RunFlags& flags) {
  return naming_shard(chosen_part(flags), [&] {
    std::vector<Config> configs;
    configs.reserve(files.size());
    for (const std::string& file : files) {
      for (Config& config : load_configs(file)) configs.push_back(std::move(config));
    }
    return configs;
  });
}

bool run_experiments(const std::vector<Config>& configs, const std::string& out, const RunFlags& flags) {
  const Part part = chosen_part(flags);
  return naming_shard(part, [&] {
    check_named_once(configs);
    if (part.by_mpirun) return run_as_rank(configs, out, part, flags);
    Store store(out, Store::Access::write);
    begin_all(store, configs, part.shard, flags.restart);
    run_begun(store, configs, part, flags);
    return part.whole();
  });
}

}  // namespace longrun
