#include "core/memory/tables/oom_analysis.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/memory/snapshot_text.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostSmall = std::uint64_t{1} << 20;  // larger requests use large segments

/// Free memory that could serve the request.
struct FreeSums {
  std::uint64_t other_stream_largest = 0;
  std::uint64_t other_pool_free = 0;
};

FreeSums sum_up(const AllocatorLayout& layout, std::uint16_t pool, std::uint16_t stream,
                OomAnalysis& result) {
  FreeSums sums;
  for (const LayoutSegment& segment : layout.segments) {
    std::uint64_t free = 0;
    std::uint64_t largest = 0;
    for (const LayoutBlock& block : layout.blocks_of(segment)) {
      if (block.kind != LayoutKind::free) continue;
      free += block.size;
      largest = std::max(largest, block.size);
    }
    if (segment.pool != 0) {
      result.private_reserved += segment.size;
      result.private_free += free;
    }
    const bool fits = segment.small == (result.asked <= kMostSmall);
    if (segment.pool != pool) {
      sums.other_pool_free += free;
    } else if (fits && segment.stream != stream) {
      sums.other_stream_largest = std::max(sums.other_stream_largest, largest);
    } else if (fits) {
      result.own_free += free;
      result.own_largest_free = std::max(result.own_largest_free, largest);
    }
  }
  return sums;
}

void find_ways(OomAnalysis& result, const FreeSums& sums, const std::vector<OomPlace>& places) {
  const auto add = [&](OomRemedy remedy, std::uint64_t bytes, bool enough) {
    if (enough && bytes > 0) result.ways.push_back({remedy, bytes, {}});
  };
  const std::uint64_t requested = result.asked;
  const std::uint64_t all = result.device_free + result.memory.free;
  const std::uint64_t pending = result.memory.pending;
  add(OomRemedy::one_piece, result.own_free, result.own_free >= requested);
  add(OomRemedy::other_streams, sums.other_stream_largest, sums.other_stream_largest >= requested);
  add(OomRemedy::pending_done, pending, all < requested && all + pending >= requested);
  add(OomRemedy::other_pools, sums.other_pool_free, result.device_free + sums.other_pool_free >= requested);
  add(OomRemedy::all_returned, result.memory.free, all >= requested);
  if (all >= requested) return;
  // Add the smallest sufficient place first.
  for (std::size_t p = places.size(); p-- > 0;) {
    const OomPlace& place = places[p];
    if (all + place.bytes < requested) continue;
    result.ways.push_back({OomRemedy::without_place, place.bytes, place});
  }
  if (all + pending < requested) result.missing = requested - all - pending;
}

/// Returns the setting that would help, without a line if it is already on. nullopt unless free memory was
/// sufficient but fragmented.
std::optional<OomSetting> setting_for(const Snapshot& snapshot, const std::vector<OomFix>& ways) {
  const bool in_pieces = std::ranges::any_of(ways, [](const OomFix& way) {
    return way.remedy == OomRemedy::one_piece || way.remedy == OomRemedy::all_returned;
  });
  if (!in_pieces) return std::nullopt;
  const AllocatorSettings settings = allocator_settings(snapshot);
  OomSetting setting{settings.expandable_segments, {}};
  if (setting.expandable_segments != SettingState::on)
    setting.line = assignment_line(settings, "expandable_segments", "True");
  return setting;
}

}  // namespace

std::vector<OomPlace> live_places(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event) {
  const Allocations& allocations = device.history.allocations;
  std::vector<OomPlace> places;
  std::unordered_map<StackId, FrameId> frames;
  std::unordered_map<std::uint64_t, std::size_t> rows;
  for (const AllocationId id : live_at(device.history, event)) {
    const auto i = static_cast<std::size_t>(id);
    const auto [frame, unknown] = frames.try_emplace(allocations.stack[i], kNoFrame);
    if (unknown) frame->second = place_frame(snapshot, allocations.stack[i]);
    const bool of_free = allocations.origin[i] == AllocationOrigin::freed_only;
    const std::uint64_t key =
        std::uint64_t{static_cast<std::uint32_t>(frame->second)} << 1U | (of_free ? 1U : 0U);
    const auto [row, fresh] = rows.try_emplace(key, places.size());
    if (fresh) places.push_back({frame->second, id, 0, 0, of_free});
    OomPlace& place = places[row->second];
    ++place.count;
    place.bytes += allocations.size[i];
    if (allocations.size[i] > allocations.size[static_cast<std::size_t>(place.largest)]) place.largest = id;
  }
  std::ranges::stable_sort(places, std::ranges::greater(), &OomPlace::bytes);
  return places;
}

OomAnalysis analyze_oom(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event) {
  const auto i = static_cast<std::size_t>(event);
  OomAnalysis result;
  result.event = event;
  result.asked = device.entries.size[i];
  result.device_free = device.entries.addr[i];
  result.active = curve_at(device, MemoryCurve::requested, event);
  const AllocatorLayout layout = layout_at(device, event);
  result.memory = fragmentation_of(layout);
  const FreeSums sums = sum_up(layout, device.entries.pool[i], device.entries.stream[i], result);
  std::vector<OomPlace> places = live_places(snapshot, device, event);
  places.resize(std::min(places.size(), kOomPlaces));
  find_ways(result, sums, places);
  result.setting = setting_for(snapshot, result.ways);
  result.places = std::move(places);
  return result;
}

std::vector<OomAnalysis> analyze_ooms(const Snapshot& snapshot, const SnapshotDevice& device,
                                      std::size_t most, const std::stop_token& stop) {
  constexpr std::size_t kStopEvery = 65536;
  std::vector<OomAnalysis> found;
  const auto actions = device.entries.action.span();
  for (std::size_t i = 0; i < actions.size() && found.size() < most; ++i) {
    if (i % kStopEvery == 0 && stop.stop_requested()) break;
    if (actions[i] != SnapshotAction::oom) continue;
    if (stop.stop_requested()) break;
    found.push_back(analyze_oom(snapshot, device, static_cast<EventIndex>(i)));
  }
  return found;
}

}  // namespace kino
