#include "longrun/experiment/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/experiment/internal/run_rows.h"
#include "longrun/sqlite/database.h"

namespace longrun {

/// The shards to merge. The constructor checks that each experiment has all its shards, and each shard all its units.
class ShardMerge {
 public:
  ShardMerge(const std::vector<std::string>& directories, const std::set<std::string>& experiments);
  MergeResult into(Store& out) const;

 private:
  /// An experiment to be merged: config and version of the first shard found, and the folder of every shard.
  struct Experiment {
    Config config;
    std::string version;
    std::string first_directory;
    std::uint32_t count = 1;
    std::map<std::uint32_t, std::string> directories{};  // by the shard's index

    void add(const Store& store, const std::string& directory, const std::string& name);
    void check_no_shard_is_missing() const;
  };

  static bool has_units(const Store& store, const std::string& experiment);
  static bool has_same_records(const Store& out, const Experiment& experiment);
  static void copy(Store& out, const Experiment& experiment);

  std::map<std::string, Experiment> experiments_;  // by name; not empty
};

namespace {

std::map<std::uint32_t, std::unique_ptr<Store>> open_all(const std::map<std::uint32_t, std::string>& directories) {
  std::map<std::uint32_t, std::unique_ptr<Store>> stores;
  for (const auto& [index, directory] : directories) {
    stores[index] = std::make_unique<Store>(directory, Store::Access::read);
  }
  return stores;
}

bool same_run(const RunRows& a, const RunRows& b) {
  return a.unit() == b.unit() && a.run().policy == b.run().policy && a.run().horizon == b.run().horizon &&
         a.run().pulls == b.run().pulls && a.run().earned == b.run().earned && a.run().optimum == b.run().optimum;
}

}  // namespace

/// Adds the shard of this store. Throws InputError if it is unfinished, does not fit the first one, or is a duplicate.
void ShardMerge::Experiment::add(const Store& store, const std::string& directory, const std::string& name) {
  Store::Begun found = store.begun_listed(name);
  const Shard shard = found.shard;
  if (directories.empty()) {
    config = found.config;
    version = found.version;
    first_directory = directory;
    count = shard.count;
  }
  const auto refuse = [&](const std::string& first, const std::string& what) {
    throw InputError(fmt::format("{} and {}: experiment '{}' has {}", first, directory, name, what));
  };
  if (!same_runs(config, found.config)) refuse(first_directory, "different configs");
  if (version != found.version) {
    refuse(first_directory, fmt::format("different versions of longrun ({} and {})", version, found.version));
  }
  if (count != shard.count) {
    refuse(first_directory, fmt::format("different numbers of shards ({} and {})", count, shard.count));
  }
  const auto [seen, fresh] = directories.try_emplace(shard.index, directory);
  if (!fresh) refuse(seen->second, fmt::format("the same shard, {}", to_text(shard)));
  if (const std::size_t missing = missing_units(store.recorded(config), shard); missing > 0) {
    throw InputError(fmt::format("{}: shard {} of experiment '{}' is not finished: {} units are missing", directory,
                                 to_text(shard), name, missing));
  }
}

void ShardMerge::Experiment::check_no_shard_is_missing() const {
  std::vector<std::string> missing;
  for (std::uint32_t index = 1; index <= count; ++index) {
    if (!directories.contains(index)) missing.push_back(to_text(Shard{index, count}));
  }
  if (missing.empty()) return;
  throw InputError(fmt::format("experiment '{}': shard{} {} {} missing; name the folders of all shards", config.name,
                               missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                               missing.size() == 1 ? "is" : "are"));
}

ShardMerge::ShardMerge(const std::vector<std::string>& directories, const std::set<std::string>& experiments) {
  if (directories.empty()) throw InputError("merge needs at least one folder of records");
  for (const std::string& directory : directories) {
    const Store store(directory, Store::Access::read);
    for (const std::string& name : store.experiments()) {
      if (experiments.empty() || experiments.contains(name)) experiments_[name].add(store, directory, name);
    }
  }
  if (experiments_.empty()) {
    throw InputError(fmt::format("{}: no experiments to merge", fmt::join(directories, ", ")));
  }
  for (const auto& [name, experiment] : experiments_) experiment.check_no_shard_is_missing();
}

MergeResult ShardMerge::into(Store& out) const {
  MergeResult result;
  for (const auto& [name, experiment] : experiments_) {
    if (!has_units(out, name)) {
      result.merged.push_back(name);
      continue;
    }
    if (!has_same_records(out, experiment)) {
      throw InputError(fmt::format("{}: already holds other records of experiment '{}'; merge into another folder",
                                   out.path_, name));
    }
    result.unchanged.push_back(name);
  }
  if (result.merged.empty()) return result;
  Transaction transaction(*out.database_);
  for (const std::string& name : result.merged) {
    const Experiment& experiment = experiments_.at(name);
    if (const std::int64_t begun = out.experiment_id(name); begun != 0) out.drop(begun);
    out.insert(experiment.config, experiment.version, {});
    copy(out, experiment);
  }
  transaction.commit();
  return result;
}

bool ShardMerge::has_units(const Store& store, const std::string& experiment) {
  Statement query(*store.database_, "SELECT number FROM unit WHERE experiment = ? LIMIT 1");
  return query.bind(store.experiment_id(experiment)).step();
}

/// Returns whether the store holds the records of all shards and no others. All stores are read in the same order, and
/// a unit belongs to one shard, so each run is compared with the next run of its shard.
bool ShardMerge::has_same_records(const Store& out, const Experiment& experiment) {
  const Config& config = experiment.config;
  const std::optional<Store::Begun> begun = out.begun(config.name);
  if (!begun || begun->version != experiment.version || begun->shard != Shard{} || !same_runs(begun->config, config) ||
      missing_units(out.recorded(config), {}) > 0) {
    return false;
  }
  const auto stores = open_all(experiment.directories);
  std::map<std::uint32_t, std::unique_ptr<RunRows>> shards;
  for (const auto& [index, store] : stores) {
    shards[index] = std::make_unique<RunRows>(*store->database_, store->experiment_id(config.name), config);
  }
  RunRows rows(*out.database_, begun->id, config);
  while (rows.next()) {
    RunRows& shard = *shards.at(static_cast<std::uint32_t>(unit_number(config, rows.unit()) % experiment.count) + 1);
    if (!shard.next() || !same_run(rows, shard)) return false;
  }
  return std::none_of(shards.begin(), shards.end(), [](const auto& shard) { return shard.second->next(); });
}

void ShardMerge::copy(Store& out, const Experiment& experiment) {
  const Config& config = experiment.config;
  const std::int64_t id = out.experiment_id(config.name);
  Statement insert_unit(*out.database_, "INSERT INTO unit VALUES(?, ?)");
  for (const auto& [index, store] : open_all(experiment.directories)) {
    const std::vector<bool> recorded = store->recorded(config);
    for (std::size_t unit = 0; unit < recorded.size(); ++unit) {
      if (recorded[unit]) insert_unit.bind(id).bind(static_cast<std::int64_t>(unit)).execute();
    }
    RunRows rows(*store->database_, store->experiment_id(config.name), config);
    while (rows.next()) out.insert_run(id, config, rows.unit(), rows.run());
  }
}

MergeResult merge_shards(const std::vector<std::string>& directories, Store& out,
                         const std::set<std::string>& experiments) {
  return ShardMerge(directories, experiments).into(out);
}

MergeResult merge_shards(const std::vector<std::string>& directories, const std::string& out) {
  const ShardMerge merge(directories, {});  // checks the shards before any file is created
  const bool folder_is_new = !std::filesystem::exists(out);
  const bool store_is_new = !std::filesystem::exists(Store::file_in(out));
  auto store = std::make_unique<Store>(out, Store::Access::write);
  try {
    return merge.into(*store);
  } catch (...) {
    store.reset();
    std::error_code ignored;
    if (store_is_new) {
      for (const char* file : {"records.sqlite", "records.sqlite-wal", "records.sqlite-shm", "records.lock"}) {
        std::filesystem::remove(std::filesystem::path(out) / file, ignored);
      }
    }
    if (folder_is_new) std::filesystem::remove(out, ignored);
    throw;
  }
}

}  // namespace longrun
