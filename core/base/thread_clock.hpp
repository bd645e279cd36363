// How much processor time a thread has used.
#pragma once

#include <ctime>
#include <utility>

namespace kino {

/// Of the calling thread, in milliseconds.
inline double thread_cpu_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Of the thread that makes and asks it.
class ThreadLaps {
 public:
  /// Milliseconds of processor time since the lap before, or since it was made.
  double lap_ms() {
    const double before = std::exchange(last_ms_, thread_cpu_ms());
    return last_ms_ - before;
  }

 private:
  double last_ms_ = thread_cpu_ms();
};

}  // namespace kino
