#include "core/tables/name_stats/named_slices.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace kino {

std::vector<NamedSlices> named_slices(const Trace& trace, TimeRange range, SliceKind kind,
                                      const std::stop_token& stop) {
  struct Group {
    NamedSlices row;
    std::vector<std::int64_t> durations;
    std::int64_t longest_ns = -1;
  };
  std::vector<Group> groups;
  std::unordered_map<std::uint64_t, std::size_t> indices;  // by category and name
  for_each_slice(trace, range, kind, stop, [&](SliceId slice) {
    const NameId name = trace.name(slice);
    const CategoryId category = trace.category(slice);
    const std::uint64_t key = std::uint64_t{index_of(category)} << 32 | index_of(name);
    const auto [found, added] = indices.try_emplace(key, groups.size());
    if (added) groups.emplace_back().row = {name, category, kind, {}, kNoSlice};
    Group& group = groups[found->second];
    const std::int64_t duration = clipped_ns(trace, index_of(slice), range);
    group.durations.push_back(duration);
    if (duration > group.longest_ns) {
      group.longest_ns = duration;
      group.row.longest = slice;
    }
  });
  std::vector<NamedSlices> rows;
  rows.reserve(groups.size());
  for (Group& group : groups) {
    group.row.spread = duration_stats(group.durations);
    rows.push_back(group.row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const NamedSlices& row) { return row.spread.total_ns; });
  return rows;
}

std::vector<SliceId> named_instances(const Trace& trace, TimeRange range, SliceId example,
                                     const std::stop_token& stop) {
  std::vector<SliceId> found;
  for_each_slice(trace, range, trace.kind(example), stop, [&](SliceId slice) {
    if (trace.name(slice) == trace.name(example) && trace.category(slice) == trace.category(example))
      found.push_back(slice);
  });
  return found;
}

}  // namespace kino
