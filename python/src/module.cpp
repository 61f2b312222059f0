// The compiled part of the Python package: policies, studies, bandits and worlds as classes, solvers and simulation as
// functions.
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "longrun/base/field_error.h"
#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/base/unknown_name_error.h"
#include "longrun/simulate/plan/plan.h"
#include "python/src/parts.h"

namespace {

/// Raises longrun._errors.FieldError: a ValueError that has the names of the arguments and the problem.
void raise_field_error(const std::vector<std::string>& fields, const std::string& problem) {
  const nb::object kind = nb::module_::import_("longrun._errors").attr("FieldError");
  const nb::object error = kind(nb::cast(fields), longrun::one_line(problem));
  PyErr_SetObject(kind.ptr(), error.ptr());
}

}  // namespace

NB_MODULE(_core, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const longrun::ComparisonError& error) {
      raise_field_error({"compare"}, fmt::format("{}: {}", error.comparison(), error.named(std::identity{})));
    } catch (const longrun::FieldError& error) {
      raise_field_error(error.fields(), error.problem());
    } catch (const longrun::UnknownNameError& error) {
      const char* const list = error.kind() == "policy" ? "policies" : "bandits";
      PyErr_SetString(PyExc_ValueError,
                      longrun::one_line(fmt::format("{} (longrun.{}() lists all)", error.what(), list)).c_str());
    } catch (const longrun::InputError& error) {
      PyErr_SetString(PyExc_ValueError, longrun::one_line(error.what()).c_str());
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
