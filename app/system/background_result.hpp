// A value that the worker pool computes for the newest request, and the UI thread reads.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/worker_pool.hpp"

namespace kino {

/// Computes values on the worker pool and holds the newest one. Classes with members of this type take a
/// `pool`, which must outlive them, and a `wake`, which is called from a worker after each computation.
///
/// Used by the UI thread only. The old value remains until the new one is ready. If a computation runs out of
/// memory, there is no value, and failed() is true until the next computation starts. The destructor never
/// waits: the job owns its input.
template <class Value>
class BackgroundResult {
 public:
  using Compute = std::function<Value(const std::stop_token&)>;

  BackgroundResult() = default;
  BackgroundResult(const BackgroundResult&) = delete;
  BackgroundResult& operator=(const BackgroundResult&) = delete;
  ~BackgroundResult() { cancel(); }

  /// Stops the current computation and starts `compute`, which owns its input. The result is discarded after
  /// a stop request. `wake` is called from the worker after the computation, even if it was stopped or
  /// failed.
  void start(WorkerPool& pool, std::function<void()> wake, Compute compute) {
    cancel();
    failed_ = false;
    pending_ = std::make_shared<Pending>();
    pool.post(WorkerPool::Priority::normal,
              [pending = pending_, wake = std::move(wake), compute = std::move(compute)] {
                pending->run(compute);
                wake();
              });
  }

  /// Stops the current computation; the value remains.
  void cancel() {
    if (pending_) pending_->stop.request_stop();
    pending_.reset();
  }

  /// Called once per frame to take over a finished value. Returns the new value, or null if there is none. If
  /// the computation ran out of memory, returns null, and failed() becomes true.
  const Value* poll() {
    if (!pending_) return nullptr;
    std::optional<Value> done;
    {
      const std::lock_guard lock(pending_->mutex);
      if (!pending_->done) return nullptr;
      done = std::move(pending_->value);
    }
    pending_.reset();
    value_ = std::move(done);
    failed_ = !value_.has_value();
    return value();
  }

  bool running() const { return pending_ != nullptr; }
  /// Whether the newest computation ran out of memory.
  bool failed() const { return failed_; }
  /// Returns the newest value; null before the first, and after a failed computation.
  const Value* value() const { return value_ ? &*value_ : nullptr; }
  void reset() {
    cancel();
    value_.reset();
    failed_ = false;
  }

 private:
  struct Pending {
    std::stop_source stop;
    std::mutex mutex;
    bool done = false;           // guarded by mutex
    std::optional<Value> value;  // guarded by mutex

    void run(const Compute& compute) {
      std::optional<Value> computed;
      try {
        if (!stop.stop_requested()) computed.emplace(compute(stop.get_token()));
      } catch (const std::bad_alloc&) {
        computed.reset();
      }
      const std::lock_guard lock(mutex);
      value = std::move(computed);
      done = true;
    }
  };

  std::shared_ptr<Pending> pending_;
  std::optional<Value> value_;
  bool failed_ = false;
};

}  // namespace kino
