// Keeps the program alive when a thread runs out of memory.
#pragma once

#include <new>

namespace kino {

/// Calls `work`; returns false if memory ran out. An exception that leaves a thread's function terminates the
/// program. Therefore, every thread that allocates outside of WorkerPool's jobs calls this.
template <class Work>
bool run_catching_bad_alloc(Work&& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace kino
