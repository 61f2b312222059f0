#include "longrun/experiment/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/base/version.h"
#include "longrun/base/write_file.h"
#include "longrun/experiment/internal/record_schema.h"
#include "longrun/experiment/internal/run_rows.h"
#include "longrun/simulate/regret.h"
#include "longrun/sqlite/database.h"

namespace longrun {
namespace {

std::string lock_path(const std::string& directory) { return directory + "/records.lock"; }

RunRecord to_record(const Config& config, const Unit& unit, const ContestRun& run) {
  const std::string& policy = config.policies[run.policy].text();
  const std::size_t colon = std::min(policy.find(':'), policy.size());
  return {.experiment = config.name,
          .bandit = config.bandits[unit.bandit].name,
          .noise = to_text(config.noises[unit.noise]),
          .policy = policy.substr(0, colon),
          .parameters = policy.substr(std::min(colon + 1, policy.size())),
          .horizon = config.horizons[run.horizon],
          .seed = unit.seed,
          .pulls = run.pulls,
          .earned = run.earned,
          .optimum = run.optimum,
          .regret = policy_regret(run.optimum, run.earned)};
}

}  // namespace

// ---- the file

std::string Store::file_in(const std::string& directory) { return directory + "/records.sqlite"; }

Store::Store(const std::string& directory, Access access) : path_(file_in(directory)) {
  if (access == Access::read) {
    std::error_code failure;
    if (!std::filesystem::exists(path_, failure)) {
      throw InputError(fmt::format("{}: no records here (no file records.sqlite)", directory));
    }
    open_for_reading();
    return;
  }
  make_folder(directory);
  lock_ = FileLock::try_lock(lock_path(directory));
  if (!lock_) {
    throw InputError(
        fmt::format("{}: another run is writing here ({})", directory, FileLock::last_holder(lock_path(directory))));
  }
  if (access == Access::write) {
    open_for_writing();
    return;
  }
  try {
    open_for_writing();
    const std::string check = database_->query_text("PRAGMA quick_check(1)");
    if (check != "ok") throw DamagedDatabase(fmt::format("{}: {}", path_, check));
  } catch (const DamagedDatabase& damaged) {
    set_aside(damaged.what());
  } catch (const UnknownLayout& unknown) {
    set_aside(unknown.what());
  }
}

Store::~Store() = default;

void Store::open_for_writing() {
  database_ = std::make_unique<Database>(path_, Database::Mode::create);
  set_up_schema(*database_);
  // A log beside the file: readers see whole transactions during a run, and a killed process loses none of them.
  database_->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;");
}

void Store::open_for_reading() {
  try {
    database_ = std::make_unique<Database>(path_, Database::Mode::open);
  } catch (const SystemError&) {  // perhaps because the folder cannot be written to
    database_ = std::make_unique<Database>(path_, Database::Mode::immutable);
  }
  if (!is_empty_schema(*database_)) return;
  database_ = std::make_unique<Database>(path_, Database::Mode::in_memory);
  set_up_schema(*database_);
}

/// Renames the file, which cannot be used, and creates a new one.
void Store::set_aside(const std::string& reason) {
  database_.reset();
  int number = 1;
  const auto name = [&] { return fmt::format("{}.unusable-{}", path_, number); };
  while (std::filesystem::exists(name())) ++number;
  for (const char* part : {"-wal", "-shm", ""}) {
    if (!std::filesystem::exists(path_ + part)) continue;
    std::error_code failure;
    std::filesystem::rename(path_ + part, name() + part, failure);
    if (failure) throw SystemError(fmt::format("{}: cannot be renamed: {}", path_ + part, failure.message()));
  }
  open_for_writing();
  replaced_ = fmt::format("{}; it is now {}, and a new file takes the records", reason, name());
}

bool Store::being_written(const std::string& directory) { return FileLock::is_locked(lock_path(directory)); }

// ---- experiments

std::int64_t Store::experiment_id(const std::string& name) const {
  Statement query(*database_, "SELECT id FROM experiment WHERE name = ?", "experiment");
  return query.bind(name).step() ? query.integer(0) : 0;
}

std::optional<Store::Begun> Store::begun(const std::string& name) const {
  Statement query(*database_, "SELECT id, config, path, version, shard FROM experiment WHERE name = ?", "experiment");
  if (!query.bind(name).step()) return std::nullopt;
  return Begun{.id = query.integer(0),
               .config = parse_config(query.text(1), query.text(2)),
               .version = query.text(3),
               .shard = parse_shard(query.text(4))};
}

Store::Begun Store::begun_listed(const std::string& name) const {
  if (auto found = begun(name)) return *std::move(found);
  throw SystemError(fmt::format("{}: experiment '{}' is listed but not found; the file is damaged", path_, name));
}

void Store::begin(const Config& config, const Shard& shard, bool restart) {
  const std::int64_t id = experiment_id(config.name);
  if (id == 0 || restart) {
    Transaction transaction(*database_);
    if (id != 0) drop(id);
    insert(config, std::string(build_version()), shard);
    return transaction.commit();
  }
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format(
        "{}: experiment '{}' was begun with another {}; use another folder, or restart it to drop its records", path_,
        config.name, what));
  };
  Statement query(*database_, "SELECT id, config, version, shard FROM experiment WHERE id = ?", "experiment");
  query.bind(id).step();
  const std::string version = query.text(2);
  const std::string begun_shard = query.text(3);
  // The version comes first, because the config of another version may not be readable.
  if (version != build_version()) refuse(fmt::format("version of longrun ({}, now {})", version, build_version()));
  if (!same_runs(parse_config(query.text(1), config.path), config)) refuse("config");
  if (begun_shard != to_text(shard)) refuse(fmt::format("shard ({}, now {})", begun_shard, to_text(shard)));
  // Title, claim and checks may have changed; the report takes them from here.
  Statement(*database_, "UPDATE experiment SET config = ? WHERE id = ?").bind(to_toml(config)).bind(id).execute();
}

