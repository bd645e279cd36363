// Processor time of a thread.
#pragma once

#include <utility>

namespace kino {

/// Processor time of the calling thread.
double thread_cpu_ms();

/// Measures laps of processor time of the thread that creates the object.
class ThreadLaps {
 public:
  /// Returns the processor time since the previous lap, or since construction.
  double lap_ms() {
    const double before = std::exchange(last_ms_, thread_cpu_ms());
    return last_ms_ - before;
  }

 private:
  double last_ms_ = thread_cpu_ms();
};

}  // namespace kino
