#include "core/tables/operators/memory_table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

/// Returns the sort key of a device. The host, whose number is the maximum, wraps to 0 and is first.
std::uint32_t order_of(std::uint32_t device) { return device + 1; }

bool inside(TimeRange range, std::int64_t time_ns) {
  return time_ns >= range.begin_ns && time_ns < range.end_ns;
}

/// Calls visit(event, bytes) for each event, where `bytes` is the amount allocated on its device after the
/// event. If the allocator's amount is not recorded, it is summed from the first event of the trace.
template <class Visit>
void visit_allocated(const Trace& trace, const Visit& visit) {
  const ArgumentColumns& arguments = trace.arguments;
  std::map<std::uint32_t, std::int64_t> now;
  for (std::size_t i = 0; i < arguments.memory_time_ns.size(); ++i) {
    std::int64_t& current = now[order_of(arguments.memory_device[i])];
    const std::int64_t total = arguments.memory_total_bytes[i];
    current = total >= 0 ? total : current + arguments.memory_bytes[i];
    visit(i, current);
  }
}

/// Returns the innermost operator of the thread at this time. An operator that ends at this time does not
/// count.
SliceId operator_at(const Trace& trace, TrackId id, std::int64_t time_ns) {
  if (id == kNoTrack) return kNoSlice;
  const Track& track = trace.track(id);
  for (std::uint32_t lane = track.row_count; lane-- > 0;) {
    const SliceId slice = trace.slice_at(RowId{track.first_row + lane}, time_ns);
    if (slice != kNoSlice && trace.kind(slice) == SliceKind::cpu_op) return slice;
  }
  return kNoSlice;
}

bool has_memory_counter(const Trace& trace, const Process& process) {
  const auto tracks = std::span(trace.tracks).subspan(process.first_track, process.track_count);
  return std::ranges::any_of(
      tracks, [](const Track& track) { return track.kind == TrackKind::counter && track.bytes; });
}

template <class NameOf>
Table memory_device_rows(const std::vector<MemoryDevice>& devices, const NameOf& name_of) {
  Table table{.name = "memory", .title = msg::memory, .definition = msg::row_per_device_recorded_allocations};
  table.texts_of(devices, "device", msg::device, msg::location_of_memory,
                 [&](const MemoryDevice& device) { return name_of(device.device); });
  const auto bytes = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(devices, key, title, Unit::bytes, about, get);
  };
  bytes("peak_bytes", msg::peak_allocated, msg::the_most_that_was_allocated_at, &MemoryDevice::peak_bytes);
  table.integers_of(devices, "peak_time_ns", msg::peak_at, Unit::ns, msg::from_start_of_trace,
                    &MemoryDevice::peak_time_ns);
  bytes("end_bytes", msg::at_the_end, msg::allocated_after_the_last_event, &MemoryDevice::end_bytes);
  table.integers_of(devices, "allocations", msg::allocations, Unit::count, msg::number_of_allocations,
                    &MemoryDevice::allocations);
  bytes("allocated_bytes", msg::allocated, msg::summed, &MemoryDevice::allocated_bytes);
  table.integers_of(devices, "frees", msg::frees, Unit::count, msg::number_of_frees, &MemoryDevice::frees);
  bytes("freed_bytes", msg::freed, msg::summed, &MemoryDevice::freed_bytes);
  for (const MemoryDevice& device : devices) table.links.emplace_back(device.peak_slice);
  return table;
}

constexpr std::string_view kMemoryDeviceKeys[] = {"device"};
constexpr std::string_view kMemoryOperatorKeys[] = {"device", "operator"};
constexpr TableGroup kMemoryGroups[] = {{"device", msg::by_device, kMemoryDeviceKeys},
                                        {"operator", msg::by_operator, kMemoryOperatorKeys}};

}  // namespace

