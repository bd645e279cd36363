// The records a batch had at an earlier moment, copied while its thread goes on adding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/build/event_batch.hpp"

namespace kino {

/// How much a batch held at some moment.
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

/// Moves the times of all records behind the mark by `shift_ns`; those beyond 64 bits to their end.
/// O(records).
void shift_times(EventBatch& batch, const BatchMark& from, std::int64_t shift_ns);

/// Made while the batch rests, in O(blocks + names + metadata); copied later, while the batch may grow but
/// neither moves its records nor gives any back.
class BatchPrefix {
 public:
  BatchPrefix(const EventBatch& batch, const BatchMark& mark);

  /// The batch as it was at the mark, with the same ids; a part of it once stop is requested. O(records).
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
