#include "longrun/experiment/internal/record_schema.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace longrun {
namespace {

// `name` holds the texts for the numbers in `run`; its kind is bandit, noise or policy. The view `record` joins them
// for other programs that open the file. It has no column of regret, which only policy_regret() defines.
constexpr const char* kTables = R"(
CREATE TABLE experiment(id INTEGER PRIMARY KEY, name TEXT UNIQUE, path TEXT, config TEXT, version TEXT, shard TEXT);
CREATE TABLE name(experiment INT, kind TEXT, number INT, text TEXT, PRIMARY KEY(experiment, kind, number));
CREATE TABLE unit(experiment INT, number INT, PRIMARY KEY(experiment, number)) WITHOUT ROWID;
CREATE TABLE run(experiment INT, bandit INT, noise INT, policy INT, horizon INT, seed INT, pulls TEXT, earned REAL,
                 optimum REAL);
)";
constexpr const char* kView = R"(
CREATE VIEW record AS
  SELECT e.name AS experiment, b.text AS bandit, n.text AS noise, p.text AS policy, r.horizon, r.seed, r.pulls, r.earned,
         r.optimum
  FROM run r JOIN experiment e ON e.id = r.experiment
  JOIN name b ON b.experiment = r.experiment AND b.kind = 'bandit' AND b.number = r.bandit
  JOIN name n ON n.experiment = r.experiment AND n.kind = 'noise' AND n.number = r.noise
  JOIN name p ON p.experiment = r.experiment AND p.kind = 'policy' AND p.number = r.policy;
)";

/// The columns of version 1, which are also those of files without version.
constexpr std::array<std::pair<const char*, const char*>, 4> kColumns{{
    {"experiment", "id,name,path,config,version,shard"},
    {"name", "experiment,kind,number,text"},
    {"unit", "experiment,number"},
    {"run", "experiment,bandit,noise,policy,horizon,seed,pulls,earned,optimum"},
}};

bool has_tables(const Database& database) {
  for (const auto& [table, columns] : kColumns) {
    if (database.query_text(fmt::format("SELECT group_concat(name) FROM pragma_table_info('{}')", table)) != columns)
      return false;
  }
  return true;
}

enum class Layout { empty, unversioned, current };

/// Returns the layout of the file. Throws UnknownLayout for other tables or a newer version.
Layout layout_of(const Database& database) {
  const std::int64_t version = database.query_integer("PRAGMA user_version");
  if (version == 0 && database.query_integer("SELECT count(*) FROM sqlite_master") == 0) return Layout::empty;
  if (version == kSchemaVersion && has_tables(database)) return Layout::current;
  if (version == 0 && has_tables(database)) return Layout::unversioned;
  if (version > kSchemaVersion && has_tables(database)) {
    throw UnknownLayout(
        fmt::format("{}: written by a newer longrun (layout {}; this one knows layouts up to {}); use that longrun, or "
                    "another folder",
                    database.path(), version, kSchemaVersion));
  }
  throw UnknownLayout(
      fmt::format("{}: is not a file of records; use another folder, or remove the file", database.path()));
}

}  // namespace

void set_up_schema(const Database& database) {
  const Layout layout = layout_of(database);
  if (layout == Layout::current) return;
  Transaction transaction(database);
  if (layout == Layout::empty) database.run(kTables);
  database.run("DROP VIEW IF EXISTS record");
  database.run(kView);
  database.run(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

bool is_empty_schema(const Database& database) { return layout_of(database) == Layout::empty; }

}  // namespace longrun
