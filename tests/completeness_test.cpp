// What is added in one place is found in every other place that CONTRIBUTING.md names: a policy, a noise, a formula, a
// constraint or an experiment that misses one of them fails here.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/paper.h"
#include "longrun/model/constraints.h"
#include "longrun/model/curve.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"
#include "tests/paths.h"
#include "tests/process.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

std::string help_of(const std::string& command) { return longrun_run({command, "--help"}).out; }

/// Expects each of `names`, as `written(name)`, in the text of each of `files`.
template <class Written>
void expect_named(const std::vector<std::string>& names, const std::vector<std::string>& files, Written written) {
  EXPECT_FALSE(names.empty());
  for (const std::string& file : files) {
    const std::string text = content(kSource / file);
    EXPECT_NE(text, "") << file;
    for (const std::string& name : names) {
      EXPECT_NE(text.find(written(name)), std::string::npos) << file << " does not name " << written(name);
    }
  }
}

// ---- policies

TEST(EveryPolicy, IsListedByTheCommandLineAndPlaysThere) {
  const std::string list = "\n" + longrun_run({"policies"}).out;
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string name(entry.name);
    EXPECT_NE(list.find("\n" + name + " "), std::string::npos) << name;
    EXPECT_EQ(longrun_run({"play", "--bandit", "inc_1", "--policy", name, "--horizon", "20"}).code, 0) << name;
  }
}

// ---- noise

/// The word that stands for each alternative of Noise in texts: "gaussian" of "gaussian:0.1".
template <std::size_t... Kinds>
std::vector<std::string> noise_words(std::index_sequence<Kinds...> /*kinds*/) {
  std::vector<std::string> words{to_text(Noise(std::in_place_index<Kinds>))...};
  for (std::string& word : words) word = word.substr(0, word.find(':'));
  return words;
}
const std::vector<std::string> kNoiseWords = noise_words(std::make_index_sequence<std::variant_size_v<Noise>>());

TEST(EveryNoise, IsDocumentedAndInPython) {
  expect_named(kNoiseWords, {"experiments/README.md"}, [](const std::string& word) { return word; });
  expect_named(kNoiseWords, {"python/longrun/_noise.py"},
               [](const std::string& word) { return "_kind = \"" + word + "\""; });
}

TEST(EveryNoise, IsNamedByTheHelpAndByTheErrorForAnUnknownOne) {
  const std::string help = help_of("play");
  std::string error;
  try {
    parse_noise("unknown");
  } catch (const InputError& problem) {
    error = problem.what();
  }
  for (const std::string& word : kNoiseWords) {
    EXPECT_NE(help.find(word), std::string::npos) << "longrun play --help does not name " << word;
    EXPECT_NE(error.find(word), std::string::npos) << error << " does not name " << word;
  }
}

// ---- formulas

/// The name of a formula in TOML: its type's, in lower case with underscores.
template <class Type>
std::string toml_name() {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(Type).name(), nullptr, nullptr, nullptr), &std::free);
  const std::string full(name.get());
  std::string result;
  for (const char c : full.substr(full.rfind(':') + 1)) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !result.empty()) result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

template <class... Types>
std::vector<std::string> formula_names(const std::variant<Types...>* /*of*/) {
  std::vector<std::string> names{toml_name<Types>()...};
  std::erase(names, "table");  // written as `rewards = [...]`
  return names;
}
const std::vector<std::string> kFormulaNames = formula_names(static_cast<const Formula*>(nullptr));

TEST(EveryFormula, IsDocumentedWithAnArmThatUsesIt) {
  expect_named(kFormulaNames, {"experiments/README.md"},
               [](const std::string& name) { return "formula = \"" + name + "\", "; });
}

