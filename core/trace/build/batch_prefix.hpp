// The records that a batch contained at an earlier time, copied while its thread appends more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/build/event_batch.hpp"

namespace kino {

/// Numbers of records and ids of a batch at some time.
struct BatchMark {
  std::size_t slices = 0;
  std::size_t spans = 0;
  std::size_t instants = 0;
  std::size_t samples = 0;
  std::size_t memory = 0;
  std::size_t flows = 0;
  std::size_t metadata = 0;
  std::uint32_t names = 0;
  std::uint32_t categories = 0;
  std::uint32_t facts = 0;
  std::uint32_t tracks = 0;
};
BatchMark mark_of(const EventBatch& batch);

/// Adds `shift_ns` to the times of all records after the mark, saturating. O(records).
void shift_times(EventBatch& batch, const BatchMark& from, std::int64_t shift_ns);

/// The records and ids that a batch had at a mark. The constructor takes O(blocks + ids + metadata), during
/// which the batch must not change. copy() may be called later, while the batch grows, as long as the batch
/// does not move or release records.
class BatchPrefix {
 public:
  BatchPrefix(const EventBatch& batch, const BatchMark& mark);

  /// Returns the batch as of the mark, with the same ids. O(records).
  EventBatch copy(const std::stop_token& stop) const;

 private:
  template <class T>
  using Spans = std::vector<std::span<const T>>;

  std::vector<std::string_view> names_;
  std::vector<std::string_view> categories_;
  std::vector<std::string_view> facts_;
  std::vector<TrackTable::Key> tracks_;
  Spans<SliceRecord> slices_;
  Spans<PointRecord> spans_;
  Spans<PointRecord> instants_;
  Spans<SampleRecord> samples_;
  Spans<MemoryRecord> memory_;
  Spans<FlowPoint> flows_;
  std::vector<MetadataRecord> metadata_;
};

}  // namespace kino
