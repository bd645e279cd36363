#include "core/tables/summary/overview_sections.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "core/base/time_text.hpp"
#include "core/tables/gpu/device_peaks.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/ledger/device_roofs.hpp"
#include "core/tables/operators/module_anchors.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/trace_maker.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostMemoryDevices = 8;

Message text_of_share(const ShownShare& share) {
  if (!share.text.empty()) return share.text;
  return std::isnan(share.value) ? Message(msg::unknown) : Message(text_from_share(share.value));
}

/// Adds the MFU and the achieved FLOP/s, or the reason why they are unknown.
void add_flops(OverviewSection& section, const Trace& trace, const Utilization& use) {
  double flop = 0;
  for (const TypeFlop& type : use.types) flop += type.model_flop;
  const auto bounded = [&](const std::string& value) {
    return use.at_least() ? Message(msg::at_least, value) : Message(value);
  };
  const bool counted = flop > 0 && use.window_ns > 0;
  section.lines.push_back(
      {msg::overview_mfu, use.known() ? bounded(text_from_share(use.mfu())) : Message(msg::unknown), {}});
  if (counted) {
    const double per_ns = flop / static_cast<double>(use.window_ns);  // GFLOP/s
    section.lines.push_back({msg::overview_achieved, bounded(formatted("%.3g TFLOP/s", per_ns / 1000)), {}});
  }
  if (!counted && !has_input_shapes(trace)) {
    section.notes.emplace_back(msg::overview_no_shapes);
    section.code = "profile(record_shapes=True)";
  } else if (!counted) {
    section.notes.emplace_back(msg::overview_no_flops);
  } else if (!use.known()) {
    const std::string_view device = only_device_name(trace);
    section.notes.push_back(device.empty() ? Message(msg::overview_no_device)
                                           : Message(msg::overview_no_peak, device));
  }
  if (counted && use.at_least()) {
    const double share = static_cast<double>(use.uncounted_ns) / static_cast<double>(use.matrix_ns);
    section.notes.emplace_back(msg::overview_flops_uncounted, text_from_share(share));
  }
  if (use.known() && device_roofs(trace).assumed)
    section.notes.emplace_back(msg::ledger_peaks_assumed, device_roofs(trace).device);
}

/// Adds figures of kernels, which exist for GPUs only.
void add_metrics(OverviewSection& section, const Trace& trace, const GpuMetrics& gpu,
                 const KnownShares& known) {
  const bool amd = gpu_vendor(trace) == GpuVendor::amd;
  OverviewLine cores{amd ? msg::overview_matrix_cores : msg::overview_tensor_cores, msg::unknown, {}};
  if (gpu.tensor_core_share >= 0) {
    cores.value = text_from_share(gpu.tensor_core_share);
    cores.note = gpu.tensor_core_unknown_share > 0
                     ? Message(msg::overview_cores_unknown, text_from_share(gpu.tensor_core_unknown_share))
                     : Message(msg::overview_of_kernel_time);
  }
  section.lines.push_back(std::move(cores));
  if (gpu.sm_efficiency >= 0) {
    section.lines.push_back(
        {msg::overview_sm_efficiency, text_of_share(known.busy(gpu.sm_efficiency)), msg::overview_estimated});
  }
  if (gpu.occupancy >= 0) {
    section.lines.push_back(
        {msg::overview_occupancy, text_from_share(gpu.occupancy / 100), msg::overview_estimated});
  }
}

}  // namespace

bool has_input_shapes(const Trace& trace) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  return std::ranges::any_of(facts, [](const EventFacts& each) { return !each.input_dims.empty(); });
}

OverviewSection utilization_section(const Trace& trace, const GpuUse& gpu, const KnownShares& known) {
  OverviewSection section;
  const std::string device = device_word(trace);
  section.lines.push_back(
      {{msg::overview_busy, device}, text_of_share(known.busy(gpu.busy_share)), msg::overview_busy_with});
  add_flops(section, trace, gpu.flops);
  if (gpu.metrics != nullptr && device == "GPU") add_metrics(section, trace, *gpu.metrics, known);
  return section;
}

MemoryColumns memory_columns(const Trace& trace, const std::vector<MemoryDevice>& devices,
                             const std::stop_token& stop) {
  MemoryColumns columns;
  if (devices.empty()) return columns;
  const auto rank = [](const MemoryDevice& device) {
    return std::pair(device.device != ArgumentColumns::kMemoryHost, device.peak_bytes);
  };
  columns.device = std::ranges::max_element(devices, {}, rank)->device;
  const TimeRange range = trace.content;
  if (range.length_ns() <= 0) return columns;
  for (const AllocatedCurve& curve : memory_curves(trace, stop)) {
    if (curve.device != columns.device) continue;
    columns.bytes.assign(MemoryColumns::kColumns, 0);
    const auto column_of = [&](std::int64_t time_ns) {
      const double share =
          static_cast<double>(time_ns - range.begin_ns) / static_cast<double>(range.length_ns());
      return static_cast<std::uint32_t>(
          std::clamp(share * MemoryColumns::kColumns, 0.0, static_cast<double>(MemoryColumns::kColumns - 1)));
    };
    // A value holds until the next point.
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const std::int64_t end_ns = i + 1 < curve.points.size() ? curve.points[i + 1].time_ns : range.end_ns;
      const std::uint32_t last = column_of(end_ns);
      for (std::uint32_t column = column_of(curve.points[i].time_ns); column <= last; ++column)
        columns.bytes[column] = std::max(columns.bytes[column], curve.points[i].value);
    }
    columns.peak_bytes = std::ranges::max(columns.bytes);
  }
  return columns;
}

