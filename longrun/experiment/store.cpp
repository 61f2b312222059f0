#include "longrun/experiment/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "longrun/base/input_error.h"
#include "longrun/base/parse_number.h"
#include "longrun/experiment/version.h"
#include "longrun/policy/optimal.h"

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

std::string joined(const std::vector<Pulls>& pulls) { return fmt::format("{}", fmt::join(pulls, " ")); }

std::vector<Pulls> split_pulls(std::string_view text) {
  std::vector<Pulls> pulls;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    pulls.push_back(parse_number<Pulls>(text.substr(0, end)).value_or(0));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pulls;
}

}  // namespace

std::size_t unit_count(const Config& config) { return config.bandits.size() * config.noises.size() * config.seeds; }

Unit unit_at(const Config& config, std::size_t number) {
  const std::size_t noise_and_bandit = number / config.seeds;
  return {.bandit = noise_and_bandit / config.noises.size(),
          .noise = noise_and_bandit % config.noises.size(),
          .seed = static_cast<std::uint32_t>(number % config.seeds) + 1};
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

Store::Store(const std::string& directory, Access access) : path_(directory + "/records.sqlite") {
  std::error_code failure;
  if (access == Access::write) {
    std::filesystem::create_directories(directory, failure);
    if (failure) throw InputError(fmt::format("{}: cannot be made: {}", directory, failure.message()));
    lock_ = open((directory + "/records.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);  // NOLINT
    if (lock_ < 0) throw InputError(fmt::format("{}: cannot be written to", directory));
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      close();
      throw InputError(fmt::format("{}: another run is writing here", directory));
    }
  } else if (!std::filesystem::exists(path_, failure)) {
    throw InputError(fmt::format("{}: no records here (no file records.sqlite)", directory));
  }
  const int flags = access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  if (sqlite3_open_v2(path_.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    const std::string message = sqlite3_errmsg(database_);
    close();
    throw InputError(fmt::format("{}: {}", path_, message));
  }
  try {
    sqlite3_busy_timeout(database_, 10'000);
    // A log beside the file: readers see whole transactions while a run goes on, and a killed process loses none of
    // them.
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;");
    if (access == Access::write) run(kSchema);
  } catch (...) {
    close();
    throw;
  }
}

Store::~Store() { close(); }

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
  const std::string shard_text = fmt::format("{}/{}", shard.index, shard.count);
  const std::int64_t id = experiment_id(config.name);
  if (id != 0 && restart) {
    run(fmt::format(
        "BEGIN; DELETE FROM run WHERE experiment = {0}; DELETE FROM unit WHERE experiment = {0}; DELETE FROM name "
        "WHERE experiment = {0}; DELETE FROM experiment WHERE id = {0}; COMMIT;",
        id));
  } else if (id != 0) {
    Statement query(*this, "SELECT config, version, shard FROM experiment WHERE id = ?");
    query.bind(id).step();
    const auto refuse = [&](const std::string& what, const std::string& was, const std::string& is) {
      if (was == is) return;
      const bool multiline = was.find('\n') != std::string::npos || is.find('\n') != std::string::npos;
      throw InputError(
          fmt::format("{}: experiment '{}' was begun with another {}{}; use another folder, or --restart to "
                      "drop its records",
                      path_, config.name, what, multiline ? "" : fmt::format(" ({}, now {})", was, is)));
    };
    refuse("config", query.text(0), to_toml(config));
    refuse("version of longrun", query.text(1), std::string(kVersion));
    refuse("shard", query.text(2), shard_text);
    return;
  }
  run("BEGIN");
  Statement(*this, "INSERT INTO experiment(name, path, config, version, shard) VALUES(?, ?, ?, ?, ?)")
      .bind(config.name)
      .bind(config.path)
      .bind(to_toml(config))
      .bind(std::string(kVersion))
      .bind(shard_text)
      .execute();
  const std::int64_t fresh = experiment_id(config.name);
  const auto add_name = [&](const char* kind, std::size_t number, const std::string& text) {
    Statement(*this, "INSERT INTO name VALUES(?, ?, ?, ?)")
        .bind(fresh)
        .bind(std::string(kind))
        .bind(static_cast<std::int64_t>(number))
        .bind(text)
        .execute();
  };
  for (std::size_t i = 0; i < config.bandits.size(); ++i) add_name("bandit", i, config.bandits[i].name);
  for (std::size_t i = 0; i < config.noises.size(); ++i) add_name("noise", i, to_text(config.noises[i]));
  for (std::size_t i = 0; i < config.policies.size(); ++i) add_name("policy", i, config.policies[i].text());
  run("COMMIT");
}

std::vector<bool> Store::recorded(const Config& config) const {
  std::vector<bool> recorded(unit_count(config), false);
  Statement query(*this, "SELECT number FROM unit WHERE experiment = ?");
  query.bind(experiment_id(config.name));
  while (query.step()) recorded.at(static_cast<std::size_t>(query.integer(0))) = true;
  return recorded;
}

void Store::add(const Config& config, std::size_t unit, const std::vector<UnitRun>& runs) {
  if (!in_transaction_) run("BEGIN");
  in_transaction_ = true;
  if (!insert_run_) {
    insert_run_ = std::make_unique<Statement>(*this, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert_unit_ = std::make_unique<Statement>(*this, "INSERT INTO unit VALUES(?, ?)");
  }
  const std::int64_t id = experiment_id(config.name);
  const Unit what = unit_at(config, unit);
  for (const UnitRun& one : runs) {
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
                     .pulls = split_pulls(query.text(6)),
                     .earned = query.number(7),
                     .optimum = query.number(8)};
    record.regret = policy_regret(record.optimum, record.earned);
    visit(record);
  }
}

void Store::merge(const std::vector<std::string>& directories) {
  if (directories.empty()) throw InputError("merge needs at least one folder of records");
  struct Origin {
    Config config;
    std::string version;
    std::string directory;
    std::uint32_t count = 1;
    std::set<std::uint32_t> shards;
  };
  std::map<std::string, Origin> origins;
  for (const std::string& directory : directories) {
    const Store other(directory, Access::read);
    for (const std::string& name : other.experiments()) {
      Statement query(other, "SELECT config, version, path FROM experiment WHERE name = ?");
      query.bind(name).step();
      const Shard shard = other.shard_of(name);
      const auto [found, fresh] = origins.try_emplace(name);
      Origin& origin = found->second;
      if (fresh) {
        origin = {.config = parse_config(query.text(0), query.text(2)),
                  .version = query.text(1),
                  .directory = directory,
                  .count = shard.count,
                  .shards = {}};
      }
      const auto refuse = [&](const std::string& what) {
        throw InputError(fmt::format("{} and {}: experiment '{}' has {}", origin.directory, directory, name, what));
      };
      if (to_toml(origin.config) != query.text(0)) refuse("another config");
      if (origin.version != query.text(1)) refuse("another version of longrun");
      if (origin.count != shard.count) refuse("another number of shards");
      if (!origin.shards.insert(shard.index).second)
        refuse(fmt::format("the same shard, {}/{}", shard.index, shard.count));
      const std::vector<bool> recorded = other.recorded(origin.config);
      std::size_t missing = 0;
      for (std::size_t unit = 0; unit < recorded.size(); ++unit)
        missing += shard.has(unit) && !recorded[unit] ? 1U : 0U;
      if (missing > 0) {
        throw InputError(fmt::format("{}: shard {}/{} of experiment '{}' is not finished: {} units are missing",
                                     directory, shard.index, shard.count, name, missing));
      }
    }
  }
  for (const auto& [name, origin] : origins) {
    std::vector<std::string> missing;
    for (std::uint32_t index = 1; index <= origin.count; ++index) {
      if (!origin.shards.contains(index)) missing.push_back(fmt::format("{}/{}", index, origin.count));
    }
    if (!missing.empty()) {
      throw InputError(fmt::format("experiment '{}': shard {} is missing", name, fmt::join(missing, ", ")));
    }
    if (experiment_id(name) != 0) throw InputError(fmt::format("{}: already holds experiment '{}'", path_, name));
  }
  for (const auto& [name, origin] : origins) begin(origin.config, {}, false);
  for (const std::string& directory : directories) {
    Statement(*this, "ATTACH DATABASE ? AS other").bind(directory + "/records.sqlite").execute();
    const std::string here = "(SELECT id FROM main.experiment h WHERE h.name = e.name)";
    run(fmt::format(
        "BEGIN; INSERT INTO main.unit SELECT {0}, o.number FROM other.unit o JOIN other.experiment e ON e.id = "
        "o.experiment; INSERT INTO main.run SELECT {0}, o.bandit, o.noise, o.policy, o.horizon, o.seed, o.pulls, "
        "o.earned, o.optimum FROM other.run o JOIN other.experiment e ON e.id = o.experiment; COMMIT;",
        here));
    run("DETACH DATABASE other");
  }
}

}  // namespace longrun
