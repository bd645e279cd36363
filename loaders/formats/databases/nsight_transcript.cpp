#include "loaders/formats/databases/nsight_transcript.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/recorder_notes.hpp"
#include "loaders/formats/databases/nsight_counters.hpp"
#include "loaders/formats/databases/nsight_gpu_work.hpp"
#include "loaders/formats/databases/nsight_names.hpp"
#include "loaders/formats/databases/nsight_recording.hpp"
#include "loaders/formats/databases/nsight_samples.hpp"

namespace kino {
namespace {

constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
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
      : database_(database), to_(to), out_(to.out), recording_{.database = database, .to = to} {}

  std::optional<Error> run() {
    strings_.read(database_, to_);
    read_domains_and_payloads();
    out_.begin(header());
    for (const auto part :
         {&NsightTranscriber::calls, &NsightTranscriber::ranges, &NsightTranscriber::gpu_work,
          &NsightTranscriber::system_calls, &NsightTranscriber::overhead, &NsightTranscriber::metrics,
          &NsightTranscriber::memory, &NsightTranscriber::sampling, &NsightTranscriber::projections}) {
      if (stopped()) return std::nullopt;
      (this->*part)();
    }
    names();
    notes();
    return std::nullopt;
  }

 private:
  bool stopped() const { return kino::stopped(to_); }

  // ---- Before the events

  /// Returns the text of column `text`, or the string whose id is in column `id`, escaped; valid until the
  /// next call.
  std::string_view text_of(const DatabaseRows& rows, int text, int id) {
    const std::string_view own = rows.text(text);
    if (own.empty()) return strings_[rows.integer(id)];
    scratch_.clear();
    append_escaped(scratch_, own);
    return scratch_;
  }

  void read_domains_and_payloads() {
    const bool payloads = database_.has("NVTX_PAYLOAD_SCHEMAS");
    RowsWith filter{.column = "eventType", .values = {kThreadName, kDomain}};
    if (payloads) filter.or_any = {"jsonText", "jsonTextId"};
    recording_.each(
        kRanges,
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
            // Strings are stored escaped. In a payload, only quotes are escaped, so removing backslashes
            // decodes it.
            decoded = strings_[rows.integer(8)];
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
        },
        filter);
    nccl_.sort();
  }

  static bool is_range(std::int64_t type) {
    return type == kPushPop || type == kStartEnd || type == kPushPopAgain || type == kStartEndAgain;
  }

  std::string header() {
    std::string members;
    recording_.each("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                    [&](const DatabaseRows& rows) { epoch_ns_ = rows.integer_or(0, 0); });
    if (epoch_ns_ > 0) members += "\"baseTimeNanoseconds\":" + std::to_string(epoch_ns_) + ",";
    members += R"("displayTimeUnit":"ms","deviceProperties":[)" + devices() + "],";
    if (const auto rank = ranks_.only_rank()) {
      members += R"("distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank->rank) +
                 ",\"world_size\":" + std::to_string(rank->ranks) + "},";
    }
    return members;
  }

