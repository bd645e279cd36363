#include "core/trace/build/slice_groups.hpp"

namespace kino {

SliceGroups::SliceGroups(std::span<EventBatch> batches, std::size_t most)
    : batches_(batches), begin_(batches.size()), count_(std::max<std::size_t>(1, most)) {
  std::uint64_t last_offset = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const std::size_t size = batches[b].slices.size();
    if (size > 0) last_offset = std::max(last_offset, offset_of(b, size - 1));
  }
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const std::size_t size = batches[b].slices.size();
    begin_[b].push_back(0);
    for (std::size_t group = 1; group < count_; ++group) {
      const std::uint64_t offset = last_offset / count_ * group;
      std::size_t low = begin_[b].back();
      for (std::size_t high = size; low < high;) {
        const std::size_t middle = low + (high - low) / 2;
        if (offset_of(b, middle) < offset) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      begin_[b].push_back(low);
    }
    begin_[b].push_back(size);
  }
}

std::vector<SliceGroups::Part> SliceGroups::parts_of(std::size_t group) const {
  std::vector<Part> parts;
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const std::size_t begin = begin_[b][group];
    const std::size_t end = begin_[b][group + 1];
    if (begin < end) parts.push_back({b, begin, end, offset_of(b, begin)});
  }
  return parts;
}

void SliceGroups::release(std::size_t group) {
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    batches_[b].slices.release(begin_[b][group], begin_[b][group + 1]);
  }
}

}  // namespace kino
