// Work of a thread that gives up, and not the program, when memory runs out.
#pragma once

#include <new>

namespace kino {

/// Does the work; false when it ran out of memory before its end. An exception that leaves a thread's
/// function ends the program, so each thread that allocates outside of WorkerPool's jobs goes through this.
template <class Work>
bool enough_memory_for(Work&& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace kino
