// The slices of several batches in groups by file offset, and within a group in file order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/build/event_batch.hpp"

namespace kino {

/// Groups slices by file offset. Since threads parse alternating pieces of the text, each batch has slices of
/// all parts of the file. Visited group by group, the slices of a track are as nearly sorted as the file is,
/// and visited groups can be released. Batches must outlive this object and not grow. Each record is in
/// exactly one group, even if a batch is not in file order.
class SliceGroups {
 public:
  SliceGroups() = default;
  /// Makes `most` groups, but at least one, with about equal shares of the text; groups can be empty.
  /// O(batches * groups * log slices).
  SliceGroups(std::span<EventBatch> batches, std::size_t most);

  std::size_t size() const { return count_; }

  /// Calls visit(batch index, record) for the group's records; stops early once stop() is true. Several
  /// groups may be visited at the same time. O(records * batches) at worst.
  template <class Visit, class Stop>
  void visit(std::size_t group, Visit&& visit, Stop&& stop) const {
    std::vector<Part> parts = parts_of(group);
    while (!parts.empty() && !stop()) {
      std::size_t first = 0;
      std::uint64_t limit = UINT64_MAX;
      for (std::size_t i = 1; i < parts.size(); ++i) {
        const bool earlier = parts[i].next_offset < parts[first].next_offset;
        limit = std::min(limit, parts[earlier ? first : i].next_offset);
        if (earlier) first = i;
      }
      visit_run(parts[first], limit, visit);
      if (parts[first].at == parts[first].end)
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }

  /// Frees the memory of a group's records; the group must not be visited again.
  void release(std::size_t group);

 private:
  /// The remaining records of one batch in a group.
  struct Part {
    std::size_t batch;
    std::size_t at;
    std::size_t end;
    std::uint64_t next_offset;  // file offset of the record at `at`
  };

  std::vector<Part> parts_of(std::size_t group) const;
  std::uint64_t offset_of(std::size_t batch, std::size_t record) const {
    return batches_[batch].slices.rest_of_block(record).front().source_offset;
  }

  /// Visits the records of `part` before file offset `limit`, but at least one record.
  template <class Visit>
  void visit_run(Part& part, std::uint64_t limit, Visit&& visit) const {
    do {
      const auto block = batches_[part.batch].slices.rest_of_block(part.at);
      const std::size_t most = std::min(block.size(), part.end - part.at);
      std::size_t i = 0;
      do {
        visit(part.batch, block[i]);
      } while (++i < most && block[i].source_offset < limit);
      part.at += i;
      if (part.at < part.end) part.next_offset = offset_of(part.batch, part.at);
    } while (part.at < part.end && part.next_offset < limit);
  }

  std::span<EventBatch> batches_;
  std::vector<std::vector<std::size_t>> begin_;  // by batch and group: first slice; last: the count
  std::size_t count_ = 0;
};

}  // namespace kino
