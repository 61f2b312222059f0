#include "python/src/watched.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "longrun/base/cancellation.h"

namespace nb = nanobind;

namespace longrun {
namespace {

/// Whether Python is shutting down: a thread that asks for its lock then never gets it.
bool python_is_leaving() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void watched(const std::function<void(const std::atomic<bool>& stop)>& compute, const std::function<void()>& show) {
  std::exception_ptr interruption;
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release released;
    std::mutex finishing;
    std::condition_variable finished;
    bool is_finished = false;
    std::atomic<bool> stop{false};
    std::thread computing([&] {
      const CancellationScope by(&stop);
      try {
        compute(stop);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(finishing);
      is_finished = true;
      finished.notify_one();
    });
    std::unique_lock lock(finishing);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_finished; })) {
      if (stop) continue;
      if (python_is_leaving()) {  // and takes this thread, a daemon, with it
        stop = true;
        continue;
      }
      const nb::gil_scoped_acquire acquired;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        show();
      } catch (...) {
        interruption = std::current_exception();
        stop = true;
      }
    }
    lock.unlock();
    computing.join();
    while (python_is_leaving()) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace longrun
