// Devices of recorders that tell by the names of processes and threads what runs there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/build/event_batch.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {

/// "TPU 0" of the process name "/device:TPU:0"; empty for any other name.
std::string xla_device_title(std::string_view process_name);
/// "GPU 0.1 · Intel(R) Data Center GPU Max 1550" of unitrace's "RANK 0 DEVICE<host>[Intel(R) ...]
/// 0000:18:00.0 #0.1"; empty for any other name.
std::string unitrace_device_title(std::string_view process_name);

/// XProf writes each device as a process "/device:KIND:n" whose threads are lines: streams and "XLA Ops" hold
/// what ran, the others ("XLA Modules", "Steps", "Framework Ops") stand around it or are made from it
/// (xprof, xplane_schema).
///
/// Ascend's msprof writes a device as several processes: the threads of "Ascend Hardware" are its streams; of
/// "HCCL" (later "Communication") a thread "Group n Communication" holds the collectives of a group, whole,
/// and "Plane n" holds the tasks that they are made of. The bits of a pid are process << 10 | layer << 5 |
/// device.
///
/// AMD's first rocprof writes a process "GPUn" with the kernels of a device, "GPU Barriersn" with its
/// barriers, "COPY" with the transfers of all devices, and "CPU HIP API" with the calls. PyTorch's first
/// profiler has a process "CPU functions" with operators, and "CUDA functions" with the same operators
/// between two events of the GPU: times that hold gaps, so no work.
///
/// None of them gives its events a category that tells what they are.
class NamedDevices {
 public:
  /// Kind of the slices on a track.
  enum class Content : std::uint8_t {
    none,          ///< nothing that names tell
    xla_work,      ///< operations of XLA
    xla_around,    ///< lines around them
    ascend_tasks,  ///< what a stream executes, waits included
    ascend_apart,  ///< the same of a device whose collectives are recorded apart from their pieces
    ascend_collectives,
    ascend_pieces,  ///< of collectives
    kernels,
    copies,
    barriers,
    calls,            ///< of the runtime, on the host
    operators,        ///< on the host
    operators_on_gpu  ///< as events of the GPU time them
  };

  explicit NamedDevices(const std::vector<MetadataRecord>& metadata);

  /// Whether no named process is a device. PyTorch's first profiler has devices without metadata.
  bool empty() const { return devices_.empty(); }
  Content content(std::string_view pid, std::string_view tid) const;
  /// The class of a track by what its process and line are called; `track_class` as it is for all others.
  TrackClass class_of(TrackClass track_class, std::string_view pid, std::string_view tid) const;
  /// The title of the device that a process belongs to; empty when it belongs to none.
  std::string_view title(std::string_view pid) const;
  /// The pid of the process that stands for the device on screen; `pid` itself for all others.
  std::string_view device_pid(std::string_view pid) const;
  /// Whether it is the process with the transfers of all devices.
  bool has_all_copies(std::string_view pid) const;

 private:
  enum class Recorder : std::uint8_t {
    xla,
    ascend_hardware,
    ascend_communication,
    rocprof_kernels,
    rocprof_copies,
    rocprof_barriers,
    rocprof_calls
  };
  struct Device {
    Recorder recorder{};
    std::string title;
    std::string pid;           // of the process that stands for the device
    bool collectives = false;  // are recorded
  };
  using Threads = std::set<std::pair<std::string, std::string>, std::less<>>;  // pid and tid

  void find_xla_lines(const std::vector<MetadataRecord>& metadata);
  void find_ascend(const std::vector<MetadataRecord>& metadata);
  void find_rocprof(const std::vector<MetadataRecord>& metadata);

  std::map<std::string, Device, std::less<>> devices_;  // by the pids of all their processes
  Threads work_;                                        // of XLA's devices, and collectives of Ascend's
};

/// The kind of a device's operation by its HLO name: collectives communicate, copies and feeds move memory,
/// control flow stands around the operations it calls, everything else computes.
SliceKind xla_kind(std::string_view hlo_name);

/// The kind of a task on a stream of an Ascend device. Waits for events and notifications are GPU waits;
/// records of events, written values, and what marks and controls the stream is no work; transfers are
/// copies; collectives that run as a kernel communicate; every other operator computes. Collectives are made
/// of transfers by SDMA and RDMA and of inline reductions, which are no work of their own if the collectives
/// are recorded `apart`. (msprof: the task types of ascend_task_association.cpp, and CANN's runtime.)
SliceKind ascend_kind(std::string_view task_name, bool apart = false);

/// The category of everything that Intel's unitrace records on a device.
inline constexpr std::string_view kUnitraceWork = "gpu_op";
/// The kind in a trace of unitrace, whose category says `by_category`. Commands of Level Zero on a device are
/// called by their function: copies and fills move memory, barriers and events are waits, everything else is
/// a kernel. On the host, calls of Level Zero, OpenCL and Unified Runtime are no operators.
SliceKind unitrace_kind(SliceKind by_category, std::string_view name);

/// The kind of a slice there, whose category says `by_category`.
SliceKind kind_of_content(NamedDevices::Content content, SliceKind by_category, std::string_view name);

}  // namespace kino