void Store::drop(std::int64_t experiment) {
  for (const char* table : {"run", "unit", "name"}) {
    Statement(*database_, fmt::format("DELETE FROM {} WHERE experiment = ?", table)).bind(experiment).execute();
  }
  Statement(*database_, "DELETE FROM experiment WHERE id = ?").bind(experiment).execute();
}

void Store::insert(const Config& config, const std::string& version, const Shard& shard) {
  Statement(*database_, "INSERT INTO experiment(name, path, config, version, shard) VALUES(?, ?, ?, ?, ?)")
      .bind(config.name)
      .bind(config.path)
      .bind(to_toml(config))
      .bind(version)
      .bind(to_text(shard))
      .execute();
  const std::int64_t id = experiment_id(config.name);
  const auto add_name = [&](const char* kind, std::size_t number, const std::string& text) {
    Statement(*database_, "INSERT INTO name VALUES(?, ?, ?, ?)")
        .bind(id)
        .bind(std::string(kind))
        .bind(static_cast<std::int64_t>(number))
        .bind(text)
        .execute();
  };
  for (std::size_t i = 0; i < config.bandits.size(); ++i) add_name("bandit", i, config.bandits[i].name);
  for (std::size_t i = 0; i < config.noises.size(); ++i) add_name("noise", i, to_text(config.noises[i]));
  for (std::size_t i = 0; i < config.policies.size(); ++i) add_name("policy", i, config.policies[i].text());
}

std::vector<std::string> Store::experiments() const {
  std::vector<std::string> names;
  Statement query(*database_, "SELECT id, name FROM experiment ORDER BY id", "experiment");
  while (query.step()) names.push_back(query.text(1));
  return names;
}

Config Store::config_of(const std::string& experiment) const {
  if (auto found = begun(experiment)) return std::move(found->config);
  throw InputError(fmt::format("{}: no experiment '{}'", path_, experiment));
}

