// Devices of recorders that identify device work by the names of processes and threads, and the kinds of
// their slices.
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

/// Returns "TPU 0" for the process name "/device:TPU:0"; empty for CPUs, and for names without "/device:".
std::string xla_device_title(std::string_view process_name);
/// Returns "GPU 0.1 · Intel(R) Data Center GPU Max 1550" for unitrace's "RANK 0 DEVICE<host>[Intel(R) ...]
/// 0000:18:00.0 #0.1"; empty for names of another form.
std::string unitrace_device_title(std::string_view process_name);

/// Identifies devices, and the content of their tracks, by names. The events of these recorders have no
/// category that identifies their kind.
///
/// XProf writes each device as a process "/device:KIND:n" whose threads are lines. The work is in the streams
/// or, on devices without streams, in the lines "XLA Ops" and "Async XLA Ops". The other lines ("XLA
/// Modules", "Steps", "Framework Ops") enclose the work or are derived from it (xprof, xplane_schema).
///
/// Ascend's msprof writes a device as several processes. The threads of "Ascend Hardware" are its streams. In
/// "HCCL" (later "Communication"), a thread "Group n Communication" contains the whole collectives of a
/// group, and "Plane n" contains their tasks. The bits of a pid are (process << 10) + (layer << 5) + device.
///
/// AMD's first rocprof writes a process "GPUn" with the kernels of a device, "GPU Barriersn" with its
/// barriers, "COPY" with the transfers of all devices, and "CPU HIP API" with the calls. PyTorch's first
/// profiler has a process "CPU functions" with operators. Its process "CUDA functions" has the same
/// operators, timed by GPU events before and after them. These times include gaps, so they are not work.
class NamedDevices {
 public:
  /// Kind of the slices on a track.
  enum class Content : std::uint8_t {
    none,          ///< not identified by names
    xla_work,      ///< operations of XLA
    xla_around,    ///< lines that enclose operations of XLA or are derived from them
    ascend_tasks,  ///< tasks of a stream, including waits
    ascend_apart,  ///< tasks of a device whose collectives are recorded separately
    ascend_collectives,
    ascend_pieces,  ///< tasks of collectives
    kernels,
    copies,
    barriers,
    calls,            ///< runtime calls on the host
    operators,        ///< operators on the host
    operators_on_gpu  ///< operators timed by events of the GPU
  };

  explicit NamedDevices(const std::vector<MetadataRecord>& metadata);

  /// Whether no named process is a device. Excludes the devices of PyTorch's first profiler, which have no
  /// metadata.
  bool empty() const { return devices_.empty(); }
  Content content(std::string_view pid, std::string_view tid) const;
  /// Returns the class of a track that its events assign to `track_class`. If that is `cpu` and names
  /// identify a device's track, returns a GPU class; otherwise `track_class`.
  TrackClass class_of(TrackClass track_class, std::string_view pid, std::string_view tid) const;
  /// Returns the title of a process's device; empty if it has none.
  std::string_view title(std::string_view pid) const;
  /// Returns the pid of the process that represents the device on screen; `pid` itself if the process does
  /// not belong to a named device.
  std::string_view device_pid(std::string_view pid) const;
  /// Whether the process contains the transfers of all devices.
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
    std::string pid;           // pid of the process that represents the device
    bool collectives = false;  // whether collectives are recorded separately
  };
  using Threads = std::set<std::pair<std::string, std::string>, std::less<>>;  // pid and tid

  void find_xla_lines(const std::vector<MetadataRecord>& metadata);
  void find_ascend(const std::vector<MetadataRecord>& metadata);
  void find_rocprof(const std::vector<MetadataRecord>& metadata);

  std::map<std::string, Device, std::less<>> devices_;  // by the pid of each of the device's processes
  Threads work_;  // XLA lines with work, and Ascend threads with whole collectives
};

/// Returns the kind of a device's operation by its HLO name. Collectives, sends and receives are
/// communication. Copies, memsets, feeds and host transfers are copies. Control flow and asynchronous
/// wrappers, which enclose other operations, are annotation. All other work gets the kind that slice_kind()
/// returns for kernels.
SliceKind xla_kind(std::string_view hlo_name);

/// Returns the kind of a task on a stream of an Ascend device. Waits for events and notifications are GPU
/// waits. Event records, written values, and stream marks and control are not work. Transfers are copies, and
/// collectives that run as a kernel are communication. All other operators get the kind that slice_kind()
/// returns for kernels. The tasks of a collective are transfers by SDMA and RDMA and inline reductions. They
/// are copies, or no work if collectives are recorded separately (`apart`). (msprof: the task types of
/// ascend_task_association.cpp, and CANN's runtime.)
SliceKind ascend_kind(std::string_view task_name, bool apart = false);

/// The category of everything that Intel's unitrace records on a device.
inline constexpr std::string_view kUnitraceWork = "gpu_op";
/// Returns the kind of a slice in a trace of unitrace. `by_category` is the kind that the slice's category
/// implies. Commands of Level Zero on a device are named by their function. Copies and fills are copies;
/// barriers, events and synchronization are waits; all other commands are compute. Other names on a device
/// are names of kernels. On the host, calls of Level Zero, OpenCL and Unified Runtime are runtime calls, not
/// operators.
SliceKind unitrace_kind(SliceKind by_category, std::string_view name);

/// Returns the kind of a slice on a track with this content. `by_category` is the kind that the slice's
/// category implies.
SliceKind kind_of_content(NamedDevices::Content content, SliceKind by_category, std::string_view name);

/// Whether a name has the form of a library's functions, the library's prefix followed by a capital: "zeInit"
/// is a function of "ze", "zero_" is not.
bool is_function_of(std::string_view name, std::string_view library);

}  // namespace kino
