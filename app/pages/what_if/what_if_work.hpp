// Work of the page "What if": validates the model of the allocator against the file, then replays settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/memory_plot/what_if_line.hpp"
#include "app/system/background_result.hpp"
#include "core/memory/allocator/allocator_proof.hpp"
#include "core/memory/allocator/what_if_reports.hpp"

namespace kino {

/// Validates and replays on separate threads, so that long runs do not delay other work. UI thread only. Only
/// the destructor waits for a run, for some milliseconds.
class WhatIfWork {
 public:
  /// `wake` is called from another thread when a result is ready.
  WhatIfWork(std::shared_ptr<const Snapshot> snapshot, std::function<void()> wake);
  ~WhatIfWork();
  WhatIfWork(const WhatIfWork&) = delete;
  WhatIfWork& operator=(const WhatIfWork&) = delete;

  /// Starts the validation of a device, followed by the baseline and the usual settings. Returns false and
  /// does nothing if the device is already shown.
  bool show(std::size_t device);
  /// Takes finished results and starts the runs that depend on them. Call once per frame.
  void poll();

  /// Returns the result of the validation; null until it is done. If it is refused (see
  /// ProvedAllocator::refused()), there are no rows.
  const ProvedAllocator* proved() const;
  /// Returns bounds of the memory that the process could reserve, known after the validation.
  const CapacityBounds& bounds() const { return bounds_; }

  /// Limits the memory of the allocator; nullopt: unlimited. If the limit changed, starts all runs again.
  void set_capacity(std::optional<std::uint64_t> bytes);
  std::optional<std::uint64_t> capacity() const { return capacity_; }
  /// Adds a setting in the format of setting_of() and chooses it. If it is empty or invalid, adds no setting
  /// and chooses none. Before the validation is done, only stores it; it is then added, but not chosen.
  void set_own(const std::string& conf);
  /// Adds all searched_settings() that are not yet among the rows. Further calls do nothing.
  void search();
  bool searched() const { return searched_; }
  /// Stops the current runs and keeps finished results; resume() starts the stopped runs again.
  void cancel();
  void resume();
  bool cancelled() const { return cancelled_; }

  struct Row {
    WhatIfSetting setting;
    BackgroundResult<WhatIfReport> answer;
  };
  /// Returns the rows: the baseline, then the other settings; for their display order, see order().
  const std::deque<Row>& rows() const { return rows_; }
  /// Returns the indices of rows() in display order. The baseline is first. Finished runs by ascending peak
  /// follow, then runs out of memory (latest first), then unfinished runs.
  const std::vector<std::size_t>& order() const { return order_; }
  std::size_t known() const { return known_; }
  /// Returns the index of the best row; nullopt until all rows are finished, or if none is better than the
  /// baseline.
  std::optional<std::size_t> best() const { return best_; }
  /// Returns the approximate minimum capacity with which the baseline does not run out of memory; nullopt
  /// until it is known, and while a capacity is set.
  std::optional<std::uint64_t> least_capacity() const;

  /// Chooses the row whose curve is computed; nullopt: none.
  void choose(std::optional<std::size_t> row);
  std::optional<std::size_t> chosen() const { return chosen_; }
  /// Returns the curve of the chosen row; null until it is computed.
  std::shared_ptr<const WhatIfCurve> curve() const;

  bool running() const;
  bool failed() const { return proved_.failed(); }

 private:
  void start_rows();
  void start(Row& row);
  void add_row(WhatIfSetting setting);
  void sort();

  std::shared_ptr<const Snapshot> snapshot_;
  std::function<void()> wake_;
  WorkerPool workers_;  // declared before the tasks, which it must outlive
  std::optional<std::size_t> device_;
  BackgroundResult<std::shared_ptr<const ProvedAllocator>> proved_;
  std::shared_ptr<const ProvedAllocator> known_proof_;
  CapacityBounds bounds_;
  std::optional<std::uint64_t> capacity_;
  std::string own_;
  bool searched_ = false;
  bool cancelled_ = false;
  std::deque<Row> rows_;
  std::vector<std::size_t> order_;
  std::size_t known_ = 0;
  std::optional<std::size_t> best_;
  BackgroundResult<std::optional<std::uint64_t>> least_;
  bool least_asked_ = false;
  std::optional<std::size_t> chosen_;
  BackgroundResult<std::shared_ptr<const WhatIfCurve>> curve_;
};

}  // namespace kino
