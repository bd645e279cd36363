// Sources of added counters: the trace itself, other open recordings of the same run, and query results.
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

/// Computes the counters of each source once, on the pool.
class CounterSources {
 public:
  using Parts = std::vector<std::shared_ptr<const CounterTracks>>;

  CounterSources(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : trace_(std::move(trace)), pool_(pool), wake_(std::move(wake)) {}

  /// Replaces the list of other recordings. Results of unchanged recordings remain.
  void set_others(std::vector<CountersOfRun> wanted);
  /// Adds the counters of a query. Only the newest kMostResults results remain.
  void add_result(std::shared_ptr<const CounterTracks> result);
  void forget_results();
  static constexpr std::size_t kMostResults = 8;
  /// Takes finished results, and starts to compute missing ones: the trace's derived counters if `derived` is
  /// set, and the counters of all other recordings. Call once per frame. Returns whether parts() changed.
  bool update(bool derived);
  Parts parts() const;
  /// Returns true once after the derived counters did not fit into memory. They can be requested again.
  bool take_failure();
  bool running() const;

 private:
  using Made = BackgroundResult<std::shared_ptr<const CounterTracks>>;
  struct Source {
    CountersOfRun counters;
    Made made;
    bool requested = false;
  };

  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  bool derived_requested_ = false;
  Made derived_;
  std::vector<std::unique_ptr<Source>> sources_;
  Parts results_;         // results of queries, oldest first
  bool changed_ = false;  // whether sources or results changed since update()
};

}  // namespace kino
