#include "loaders/databases/nsight_transcript.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/recorder_notes.hpp"
#include "loaders/databases/nsight_counters.hpp"
#include "loaders/databases/nsight_names.hpp"
#include "loaders/databases/nsight_samples.hpp"
#include "loaders/databases/recorded_processes.hpp"
#include "loaders/databases/recorded_ranges.hpp"
#include "loaders/databases/transcribed_rows.hpp"

namespace kino {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kMemsets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kRanges = "NVTX_EVENTS";

constexpr int kMark = 34;
constexpr int kThreadName = 39;
constexpr int kPushPop = 59;
constexpr int kStartEnd = 60;
constexpr int kPushPopAgain = 70;
constexpr int kStartEndAgain = 71;
constexpr int kDomain = 75;

class NsightTranscriber {
 public:
  NsightTranscriber(const Database& database, const Transcription& to)
      : database_(database), to_(to), out_(to.out) {}

  std::optional<Error> run() {
    read_strings();
    read_domains_and_payloads();
    out_.begin(header());
    for (const auto part :
         {&NsightTranscriber::calls, &NsightTranscriber::ranges, &NsightTranscriber::kernels,
          &NsightTranscriber::copies, &NsightTranscriber::memsets, &NsightTranscriber::graphs,
          &NsightTranscriber::waits, &NsightTranscriber::system_calls, &NsightTranscriber::overhead,
          &NsightTranscriber::metrics, &NsightTranscriber::memory, &NsightTranscriber::sampling,
          &NsightTranscriber::projections}) {
      if (stopped()) return std::nullopt;
      (this->*part)();
    }
    names();
    notes();
    return std::nullopt;
  }

 private:
  bool stopped() const { return kino::stopped(to_); }

  template <class Visit>
  void each(std::string_view table, std::initializer_list<std::string_view> columns, Visit&& visit) {
    for_each_row(database_, to_, table, columns, std::forward<Visit>(visit));
  }

  /// A row without a time is no event.
  bool timed(const DatabaseRows& rows, std::int64_t& start_ns, std::int64_t& end_ns) {
    const auto start = rows.integer(0);
    const auto end = rows.integer(1);
    if (!start || !end) {
      to_.damage.add(start ? DamageReason::no_duration : DamageReason::no_timestamp, kNoOffset, "");
      if (!start) return false;
    }
    start_ns = *start;
    end_ns = end.value_or(*start);
    first_ns_ = std::min(first_ns_, start_ns);
    return true;
  }

  // ---- Before the events
  // --------------------------------------------------------------------------------------

  void read_strings() {
    each("StringIds", {"id", "value"}, [&](const DatabaseRows& rows) {
      const auto id = rows.integer(0);
      if (!id) return;
      const std::uint32_t number =
          string_numbers_.add(static_cast<std::uint64_t>(*id), static_cast<std::uint32_t>(strings_.size()));
      if (number == strings_.size()) strings_.emplace_back();
      strings_[number].clear();
      append_escaped(strings_[number], rows.text(1));
    });
  }

  /// Escaped; empty without one.
  std::string_view string_of(std::optional<std::int64_t> id) const {
    if (!id) return {};
    const std::uint32_t number = string_numbers_.find(static_cast<std::uint64_t>(*id));
    return number == NumbersById::kNone ? std::string_view() : std::string_view(strings_[number]);
  }

  /// A text of its own, or one by number.
  std::string_view text_of(const DatabaseRows& rows, int text, int id) {
    const std::string_view own = rows.text(text);
    if (own.empty()) return string_of(rows.integer(id));
    scratch_.clear();
    append_escaped(scratch_, own);
    return scratch_;
  }

  void read_domains_and_payloads() {
    const bool payloads = database_.has("NVTX_PAYLOAD_SCHEMAS");
    each(kRanges,
         {"start", "end", "eventType", "text", "textId", "globalTid", "domainId", "jsonText", "jsonTextId"},
         [&](const DatabaseRows& rows) {
           const std::int64_t type = rows.integer_or(2, -1);
           const auto thread = static_cast<std::uint64_t>(rows.integer_or(5, 0));
           if (type == kDomain) {
             domains_[{process_key(thread), rows.integer_or(6, 0)}] = std::string(text_of(rows, 3, 4));
           }
           if (type == kThreadName) thread_names_[thread] = std::string(text_of(rows, 3, 4));
           if (!payloads || !is_range(type)) return;
           std::string_view json = rows.text(7);
           std::string decoded;
           if (json.empty()) {
             // Strings are kept escaped; a payload's quotes are all there is to undo.
             decoded = string_of(rows.integer(8));
             std::erase(decoded, '\\');
             json = decoded;
           }
           const std::optional<NcclPayload> payload = nccl_payload(json);
           if (!payload) return;
           ranks_.add(process_key(thread), *payload);
           if (payload->bytes >= 0) {
             nccl_.add({thread, rows.integer_or(0, 0), rows.integer_or(1, 0)},
                       {std::string(text_of(rows, 3, 4)), *payload});
           }
         });
    nccl_.sort();
  }

