// Writes opened traces to the cache in the background, one after the other, so that they open at once next
// time.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// Thread-safe. Its thread gets what nobody else wants of the processors. The destructor gives up what is not
/// written yet, in the time the disk needs for a few MB.
class CacheKeeper {
 public:
  CacheKeeper();
  CacheKeeper(const CacheKeeper&) = delete;
  CacheKeeper& operator=(const CacheKeeper&) = delete;
  ~CacheKeeper() = default;

  /// For CacheUse::keep: the trace stays in memory until it is written. `options` tell where to.
  void add(OpenedTrace opened, OpenOptions options);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::pair<OpenedTrace, OpenOptions>> waiting_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace kino
