#include "loaders/formats/databases/nsight_gpu_work.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/trace/event_facts.hpp"
#include "loaders/formats/databases/nsight_names.hpp"

namespace kino {
namespace {

constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kMemsets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

class NsightGpuWork {
 public:
  explicit NsightGpuWork(NsightRecording& recording)
      : recording_(recording), strings_(recording.strings), out_(recording.out()) {}

  std::uint64_t run() {
    for (const auto part : {&NsightGpuWork::kernels, &NsightGpuWork::copies, &NsightGpuWork::memsets,
                            &NsightGpuWork::graphs, &NsightGpuWork::contexts, &NsightGpuWork::waits}) {
      if (stopped(recording_.to)) break;
      (this->*part)();
    }
    return whole_graphs_;
  }

 private:
  struct GpuPlace {
    std::uint32_t process = 0;
    std::uint32_t stream = 0;
    EventPlace place;
  };

  // Returns the device and stream of a row, and records the device of its context. In the column lists of GPU
  // work, index 2 is the device, 3 the context, 4 the stream and 6 the process.
  GpuPlace gpu_place(const DatabaseRows& rows) {
    const std::int64_t device = rows.integer_or(2, 0);
    if (const auto context = rows.integer(3)) {
      const Context key{process_key(static_cast<std::uint64_t>(rows.integer_or(6, 0))), *context};
      if (key != last_context_) devices_.insert_or_assign(last_context_ = key, device);
    }
    return gpu_place(rows, device);
  }

  GpuPlace gpu_place(const DatabaseRows& rows, std::int64_t device) {
    RecordedProcesses& processes = recording_.processes;
    const auto global_id = rows.integer(6);
    const std::uint32_t process =
        global_id ? processes.process(static_cast<std::uint64_t>(*global_id)) : processes.only_process();
    const std::uint32_t number = processes.stream(process, device, rows.integer_or(4, 0));
    return {process, number, processes.stream_place(number)};
  }

  /// Returns the device of a wait's context if known: the table itself reports device 0 for every wait.
  std::int64_t device_of_wait(const DatabaseRows& rows) const {
    const auto found = devices_.find(
        {process_key(static_cast<std::uint64_t>(rows.integer_or(6, 0))), rows.integer_or(3, -1)});
    return found == devices_.end() ? rows.integer_or(2, 0) : found->second;
  }

  /// Adds the devices of contexts in which no work ran. Exports have this table since schema 3.13.
  void contexts() {
    recording_.each(
        "TARGET_INFO_CUDA_CONTEXT_INFO", {"hwId", "vmId", "processId", "contextId", "deviceId"},
        [&](const DatabaseRows& rows) {
          const auto part = [&](int column) {
            return static_cast<std::uint64_t>(rows.integer_or(column, 0));
          };
          const Context context{part(0) << 32U | part(1) << 24U | part(2), rows.integer_or(3, -1)};
          if (const auto device = rows.integer(4)) devices_.try_emplace(context, *device);
        });
  }

  void work_arguments(const DatabaseRows& rows, const GpuPlace& gpu, const ThreadSpan& span, int device,
                      int context, int stream, int correlation) {
    for (const auto& [column, key] :
         {std::pair(device, "device"), {context, "context"}, {stream, "stream"}}) {
      if (const auto value = rows.integer(column)) out_.argument(key, *value);
    }
    const auto id = rows.integer(correlation);
    if (!id || *id <= 0) return;
    recording_.write_correlation(gpu.process, *id);
    recording_.launches.add_work(gpu.process, *id, {gpu.stream, span.start_ns, span.end_ns});
  }

  void kernels() {
    recording_.each(kNsightKernels,
                    {"start",
                     "end",
                     "deviceId",
                     "contextId",
                     "streamId",
                     "correlationId",
                     "globalPid",
                     "demangledName",
                     "shortName",
                     "mangledName",
                     "gridX",
                     "gridY",
                     "gridZ",
                     "blockX",
                     "blockY",
                     "blockZ",
                     "registersPerThread",
                     "staticSharedMemory",
                     "dynamicSharedMemory",
                     "graphId",
                     "graphNodeId"},
                    [&](const DatabaseRows& rows) {
                      std::int64_t start = 0;
                      std::int64_t end = 0;
                      if (!recording_.timed(rows, start, end)) return;
                      const NsightStrings::Name short_name = strings_.name(rows.integer(8));
                      NsightStrings::Name name = strings_.name(rows.integer(7));
                      if (name.text.empty())
                        name = short_name.text.empty() ? strings_.name(rows.integer(9)) : short_name;
                      if (name.text.empty()) name = {"kernel"};
                      const GpuPlace gpu = gpu_place(rows);
                      out_.slice("kernel", name.text, gpu.place, start, end, name.number);
                      work_arguments(rows, gpu, {0, start, end}, 2, 3, 4, 5);
                      if (const auto registers = rows.integer(16))
                        out_.argument("registers per thread", *registers);
                      const auto fixed = rows.integer(17);
                      const auto dynamic = rows.integer(18);
                      if (fixed || dynamic) {
                        out_.argument("shared memory",
                                      saturating_add(fixed.value_or(0), dynamic.value_or(0)));
                      }
                      triple(rows, "grid", 10);
                      triple(rows, "block", 13);
                      if (!short_name.text.empty()) out_.argument_text("Short name", short_name.text);
                      for (const auto& [column, key] : {std::pair(19, "graph id"), {20, "graph node id"}}) {
                        if (const auto value = rows.integer(column); value && *value != 0)
                          out_.argument(key, *value);
                      }
                      if (name.text.starts_with("nccl")) collective(gpu.process, rows.integer_or(5, 0));
                    });
  }

