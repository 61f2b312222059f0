#include "python/src/interruptible.h"

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

constexpr std::chrono::milliseconds kPollInterval{50};

/// Returns whether Python is shutting down. A thread that then requests the global lock never gets it.
bool python_is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void run_interruptible(const std::function<void(const std::atomic<bool>& stop)>& compute,
                       const std::function<void()>& show_progress) {
  std::exception_ptr interruption;
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release released;
    std::mutex finishing;
    std::condition_variable finished;
    bool is_finished = false;
    std::atomic<bool> stop{false};
    std::thread computing([&] {
      const CancellationScope scope(&stop);
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
    while (!finished.wait_for(lock, kPollInterval, [&] { return is_finished; })) {
      if (stop) continue;
      if (python_is_finalizing()) {  // this is a daemon thread, which Python does not wait for
        stop = true;
        continue;
      }
      const nb::gil_scoped_acquire acquired;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        show_progress();
      } catch (...) {
        interruption = std::current_exception();
        stop = true;
      }
    }
    lock.unlock();
    computing.join();
    while (python_is_finalizing()) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace longrun
