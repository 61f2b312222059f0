#include "longrun/experiment/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/base/split.h"
#include "longrun/experiment/version.h"
#include "longrun/simulate/regret.h"

namespace longrun {
namespace {

// `name` holds the texts that the numbers in `run` stand for; kind is bandit, noise or policy. The view `record` puts
// them together for people who open the file with a tool of their own.
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS experiment(id INTEGER PRIMARY KEY, name TEXT UNIQUE, path TEXT, config TEXT, version TEXT, shard TEXT);
CREATE TABLE IF NOT EXISTS name(experiment INT, kind TEXT, number INT, text TEXT, PRIMARY KEY(experiment, kind, number));
CREATE TABLE IF NOT EXISTS unit(experiment INT, number INT, PRIMARY KEY(experiment, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run(experiment INT, bandit INT, noise INT, policy INT, horizon INT, seed INT, pulls TEXT, earned REAL,
                               optimum REAL);
CREATE VIEW IF NOT EXISTS record AS
  SELECT e.name AS experiment, b.text AS bandit, n.text AS noise, p.text AS policy, r.horizon, r.seed, r.pulls, r.earned,
         r.optimum, max(0, r.optimum - r.earned) AS regret
  FROM run r JOIN experiment e ON e.id = r.experiment
  JOIN name b ON b.experiment = r.experiment AND b.kind = 'bandit' AND b.number = r.bandit
  JOIN name n ON n.experiment = r.experiment AND n.kind = 'noise' AND n.number = r.noise
  JOIN name p ON p.experiment = r.experiment AND p.kind = 'policy' AND p.number = r.policy;
)";

std::string lock_path(const std::string& directory) { return directory + "/records.lock"; }

std::string joined(const std::vector<Pulls>& pulls) { return fmt::format("{}", fmt::join(pulls, " ")); }

std::size_t missing_units(const std::vector<bool>& recorded, const Shard& shard) {
  std::size_t missing = 0;
  for (std::size_t unit = 0; unit < recorded.size(); ++unit) missing += shard.has(unit) && !recorded[unit] ? 1U : 0U;
  return missing;
}

std::vector<Pulls> parse_pulls(std::string_view text) {
  std::vector<Pulls> pulls;
  for (const std::string_view count : split(text, ' ')) pulls.push_back(parse_number<Pulls>(count).value_or(0));
  return pulls;
}

}  // namespace

std::size_t unit_count(const Config& config) { return config.bandits.size() * config.noises.size() * config.seeds; }

Unit unit_at(const Config& config, std::size_t number) {
  const std::size_t noise_and_bandit = number / config.seeds;
  return {.bandit = noise_and_bandit / config.noises.size(),
          .noise = noise_and_bandit % config.noises.size(),
          .seed = config.first_seed + static_cast<std::uint32_t>(number % config.seeds)};
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto index = parse_number<std::uint32_t>(text.substr(0, slash));
    const auto count = parse_number<std::uint32_t>(text.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count) return {*index, *count};
  }
  throw InputError(fmt::format("shard '{}' should read i/n with 1 <= i <= n, such as 2/8", text));
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

/// A prepared statement: bind, step, read, with errors as exceptions.
class Store::Statement {
 public:
  Statement(const Store& store, const std::string& sql) : store_(store) {
    if (sqlite3_prepare_v2(store.database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value) { return checked(sqlite3_bind_int64(statement_, ++bound_, value)); }
  Statement& bind(double value) { return checked(sqlite3_bind_double(statement_, ++bound_, value)); }
  Statement& bind(const std::string& value) {
    return checked(
        sqlite3_bind_text(statement_, ++bound_, value.c_str(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  /// True where there is a row to read.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) fail();
    return result == SQLITE_ROW;
  }
  /// Runs it to its end and makes it ready for the next values.
  void execute() {
    while (step()) {
    }
    sqlite3_reset(statement_);
    bound_ = 0;
  }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  double number(int column) { return sqlite3_column_double(statement_, column); }
  std::string text(int column) {
    const auto* bytes = sqlite3_column_text(statement_, column);
    return bytes == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(bytes));  // NOLINT
  }

 private:
  Statement& checked(int result) {
    if (result != SQLITE_OK) fail();
    return *this;
  }
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("{}: {}", store_.path_, sqlite3_errmsg(store_.database_)));
  }

  const Store& store_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// Undone, unless commit() ends it.
class Store::Transaction {
 public:
  explicit Transaction(const Store& store) : store_(store) { store_.run("BEGIN"); }
  ~Transaction() {
    if (open_) sqlite3_exec(store_.database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    store_.run("COMMIT");
    open_ = false;
  }

 private:
  const Store& store_;
  bool open_ = true;
};

Store::Store(const std::string& directory, Access access) : path_(directory + "/records.sqlite") {
  std::error_code failure;
  if (access == Access::write) {
    std::filesystem::create_directories(directory, failure);
    if (failure) throw InputError(fmt::format("{}: cannot be made: {}", directory, failure.message()));
    lock_ = open(lock_path(directory).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);  // NOLINT
    if (lock_ < 0) throw InputError(fmt::format("{}: cannot be written to", directory));
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      close();
      throw InputError(fmt::format("{}: another run is writing here", directory));
    }
  } else if (!std::filesystem::exists(path_, failure)) {
    throw InputError(fmt::format("{}: no records here (no file records.sqlite)", directory));
  }
  try {
    access == Access::write ? open_for_writing() : open_for_reading();
  } catch (...) {
    close();
    throw;
  }
}

void Store::open_for_writing() {
  open_database(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // A log beside the file: readers see whole transactions while a run goes on, and a killed process loses none of them.
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;");
  run(kSchema);
}

void Store::open_for_reading() {
  const std::string look = "SELECT count(*) FROM sqlite_master";
  try {
    open_database(path_, SQLITE_OPEN_READWRITE);  // SQLite itself may have to write: to restore after a kill
    run(look);
  } catch (const InputError&) {
    // A folder we may not write to: nobody else is then expected to write there either.
    sqlite3_close(database_);
    std::string uri = "file:";
    for (const char c : path_) {
      uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", static_cast<unsigned>(c)) : std::string(1, c);
    }
    open_database(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    run(look);
  }
}

void Store::open_database(const std::string& name, int flags) {
  if (sqlite3_open_v2(name.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    throw InputError(fmt::format("{}: {}", path_, sqlite3_errmsg(database_)));
  }
  sqlite3_busy_timeout(database_, 10'000);
}

Store::~Store() { close(); }

bool Store::being_written(const std::string& directory) {
  const int file = open(lock_path(directory).c_str(), O_RDWR | O_CLOEXEC);  // NOLINT
  if (file < 0) return false;
  const bool taken = flock(file, LOCK_EX | LOCK_NB) != 0;
  ::close(file);
  return taken;
}

void Store::close() {
  insert_run_.reset();
  insert_unit_.reset();
  sqlite3_close(database_);  // rolls back what was not committed
  database_ = nullptr;
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
}

void Store::run(const std::string& sql) const {
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw InputError(fmt::format("{}: {}", path_, sqlite3_errmsg(database_)));
  }
}

std::int64_t Store::experiment_id(const std::string& name) const {
  Statement query(*this, "SELECT id FROM experiment WHERE name = ?");
  return query.bind(name).step() ? query.integer(0) : 0;
}

void Store::begin(const Config& config, const Shard& shard, bool restart) {
  const std::int64_t id = experiment_id(config.name);
  if (id != 0 && !restart) {
    Statement query(*this, "SELECT config, version, shard FROM experiment WHERE id = ?");
    query.bind(id).step();
    const auto refuse = [&](const std::string& what) {
      throw InputError(
          fmt::format("{}: experiment '{}' was begun with another {}; use another folder, or --restart to drop its "
                      "records",
                      path_, config.name, what));
    };
    const std::string version = query.text(1);
    const std::string begun_shard = query.text(2);
    if (version != build_version()) refuse(fmt::format("version of longrun ({}, now {})", version, build_version()));
    if (!same_runs(parse_config(query.text(0), config.path), config)) refuse("config");
    if (begun_shard != to_text(shard)) refuse(fmt::format("shard ({}, now {})", begun_shard, to_text(shard)));
    // What it says of itself may have changed; the report takes it from here.
    Statement(*this, "UPDATE experiment SET config = ? WHERE id = ?").bind(to_toml(config)).bind(id).execute();
    return;
  }
  Transaction transaction(*this);
  if (id != 0) drop(id);
  insert(config, std::string(build_version()), shard);
  transaction.commit();
}

void Store::drop(std::int64_t experiment) {
  for (const char* table : {"run", "unit", "name"}) {
    Statement(*this, fmt::format("DELETE FROM {} WHERE experiment = ?", table)).bind(experiment).execute();
  }
  Statement(*this, "DELETE FROM experiment WHERE id = ?").bind(experiment).execute();
}

void Store::insert(const Config& config, const std::string& version, const Shard& shard) {
  Statement(*this, "INSERT INTO experiment(name, path, config, version, shard) VALUES(?, ?, ?, ?, ?)")
      .bind(config.name)
      .bind(config.path)
      .bind(to_toml(config))
      .bind(version)
      .bind(to_text(shard))
      .execute();
  const std::int64_t id = experiment_id(config.name);
  const auto add_name = [&](const char* kind, std::size_t number, const std::string& text) {
    Statement(*this, "INSERT INTO name VALUES(?, ?, ?, ?)")
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

std::vector<bool> Store::recorded(const Config& config) const {
  std::vector<bool> recorded(unit_count(config), false);
  Statement query(*this, "SELECT number FROM unit WHERE experiment = ?");
  query.bind(experiment_id(config.name));
  while (query.step()) recorded.at(static_cast<std::size_t>(query.integer(0))) = true;
  return recorded;
}

bool Store::complete(const Config& config, const Shard& shard) const {
  Statement query(*this, "SELECT config, version, shard FROM experiment WHERE name = ?");
  if (!query.bind(config.name).step() || query.text(1) != build_version() || query.text(2) != to_text(shard) ||
      !same_runs(parse_config(query.text(0), config.path), config)) {
    return false;
  }
  return missing_units(recorded(config), shard) == 0;
}

void Store::add(const Config& config, std::size_t unit, const std::vector<ContestRun>& runs) {
  if (!in_transaction_) run("BEGIN");
  in_transaction_ = true;
  if (!insert_run_) {
    insert_run_ = std::make_unique<Statement>(*this, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert_unit_ = std::make_unique<Statement>(*this, "INSERT INTO unit VALUES(?, ?)");
  }
  const std::int64_t id = experiment_id(config.name);
  const Unit what = unit_at(config, unit);
  for (const ContestRun& one : runs) {
    insert_run_->bind(id)
        .bind(static_cast<std::int64_t>(what.bandit))
        .bind(static_cast<std::int64_t>(what.noise))
        .bind(static_cast<std::int64_t>(one.policy))
        .bind(config.horizons[one.horizon])
        .bind(static_cast<std::int64_t>(what.seed))
        .bind(joined(one.pulls))
        .bind(one.earned)
        .bind(one.optimum)
        .execute();
  }
  insert_unit_->bind(id).bind(static_cast<std::int64_t>(unit)).execute();
}

void Store::commit() {
  if (in_transaction_) run("COMMIT");
  in_transaction_ = false;
}

std::vector<std::string> Store::experiments() const {
  std::vector<std::string> names;
  Statement query(*this, "SELECT name FROM experiment ORDER BY id");
  while (query.step()) names.push_back(query.text(0));
  return names;
}

Config Store::config_of(const std::string& experiment) const {
  Statement query(*this, "SELECT config, path FROM experiment WHERE name = ?");
  if (!query.bind(experiment).step()) throw InputError(fmt::format("{}: no experiment '{}'", path_, experiment));
  return parse_config(query.text(0), query.text(1));
}

Shard Store::shard_of(const std::string& experiment) const {
  Statement query(*this, "SELECT shard FROM experiment WHERE name = ?");
  if (!query.bind(experiment).step()) throw InputError(fmt::format("{}: no experiment '{}'", path_, experiment));
  return parse_shard(query.text(0));
}

void Store::for_each(const std::function<void(const RunRecord&)>& visit) const {
  // Experiments by name: in a merged store their numbers may come in another order.
  Statement query(*this,
                  "SELECT e.name, b.text, n.text, p.text, r.horizon, r.seed, r.pulls, r.earned, r.optimum FROM run r "
                  "JOIN experiment e ON e.id = r.experiment "
                  "JOIN name b ON b.experiment = r.experiment AND b.kind = 'bandit' AND b.number = r.bandit "
                  "JOIN name n ON n.experiment = r.experiment AND n.kind = 'noise' AND n.number = r.noise "
                  "JOIN name p ON p.experiment = r.experiment AND p.kind = 'policy' AND p.number = r.policy "
                  "ORDER BY e.name, r.bandit, r.noise, r.policy, r.horizon, r.seed");
  while (query.step()) {
    const std::string policy = query.text(3);
    const std::size_t colon = std::min(policy.find(':'), policy.size());
    RunRecord record{.experiment = query.text(0),
                     .bandit = query.text(1),
                     .noise = query.text(2),
                     .policy = policy.substr(0, colon),
                     .parameters = policy.substr(std::min(colon + 1, policy.size())),
                     .horizon = query.integer(4),
                     .seed = static_cast<std::uint32_t>(query.integer(5)),
                     .pulls = parse_pulls(query.text(6)),
                     .earned = query.number(7),
                     .optimum = query.number(8)};
    record.regret = policy_regret(record.optimum, record.earned);
    visit(record);
  }
}

void Store::for_each_run(const Config& config, const std::function<void(const Unit&, const ContestRun&)>& visit) const {
  Statement query(*this,
                  "SELECT bandit, noise, seed, policy, horizon, pulls, earned, optimum FROM run WHERE experiment = ?");
  query.bind(experiment_id(config.name));
  const auto index = [&](int column) { return static_cast<std::size_t>(query.integer(column)); };
  while (query.step()) {
    const auto horizon = std::lower_bound(config.horizons.begin(), config.horizons.end(), query.integer(4));
    visit({.bandit = index(0), .noise = index(1), .seed = static_cast<std::uint32_t>(query.integer(2))},
          {.policy = index(3),
           .horizon = static_cast<std::size_t>(horizon - config.horizons.begin()),
           .pulls = parse_pulls(query.text(5)),
           .earned = query.number(6),
           .optimum = query.number(7)});
  }
}

/// An experiment to be merged: what its first shard says of it, and which shard was found where.
struct Store::Merged {
  Config config;
  std::string version;
  std::string directory;
  std::uint32_t count = 1;
  std::map<std::uint32_t, std::string> shards{};

  /// Takes note of the shard in another store: whole, like the first one, and not seen before.
  void add(const Store& other, const std::string& where, const std::string& name) {
    Statement query(other, "SELECT config, version, path FROM experiment WHERE name = ?");
    query.bind(name).step();
    const Shard shard = other.shard_of(name);
    if (shards.empty()) {
      config = parse_config(query.text(0), query.text(2));
      version = query.text(1);
      directory = where;
      count = shard.count;
    }
    const auto refuse = [&](const std::string& first, const std::string& what) {
      throw InputError(fmt::format("{} and {}: experiment '{}' has {}", first, where, name, what));
    };
    if (!same_runs(config, parse_config(query.text(0), query.text(2)))) refuse(directory, "another config");
    if (version != query.text(1))
      refuse(directory, fmt::format("another version of longrun ({} and {})", version, query.text(1)));
    if (count != shard.count)
      refuse(directory, fmt::format("another number of shards ({} and {})", count, shard.count));
    const auto [seen, fresh] = shards.try_emplace(shard.index, where);
    if (!fresh) refuse(seen->second, fmt::format("the same shard, {}", to_text(shard)));
    if (const std::size_t missing = missing_units(other.recorded(config), shard); missing > 0) {
      throw InputError(fmt::format("{}: shard {} of experiment '{}' is not finished: {} units are missing", where,
                                   to_text(shard), name, missing));
    }
  }

  void check_no_shard_is_missing() const {
    std::vector<std::string> missing;
    for (std::uint32_t index = 1; index <= count; ++index) {
      if (!shards.contains(index)) missing.push_back(to_text(Shard{index, count}));
    }
    if (missing.empty()) return;
    throw InputError(fmt::format("experiment '{}': shard{} {} {} missing; name the folders of all shards", config.name,
                                 missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                                 missing.size() == 1 ? "is" : "are"));
  }
};

void Store::merge(const std::vector<std::string>& directories, const std::set<std::string>& experiments) {
  if (directories.empty()) throw InputError("merge needs at least one folder of records");
  std::map<std::string, Merged> merged;
  for (const std::string& directory : directories) {
    const Store other(directory, Access::read);
    for (const std::string& name : other.experiments()) {
      if (experiments.empty() || experiments.contains(name)) merged[name].add(other, directory, name);
    }
  }
  for (const auto& [name, one] : merged) {
    one.check_no_shard_is_missing();
    Statement query(*this, "SELECT 1 FROM unit WHERE experiment = ? LIMIT 1");
    if (query.bind(experiment_id(name)).step()) {
      throw InputError(fmt::format("{}: already holds records of experiment '{}'", path_, name));
    }
  }
  Transaction transaction(*this);
  std::set<std::string> names;
  for (const auto& [name, one] : merged) {
    if (const std::int64_t begun = experiment_id(name); begun != 0) drop(begun);
    insert(one.config, one.version, {});
    names.insert(name);
  }
  for (const std::string& directory : directories) copy(Store(directory, Access::read), names);
  transaction.commit();
}

void Store::copy(const Store& other, const std::set<std::string>& experiments) {
  Statement insert_unit(*this, "INSERT INTO unit VALUES(?, ?)");
  Statement insert_run(*this, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const std::string& name : other.experiments()) {
    if (!experiments.contains(name)) continue;
    const std::int64_t id = experiment_id(name);
    const std::int64_t id_there = other.experiment_id(name);
    Statement units(other, "SELECT number FROM unit WHERE experiment = ?");
    units.bind(id_there);
    while (units.step()) insert_unit.bind(id).bind(units.integer(0)).execute();
    Statement runs(other,
                   "SELECT bandit, noise, policy, horizon, seed, pulls, earned, optimum FROM run WHERE experiment = ?");
    runs.bind(id_there);
    while (runs.step()) {
      insert_run.bind(id);
      for (int column = 0; column < 5; ++column) insert_run.bind(runs.integer(column));
      insert_run.bind(runs.text(5)).bind(runs.number(6)).bind(runs.number(7)).execute();
    }
  }
}

}  // namespace longrun
