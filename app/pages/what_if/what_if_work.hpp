// The runs behind the page "What if": the proof on the file, then a run a setting, each on a thread.
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
#include "core/memory/allocator/what_if_answers.hpp"

namespace kino {

/// UI thread only, which never waits for a run but when this goes: then for some milliseconds. Its threads
/// are its own, so that runs of seconds hold up nothing else.
class WhatIfWork {
 public:
  /// `wake` is called from a thread of its own when there is news.
  WhatIfWork(std::shared_ptr<const Snapshot> snapshot, std::function<void()> wake);
  ~WhatIfWork();
  WhatIfWork(const WhatIfWork&) = delete;
  WhatIfWork& operator=(const WhatIfWork&) = delete;

  /// Begins with the proof, and goes on with the usual settings. False: it is the same device, and nothing
  /// changes.
  bool show(std::size_t device);
  /// Once a frame.
  void poll();

  /// Null until it is known. Without an exact one there are no rows.
  const ProvedAllocator* proved() const;
  /// What the run could reserve, once the proof is there.
  const CapacityBounds& bounds() const { return bounds_; }

  /// What the allocator may reserve; nothing: as much as it wants. Runs everything again.
  void set_capacity(std::optional<std::uint64_t> bytes);
  std::optional<std::uint64_t> capacity() const { return capacity_; }
  /// A setting besides the usual ones: as setting_of() takes it; empty: none. It is the chosen one then.
  void set_own(const std::string& conf);
  /// Adds all of searched_settings(), once.
  void search();
  bool searched() const { return searched_; }
  /// Ends what is running; what is known stays, and resume() starts what is not.
  void cancel();
  void resume();
  bool cancelled() const { return cancelled_; }

  struct Row {
    WhatIfSetting setting;
    BackgroundResult<WhatIfAnswer> answer;
  };
  /// The baseline first, then in the order in which they were asked for.
  const std::deque<Row>& rows() const { return rows_; }
  /// Which of rows() to show in which order: the baseline, then what is known, the one that reserves least
  /// first, those that run out last and the one that gets furthest of them first, then the others.
  const std::vector<std::size_t>& order() const { return order_; }
  std::size_t known() const { return known_; }
  /// Of rows(); nothing until all are known, and where none is better.
  std::optional<std::size_t> best() const { return best_; }
  /// Of the baseline, about; nothing until it is known, and with a capacity.
  std::optional<std::uint64_t> least_capacity() const;

  /// Whose curve is wanted; nothing: none.
  void choose(std::optional<std::size_t> row);
  std::optional<std::size_t> chosen() const { return chosen_; }
  /// Of the chosen row, once it is there; else null.
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
  WorkerPool workers_;  // goes after what it works on was cancelled
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
