// The compiled part of the Python package: policies, studies, bandits and worlds as classes, solvers and simulation as
// functions.
#include <exception>
#include <string>
#include <string_view>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "python/src/parts.h"

namespace {

/// Returns the message of an error, with the function of Python that lists what is accepted.
std::string in_python(std::string_view message) {
  std::string text(message);
  if (message.find("; ") != std::string_view::npos) return text;  // it says what is accepted
  if (message.starts_with("unknown policy ")) text += "; longrun.policies() lists all";
  if (message.starts_with("unknown bandit ")) text += "; longrun.bandits() lists all";
  return text;
}

}  // namespace

NB_MODULE(_core, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const longrun::InputError& error) {
      PyErr_SetString(PyExc_ValueError, longrun::one_line(in_python(error.what())).c_str());
    } catch (const longrun::SystemError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
  nb::set_leak_warnings(false);  // a program may end while a daemon thread simulates; its objects are then not freed
  module.attr("version") = LONGRUN_VERSION;
  longrun::add_lists(module);
  longrun::add_policy(module);
  longrun::add_bandit(module);
  longrun::add_world(module);
  longrun::add_solvers(module);
  longrun::add_recommendation(module);
  longrun::add_plan(module);
  longrun::add_backtest(module);
  longrun::add_simulation(module);
  longrun::add_own_policies(module);
  longrun::add_study(module);
}
