// Which tracks of a trace by XLA's profilers (JAX, TensorFlow, PyTorch/XLA) hold the work of a device.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/build/event_batch.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {

/// "TPU 0" of the process name "/device:TPU:0"; empty for any other name.
std::string xla_device_title(std::string_view process_name);

/// XProf writes each device as a process "/device:KIND:n" whose threads are lines: streams and "XLA Ops" hold
/// what ran, the others ("XLA Modules", "Steps", "Framework Ops") stand around it or are made from it
/// (xprof, xplane_schema). Its events have no categories: the lines tell.
class XlaDevices {
 public:
  explicit XlaDevices(const std::vector<MetadataRecord>& metadata);

  /// The class of a track by what its process and line are called; `track_class` as it is for all others.
  TrackClass class_of(TrackClass track_class, std::string_view pid, std::string_view tid) const;
  /// Whether it is a device's.
  bool holds(std::string_view pid) const { return devices_.contains(pid); }

 private:
  std::set<std::string, std::less<>> devices_;                       // pids
  std::set<std::pair<std::string, std::string>, std::less<>> work_;  // pid and tid
};

/// The kind of a device's operation by its HLO name: collectives communicate, copies and feeds move memory,
/// control flow stands around the operations it calls, everything else computes.
SliceKind xla_kind(std::string_view hlo_name);

}  // namespace kino
