#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace longrun {

/// Calls act(0) ... act(count - 1) on several threads, for long tasks: each thread takes the next number from a shared
/// counter. 0 threads means one per core. The first exception stops all threads and is rethrown here.
template <class Act>
void in_parallel(int threads, std::size_t count, Act act) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) act(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  try {
    for (std::size_t thread = 1; thread < std::min(static_cast<std::size_t>(threads), count); ++thread) {
      others.emplace_back(work);
    }
  } catch (const std::system_error&) {  // no more threads available: those that started do all tasks
  } catch (const std::bad_alloc&) {
  }
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace longrun