std::vector<MemoryDevice> memory_devices(const Trace& trace, TimeRange range) {
  const ArgumentColumns& arguments = trace.arguments;
  std::map<std::uint32_t, MemoryDevice> devices;
  std::map<std::uint32_t, std::size_t> peaks;  // index of the event with the peak, by device
  visit_allocated(trace, [&](std::size_t i, std::int64_t current) {
    if (!inside(range, arguments.memory_time_ns[i])) return;
    const auto [found, added] = devices.try_emplace(order_of(arguments.memory_device[i]));
    const std::int64_t bytes = arguments.memory_bytes[i];
    MemoryDevice& device = found->second;
    device.device = arguments.memory_device[i];
    ++(bytes >= 0 ? device.allocations : device.frees);
    (bytes >= 0 ? device.allocated_bytes : device.freed_bytes) += bytes >= 0 ? bytes : -bytes;
    if (added || current > device.peak_bytes) {
      device.peak_bytes = current;
      device.peak_time_ns = arguments.memory_time_ns[i];
      peaks[order_of(device.device)] = i;
    }
    device.end_bytes = current;
  });
  std::vector<MemoryDevice> rows;
  rows.reserve(devices.size());
  for (const auto& [key, device] : devices) {
    rows.push_back(device);
    rows.back().peak_slice = operator_at(trace, arguments.memory_track[peaks[key]], device.peak_time_ns);
  }
  return rows;
}

std::vector<AllocatedCurve> memory_curves(const Trace& trace, const std::stop_token& stop) {
  const ArgumentColumns& arguments = trace.arguments;
  std::map<std::uint32_t, AllocatedCurve> devices;
  visit_allocated(trace, [&](std::size_t i, std::int64_t current) {
    if (stop.stop_requested()) return;
    const auto [found, added] = devices.try_emplace(order_of(arguments.memory_device[i]));
    AllocatedCurve& curve = found->second;
    if (added) {
      curve.device = arguments.memory_device[i];
      curve.track = arguments.memory_track[i];
    }
    // Points are not merged: a peak that ends within the same ns is still the peak.
    curve.points.push_back({arguments.memory_time_ns[i], static_cast<double>(current)});
  });
  std::vector<AllocatedCurve> curves;
  curves.reserve(devices.size());
  for (auto& [key, curve] : devices) curves.push_back(std::move(curve));
  return curves;
}