Shard Store::shard_of(const std::string& experiment) const {
  if (const auto found = begun(experiment)) return found->shard;
  throw InputError(fmt::format("{}: no experiment '{}'", path_, experiment));
}

// ---- units

std::vector<bool> Store::recorded(const Config& config) const {
  std::vector<bool> recorded(unit_count(config), false);
  Statement query(*database_, "SELECT number FROM unit WHERE experiment = ?", "unit");
  query.bind(experiment_id(config.name));
  while (query.step()) {
    const std::int64_t unit = query.integer(0);
    if (unit < 0 || unit >= std::ssize(recorded)) {
      query.fail_on_row(fmt::format("experiment '{}' has units 0 to {}", config.name, std::ssize(recorded) - 1));
    }
    recorded[static_cast<std::size_t>(unit)] = true;
  }
  return recorded;
}

bool Store::complete(const Config& config, const Shard& shard) const {
  Statement query(*database_, "SELECT id, config, version, shard FROM experiment WHERE name = ?", "experiment");
  if (!query.bind(config.name).step() || query.text(2) != build_version() || query.text(3) != to_text(shard) ||
      !same_runs(parse_config(query.text(1), config.path), config)) {
    return false;
  }
  return missing_units(recorded(config), shard) == 0;
}

void Store::add(const Config& config, std::size_t unit, const std::vector<ContestRun>& runs) {
  if (!in_transaction_) database_->run("BEGIN");
  in_transaction_ = true;
  try {
    const std::int64_t id = experiment_id(config.name);
    for (const ContestRun& run : runs) insert_run(id, config, unit_at(config, unit), run);
    if (!insert_unit_) insert_unit_ = std::make_unique<Statement>(*database_, "INSERT INTO unit VALUES(?, ?)");
    insert_unit_->bind(id).bind(static_cast<std::int64_t>(unit)).execute();
  } catch (const SystemError&) {  // a later commit() must not record half a unit
    insert_run_.reset();
    insert_unit_.reset();
    in_transaction_ = false;
    try {
      database_->run("ROLLBACK");
    } catch (const SystemError&) {  // SQLite has already rolled back
    }
    throw;
  }
}

void Store::insert_run(std::int64_t experiment, const Config& config, const Unit& unit, const ContestRun& run) {
  if (!insert_run_) {
    insert_run_ = std::make_unique<Statement>(*database_, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  }
  insert_run_->bind(experiment)
      .bind(static_cast<std::int64_t>(unit.bandit))
      .bind(static_cast<std::int64_t>(unit.noise))
      .bind(static_cast<std::int64_t>(run.policy))
      .bind(config.horizons[run.horizon])
      .bind(static_cast<std::int64_t>(unit.seed))
      .bind(fmt::format("{}", fmt::join(run.pulls, " ")))
      .bind(run.earned)
      .bind(run.optimum)
      .execute();
}

void Store::commit() {
  if (in_transaction_) database_->run("COMMIT");
  in_transaction_ = false;
}

// ---- records

void Store::for_each(const std::function<void(const RunRecord&)>& visit) const {
  Statement orphan(*database_, "SELECT rowid FROM run WHERE experiment NOT IN (SELECT id FROM experiment) LIMIT 1",
                   "run");
  if (orphan.step()) orphan.fail_on_row("belongs to no experiment");
  const std::vector<std::string> names = experiments();
  // By name, because a merged store may number the experiments differently.
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    const Begun experiment = begun_listed(name);
    RunRows rows(*database_, experiment.id, experiment.config);
    while (rows.next()) visit(to_record(experiment.config, rows.unit(), rows.run()));
  }
}

void Store::for_each_run(const Config& config, const std::function<void(const Unit&, const ContestRun&)>& visit) const {
  RunRows rows(*database_, experiment_id(config.name), config, RunRows::Order::as_recorded);
  while (rows.next()) visit(rows.unit(), rows.run());
}

}  // namespace longrun
