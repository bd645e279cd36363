#include "core/trace/build/named_devices.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr std::string_view kDevice = "/device:";

bool is_stream(std::string_view line) { return line.starts_with("Stream #"); }
bool is_ops(std::string_view line) { return line == "XLA Ops" || line == "Async XLA Ops"; }

bool begins_with_any(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [name](std::string_view beginning) { return name.starts_with(beginning); });
}

/// Fields that msprof encodes in a pid; empty for other pids.
struct AscendDevice {
  std::optional<std::uint64_t> process;
  std::optional<std::uint64_t> number;
  friend bool operator<(const AscendDevice& a, const AscendDevice& b) {
    return std::tie(a.process, a.number) < std::tie(b.process, b.number);
  }
};
AscendDevice ascend_device(std::string_view pid) {
  constexpr unsigned kDeviceBits = 5;
  constexpr unsigned kProcessShift = 10;
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), bits);
  if (error != std::errc{} || end != pid.data() + pid.size() || bits >> kProcessShift == 0) return {};
  return {bits >> kProcessShift, bits & ((1U << kDeviceBits) - 1)};
}

/// Returns the name in lower case without '_' and ' ', so that "NOTIFY_WAIT" and "Notify Wait" are one task.
std::string plain_task(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != ' ') plain += lower(c);
  }
  return plain;
}

/// Whether the name has no lower-case letters. Tasks of the runtime have such names; operators do not.
bool is_in_capitals(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Returns the number after the prefix `head`: "2" for "GPU2" and "GPU"; empty if anything else follows.
std::string_view number_after(std::string_view name, std::string_view head) {
  if (!name.starts_with(head) || name.size() == head.size()) return {};
  const std::string_view number = name.substr(head.size());
  return std::ranges::all_of(number, is_digit) ? number : std::string_view();
}

constexpr std::string_view kOperators = "CPU functions";
constexpr std::string_view kOperatorsOnGpu = "CUDA functions";

}  // namespace

std::string xla_device_title(std::string_view process_name) {
  const std::size_t at = process_name.find(kDevice);
  if (at == std::string_view::npos) return {};
  std::string title(process_name.substr(at + kDevice.size()));
  // "CPU:0" is the host's own executor, not a device.
  if (title.empty() || title.starts_with("CPU")) return {};
  std::ranges::replace(title, ':', ' ');
  return title;
}

std::string unitrace_device_title(std::string_view process_name) {
  constexpr std::string_view kHead = "DEVICE<";
  const std::size_t head = process_name.find(kHead);
  const std::size_t name = process_name.find(">[", head);
  const std::size_t end = process_name.find("] ", name);
  const std::size_t number = process_name.find(" #", end);
  if (head == std::string_view::npos || name == std::string_view::npos || end == std::string_view::npos ||
      number == std::string_view::npos)
    return {};
  std::string title = "GPU " + std::string(process_name.substr(number + 2));
  return title + " · " + std::string(process_name.substr(name + 2, end - name - 2));
}

NamedDevices::NamedDevices(const std::vector<MetadataRecord>& metadata) {
  for (const MetadataRecord& record : metadata) {
    if (record.what != MetadataRecord::What::process_name) continue;
    if (std::string title = xla_device_title(record.text); !title.empty())
      devices_.insert_or_assign(record.pid, Device{Recorder::xla, std::move(title), record.pid});
  }
  if (!devices_.empty()) find_xla_lines(metadata);
  find_ascend(metadata);
  find_rocprof(metadata);
}

void NamedDevices::find_xla_lines(const std::vector<MetadataRecord>& metadata) {
  std::set<std::string, std::less<>> with_streams;
  for (const MetadataRecord& record : metadata) {
    if (record.what == MetadataRecord::What::thread_name && is_stream(trimmed(record.text)))
      with_streams.insert(record.pid);
  }
  for (const MetadataRecord& record : metadata) {
    if (record.what != MetadataRecord::What::thread_name || !devices_.contains(record.pid)) continue;
    // If a device has streams, as GPUs have, its line "XLA Ops" is derived from the work on them.
    const std::string_view line = trimmed(record.text);
    if (with_streams.contains(record.pid) ? is_stream(line) : is_ops(line))
      work_.emplace(record.pid, record.tid);
  }
}

