#include "core/build/xla_devices.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::string_view kDevice = "/device:";

bool is_stream(std::string_view line) { return line.starts_with("Stream #"); }
bool is_ops(std::string_view line) { return line == "XLA Ops" || line == "Async XLA Ops"; }

bool begins_with_any(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [name](std::string_view it) { return name.starts_with(it); });
}

}  // namespace

std::string xla_device_title(std::string_view process_name) {
  const std::size_t at = process_name.find(kDevice);
  if (at == std::string_view::npos) return {};
  std::string title(process_name.substr(at + kDevice.size()));
  // "CPU:0" is the host's own executor.
  if (title.empty() || title.starts_with("CPU")) return {};
  std::ranges::replace(title, ':', ' ');
  return title;
}

XlaDevices::XlaDevices(const std::vector<MetadataRecord>& metadata) {
  for (const MetadataRecord& record : metadata) {
    if (record.what == MetadataRecord::What::process_name && !xla_device_title(record.text).empty())
      devices_.insert(record.pid);
  }
  if (devices_.empty()) return;
  std::set<std::string, std::less<>> with_streams;
  for (const MetadataRecord& record : metadata) {
    if (record.what == MetadataRecord::What::thread_name && is_stream(trimmed(record.text)))
      with_streams.insert(record.pid);
  }
  for (const MetadataRecord& record : metadata) {
    if (record.what != MetadataRecord::What::thread_name || !holds(record.pid)) continue;
    // Of a GPU, "XLA Ops" is made from what ran on the streams.
    const std::string_view line = trimmed(record.text);
    if (with_streams.contains(record.pid) ? is_stream(line) : is_ops(line))
      work_.emplace(record.pid, record.tid);
  }
}

TrackClass XlaDevices::class_of(TrackClass track_class, std::string_view pid, std::string_view tid) const {
  if (track_class != TrackClass::cpu || devices_.empty() || !holds(pid)) return track_class;
  return work_.contains(std::pair(std::string(pid), std::string(tid))) ? TrackClass::gpu
                                                                       : TrackClass::gpu_annotation;
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

}  // namespace kino
