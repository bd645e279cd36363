// A value that is computed on the worker pool, always for the newest question, and read by the UI thread.
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

/// Used by the UI thread only. The old value stays until the new one is there. A computation that runs out of
/// memory leaves no value, and says so until the next one starts. The destructor never waits: the job owns
/// what it uses.
template <class Value>
class BackgroundResult {
 public:
  using Compute = std::function<Value(const std::stop_token&)>;

  BackgroundResult() = default;
  BackgroundResult(const BackgroundResult&) = delete;
  BackgroundResult& operator=(const BackgroundResult&) = delete;
  ~BackgroundResult() { cancel(); }

  /// Stops the computation under way and starts this one. `compute` owns what it reads; what it returns after
  /// a stop request is thrown away. `wake` is called from the worker when the value is there.
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

  /// Stops the computation under way; the value stays.
  void cancel() {
    if (pending_) pending_->stop.request_stop();
    pending_.reset();
  }

  /// Takes over what has been finished, once a frame: the new value, or null when none has come. Null, too,
  /// when memory ran out: then failed() is true from now on.
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
  /// Whether the newest computation ran out of memory, and none has been started since.
  bool failed() const { return failed_; }
  /// The newest value; null before the first, and after a computation that failed.
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
