// The rows of a timeline that contain hits of a search, so that other rows can be hidden.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/system/background_result.hpp"
#include "core/base/slice_set.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/stream_packing.hpp"

namespace kino {

/// Returns 1 for each row that contains one of `hits`, else 0. Indexed like ShownRows: the trace's rows, then
/// the rows of `packed`, which may be null. O(rows + slices / 64 + packed slices).
std::vector<std::uint8_t> rows_with(const Trace& trace, const PackedStreams* packed, const SliceSet& hits,
                                    const std::stop_token& stop = {});

/// rows_with() of the newest hits, computed on the pool. UI thread only.
class MatchedRows {
 public:
  using Marks = std::shared_ptr<const std::vector<std::uint8_t>>;

  MatchedRows(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);

  /// Called once per frame; null hits disable the filter.
  void update(const std::shared_ptr<const SliceSet>& hits,
              const std::shared_ptr<const PackedStreams>& packed);
  /// Marks for the newest hits that have been processed; null: all rows.
  const Marks& marks() const { return marks_; }
  bool complete() const { return !computed_.running(); }

 private:
  std::shared_ptr<const Trace> trace_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::shared_ptr<const SliceSet> hits_;
  std::shared_ptr<const PackedStreams> packed_;
  BackgroundResult<Marks> computed_;
  Marks marks_;
};

}  // namespace kino