  void triple(const DatabaseRows& rows, std::string_view key, int column) {
    const auto first = rows.integer(column);
    if (!first) return;
    std::array<char, 80> json{};
    char* at = json.data();
    for (const std::int64_t value :
         {*first, rows.integer_or(column + 1, 1), rows.integer_or(column + 2, 1)}) {
      *at = at == json.data() ? '[' : ',';
      at = std::to_chars(at + 1, json.data() + json.size(), value).ptr;
    }
    *at++ = ']';
    out_.argument_json(key, {json.data(), static_cast<std::size_t>(at - json.data())});
  }

  /// Adds arguments from the NCCL call that launched the kernel.
  void collective(std::uint32_t process, std::int64_t correlation) {
    const ThreadSpan* const call = recording_.launches.call(process, correlation);
    const NcclCalls::Call* const nccl_call = call == nullptr ? nullptr : recording_.nccl.around(*call);
    if (nccl_call == nullptr) return;
    std::string operation = nccl_call->name.starts_with("nccl") ? nccl_call->name.substr(4) : nccl_call->name;
    const std::int64_t ranks =
        recording_.ranks.ranks_of(process_key(call->thread), nccl_call->payload.communicator);
    const std::int64_t bytes = nccl_call->payload.bytes;
    const bool spreads =
        ranks > 0 && bytes <= std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(ranks, 1);
    out_.argument_text("Collective name", operation);
    // NCCL reports the bytes per rank (not elements) that are sent for an all-gather, and received for a
    // reduce-scatter.
    out_.argument("In msg nelems", spreads && operation == "ReduceScatter" ? bytes * ranks : bytes);
    out_.argument("Out msg nelems", spreads && operation == "AllGather" ? bytes * ranks : bytes);
    out_.argument_text("dtype", kOnlyBytes);
    out_.argument_text("Process Group Name", nccl_call->payload.communicator);
    if (ranks > 0) out_.argument("Group size", ranks);
  }

  void copies() {
    recording_.each(kCopies,
                    {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
                     "bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId"},
                    [&](const DatabaseRows& rows) {
                      const std::string name = nsight_copy_name(rows.integer_or(8, 0), rows.integer_or(9, -1),
                                                                rows.integer_or(10, -1));
                      if (!transfer(rows, "gpu_memcpy", name)) return;
                      if (const auto from = rows.integer(11)) out_.argument("fromDevice", *from);
                      if (const auto target = rows.integer(12)) out_.argument("toDevice", *target);
                    });
  }

  void memsets() {
    recording_.each(kMemsets,
                    {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
                     "bytes", "memKind"},
                    [&](const DatabaseRows& rows) {
                      transfer(rows, "gpu_memset", nsight_memset_name(rows.integer_or(8, -1)));
                    });
  }

  bool transfer(const DatabaseRows& rows, std::string_view category, const std::string& name) {
    std::int64_t start = 0;
    std::int64_t end = 0;
    if (!recording_.timed(rows, start, end)) return false;
    const GpuPlace gpu = gpu_place(rows);
    out_.slice(category, name, gpu.place, start, end);
    work_arguments(rows, gpu, {0, start, end}, 2, 3, 4, 5);
    if (const auto bytes = rows.integer(7)) write_copy_size(out_, *bytes, start, end);
    return true;
  }

  void graphs() {
    recording_.each(kGraphs,
                    {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
                     "graphId", "graphExecId"},
                    [&](const DatabaseRows& rows) {
                      std::int64_t start = 0;
                      std::int64_t end = 0;
                      if (!recording_.timed(rows, start, end)) return;
                      const GpuPlace gpu = gpu_place(rows);
                      std::string name = "CUDA graph " + std::to_string(rows.integer_or(7, 0));
                      if (rows.integer(8)) name += " / " + std::to_string(*rows.integer(8));
                      out_.slice("cuda_graph", name, gpu.place, start, end);
                      work_arguments(rows, gpu, {0, start, end}, 2, 3, 4, 5);
                      ++whole_graphs_;
                    });
  }

  void waits() {
    recording_.each(kWaits,
                    {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
                     "syncType", "eventId"},
                    [&](const DatabaseRows& rows) {
                      constexpr std::int64_t kNone = std::numeric_limits<std::uint32_t>::max();
                      std::int64_t start = 0;
                      std::int64_t end = 0;
                      if (!recording_.timed(rows, start, end)) return;
                      const bool of_stream = rows.integer_or(4, kNone) != kNone;
                      const GpuPlace gpu = gpu_place(rows, device_of_wait(rows));
                      out_.slice("cuda_sync", nsight_sync_name(rows.integer_or(7, 0)),
                                 of_stream ? gpu.place : EventPlace{gpu.place.pid, "-1"}, start, end);
                      if (of_stream) out_.argument("stream", *rows.integer(4));
                      if (const auto id = rows.integer_or(5, 0); id > 0)
                        recording_.write_correlation(gpu.process, id);
                      if (const auto event = rows.integer_or(8, kNone); event != kNone)
                        out_.argument("wait_on_cuda_event_id", event);
                    });
  }

  NsightRecording& recording_;
  const NsightStrings& strings_;
  ImportWriter& out_;
  using Context = std::pair<std::uint64_t, std::int64_t>;  // process_key() and context id
  std::map<Context, std::int64_t> devices_;
  Context last_context_{0, -1};
  std::uint64_t whole_graphs_ = 0;
};

}  // namespace

std::uint64_t transcribe_gpu_work(NsightRecording& recording) { return NsightGpuWork(recording).run(); }

}  // namespace kino
