#include "longrun/experiment/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "longrun/base/file_lock.h"
#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/engine.h"
#include "longrun/experiment/merge.h"
#include "longrun/experiment/mpi_rank.h"

namespace longrun {
namespace {

/// Returns what `act` returns. If the shard is one of several, errors name it.
template <class Act>
auto naming_shard(const Shard& shard, Act act) {
  if (shard.is_whole()) return act();
  const auto named = [&](std::string_view what) { return fmt::format("shard {}: {}", to_text(shard), what); };
  try {
    return act();
  } catch (const InputError& error) {
    throw InputError(named(error.what()));
  } catch (const SystemError& error) {
    throw SystemError(named(error.what()));
  } catch (const std::bad_alloc&) {
    throw SystemError(named("out of memory; a shorter horizon takes less"));
  } catch (const std::exception& error) {
    throw std::runtime_error(named(error.what()));
  }
}

/// Throws InputError if two experiments have the same name, by which their records are found.
void check_named_once(const std::vector<Config>& configs) {
  std::set<std::string> names;
  for (const Config& config : configs) {
    if (!names.insert(config.name).second)
      throw InputError(fmt::format("{}: experiment '{}' is given twice", config.path, config.name));
  }
}

/// Begins all experiments before the first run, so that errors come at once and the total work is known.
void begin_all(Store& store, const std::vector<Config>& configs, const Shard& shard, bool restart) {
  for (const Config& config : configs) store.begin(config, shard, restart);
}

// ---- processes of mpirun

/// Locks the folder, also against processes on other machines that share it. Waits while another process holds the
/// lock.
FileLock lock_folder(const std::string& folder) {
  make_folder(folder);
  return FileLock(folder + "/shards.lock");
}

std::string shard_folder(const std::string& out, const Shard& shard) {
  return fmt::format("{}/shard-{}-of-{}", out, shard.index, shard.count);
}

/// Begins or resumes all experiments, and returns those whose records are not merged yet. A merge is all or nothing, so
/// an experiment that is recorded in part was run without mpirun; throws InputError for it.
std::vector<Config> begin_unmerged(Store& merged, const std::vector<Config>& configs, const std::string& out,
                                   bool restart) {
  begin_all(merged, configs, {}, restart);
  std::vector<Config> unmerged;
  for (const Config& config : configs) {
    if (merged.complete(config, {})) continue;
    const std::vector<bool> recorded = merged.recorded(config);
    if (std::find(recorded.begin(), recorded.end(), true) != recorded.end()) {
      throw InputError(fmt::format(
          "{}: experiment '{}' was begun without mpirun; continue without it, use another folder, or restart to drop "
          "its records",
          out, config.name));
    }
    unmerged.push_back(config);
  }
  return unmerged;
}

bool shard_is_finished(const std::string& out, const Shard& shard, const std::vector<Config>& configs) {
  const std::string folder = shard_folder(out, shard);
  // SQLite's files cannot be shared between machines: a store is only read while no process writes to it.
  if (Store::being_written(folder) || !std::filesystem::exists(Store::file_in(folder))) return false;
  const Store store(folder, Store::Access::read);
  return std::all_of(configs.begin(), configs.end(), [&](const Config& c) { return store.complete(c, shard); });
}

/// Merges the shards if all are finished, and returns whether they are. Every process calls this after its own shard,
/// while it has the folder locked; the last of them finds no store being written.
bool merge_if_last(const std::vector<Config>& configs, const std::string& out, std::uint32_t count) {
  Store merged(out, Store::Access::write);
  const std::vector<Config> unmerged = begin_unmerged(merged, configs, out, false);
  std::vector<std::string> folders;
  for (std::uint32_t index = 1; index <= count; ++index) {
    if (!unmerged.empty() && !shard_is_finished(out, {index, count}, unmerged)) return false;
    folders.push_back(shard_folder(out, {index, count}));
  }
  std::set<std::string> names;
  for (const Config& config : unmerged) names.insert(config.name);
  if (!names.empty()) merge_shards(folders, merged, names);
  return true;
}

}  // namespace

RunSession::RunSession(SessionOptions options) : options_(std::move(options)) {
  const std::optional<MpiRank> rank = mpi_rank();
  if (!rank) {
    shard_ = options_.shard.value_or(Shard{});
    return;
  }
  if (options_.shard) {
    throw InputError(fmt::format("shard {} is given, and mpirun gives each of its {} processes a shard; use only one",
                                 to_text(*options_.shard), rank->size));
  }
  shard_ = rank->shard();
  by_mpirun_ = true;
  if (options_.threads == 0) options_.threads = rank->threads();
}

std::vector<Config> RunSession::load_configs(const std::vector<std::string>& files) const {
  return naming_shard(shard_, [&] { return longrun::load_configs(files); });
}

SessionResult RunSession::run(const std::vector<Config>& configs, const std::string& out) const {
  return naming_shard(shard_, [&] {
    check_named_once(configs);
    for (const Config& config : configs) check_computable(config);
    return by_mpirun_ ? run_as_rank(configs, out) : run_alone(configs, out);
  });
}

void RunSession::open_store(std::optional<Store>& store, const std::string& folder) const {
  store.emplace(folder, options_.restart ? Store::Access::replace : Store::Access::write);
  if (!store->replaced().empty() && options_.on_message) options_.on_message(store->replaced());
}

SessionResult RunSession::run_alone(const std::vector<Config>& configs, const std::string& out) const {
  std::optional<Store> store;
  open_store(store, out);
  begin_all(*store, configs, shard_, options_.restart);
  SessionResult result = compute(*store, configs);
  result.complete = !result.stopped && shard_.is_whole();
  return result;
}

/// Computes the shard of this rank. out/records.sqlite holds the configs from the start, and gets the records of all
/// shards at the end.
SessionResult RunSession::run_as_rank(const std::vector<Config>& configs, const std::string& out) const {
  std::vector<Config> unmerged;
  std::optional<Store> store;
  {
    const FileLock lock = lock_folder(out);
    std::optional<Store> merged;
    open_store(merged, out);
    unmerged = begin_unmerged(*merged, configs, out, options_.restart);
    if (unmerged.empty()) return {.done = {}, .total = {}, .stopped = false, .complete = shard_.index == 1};
    // Opened while the folder is locked, so the process that merges sees that this shard is being written.
    open_store(store, shard_folder(out, shard_));
    begin_all(*store, unmerged, shard_, options_.restart);
  }
  SessionResult result = compute(*store, unmerged);
  store.reset();
  if (result.stopped) return result;
  const FileLock lock = lock_folder(out);
  result.complete = merge_if_last(configs, out, shard_.count);
  return result;
}

/// Computes the units that are not recorded yet. All experiments must have begun.
SessionResult RunSession::compute(Store& store, const std::vector<Config>& configs) const {
  const auto report = [&](const Progress& now, bool finished) {
    if (!options_.on_progress) return;
    options_.on_progress({.experiment = configs.empty() ? "" : configs[now.experiment].name,
                          .experiments_done = now.experiments_done,
                          .experiments = configs.size(),
                          .done = {now.runs_done, now.steps_done},
                          .recorded_before = {now.runs_before, now.steps_before},
                          .total = {now.runs_total, now.steps_total},
                          .finished = finished});
  };
  RunOptions run{.threads = options_.threads,
                 .shard = shard_,
                 .on_progress = [&](const Progress& now) { report(now, false); },
                 .stop = options_.stop,
                 .timing = options_.timing};
  if (options_.on_recorded && shard_.is_whole()) {
    run.on_recorded = [&](std::size_t experiment, TaskPool& pool) { options_.on_recorded(configs[experiment], pool); };
  }
  const Progress reached = run_experiments(configs, store, run);
  SessionResult result{.done = {reached.runs_done, reached.steps_done},
                       .total = {reached.runs_total, reached.steps_total}};
  const bool stop = options_.stop != nullptr && options_.stop->load();
  result.stopped = reached.runs_done < reached.runs_total || (stop && run.on_recorded);
  if (!result.stopped) report(reached, true);
  return result;
}

}  // namespace longrun
