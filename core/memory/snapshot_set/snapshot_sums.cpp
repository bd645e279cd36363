#include "core/memory/snapshot_set/snapshot_sums.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/categories/phase_windows.hpp"
#include "core/memory/categories/snapshot_modules.hpp"
#include "core/memory/categories/stack_facts.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/snapshot_groups.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {
namespace {

constexpr std::size_t kAllocationsBetweenStops = 4096;
constexpr std::uint64_t kCountedShare = 10;  // divisor of the file's highest peak

/// Sums by key. take() returns them largest first, equal ones in the order of first occurrence; rows beyond
/// kMostRows are merged into one.
class Sums {
 public:
  void add(std::string_view key, const Message& name, std::uint64_t bytes) {
    const auto [at, fresh] = of_key_.try_emplace(std::string(key), rows_.size());
    if (fresh) rows_.push_back({std::string(key), name, 0, 0});
    rows_[at->second].bytes += bytes;
    ++rows_[at->second].count;
  }

  std::vector<SumRow> take() {
    std::ranges::stable_sort(rows_, std::ranges::greater{}, &SumRow::bytes);
    if (rows_.size() <= SnapshotSums::kMostRows) return std::move(rows_);
    SumRow rest{std::string(smaller_rows_key()), msg::smaller_ones, 0, 0};
    for (std::size_t i = SnapshotSums::kMostRows; i < rows_.size(); ++i) {
      rest.bytes += rows_[i].bytes;
      rest.count += rows_[i].count;
    }
    rows_.resize(SnapshotSums::kMostRows);
    rows_.push_back(std::move(rest));
    return std::move(rows_);
  }

 private:
  std::vector<SumRow> rows_;
  std::unordered_map<std::string, std::size_t> of_key_;
};

/// Names and keys of modules. The key of a module is the path to it, by files and lines.
class ModuleNames {
 public:
  ModuleNames(const Snapshot& snapshot, const SnapshotModules& tree) : tree_(tree) {
    for (const SnapshotModule& node : tree.nodes) {
      const bool root = node.parent == SnapshotModule::kNoModule;
      // Use the path: a module's text contains the lines that ran, which differ between recordings.
      keys_.push_back((root ? std::string() : keys_[node.parent] + " ") +
                      std::to_string(node.line_of_parent) + ":" + std::string(snapshot.text(node.file)));
      // Add the last two calls, which distinguish the module from similar modules.
      const std::string file = with_slashes(snapshot.text(root ? node.file : tree.nodes[node.parent].file));
      calls_.push_back(root ? std::string()
                            : file.substr(file.rfind('/') + 1) + ":" + std::to_string(node.line_of_parent) +
                                  " / ");
      names_.push_back((root ? std::string() : calls_[node.parent]) + calls_.back() +
                       module_text(snapshot, node));
    }
  }
  std::pair<std::string_view, Message> of(const Allocations& all, std::size_t i) const {
    // If only the free was recorded, the stack is that of the free.
    if (all.origin[i] == AllocationOrigin::freed_only) return named(msg::before_the_recording);
    const auto stack = static_cast<std::size_t>(all.stack[i]);
    const std::uint32_t node =
        stack < tree_.of_stack.size() ? tree_.of_stack[stack] : SnapshotModule::kNoModule;
    if (node != SnapshotModule::kNoModule) return {keys_[node], names_[node]};
    return named(all.origin[i] == AllocationOrigin::ghost ? msg::before_the_recording
                                                          : msg::outside_of_modules);
  }

 private:
  static std::pair<std::string_view, Message> named(msg::Id id) { return {english(id), id}; }

  const SnapshotModules& tree_;
  std::vector<std::string> keys_;  // by node, as are `calls_` and `names_`
  std::vector<std::string> calls_;
  std::vector<std::string> names_;
};

std::vector<SumPoint> curve_of(const SnapshotDevice& device) {
  const auto count = static_cast<EventIndex>(device.entries.entry_count());
  const std::uint64_t start = curve_at(device, MemoryCurve::requested, kBeforeRecording);
  std::vector<SumPoint> curve;
  const auto time = [&](EventIndex event) { return device.entries.time_us[static_cast<std::size_t>(event)]; };
  curve.push_back({kBeforeRecording, count > 0 ? time(0) : SnapshotEntries::kNoTime, start, start, start});
  const auto most = static_cast<EventIndex>(SnapshotSums::kMostPoints) - 1;
  const EventIndex points = std::min(count, most);
  for (EventIndex i = 0; i < points; ++i) {
    const auto begin = static_cast<EventIndex>(static_cast<std::int64_t>(count) * i / points);
    const auto end = static_cast<EventIndex>(static_cast<std::int64_t>(count) * (i + 1) / points);
    const CurveExtent extent = curve_over(device, MemoryCurve::requested, begin, end - 1);
    curve.push_back({begin, time(begin), extent.lowest, extent.highest, extent.last});
  }
  return curve;
}

void read_events(const SnapshotDevice& device, SnapshotSums& sums, const std::stop_token& stop) {
  const SnapshotEntries& entries = device.entries;
  sums.events = entries.entry_count();
  SumOutOfMemory failed;
  for (std::size_t i = 0; i < entries.entry_count(); ++i) {
    if (i % (kAllocationsBetweenStops * 16) == 0 && stop.stop_requested()) return;
    const std::int64_t time = entries.time_us[i];
    if (time != SnapshotEntries::kNoTime) {
      if (sums.first_us == SnapshotEntries::kNoTime || time < sums.first_us) sums.first_us = time;
      sums.last_us = std::max(sums.last_us, time);
    }
    if (entries.action[i] != SnapshotAction::oom) continue;
    if (failed.times++ == 0) {
      failed.event = static_cast<EventIndex>(i);
      failed.time_us = time;
      failed.asked = entries.size[i];
      failed.device_free = entries.addr[i];
      failed.reserved = curve_at(device, MemoryCurve::reserved, failed.event);
    }
  }
  if (failed.times > 0) sums.out_of_memory = failed;
}

}  // namespace

