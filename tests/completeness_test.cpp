// What is added in one place is found in every other place that CONTRIBUTING.md names: a policy, a noise, a formula, a
// constraint or an experiment that misses one of them fails here.
#include <cxxabi.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "longrun/base/input_error.h"
#include "longrun/decide/study/study.h"
#include "longrun/experiment/config.h"
#include "longrun/experiment/paper.h"
#include "longrun/model/constraints.h"
#include "longrun/model/curve.h"
#include "longrun/model/noise.h"
#include "longrun/policy/catalog.h"
#include "longrun/report/advice/question_text.h"
#include "tests/api_fixture.h"
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

TEST(EveryPolicy, IsTestedNextToItsCode) {
  // The tests of the catalog, of line styles and of parameters name policies for other reasons.
  const std::set<std::string> others{"catalog_test.cpp", "line_style_test.cpp", "parameters_test.cpp"};
  std::string tests;
  for (const auto& file : fs::recursive_directory_iterator(kSource / "longrun" / "policy")) {
    const std::string name = file.path().filename().string();
    if (name.ends_with("_test.cpp") && !others.contains(name)) tests += content(file.path());
  }
  for (const PolicyEntry& entry : policy_catalog()) {
    const std::string begin = fmt::format("\"{}", entry.name);
    EXPECT_TRUE(tests.find(begin + "\"") != std::string::npos || tests.find(begin + ":") != std::string::npos)
        << "no test in longrun/policy makes the policy '" << entry.name << "'";
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

TEST(EveryNoise, IsDescribedWithItsForm) {
  expect_named(noise_forms(), {"docs/command-line.md"}, [](const std::string& form) { return "`" + form + "`"; });
  // Python has a class for each.
  const std::string classes = content(kSource / "python/longrun/_noise.py");
  std::vector<std::string> names;
  for (const std::string& word : kNoiseWords) {
    const std::size_t kind = classes.find("_kind = \"" + word + "\"");
    ASSERT_NE(kind, std::string::npos) << word;
    const std::size_t begin = classes.rfind("class ", kind) + std::string("class ").size();
    names.push_back(classes.substr(begin, classes.find('(', begin) - begin));
  }
  expect_named(names, {"docs/python.md"}, [](const std::string& name) { return "`" + name + "`"; });
}

TEST(EveryNoise, IsCompletedByTheShell) {
  std::string beginnings;
  for (const std::string& form : noise_forms()) {
    beginnings += (beginnings.empty() ? "" : " ") + form.substr(0, form.find(':')) +
                  (form.find(':') == std::string::npos ? "" : ":");
  }
  const std::string script = longrun_run({"completion", "bash"}).out;
  EXPECT_NE(script.find("\"play --noise\") kind=values candidates=\"" + beginnings + "\""), std::string::npos)
      << beginnings;
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

/// The name of a type, without its namespace.
template <class Type>
std::string type_name() {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(Type).name(), nullptr, nullptr, nullptr), &std::free);
  const std::string full(name.get());
  return full.substr(full.rfind(':') + 1);
}

/// The name of a formula in TOML: its type's, in lower case with underscores.
template <class Type>
std::string toml_name() {
  std::string result;
  for (const char c : type_name<Type>()) {
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

template <class... Types>
std::vector<std::string> formula_types(const std::variant<Types...>* /*of*/) {
  return {type_name<Types>()...};
}

TEST(EveryFormula, HasATestOfItsRewards) {
  expect_named(formula_types(static_cast<const Formula*>(nullptr)), {"longrun/model/curve_test.cpp"},
               [](const std::string& type) { return type + "{"; });
}

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
    {"minimum_share", "0.1"}, {"unavailable", "0:2-3"}, {"unspent", "lapse"},
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

/// Returns three arms under one constraint, by its name.
StudySpec study_under(const std::string& constraint) {
  StudySpec spec{.arms = {"a", "b", "c"}, .budget = 100, .policy = "greedy"};
  if (!constraint.empty()) set_constraint(spec.constraints, constraint, kConstraintTexts.at(constraint));
  return spec;
}

TEST(EveryConstraint, IsStatedByTheTextOfAQuestion) {
  for (const std::string& name : constraint_names()) {
    const StudySpec spec = study_under(name);
    const Question question{
        .history = {.arm_names = spec.arms, .pulls = {}}, .horizon = spec.budget, .constraints = spec.constraints};
    EXPECT_EQ(constraint_sentences(question).size(), 1U) << name;
  }
}

/// Returns the names of the constraints that can change while a study runs.
std::set<std::string> constraints_that_change() {
  std::set<std::string> names;
  for (const std::string& name : constraint_names()) {
    try {
      Study(study_under("")).change_constraints(study_under(name).constraints);
      names.insert(name);
    } catch (const InputError&) {
    }
  }
  return names;
}

TEST(EveryConstraint, IsPartOfTheInterfaceOfTheService) {
  const auto openapi = nlohmann::json::parse(content(kSource / "longrun/service/page/openapi.json"));
  const auto keys_at = [&](const std::string& pointer) {
    std::set<std::string> keys;
    for (const auto& [key, schema] : openapi.at(nlohmann::json::json_pointer(pointer)).items()) keys.insert(key);
    return keys;
  };
  const std::vector<std::string> names = constraint_names();
  EXPECT_EQ(keys_at("/components/schemas/Constraints/properties"), std::set<std::string>(names.begin(), names.end()));
  EXPECT_EQ(
      keys_at("/paths/~1v1~1studies~1{study}~1changes/post/requestBody/content/application~1json/schema/properties/"
              "constraints/properties"),
      constraints_that_change());
}

TEST(EveryConstraint, IsOfferedByThePageUnlessItIsRareThere) {
  const std::vector<std::string> names = constraint_names();
  const std::set<std::string> all(names.begin(), names.end());
  struct Form {
    const char* file;
    std::set<std::string> offered;
    std::set<std::string> rare;
  };
  for (const Form& form :
       {Form{"studies.js", all, {"unspent"}}, Form{"change.js", constraints_that_change(), {"unavailable"}},
        Form{"plan.js", all, {"unspent"}}}) {
    const std::string text = content(kSource / "longrun/service/page" / form.file);
    for (std::string name : form.offered) {
      const bool is_rare = form.rare.contains(name);
      if (form.file == std::string("plan.js")) std::replace(name.begin(), name.end(), '_', '-');
      const bool is_offered = std::regex_search(text, std::regex("[ {]\"?" + name + "\"?: "));
      EXPECT_NE(is_offered, is_rare) << form.file << ": " << name;
    }
  }
}

using EveryConstraintOfAStudy = Api;

TEST_F(EveryConstraintOfAStudy, ThatCanChangeCanBeRemoved) {
  for (const std::string& name : constraint_names()) {
    const std::string study = name.substr(name.rfind('_') + 1);
    create({{"name", study}, {"arms", {"0", "1", "2"}}, {"constraints", {{name, kConstraintTexts.at(name)}}}});
    const auto removed = client_->post("/v1/studies/" + study + "/changes", {{"constraints", {{name, nullptr}}}}, name);
    EXPECT_EQ(removed.status, constraints_that_change().contains(name) ? 201 : 422) << name << ": " << removed.body;
  }
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
