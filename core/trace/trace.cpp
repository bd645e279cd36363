#include "core/trace/trace.hpp"

#include <algorithm>
#include <numeric>

namespace kino {

std::uint64_t EventCounts::total() const {
  return std::accumulate(by_sort.begin(), by_sort.end(), std::uint64_t{0});
}

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  for (std::size_t i = 0; i < by_sort.size(); ++i) by_sort[i] += other.by_sort[i];
  return *this;
}

RowId Trace::row_of(SliceId id) const {
  const auto after = std::ranges::upper_bound(rows, index_of(id), {}, &Row::first_slice);
  return RowId{static_cast<std::uint32_t>(after - rows.begin()) - 1};
}

SliceId Trace::slice_at(RowId row_id, std::int64_t time_ns) const {
  const Row& row = rows[index_of(row_id)];
  const auto starts = slices.start_ns.sub(row.first_slice, row.slice_count);
  const auto after = std::upper_bound(starts.begin(), starts.end(), time_ns);
  if (after == starts.begin()) return kNoSlice;
  const SliceId id{row.first_slice + static_cast<std::uint32_t>(after - starts.begin()) - 1};
  return time_ns < end_ns(id) || start_ns(id) == time_ns ? id : kNoSlice;
}

std::size_t Trace::size_bytes() const {
  return slices.start_ns.size_bytes() + slices.duration_ns.size_bytes() + slices.source_offset.size_bytes() +
         slices.name.size_bytes() + slices.parent.size_bytes() + slices.link.size_bytes() +
         slices.category.size_bytes() + slices.kind.size_bytes() + instants.time_ns.size_bytes() +
         instants.source_offset.size_bytes() + instants.name.size_bytes() + instants.category.size_bytes() +
         samples.time_ns.size_bytes() + samples.value.size_bytes() + flows.size_bytes() +
         arguments.size_bytes() + lod.longest.size_bytes() + lod.busy_prefix_ns.size_bytes() +
         names.size_bytes() + categories.size_bytes() + rows.size() * sizeof(Row) +
         tracks.size() * sizeof(Track);
}

}  // namespace kino