Result<SnapshotSums> snapshot_sums(const Snapshot& snapshot, std::size_t device, const CategoryRuleSet& rules,
                                   const std::stop_token& stop) {
  const SnapshotDevice& snapshot_device = snapshot.devices[device];
  const Allocations& all = snapshot_device.history.allocations;
  const CurvePeak& peak = snapshot_device.history.curve(MemoryCurve::requested).peak;
  SnapshotSums sums;
  sums.device = snapshot_device.ordinal;
  sums.history = has_history(snapshot_device);
  sums.lacks_events = lacks_events(snapshot_device);
  sums.peak_bytes = peak.bytes;
  sums.peak_event = peak.event;
  if (peak.event >= 0) sums.peak_us = snapshot_device.entries.time_us[static_cast<std::size_t>(peak.event)];
  sums.reserved_peak_bytes = snapshot_device.history.curve(MemoryCurve::reserved).peak.bytes;
  sums.reserved_end_bytes = summarize_segments(snapshot_device).reserved;
  read_events(snapshot_device, sums, stop);
  sums.curve = curve_of(snapshot_device);
  sums.notes = recording_notes(snapshot_device);

  const Result<AllocationCategories> categories =
      categorize(snapshot, device, rules, ByteUnits::decimal, stop);
  if (!categories.ok()) return categories.error();
  const std::vector<StackFacts> facts = stack_facts(snapshot, stop);
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "stopped"};
  const PhaseReading phases(snapshot, device, facts, stop);
  const SnapshotModules modules = snapshot_modules(snapshot, device, phases, stop);
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "stopped"};
  const ModuleNames module_names(snapshot, modules);

  SnapshotScope scope;
  scope.snapshot = &snapshot;
  scope.device = device;
  scope.at = peak.event;
  scope.categories = &categories.value();
  constexpr std::array kNamed{LiveGrouping::line, LiveGrouping::function, LiveGrouping::file,
                              LiveGrouping::category};
  static_assert(kNamed.size() + 1 == kSumsByCount);
  std::vector<GroupNames> names;
  names.reserve(kNamed.size());
  for (const LiveGrouping by : kNamed) names.emplace_back(scope, by);
  std::array<Sums, kSumsByCount> by_key;
  for (const AllocationId id : live_at(snapshot_device.history, peak.event)) {
    if (++sums.peak_count % kAllocationsBetweenStops == 0 && stop.stop_requested())
      return Error{Error::Kind::cancelled, "stopped"};
    const auto i = static_cast<std::size_t>(id);
    for (std::size_t by = 0; by < kNamed.size(); ++by) {
      const GroupName& group = names[by].of(id);
      by_key[by].add(group.key, group.name, all.size[i]);
    }
    const auto [key, name] = module_names.of(all, i);
    by_key.back().add(key, name, all.size[i]);
  }
  for (std::size_t by = 0; by < kSumsByCount; ++by) sums.rows[by] = by_key[by].take();
  if (peak.event >= 0) {
    const AllocationId reached =
        snapshot_device.history.allocation_of_entry[static_cast<std::size_t>(peak.event)];
    if (reached != kNoAllocation) sums.peak_place = names.front().of(reached).name;
  }
  return sums;
}

CountedDevices counted_devices(const Snapshot& snapshot) {
  CountedDevices devices;
  std::uint64_t highest = 0;
  for (const SnapshotDevice& device : snapshot.devices) {
    if (!device.host) highest = std::max(highest, device.history.curve(MemoryCurve::requested).peak.bytes);
  }
  for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
    const SnapshotDevice& device = snapshot.devices[i];
    if (device.host) continue;
    const std::uint64_t peak = device.history.curve(MemoryCurve::requested).peak.bytes;
    const auto actions = device.entries.action.span();
    const bool failed = std::ranges::find(actions, SnapshotAction::oom) != actions.end();
    (failed || peak >= highest / kCountedShare ? devices.counted : devices.left_out).push_back(i);
  }
  return devices;
}

}  // namespace kino
