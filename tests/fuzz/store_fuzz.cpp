// Damaged stores: a store with some bytes changed is read and written, or refused with a message. An input is a list of
// changes, three bytes each: the offset in the file, modulo its size, and the new byte.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "longrun/experiment/engine.h"
#include "tests/fuzz/fuzz.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

const Config& small_experiment() {
  static const Config config = parse_config(
      "bandits = [\"inc_dec_1\"]\nnoise = [\"none\", \"gaussian:0.1\"]\npolicies = [\"spo\", \"greedy\"]\n"
      "horizons = [5, 10]\nseeds = 2\n",
      "small.toml");
  return config;
}

/// A temporary folder with an intact store, removed at exit.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "store_fuzz_XXXXXX").string();
    fuzz::require(mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    {
      Store store(folder, Store::Access::write);
      run_experiment(small_experiment(), store, {});
    }
    std::ifstream file(folder + "/records.sqlite", std::ios::binary);
    intact.assign(std::istreambuf_iterator<char>(file), {});
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(folder); }

  std::string folder;
  std::string intact;
};

void read_all(const std::string& folder) {
  const Store store(folder, Store::Access::read);
  std::size_t records = 0;
  store.for_each([&](const RunRecord&) { ++records; });
  for (const std::string& name : store.experiments()) {
    const Config config = store.config_of(name);
    store.shard_of(name);
    store.complete(config, {});
    store.recorded(config);
    store.for_each_run(config, [&](const Unit& unit, const ContestRun& run) {
      fuzz::require(unit.bandit < config.bandits.size() && unit.noise < config.noises.size());
      fuzz::require(run.policy < config.policies.size() && run.horizon < config.horizons.size());
    });
  }
}

}  // namespace
}  // namespace longrun

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace longrun;
  static const Scratch scratch;
  std::string bytes = scratch.intact;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    bytes[(data[i] * std::size_t{256} + data[i + 1]) % bytes.size()] = static_cast<char>(data[i + 2]);
  }
  const std::string file = scratch.folder + "/records.sqlite";
  for (const char* beside : {"-wal", "-shm", "-journal"}) fs::remove(file + beside);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  fuzz::expect_answer([] { read_all(scratch.folder); });
  fuzz::expect_answer(
      [] { run_experiment(small_experiment(), *std::make_unique<Store>(scratch.folder, Store::Access::write), {}); });
  return 0;
}
