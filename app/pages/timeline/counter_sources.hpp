// Where a timeline's counters beyond the trace's own come from: the trace itself, once they are wanted, and
// other open recordings of the same run.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/drawer/run_peers.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/derived_counters.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// UI thread only; what is long is done by the pool, and each source once.
class CounterSources {
 public:
  using Parts = std::vector<std::shared_ptr<const CounterTracks>>;

  CounterSources(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

  /// From now on these, in this order; what was made of the same ones stays.
  void set_others(std::vector<CountersOfRun> wanted);
  /// Shows them besides, the newest kMostResults.
  void add_result(std::shared_ptr<const CounterTracks> result);
  void forget_results();
  static constexpr std::size_t kMostResults = 8;
  /// Takes over what was computed and asks for what is missing: the trace's own counters once `derived` was
  /// true, and those of all other recordings. Once a frame. True when parts() has become other ones.
  bool update(bool derived);
  /// What is there.
  Parts parts() const;
  /// Whether there was no memory for the trace's own, told once; they can be asked for again.
  bool take_failure();
  bool running() const;

 private:
  using Made = BackgroundResult<std::shared_ptr<const CounterTracks>>;
  struct Source {
    CountersOfRun of;
    Made made;
    bool asked = false;
  };

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  bool derived_asked_ = false;
  Made derived_;
  std::vector<std::unique_ptr<Source>> sources_;
  Parts results_;         // of queries, the oldest first
  bool changed_ = false;  // a part has gone, or the order is another
};

}  // namespace kino