OverviewSection memory_section(const Trace& trace, std::vector<MemoryDevice> devices, ByteUnits units,
                               const std::stop_token& stop) {
  OverviewSection section;
  if (devices.empty()) {
    section.notes.emplace_back(msg::overview_no_memory);
    section.code = "profile(profile_memory=True)";
    return section;
  }
  std::ranges::stable_sort(devices, std::ranges::greater(), &MemoryDevice::peak_bytes);
  if (devices.size() > kMostMemoryDevices) devices.resize(kMostMemoryDevices);
  const std::vector<MemoryOperator> operators = memory_operators(trace, trace.range, stop);
  const std::vector<std::int64_t>& sizes = trace.job.device_memory_bytes;
  for (const MemoryDevice& device : devices) {
    const auto bytes = static_cast<double>(device.peak_bytes);
    OverviewLine peak{
        {msg::overview_peak, memory_device_name(trace, device.device)}, text_from_bytes(bytes, units), {}};
    if (device.device < sizes.size() && sizes[device.device] > 0) {
      peak.note = {msg::overview_of_memory,
                   text_from_share(bytes / static_cast<double>(sizes[device.device])),
                   text_from_bytes(static_cast<double>(sizes[device.device]), units)};
    }
    section.lines.push_back(std::move(peak));
    const auto most = std::ranges::find(operators, device.device, &MemoryOperator::device);
    if (most == operators.end() || most->self_allocated_bytes <= 0) continue;
    const std::string_view name = trace.name_text(most->name);
    section.lines.push_back({msg::overview_most_allocated,
                             text_from_bytes(static_cast<double>(most->self_allocated_bytes), units),
                             name.empty() ? Message(msg::overview_outside_operators) : Message(name)});
  }
  return section;
}

std::string as_label(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

namespace {

/// Adds the number of all cases of damage and, if there are several kinds, the most frequent ones.
void add_damage(OverviewSection& section, const DamageLog& damage) {
  constexpr std::size_t kMostKinds = 4;
  const std::uint64_t total = damage.total();
  if (total == 0) return;
  section.lines.push_back({msg::overview_damaged, grouped(total), {}});
  std::vector<Damage> kinds;
  std::ranges::copy_if(damage.entries(), std::back_inserter(kinds),
                       [](const Damage& entry) { return !is_reading_note(entry.reason); });
  std::ranges::stable_sort(kinds, std::ranges::greater(), &Damage::count);
  if (kinds.size() > kMostKinds) kinds.resize(kMostKinds);
  for (const Damage& kind : kinds)
    section.lines.push_back({text_of(kind.reason, kind.count), grouped(kind.count), {}});
}

}  // namespace

OverviewSection quality_section(const Trace& trace, const DataQualityReport& report) {
  OverviewSection section;
  const std::string device = device_word(trace);
  const std::uint64_t total = trace.counts.total();
  const std::uint64_t dropped = trace.counts[EventType::dropped];
  section.lines.push_back({msg::overview_events,
                           grouped(total - std::min(total, dropped)),
                           {msg::overview_of_events, grouped(total)}});
  if (const std::optional<double> covered = report.covered_gpu_time()) {
    section.lines.push_back({{msg::overview_launched_time, device}, text_from_share(*covered), {}});
  } else if (report.gpu_work == 0) {
    section.lines.push_back({{msg::overview_device_work, device}, msg::not_recorded, {}});
  }
  constexpr std::array kShown{QualityFinding::gpu_work_without_launch,
                              QualityFinding::launch_without_gpu_work, QualityFinding::kernels_missing,
                              QualityFinding::start_before_launch, QualityFinding::step_without_gpu_work};
  for (const DataQualityLine& line : report.lines) {
    if (std::ranges::find(kShown, line.finding) == kShown.end()) continue;
    section.lines.push_back(
        {text_of(line.finding, line.count), grouped(line.count),
         line.duration_ns > 0 ? Message(text_from_duration(line.duration_ns)) : Message()});
  }
  add_damage(section, trace.damage);
  const auto add_option = [&](msg::Id label, bool recorded, std::string_view option) {
    if (recorded) return;
    section.lines.push_back({label, msg::not_recorded, {}});
    section.code += (section.code.empty() ? "profile(" : ", ") + std::string(option) + "=True";
  };
  if (is_kineto(trace) && has_operators(trace)) {
    add_option(msg::overview_module_names, module_source(trace) != ModuleSource::none, "with_stack");
    add_option(msg::overview_input_shapes, has_input_shapes(trace), "record_shapes");
    if (!section.code.empty()) section.code += ")";
  }
  for (const Message& note : report.notes) section.notes.push_back(note);
  return section;
}

}  // namespace kino