void NamedDevices::find_ascend(const std::vector<MetadataRecord>& metadata) {
  std::map<AscendDevice, std::string> hardware;  // pid of each device
  std::vector<const MetadataRecord*> communication;
  for (const MetadataRecord& record : metadata) {
    if (record.what != MetadataRecord::What::process_name) continue;
    const std::string_view name = trimmed(record.text);
    if (name == "Ascend Hardware") {
      const AscendDevice device = ascend_device(record.pid);
      std::string title = "NPU";
      if (device.number) title += " " + std::to_string(*device.number);
      devices_.insert_or_assign(record.pid, Device{Recorder::ascend_hardware, std::move(title), record.pid});
      hardware.emplace(device, record.pid);
    } else if (name == "HCCL" || name == "Communication") {
      communication.push_back(&record);
    }
  }
  if (hardware.empty()) return;
  for (const MetadataRecord* const record : communication) {
    const auto found = hardware.find(ascend_device(record->pid));
    const std::string& pid = found == hardware.end() ? hardware.begin()->second : found->second;
    if (found == hardware.end() && hardware.size() > 1) continue;
    devices_.insert_or_assign(record->pid,
                              Device{Recorder::ascend_communication, devices_.find(pid)->second.title, pid});
  }
  for (const MetadataRecord& record : metadata) {
    if (record.what != MetadataRecord::What::thread_name) continue;
    const auto device = devices_.find(record.pid);
    if (device == devices_.end() || device->second.recorder != Recorder::ascend_communication) continue;
    if (!contains(record.text, "Communication")) continue;
    work_.emplace(record.pid, record.tid);
    devices_.find(device->second.pid)->second.collectives = true;
  }
}

void NamedDevices::find_rocprof(const std::vector<MetadataRecord>& metadata) {
  std::map<std::string, std::string, std::less<>> kernels;  // pid by the device's number
  std::map<std::string, Device, std::less<>> others;
  for (const MetadataRecord& record : metadata) {
    if (record.what != MetadataRecord::What::process_name) continue;
    const std::string_view name = trimmed(record.text);
    if (const std::string_view number = number_after(name, "GPU"); !number.empty())
      kernels.insert_or_assign(std::string(number), record.pid);
    if (const std::string_view number = number_after(name, "GPU Barriers"); !number.empty()) {
      others.insert_or_assign(record.pid,
                              Device{Recorder::rocprof_barriers, std::string(number), record.pid});
    }
    if (name == "COPY") {
      others.insert_or_assign(
          record.pid, Device{Recorder::rocprof_copies, std::string(english(msg::gpu_copies)), record.pid});
    }
    if (name == "CPU HIP API" || name == "CPU HSA API")
      others.insert_or_assign(record.pid, Device{Recorder::rocprof_calls, "", record.pid});
  }
  // Other recorders also name processes "GPUn".
  if (others.empty()) return;
  for (const auto& [number, pid] : kernels)
    devices_.insert_or_assign(pid, Device{Recorder::rocprof_kernels, "GPU " + number, pid});
  for (auto& [pid, device] : others) {
    if (device.recorder == Recorder::rocprof_barriers) {
      const auto kernel_process = kernels.find(device.title);
      if (kernel_process != kernels.end()) device.pid = kernel_process->second;
      device.title = "GPU " + device.title;
    }
    devices_.insert_or_assign(pid, std::move(device));
  }
}

NamedDevices::Content NamedDevices::content(std::string_view pid, std::string_view tid) const {
  if (pid == kOperators) return Content::operators;
  if (pid == kOperatorsOnGpu) return Content::operators_on_gpu;
  const auto device = devices_.find(pid);
  if (device == devices_.end()) return Content::none;
  const bool work = work_.contains(std::pair(std::string(pid), std::string(tid)));
  switch (device->second.recorder) {
    case Recorder::xla:
      return work ? Content::xla_work : Content::xla_around;
    case Recorder::ascend_hardware:
      return device->second.collectives ? Content::ascend_apart : Content::ascend_tasks;
    case Recorder::rocprof_kernels:
      return Content::kernels;
    case Recorder::rocprof_copies:
      return Content::copies;
    case Recorder::rocprof_barriers:
      return Content::barriers;
    case Recorder::rocprof_calls:
      return Content::calls;
    case Recorder::ascend_communication:
      break;
  }
  return work ? Content::ascend_collectives : Content::ascend_pieces;
}

TrackClass NamedDevices::class_of(TrackClass track_class, std::string_view pid, std::string_view tid) const {
  if (track_class != TrackClass::cpu) return track_class;
  switch (content(pid, tid)) {
    case Content::none:
    case Content::calls:
    case Content::operators:
      return track_class;
    case Content::xla_around:
    case Content::ascend_pieces:
    case Content::operators_on_gpu:
      return TrackClass::gpu_annotation;
    default:
      return TrackClass::gpu;
  }
}

std::string_view NamedDevices::title(std::string_view pid) const {
  if (pid == kOperatorsOnGpu) return english(msg::gpu_times_of_operators);
  const auto device = devices_.find(pid);
  return device == devices_.end() ? std::string_view() : device->second.title;
}

std::string_view NamedDevices::device_pid(std::string_view pid) const {
  const auto device = devices_.find(pid);
  return device == devices_.end() ? pid : device->second.pid;
}

bool NamedDevices::has_all_copies(std::string_view pid) const {
  const auto device = devices_.find(pid);
  return device != devices_.end() && device->second.recorder == Recorder::rocprof_copies;
}