TEST(EveryFormula, CanBeWrittenInTomlAndIsNamedByTheErrorForAnUnknownOne) {
  const auto error_for = [](const std::string& formula) -> std::string {
    try {
      parse_config("policies = ['spo']\nhorizons = [9]\nbandit = [{name = 'b', arms = [{formula = '" + formula +
                       "', unknown = 1}]}]\n",
                   "x.toml");
    } catch (const InputError& problem) {
      return problem.what();
    }
    return "";
  };
  const std::string error = error_for("unknown");
  for (const std::string& name : kFormulaNames) {
    EXPECT_NE(error.find(" " + name), std::string::npos) << error;
    EXPECT_NE(error_for(name).find("unknown: is not a key here; allowed: name, formula, "), std::string::npos)
        << name << ": " << error_for(name);
  }
}

// ---- constraints

/// A text that each constraint accepts.
const std::map<std::string, std::string, std::less<>> kConstraintTexts{
    {"units_per_round", "5"}, {"costs", "2"},           {"minimum_pulls", "3"},
    {"minimum_share", "0.1"}, {"unavailable", "0:2-3"}, {"unspent", "keep"},
};

std::vector<std::string> constraint_names() {
  std::vector<std::string> names;
  names.reserve(kConstraintFields.size());
  for (const ConstraintField& field : kConstraintFields) names.emplace_back(field.name);
  return names;
}

TEST(EveryConstraint, HasAField) {
  // As many members as fields, and the decimals of their units: one more member does not compile.
  const auto& [units_per_round, costs, minimum_pulls, minimum_share, unavailable, units_lapse, unit_decimals] =
      Constraints{};
  EXPECT_EQ(kConstraintFields.size(), 6U);
  static_cast<void>(units_per_round == 1 && costs.every == 1 && minimum_pulls.every == 0 && minimum_share.every == 0 &&
                    unavailable.empty() && units_lapse && unit_decimals == 0);
}

TEST(EveryConstraint, IsAnOptionOfTheCommandLine) {
  for (const char* command : {"play", "optimum"}) {
    const std::string help = help_of(command);
    for (std::string name : constraint_names()) {
      std::replace(name.begin(), name.end(), '_', '-');
      EXPECT_NE(help.find("--" + name + " "), std::string::npos) << "longrun " << command << " --help: " << name;
    }
  }
}

TEST(EveryConstraint, IsAKeyOfAConfig) {
  for (const std::string& name : constraint_names()) {
    ASSERT_TRUE(kConstraintTexts.contains(name)) << name;
    const std::string& text = kConstraintTexts.at(name);
    EXPECT_NO_THROW(parse_config("bandits = ['inc_dec_3']\npolicies = ['spo']\nhorizons = [100]\n[constraints]\n" +
                                     name + " = " + (name == "units_per_round" ? text : "'" + text + "'") + "\n",
                                 "x.toml"))
        << name;
  }
}

TEST(EveryConstraint, IsDocumentedAndInPython) {
  expect_named(constraint_names(), {"experiments/README.md"},
               [](const std::string& name) { return "\n" + name + " = "; });
  expect_named(constraint_names(), {"python/longrun/_constraints.py"},
               [](const std::string& name) { return "\n    " + name + ": "; });
}

// ---- experiments

TEST(EveryExperiment, IsPartOfTheProgramAndDocumented) {
  std::map<std::string, std::string> embedded;
  for (const EmbeddedFile& file : paper_experiments()) embedded[std::string(file.name)] = file.text;
  embedded[std::string(arena_experiment().name)] = arena_experiment().text;
  // `longrun run` reads it as it reads the experiments of users.
  embedded["learning_curves.toml"] = content(kSource / "experiments" / "learning_curves.toml");
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kSource / "experiments")) {
    if (file.path().extension() != ".toml") continue;
    names.push_back(file.path().filename().string());
    EXPECT_EQ(embedded[names.back()], content(file.path())) << names.back() << " is not compiled in";
  }
  EXPECT_EQ(embedded.size(), names.size());
  expect_named(names, {"experiments/README.md"}, [](const std::string& name) { return "`" + name + "`"; });
}

}  // namespace
}  // namespace longrun
