// Recognizes names of events in which a thread collects garbage or waits for a lock.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {

/// Whether the name denotes Python's garbage collector: a range or frame with the word "gc", PyTorch's own
/// event, or the built-in gc.collect().
constexpr bool is_garbage_collection(std::string_view name) {
  if (name == "Python GC" || name == "<built-in function collect>" ||
      name.starts_with("<built-in method collect of "))
    return true;
  constexpr std::string_view kWord = "gc";
  // A folder called "gc" is not the collector.
  const auto part_of_name = [&](std::size_t at) {
    return at < name.size() &&
           (is_letter(name[at]) || is_digit(name[at]) || name[at] == '_' || name[at] == '/');
  };
  for (std::size_t at = name.find(kWord); at != std::string_view::npos; at = name.find(kWord, at + 1)) {
    if ((at == 0 || !part_of_name(at - 1)) && !part_of_name(at + kWord.size())) return true;
  }
  return false;
}

/// Whether the name denotes a call or range that waits for a lock. Recognizes Python's locks, and ranges of
/// Nsight that wait for the GIL. Also recognizes locks, semaphores and condition variables of the operating
/// system, as Nsight Systems records them.
constexpr bool is_lock_wait(std::string_view name) {
  for (const std::string_view begin :
       {"<built-in method acquire of _thread.", "<method 'acquire' of '_thread.", "pthread_mutex_lock",
        "pthread_mutex_timedlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_cond_wait",
        "pthread_cond_timedwait", "pthread_spin_lock", "sem_wait", "sem_timedwait", "Waiting for GIL"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace kino
