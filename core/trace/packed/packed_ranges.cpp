#include "core/trace/packed/packed_ranges.hpp"

namespace kino {

PackedRanges::PackedRanges(std::span<const TimeRange> ranges) {
  std::vector<std::int64_t> values;
  values.reserve(2 * ranges.size());
  for (const TimeRange& range : ranges) {
    values.push_back(range.begin_ns);
    values.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(range.end_ns) -
                                               static_cast<std::uint64_t>(range.begin_ns)));
  }
  table_ = PackedTable(2, values);
}

}  // namespace kino
