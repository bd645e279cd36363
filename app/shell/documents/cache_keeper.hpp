// Writes opened traces to the cache in the background, one at a time, so that they open faster next time.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// Thread-safe. The thread that writes has the lowest priority. The destructor drops pending traces and stops
/// the write in progress; stopping takes as long as writing a few MB.
class CacheKeeper {
 public:
  CacheKeeper();
  CacheKeeper(const CacheKeeper&) = delete;
  CacheKeeper& operator=(const CacheKeeper&) = delete;
  ~CacheKeeper() = default;

  /// Queues a trace to be written; used as CacheOptions::keep. Holds the trace in memory until it is written.
  /// `options` identify the cache.
  void add(OpenedTrace opened, OpenOptions options);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::pair<OpenedTrace, OpenOptions>> waiting_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace kino
