// How much processor time a thread has used.
#pragma once

#include <utility>

namespace kino {

/// Of the calling thread, in milliseconds.
double thread_cpu_ms();

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