SliceKind xla_kind(std::string_view hlo_name) {
  constexpr std::array<std::string_view, 9> kCollectives{
      "all-reduce",        "all-gather",           "all-to-all",
      "reduce-scatter",    "collective-permute",   "send",
      "ragged-all-to-all", "collective-broadcast", "nccl"};
  constexpr std::array<std::string_view, 6> kCopies{"copy",   "infeed", "outfeed",
                                                    "Memcpy", "Memset", "host-transfer"};
  constexpr std::array<std::string_view, 4> kAround{"while", "conditional", "call.", "async-"};
  if (hlo_name.starts_with('%')) hlo_name.remove_prefix(1);
  if (begins_with_any(hlo_name, kCollectives) || hlo_name.starts_with("recv"))
    return SliceKind::communication;
  if (begins_with_any(hlo_name, kCopies)) return SliceKind::copy;
  if (begins_with_any(hlo_name, kAround) || hlo_name == "call") return SliceKind::gpu_annotation;
  return slice_kind("kernel", hlo_name);
}

SliceKind ascend_kind(std::string_view task_name, bool apart) {
  constexpr std::array<std::string_view, 6> kWaits{"eventwait",       "notifywait",   "remoteeventwait",
                                                   "streamwaitevent", "memwaitvalue", "capturewait"};
  constexpr std::array<std::string_view, 3> kCopies{"memcpy", "memcopy", "pciedma"};
  constexpr std::array<std::string_view, 6> kPieces{"sdma",        "rdma",         "rocce",
                                                    "reduceasync", "reduceinline", "inlinereduce"};
  constexpr std::array<std::string_view, 10> kMarks{
      "eventrecord",   "eventreset",  "notifyrecord",          "writevalue",           "memwritevalue",
      "capturerecord", "datacontext", "invalidatedatacontext", "writebackdatacontext", "loadcontext"};
  constexpr std::array<std::string_view, 3> kCollectives{"aivall", "aivreducescatter", "aivbroadcast"};
  // Kernels without an operator name are named by the unit that executes them.
  constexpr std::array<std::string_view, 5> kUnits{"kernel", "ai", "mix", "dsa", "ffts"};
  const std::string plain = plain_task(task_name);
  if (begins_with_any(plain, kWaits)) return SliceKind::gpu_sync;
  if (begins_with_any(plain, kCopies)) return SliceKind::copy;
  if (begins_with_any(plain, kPieces)) return apart ? SliceKind::other : SliceKind::copy;
  if (begins_with_any(plain, kMarks)) return SliceKind::other;
  if (begins_with_any(plain, kCollectives) || plain.ends_with("aicpukernel")) return SliceKind::communication;
  // Tasks such as MODEL_EXECUTE, STREAM_SWITCH and PROFILING_ENABLE control the stream.
  if (is_in_capitals(task_name) && contains(task_name, "_") && !begins_with_any(plain, kUnits))
    return SliceKind::other;
  return slice_kind("kernel", task_name);
}

bool is_function_of(std::string_view name, std::string_view library) {
  return name.size() > library.size() && name.starts_with(library) && name[library.size()] >= 'A' &&
         name[library.size()] <= 'Z';
}

SliceKind unitrace_kind(SliceKind by_category, std::string_view name) {
  if (is_gpu_work(by_category)) {
    if (!name.starts_with("zeCommandList")) return slice_kind(kUnitraceWork, name);
    if (contains(name, "MemoryCopy") || contains(name, "MemoryFill") || contains(name, "ImageCopy"))
      return SliceKind::copy;
    for (const std::string_view wait : {"Barrier", "Event", "Synchronize"}) {
      if (contains(name, wait)) return SliceKind::gpu_sync;
    }
    return SliceKind::compute;
  }
  const bool call = is_function_of(name, "ze") || is_function_of(name, "zes") || is_function_of(name, "cl") ||
                    is_function_of(name, "ur");
  return by_category == SliceKind::cpu_op && call ? SliceKind::runtime : by_category;
}

SliceKind kind_of_content(NamedDevices::Content content, SliceKind by_category, std::string_view name) {
  using Content = NamedDevices::Content;
  switch (content) {
    case Content::ascend_tasks:
      return ascend_kind(name);
    case Content::ascend_apart:
      return ascend_kind(name, true);
    case Content::ascend_collectives:
      return SliceKind::communication;
    case Content::ascend_pieces:
      return SliceKind::other;
    default:
      break;
  }
  if (by_category != SliceKind::other) return by_category;
  switch (content) {
    case Content::xla_work:
      return xla_kind(name);
    case Content::xla_around:
    case Content::operators_on_gpu:
      return SliceKind::gpu_annotation;
    case Content::kernels:
      return slice_kind("kernel", name);
    case Content::copies:
      return SliceKind::copy;
    case Content::barriers:
      return SliceKind::gpu_sync;
    case Content::calls:
      return SliceKind::runtime;
    case Content::operators:
      return slice_kind("cpu_op", name);
    default:
      return SliceKind::other;
  }
}

}  // namespace kino
