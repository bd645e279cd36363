#include "core/memory/shown_allocations.hpp"

namespace kino {
namespace {

constexpr std::size_t kStopSteps = 1 << 16;

}  // namespace

ShownColumns shown_columns(const MemoryRaster& raster) {
  ShownColumns shown;
  for (std::uint32_t column = 0; column < raster.columns(); ++column) {
    if (raster.moments[column] == kNoMoment) continue;
    shown.columns.push_back(column);
    shown.moments.push_back(raster.moments[column]);
  }
  return shown;
}

bool collect_shown(const AllocationHistory& history, const BandLayout* layout,
                   std::span<const EventIndex> moments, std::vector<ShownAllocation>& shown,
                   const std::stop_token& stop) {
  const Allocations& allocations = history.allocations;
  const bool filtered = layout != nullptr && layout->filtered();
  const auto wanted = [&](std::size_t number) { return !filtered || layout->among[number] != 0; };
  for (const AllocationId id : live_at(history, moments.front())) {
    const auto number = static_cast<std::uint32_t>(id);
    if (!wanted(number)) continue;
    shown.push_back({number, 0, column_from(moments, allocations.end[number])});
  }
  const auto begins = allocations.begin.span();
  const auto first = std::upper_bound(begins.begin(), begins.end(), moments.front()) - begins.begin();
  const auto end = std::upper_bound(begins.begin(), begins.end(), moments.back()) - begins.begin();
  std::uint32_t in = 0;
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) {
    if (i % kStopSteps == 0 && stop.stop_requested()) return false;
    while (moments[in] < allocations.begin[i]) ++in;
    if (allocations.end[i] <= moments[in] || !wanted(i)) continue;
    shown.push_back({static_cast<std::uint32_t>(i), in, column_from(moments, allocations.end[i])});
  }
  return true;
}

MemoryCell cell_of(const Allocations& allocations, std::uint32_t number, EventIndex moment) {
  MemoryCell cell{number + 1, band_group(allocations, AllocationId{number})};
  if (allocations.origin[number] != AllocationOrigin::recorded) cell.key |= MemoryCell::kOlder;
  if (allocations.free_requested[number] <= moment) cell.key |= MemoryCell::kPending;
  return cell;
}

}  // namespace kino