  static bool is_range(std::int64_t type) {
    return type == kPushPop || type == kStartEnd || type == kPushPopAgain || type == kStartEndAgain;
  }

  std::string header() {
    std::string members;
    each("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
         [&](const DatabaseRows& rows) { epoch_ns_ = rows.integer_or(0, 0); });
    if (epoch_ns_ > 0) members += "\"baseTimeNanoseconds\":" + std::to_string(epoch_ns_) + ",";
    members += R"("displayTimeUnit":"ms","deviceProperties":[)" + devices() + "],";
    if (const auto rank = ranks_.only_rank()) {
      members += R"("distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank->rank) +
                 ",\"world_size\":" + std::to_string(rank->ranks) + "},";
    }
    return members;
  }

  /// GPUs by the number that CUDA gives them.
  std::string devices() {
    std::map<std::int64_t, std::int64_t> gpu_of;
    each("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId"}, [&](const DatabaseRows& rows) {
      if (rows.integer(0) && rows.integer(1)) gpu_of.try_emplace(*rows.integer(1), *rows.integer(0));
    });
    std::map<std::int64_t, std::string> gpus;
    each("TARGET_INFO_GPU", {"id", "name", "totalMemory", "computeMajor", "computeMinor", "smCount"},
         [&](const DatabaseRows& rows) {
           constexpr std::size_t kMost = 1024;
           if (gpus.size() >= kMost) return;
           std::string properties = "\"name\":" + json_text(rows.text(1));
           const auto number = [&](int column, const char* key) {
             if (const auto value = rows.integer(column))
               properties += std::string(",\"") + key + "\":" + std::to_string(*value);
           };
           number(2, "totalGlobalMem");
           number(3, "computeMajor");
           number(4, "computeMinor");
           number(5, "numSms");
           gpus.emplace(rows.integer_or(0, static_cast<std::int64_t>(gpus.size())), std::move(properties));
         });
    if (gpu_of.empty()) {
      for (const auto& [id, properties] : gpus) gpu_of.emplace(id, id);
    }
    std::string list;
    for (const auto& [device, gpu] : gpu_of) {
      const auto found = gpus.find(gpu);
      if (found == gpus.end() || device < 0) continue;
      list += (list.empty() ? "{\"id\":" : ",{\"id\":") + std::to_string(device) + "," + found->second + "}";
    }
    return list;
  }

  // ---- Calls and ranges of threads
  // ------------------------------------------------------------------------------

  void calls() {
    const bool ranges = database_.has(kRanges);
    const bool classes = database_.has(kCalls, "eventClass");
    each(kCalls, {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"},
         [&](const DatabaseRows& rows) {
           std::int64_t start = 0;
           std::int64_t end = 0;
           if (!timed(rows, start, end)) return;
           const auto thread = static_cast<std::uint64_t>(rows.integer_or(3, 0));
           const std::int64_t event_class = rows.integer_or(2, 0);
           const RecordedProcesses::Thread& place = processes_.thread(thread);
           const std::string_view name = nsight_call_name(string_of(rows.integer(5)));
           out_.slice(event_class == 1 ? "cuda_driver" : "cuda_runtime", name.empty() ? "call" : name,
                      {place.pid, place.tid}, start, end);
           // Other classes repeat the ids of calls that they are about.
           const bool own = !classes || event_class == 0 || event_class == 1;
           const auto correlation = rows.integer(4);
           if (own && correlation && *correlation > 0) {
             write_correlation(place.process, *correlation);
             if (ranges) launches_.add_call(place.process, *correlation, {thread, start, end});
           }
           if (const auto result = rows.integer(6); result && *result != 0)
             out_.argument("return value", *result);
         });
  }

  /// Of several processes the ids are the same; the trace's are not.
  void write_correlation(std::uint32_t process, std::int64_t correlation) {
    const std::uint32_t number = processes_.correlation(process, correlation);
    if (number == 0) return;
    out_.argument("correlation", number);
    if (number != correlation) out_.argument("correlation in its process", correlation);
  }

  void ranges() {
    each(kRanges,
         {"start", "end", "eventType", "text", "textId", "globalTid", "domainId", "jsonText", "jsonTextId"},
         [&](const DatabaseRows& rows) {
           const std::int64_t type = rows.integer_or(2, -1);
           if (type != kMark && !is_range(type)) return;
           const auto start = rows.integer(0);
           const auto end = rows.integer(1);
           if (!start) return;
           const auto thread = static_cast<std::uint64_t>(rows.integer_or(5, 0));
           const RecordedProcesses::Thread& place = processes_.thread(thread);
           std::string_view text = text_of(rows, 3, 4);
           if (type == kMark) {
             out_.instant("nvtx_mark", text.empty() ? "mark" : text, {place.pid, place.tid}, *start);
             return;
           }
           if (!end) {
             ++open_ranges_;
             return;
           }
           first_ns_ = std::min(first_ns_, *start);
           range(type == kStartEnd || type == kStartEndAgain, {thread, *start, *end}, place, text,
                 rows.integer_or(6, 0));
           if (!rows.text(7).empty()) out_.argument_text("payload", escaped(rows.text(7)));
           if (const std::string_view json = string_of(rows.integer(8)); !json.empty())
             out_.argument_text("payload", json);
         });
  }

  std::string escaped(std::string_view text) {
    std::string out;
    append_escaped(out, text);
    return out;
  }

  void range(bool start_end, const ThreadSpan& span, const RecordedProcesses::Thread& place,
             std::string_view text, std::int64_t domain) {
    const std::optional<NvtxOperator> op = domain == 0 && !start_end ? nvtx_operator(text) : std::nullopt;
    const std::string_view name = text.empty() ? std::string_view("range") : op ? op->name : text;
    // Ranges that start and end by handle need not nest.
    std::string ranges_tid;
    if (start_end) ranges_tid = processes_.side_track(place, "NVTX ranges");
    out_.slice(op ? "cpu_op" : "user_annotation", name,
               {place.pid, start_end ? std::string_view(ranges_tid) : std::string_view(place.tid)},
               span.start_ns, span.end_ns);
    full_.clear();
    full_.append(domain_of(process_key(span.thread), domain)).append(":").append(text);
    out_.argument_text(start_end ? "NVTX start/end" : "NVTX push/pop", full_);
    if (!op) {
      if (launches_.any_calls()) annotations_.push_back({span, annotation_name(name)});
      return;
    }
    if (op->id) out_.argument("External id", *op->id);
    if (op->sequence) {
      out_.argument("Sequence number", *op->sequence);
      // Autograd names what it runs backward after what ran forward.
      if (contains(op->name, "Backward")) out_.argument("Fwd thread id", 1);
    }
    if (!op->sizes.empty()) out_.argument_json("Input Dims", op->sizes);
  }

  std::uint32_t annotation_name(std::string_view name) {
    const auto [place, fresh] = annotation_numbers_.try_emplace(
        std::string(name), static_cast<std::uint32_t>(annotation_names_.size()));
    if (fresh) annotation_names_.push_back(&place->first);
    return place->second;
  }

  std::string domain_of(std::uint64_t process, std::int64_t domain) const {
    if (domain == 0) return {};
    const auto found = domains_.find({process, domain});
    return found == domains_.end() ? "domain " + std::to_string(domain) : found->second;
  }

  // ---- The GPUs
  // ---------------------------------------------------------------------------------------------------

  struct GpuPlace {
    std::uint32_t process = 0;
    std::uint32_t stream = 0;
    EventPlace place;
  };

  GpuPlace gpu_place(const DatabaseRows& rows, int device, int stream, int global_pid) {
    const std::uint32_t process =
        rows.integer(global_pid) ? processes_.process(static_cast<std::uint64_t>(*rows.integer(global_pid)))
                                 : processes_.only_process();
    const std::uint32_t number =
        processes_.stream(process, rows.integer_or(device, 0), rows.integer_or(stream, 0));
    return {process, number, processes_.stream_place(number)};
  }

  void work_arguments(const DatabaseRows& rows, const GpuPlace& gpu, const ThreadSpan& span, int device,
                      int context, int stream, int correlation) {
    for (const auto& [column, key] :
         {std::pair(device, "device"), {context, "context"}, {stream, "stream"}}) {
      if (const auto value = rows.integer(column)) out_.argument(key, *value);
    }
    const auto id = rows.integer(correlation);
    if (!id || *id <= 0) return;
    write_correlation(gpu.process, *id);
    launches_.add_work(gpu.process, *id, {gpu.stream, span.start_ns, span.end_ns});
  }

  void kernels() {
    each(kKernels,
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
           if (!timed(rows, start, end)) return;
           const std::string_view short_name = string_of(rows.integer(8));
           std::string_view name = string_of(rows.integer(7));
           if (name.empty()) name = short_name.empty() ? string_of(rows.integer(9)) : short_name;
           const GpuPlace gpu = gpu_place(rows, 2, 4, 6);
           out_.slice("kernel", name.empty() ? "kernel" : name, gpu.place, start, end);
           work_arguments(rows, gpu, {0, start, end}, 2, 3, 4, 5);
           if (rows.integer(16)) out_.argument("registers per thread", *rows.integer(16));
           if (rows.integer(17) || rows.integer(18))
             out_.argument("shared memory", saturating_add(rows.integer_or(17, 0), rows.integer_or(18, 0)));
           triple(rows, "grid", 10);
           triple(rows, "block", 13);
           if (!short_name.empty()) out_.argument_text("Short name", short_name);
           for (const auto& [column, key] : {std::pair(19, "graph id"), {20, "graph node id"}}) {
             if (const auto value = rows.integer(column); value && *value != 0) out_.argument(key, *value);
           }
           if (name.starts_with("nccl")) collective(gpu.process, rows.integer_or(5, 0));
         });
  }

  void triple(const DatabaseRows& rows, std::string_view key, int column) {
    if (!rows.integer(column)) return;
    std::string json = "[";
    for (int i = 0; i < 3; ++i) json += (i > 0 ? "," : "") + std::to_string(rows.integer_or(column + i, 1));
    out_.argument_json(key, json + "]");
  }

  /// What NCCL said of the call that launched it.
  void collective(std::uint32_t process, std::int64_t correlation) {
    const ThreadSpan* const call = launches_.call(process, correlation);
    const NcclCalls::Call* const said = call == nullptr ? nullptr : nccl_.around(*call);
    if (said == nullptr) return;
    std::string operation = said->name.starts_with("nccl") ? said->name.substr(4) : said->name;
    const std::int64_t ranks = ranks_.ranks_of(process_key(call->thread), said->payload.communicator);
    const std::int64_t bytes = said->payload.bytes;
    const bool spreads =
        ranks > 0 && bytes <= std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(ranks, 1);
    out_.argument_text("Collective name", operation);
    // NCCL tells bytes, not elements: of one rank, for an all-gather what it sends, for a reduce-scatter what
    // it gets.
    out_.argument("In msg nelems", spreads && operation == "ReduceScatter" ? bytes * ranks : bytes);
    out_.argument("Out msg nelems", spreads && operation == "AllGather" ? bytes * ranks : bytes);
    out_.argument_text("dtype", "Byte");
    out_.argument_text("Process Group Name", said->payload.communicator);
    if (ranks > 0) out_.argument("Group size", ranks);
  }

  void copies() {
    each(kCopies,
         {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes",
          "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId"},
         [&](const DatabaseRows& rows) {
           const std::string name =
               nsight_copy_name(rows.integer_or(8, 0), rows.integer_or(9, -1), rows.integer_or(10, -1));
           if (!transfer(rows, "gpu_memcpy", name)) return;
           if (rows.integer(11)) out_.argument("fromDevice", *rows.integer(11));
           if (rows.integer(12)) out_.argument("toDevice", *rows.integer(12));
         });
  }

  void memsets() {
    each(kMemsets,
         {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes",
          "memKind"},
         [&](const DatabaseRows& rows) {
           transfer(rows, "gpu_memset", nsight_memset_name(rows.integer_or(8, -1)));
         });
  }

  bool transfer(const DatabaseRows& rows, std::string_view category, const std::string& name) {
    std::int64_t start = 0;
    std::int64_t end = 0;
    if (!timed(rows, start, end)) return false;
    const GpuPlace gpu = gpu_place(rows, 2, 4, 6);
    out_.slice(category, name, gpu.place, start, end);
    work_arguments(rows, gpu, {0, start, end}, 2, 3, 4, 5);
    const auto bytes = rows.integer(7);
    if (!bytes) return true;
    out_.argument("bytes", *bytes);
    if (end > start) {
      out_.argument_number(
          "memory bandwidth (GB/s)",
          static_cast<double>(*bytes) / (static_cast<double>(end) - static_cast<double>(start)));
    }
    return true;
  }

  void graphs() {
    each(kGraphs,
         {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphId",
          "graphExecId"},
         [&](const DatabaseRows& rows) {
           std::int64_t start = 0;
           std::int64_t end = 0;
           if (!timed(rows, start, end)) return;
           const GpuPlace gpu = gpu_place(rows, 2, 4, 6);
           std::string name = "CUDA graph " + std::to_string(rows.integer_or(7, 0));
           if (rows.integer(8)) name += " / " + std::to_string(*rows.integer(8));
           out_.slice("cuda_graph", name, gpu.place, start, end);
           work_arguments(rows, gpu, {0, start, end}, 2, 3, 4, 5);
           ++whole_graphs_;
         });
  }

  void waits() {
    each(kWaits,
         {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "syncType",
          "eventId"},
         [&](const DatabaseRows& rows) {
           constexpr std::int64_t kNone = std::numeric_limits<std::uint32_t>::max();
           std::int64_t start = 0;
           std::int64_t end = 0;
           if (!timed(rows, start, end)) return;
           const bool of_stream = rows.integer_or(4, kNone) != kNone;
           const GpuPlace gpu = gpu_place(rows, 2, 4, 6);
           out_.slice("cuda_sync", nsight_sync_name(rows.integer_or(7, 0)),
                      of_stream ? gpu.place : EventPlace{gpu.place.pid, "-1"}, start, end);
           if (of_stream) out_.argument("stream", *rows.integer(4));
           if (rows.integer(5).value_or(0) > 0) write_correlation(gpu.process, *rows.integer(5));
           if (rows.integer_or(8, kNone) != kNone) out_.argument("wait_on_cuda_event_id", *rows.integer(8));
         });
  }

  // ---- The rest of the machine
  // ------------------------------------------------------------------------------------

  void beside(std::string_view table, std::string_view category, std::string_view title) {
    each(table, {"start", "end", "globalTid", "nameId"}, [&](const DatabaseRows& rows) {
      std::int64_t start = 0;
      std::int64_t end = 0;
      if (!timed(rows, start, end)) return;
      const auto& place = processes_.thread(static_cast<std::uint64_t>(rows.integer_or(2, 0)));
      const std::string_view name = string_of(rows.integer(3));
      out_.slice(category, name.empty() ? title : name, {place.pid, processes_.side_track(place, title)},
                 start, end);
    });
  }

  void system_calls() { beside("OSRT_API", "os_runtime", "OS runtime"); }
  void overhead() {
    beside("CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", "overhead");
    beside("PROFILER_OVERHEAD", "overhead", "overhead");
  }

  void metrics() { unnamed_metrics_ = transcribe_metrics(database_, to_); }
  void memory() { transcribe_device_memory(database_, to_, processes_); }

  /// After all that has threads: those on CPUs are of the whole machine.
  void sampling() {
    stacks_ =
        transcribe_samples(database_, to_, processes_, [this](std::int64_t id) { return string_of(id); });
    if (!stopped()) turns_ = transcribe_turns(database_, to_, processes_);
  }

  /// Where on the GPUs the work of a range ran: one slice a stream.
  void projections() {
    if (annotations_.empty() || launches_.empty()) return;
    launches_.sort();
    std::uint64_t count = 0;
    for (const Annotation& it : annotations_) {
      if (++count % 1024 == 0 && stopped()) return;
      launches_.for_each_stream(it.span, to_.stop,
                                [&](std::uint32_t stream, std::int64_t start, std::int64_t end) {
                                  out_.slice("gpu_user_annotation", *annotation_names_[it.name],
                                             processes_.stream_place(stream), start, end);
                                });
    }
  }

  void names() {
    each("ThreadNames", {"nameId", "globalTid"}, [&](const DatabaseRows& rows) {
      thread_names_.try_emplace(static_cast<std::uint64_t>(rows.integer_or(1, 0)),
                                string_of(rows.integer(0)));
    });
    std::map<std::uint64_t, std::string> process_names;
    each("PROCESSES", {"globalPid", "name"}, [&](const DatabaseRows& rows) {
      if (rows.integer(0)) {
        process_names.try_emplace(process_key(static_cast<std::uint64_t>(*rows.integer(0))),
                                  escaped(rows.text(1)));
      }
    });
    processes_.write_names(out_, thread_names_, process_names);
  }

  void note(std::string_view escaped_text) {
    const std::int64_t time = first_ns_ == std::numeric_limits<std::int64_t>::max() ? 0 : first_ns_;
    if (!escaped_text.empty())
      out_.instant(kRecorderNote, escaped_text, {"\"Nsight Systems\"", "\"notes\""}, time);
  }

  void notes() {
    constexpr std::int64_t kWarning = 2;
    constexpr std::int64_t kError = 3;
    constexpr std::size_t kMost = 50;
    std::set<std::string> said;
    each("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const DatabaseRows& rows) {
      const std::int64_t severity = rows.integer_or(0, 0);
      std::string text = escaped(rows.text(1));
      const bool lost = contains(text, "might have been") || contains(text, "dropped") ||
                        contains(text, "might be missing");
      if ((severity != kWarning && severity != kError && !lost) || said.size() >= kMost) return;
      if (said.insert(text).second) note(text);
    });
    if (epoch_ns_ <= 0)
      note("The recording does not say when it was made: times are those of its own clock.");
    if (!database_.has(kKernels)) note("The recording has no kernels.");
    if (whole_graphs_ > 0) {
      note(
          "Whole CUDA graphs were recorded, not the kernels in them (record with --cuda-graph-trace=node to "
          "have those).");
    }
    if (open_ranges_ > 0) note(grouped(open_ranges_) + " NVTX ranges without an end are left out.");
    if (unnamed_metrics_ > 0)
      note(grouped(unnamed_metrics_) + " values of GPU metrics without a name are left out.");
    if (stacks_.samples > 0) {
      note(grouped(stacks_.samples) + " CPU samples, typically one each " +
           text_from_duration(stacks_.typical_gap_ns) +
           ": how long frames are is an estimate, to the next sample.");
    }
    if (stacks_.without_stack > 0)
      note(grouped(stacks_.without_stack) + " CPU samples without a stack are left out.");
    if (stacks_.too_deep > 0) {
      note("Of " + grouped(stacks_.too_deep) + " CPU samples only the innermost 256 frames are shown.");
    }
    if (turns_.other_threads > 0) {
      note("When threads were on a CPU is left out for " + grouped(turns_.other_threads) +
           " threads that have no other event.");
    }
    if (turns_.unpaired > 0) {
      note(grouped(turns_.unpaired) + " changes of threads on CPUs have no partner and are left out.");
    }
  }

  struct Annotation {
    ThreadSpan span;
    std::uint32_t name = 0;
  };

  const Database& database_;
  const Transcription& to_;
  TranscriptWriter& out_;
  NumbersById string_numbers_;
  std::vector<std::string> strings_;  // escaped
  std::map<std::pair<std::uint64_t, std::int64_t>, std::string> domains_;
  std::map<std::uint64_t, std::string> thread_names_;
  RecordedProcesses processes_;
  RecordedLaunches launches_;
  NcclCalls nccl_;
  NcclRanks ranks_;
  std::vector<Annotation> annotations_;
  std::unordered_map<std::string, std::uint32_t> annotation_numbers_;
  std::vector<const std::string*> annotation_names_;
  std::string scratch_;
  std::string full_;
  std::int64_t epoch_ns_ = 0;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::uint64_t whole_graphs_ = 0;
  std::uint64_t open_ranges_ = 0;
  std::uint64_t unnamed_metrics_ = 0;
  SampledStacks stacks_;
  ThreadTurns turns_;
};

}  // namespace

bool is_nsight(const Database& database) {
  return std::ranges::any_of(database.tables(), [](const Database::TableInfo& table) {
    return table.name.starts_with("CUPTI_ACTIVITY_KIND_") || table.name == kRanges ||
           table.name == "OSRT_API" || table.name == "META_DATA_EXPORT" || table.name == "EXPORT_META_DATA";
  });
}

std::optional<Error> transcribe_nsight(const Database& database, const Transcription& to) {
  return NsightTranscriber(database, to).run();
}

}  // namespace kino