std::vector<MemoryOperator> memory_operators(const Trace& trace, TimeRange range,
                                             const std::stop_token& stop) {
  const ArgumentColumns& arguments = trace.arguments;
  std::unordered_map<std::uint64_t, std::size_t> by_key;
  std::vector<MemoryOperator> rows;
  std::vector<std::int64_t> largest;
  const auto row_of = [&](NameId name, std::uint32_t device) {
    const auto [found, added] = by_key.try_emplace(std::uint64_t{index_of(name)} << 32 | device, rows.size());
    if (added) {
      rows.push_back({device, name});
      largest.push_back(-1);
    }
    return found->second;
  };
  std::vector<std::size_t> seen;  // rows that count the event, since a recursive operator counts it once
  for (std::size_t i = 0; i < arguments.memory_time_ns.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (!inside(range, arguments.memory_time_ns[i])) continue;
    const std::int64_t bytes = arguments.memory_bytes[i];
    const SliceId owner = operator_at(trace, arguments.memory_track[i], arguments.memory_time_ns[i]);
    const std::size_t own =
        row_of(owner == kNoSlice ? NameId{0} : trace.name(owner), arguments.memory_device[i]);
    rows[own].self_increase_bytes += bytes;
    if (bytes > 0) {
      ++rows[own].self_allocations;
      rows[own].self_allocated_bytes += bytes;
    }
    if (bytes > largest[own]) {
      largest[own] = bytes;
      rows[own].largest = owner;
    }
    seen.clear();
    for (SliceId at = owner; at != kNoSlice; at = trace.parent(at)) {
      if (trace.kind(at) != SliceKind::cpu_op) continue;
      const std::size_t row = row_of(trace.name(at), arguments.memory_device[i]);
      if (std::ranges::find(seen, row) == seen.end()) seen.push_back(row);
    }
    if (owner == kNoSlice) seen.push_back(own);
    for (const std::size_t row : seen) {
      rows[row].increase_bytes += bytes;
      if (bytes <= 0) continue;
      ++rows[row].allocations;
      rows[row].allocated_bytes += bytes;
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &MemoryOperator::self_allocated_bytes);
  return rows;
}

std::vector<SliceId> memory_instances(const Trace& trace, TimeRange range, std::uint32_t device, NameId name,
                                      const std::stop_token& stop) {
  const ArgumentColumns& arguments = trace.arguments;
  std::vector<SliceId> instances;
  for (std::size_t i = 0; i < arguments.memory_time_ns.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const bool allocates = arguments.memory_device[i] == device && arguments.memory_bytes[i] > 0;
    if (!allocates || !inside(range, arguments.memory_time_ns[i])) continue;
    SliceId at = operator_at(trace, arguments.memory_track[i], arguments.memory_time_ns[i]);
    for (; at != kNoSlice; at = trace.parent(at)) {
      const bool is_operator = trace.kind(at) == SliceKind::cpu_op;
      if (is_operator && trace.name(at) == name) instances.push_back(at);
    }
  }
  std::ranges::sort(instances);
  instances.erase(std::unique(instances.begin(), instances.end()), instances.end());
  return instances;
}

std::string memory_device_name(std::uint32_t device) {
  return device == ArgumentColumns::kMemoryHost ? "CPU" : "GPU " + std::to_string(device);
}

std::string memory_device_name(const Trace& trace, std::uint32_t device) {
  std::string name = memory_device_name(device);
  if (device == ArgumentColumns::kMemoryHost) return name;
  const auto gpus = std::ranges::count_if(trace.processes, &Process::gpu);
  const std::string pid = std::to_string(device);
  for (const Process& process : trace.processes) {
    // If the trace has only one GPU, and it has a memory counter, it matches every number, because the
    // profiler may number memory differently.
    if (process.gpu && (process.pid == pid || (gpus == 1 && has_memory_counter(trace, process))))
      return process.title.substr(0, process.title.find(" · "));
  }
  return name;
}

std::uint32_t memory_device_named(const Trace& trace, std::string_view name) {
  std::set<std::uint32_t> devices;
  for (const std::uint32_t device : trace.arguments.memory_device) devices.insert(device);
  const auto found = std::ranges::find_if(
      devices, [&](std::uint32_t device) { return memory_device_name(trace, device) == name; });
  return found == devices.end() ? ArgumentColumns::kMemoryHost : *found;
}

Table memory_device_table(const std::vector<MemoryDevice>& devices) {
  return memory_device_rows(devices, [](std::uint32_t device) { return memory_device_name(device); });
}

Table memory_device_table(const Trace& trace, const std::vector<MemoryDevice>& devices) {
  return memory_device_rows(devices, [&](std::uint32_t device) { return memory_device_name(trace, device); });
}

Table memory_operator_table(const Trace& trace, const std::vector<MemoryOperator>& rows) {
  Table table{
      .name = "memory", .title = msg::memory_by_operator, .definition = msg::row_per_operator_and_device};
  table.texts_of(rows, "device", msg::device, msg::location_of_memory,
                 [&](const MemoryOperator& row) { return memory_device_name(trace, row.device); });
  table.texts_of(rows, "operator", msg::operator_, msg::empty_outside_of_operators,
                 [&](const MemoryOperator& row) { return std::string(trace.name_text(row.name)); });
  const auto bytes = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::bytes, about, get);
  };
  const auto count = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::count, about, get);
  };
  bytes("self_allocated_bytes", msg::self_allocated, msg::own_allocations_summed,
        &MemoryOperator::self_allocated_bytes);
  bytes("allocated_bytes", msg::allocated, msg::including_called_operators, &MemoryOperator::allocated_bytes);
  bytes("self_increase_bytes", msg::self_increase, msg::allocated_minus_freed_its_own,
        &MemoryOperator::self_increase_bytes);
  bytes("increase_bytes", msg::increase, msg::allocated_minus_freed_with_operators_below,
        &MemoryOperator::increase_bytes);
  count("self_allocations", msg::self_allocations, msg::number_for_operator_itself,
        &MemoryOperator::self_allocations);
  count("allocations", msg::allocations, msg::including_called_operators, &MemoryOperator::allocations);
  for (const MemoryOperator& row : rows) table.links.emplace_back(row.largest);
  return table;
}

constexpr TableKind<RangeParts> kMemoryTable{
    {.name = "memory",
     .title = msg::memory,
     .heading = msg::memory,
     .about = msg::about_memory,
     .groups = kMemoryGroups},
    [](const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const Trace& trace = parts.trace();
      Table table = query.group == 1
                        ? memory_operator_table(trace, memory_operators(trace, parts.range(), stop))
                        : memory_device_table(trace, memory_devices(trace, parts.range()));
      if (table.row_count() == 0 && memory_devices(trace, whole_range(trace)).empty()) {
        table.notes.emplace_back(msg::trace_has_no_allocations);
      }
      return table;
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) -> std::vector<SliceId> {
      if (query.group != 1) return {};
      const auto& devices = std::get<TableColumn::Texts>(query.table.find("device")->values);
      return memory_instances(parts.trace(), parts.range(),
                              memory_device_named(parts.trace(), devices[query.row]),
                              parts.trace().name(query.example), stop);
    }};

}  // namespace kino