  /// Returns the GPUs as elements of a JSON array; "id" is CUDA's device index.
  std::string devices() {
    std::map<std::int64_t, std::int64_t> gpu_of;
    recording_.each("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId"}, [&](const DatabaseRows& rows) {
      if (rows.integer(0) && rows.integer(1)) gpu_of.try_emplace(*rows.integer(1), *rows.integer(0));
    });
    std::map<std::int64_t, std::string> gpus;
    recording_.each(
        "TARGET_INFO_GPU", {"id", "name", "totalMemory", "computeMajor", "computeMinor", "smCount"},
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

  void calls() {
    const bool ranges = database_.has(kRanges);
    const bool classes = database_.has(kCalls, "eventClass");
    recording_.each(kCalls,
                    {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"},
                    [&](const DatabaseRows& rows) {
                      std::int64_t start = 0;
                      std::int64_t end = 0;
                      if (!recording_.timed(rows, start, end)) return;
                      const auto thread = static_cast<std::uint64_t>(rows.integer_or(3, 0));
                      const std::int64_t event_class = rows.integer_or(2, 0);
                      const RecordedProcesses::Thread& place = processes_.thread(thread);
                      const std::string_view name = nsight_call_name(strings_[rows.integer(5)]);
                      out_.slice(event_class == 1 ? "cuda_driver" : "cuda_runtime",
                                 name.empty() ? "call" : name, {place.pid, place.tid}, start, end);
                      // Events of other classes repeat the ids of the calls that they describe.
                      const bool own = !classes || event_class == 0 || event_class == 1;
                      const auto correlation = rows.integer(4);
                      if (own && correlation && *correlation > 0) {
                        recording_.write_correlation(place.process, *correlation);
                        if (ranges) launches_.add_call(place.process, *correlation, {thread, start, end});
                      }
                      if (const auto result = rows.integer(6); result && *result != 0)
                        out_.argument("return value", *result);
                    });
  }

  void ranges() {
    recording_.each(
        kRanges,
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
          recording_.first_ns = std::min(recording_.first_ns, *start);
          range(type == kStartEnd || type == kStartEndAgain, {thread, *start, *end}, place, text,
                rows.integer_or(6, 0));
          if (const std::string_view json = rows.text(7); !json.empty())
            out_.argument_text("payload", json_escaped(json));
          if (const std::string_view json = strings_[rows.integer(8)]; !json.empty())
            out_.argument_text("payload", json);
        });
  }

  void range(bool start_end, const ThreadSpan& span, const RecordedProcesses::Thread& place,
             std::string_view text, std::int64_t domain) {
    const std::optional<NvtxOperator> op = domain == 0 && !start_end ? nvtx_operator(text) : std::nullopt;
    const std::string_view name = text.empty() ? std::string_view("range") : op ? op->name : text;
    // Ranges that are started and ended by handle need not nest, so they get a separate track.
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
      // Marks backward operators, whose names from autograd contain "Backward".
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

  // ---- The rest of the machine

  void beside(std::string_view table, std::string_view category, std::string_view title) {
    recording_.each(table, {"start", "end", "globalTid", "nameId"}, [&](const DatabaseRows& rows) {
      std::int64_t start = 0;
      std::int64_t end = 0;
      if (!recording_.timed(rows, start, end)) return;
      const auto& place = processes_.thread(static_cast<std::uint64_t>(rows.integer_or(2, 0)));
      const std::string_view name = strings_[rows.integer(3)];
      out_.slice(category, name.empty() ? title : name, {place.pid, processes_.side_track(place, title)},
                 start, end);
    });
  }

  void system_calls() { beside("OSRT_API", "os_runtime", "OS runtime"); }
  void overhead() {
    beside("CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", "overhead");
    beside("PROFILER_OVERHEAD", "overhead", "overhead");
  }

  void gpu_work() { whole_graphs_ = transcribe_gpu_work(recording_); }
  void metrics() { unnamed_metrics_ = transcribe_metrics(database_, to_); }
  void memory() { transcribe_device_memory(database_, to_, processes_); }

  /// Runs after all tables with threads were read: SCHED_EVENTS contains threads of the whole machine.
  void sampling() {
    stacks_ =
        transcribe_samples(database_, to_, processes_, [this](std::int64_t id) { return strings_[id]; });
    if (!stopped()) turns_ = import_sched_slices(database_, to_, processes_);
  }

  /// Writes the GPU work launched in each range that is not an operator, as one slice per stream.
  void projections() {
    if (annotations_.empty() || launches_.empty()) return;
    launches_.sort();
    std::uint64_t count = 0;
    for (const Annotation& annotation : annotations_) {
      if (++count % 1024 == 0 && stopped()) return;
      launches_.for_each_stream(annotation.span, to_.stop,
                                [&](std::uint32_t stream, std::int64_t start, std::int64_t end) {
                                  out_.slice("gpu_user_annotation", *annotation_names_[annotation.name],
                                             processes_.stream_place(stream), start, end);
                                });
    }
  }

  void names() {
    recording_.each("ThreadNames", {"nameId", "globalTid"}, [&](const DatabaseRows& rows) {
      thread_names_.try_emplace(static_cast<std::uint64_t>(rows.integer_or(1, 0)), strings_[rows.integer(0)]);
    });
    std::map<std::uint64_t, std::string> process_names;
    recording_.each("PROCESSES", {"globalPid", "name"}, [&](const DatabaseRows& rows) {
      if (rows.integer(0)) {
        process_names.try_emplace(process_key(static_cast<std::uint64_t>(*rows.integer(0))),
                                  json_escaped(rows.text(1)));
      }
    });
    processes_.write_names(out_, thread_names_, process_names);
  }

  /// Messages contain no characters that JSON escapes.
  void note(const Message& message) { note(message.str()); }
  void note(const std::string& escaped_text) {
    const std::int64_t time =
        recording_.first_ns == std::numeric_limits<std::int64_t>::max() ? 0 : recording_.first_ns;
    if (!escaped_text.empty())
      out_.instant(kRecorderNote, escaped_text, {"\"Nsight Systems\"", "\"notes\""}, time);
  }

  /// Writes the recorder's warnings and errors, and its other messages on lost data: each distinct text once
  /// (at most kMost), with the processes that it concerns. Most texts concern a launcher or a helper, not the
  /// whole recording.
  void warnings() {
    constexpr std::int64_t kWarning = 2;
    constexpr std::int64_t kError = 3;
    constexpr std::size_t kMost = 50;
    using Warning = std::pair<std::string, std::set<std::uint64_t>>;
    std::vector<Warning> warnings;
    recording_.each("DIAGNOSTIC_EVENT", {"severity", "text", "globalPid"}, [&](const DatabaseRows& rows) {
      const std::int64_t severity = rows.integer_or(0, 0);
      std::string text = json_escaped(rows.text(1));
      const bool lost = contains(text, "might have been") || contains(text, "dropped") ||
                        contains(text, "might be missing");
      if (severity != kWarning && severity != kError && !lost) return;
      auto found = std::ranges::find(warnings, text, &Warning::first);
      if (found == warnings.end()) {
        if (warnings.size() >= kMost) return;
        found = warnings.emplace(found, std::move(text), std::set<std::uint64_t>());
      }
      // Excludes the recorder itself, which is a process with a negative id or pid 0.
      if (const std::int64_t id = rows.integer_or(2, 0); id > 0 && pid_of(static_cast<std::uint64_t>(id)) > 0)
        found->second.insert(process_key(static_cast<std::uint64_t>(id)));
    });
    for (const auto& [text, processes] : warnings) note(std::string(text + process_list(processes)));
  }

  /// Returns a text such as " (processes 12, 13, 14 and 4 more)".
  static std::string process_list(const std::set<std::uint64_t>& processes) {
    constexpr std::size_t kShown = 3;
    if (processes.empty()) return {};
    std::string text = processes.size() > 1 ? " (processes " : " (process ";
    std::size_t shown = 0;
    for (const std::uint64_t key : processes) {
      if (shown < kShown) text += (shown > 0 ? ", " : "") + std::to_string(pid_of(key << 24U));
      ++shown;
    }
    if (shown > kShown) text += " and " + std::to_string(shown - kShown) + " more";
    return text + ")";
  }

  void notes() {
    warnings();
    if (epoch_ns_ <= 0) note(msg::recording_without_date);
    if (!database_.has(kNsightKernels)) note(msg::the_recording_has_no_kernels);
    if (whole_graphs_ > 0) note(msg::whole_cuda_graphs_were_recorded_not);
    const auto counted = [&](msg::Id id, std::uint64_t count) {
      if (count > 0) note({id, grouped(count)});
    };
    counted(msg::nvtx_ranges_without_an_end_are, open_ranges_);
    counted(msg::values_of_gpu_metrics_without_a, unnamed_metrics_);
    if (stacks_.samples > 0) {
      note({msg::cpu_samples_typically_one_each_how, grouped(stacks_.samples),
            text_from_duration(stacks_.typical_gap_ns)});
    }
    counted(msg::cpu_samples_without_a_stack_are, stacks_.without_stack);
    counted(msg::innermost_frames_only, stacks_.too_deep);
    counted(msg::scheduling_of_threads_skipped, turns_.other_threads);
    counted(msg::context_switches_skipped, turns_.unpaired);
  }

  struct Annotation {
    ThreadSpan span;
    std::uint32_t name = 0;
  };

  const Database& database_;
  const Transcription& to_;
  ImportWriter& out_;
  NsightRecording recording_;
  NsightStrings& strings_ = recording_.strings;
  RecordedProcesses& processes_ = recording_.processes;
  RecordedLaunches& launches_ = recording_.launches;
  NcclCalls& nccl_ = recording_.nccl;
  NcclRanks& ranks_ = recording_.ranks;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::string> domains_;
  std::map<std::uint64_t, std::string> thread_names_;
  std::vector<Annotation> annotations_;
  std::unordered_map<std::string, std::uint32_t> annotation_numbers_;
  std::vector<const std::string*> annotation_names_;
  std::string scratch_;
  std::string full_;
  std::int64_t epoch_ns_ = 0;
  std::uint64_t whole_graphs_ = 0;
  std::uint64_t open_ranges_ = 0;
  std::uint64_t unnamed_metrics_ = 0;
  SampledStacks stacks_;
  SchedStats turns_;
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
