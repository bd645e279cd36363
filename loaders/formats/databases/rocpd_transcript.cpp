#include "loaders/formats/databases/rocpd_transcript.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/trace/recorder_notes.hpp"
#include "loaders/formats/databases/transcribed_rows.hpp"

namespace kino {
namespace {

constexpr std::string_view kPrefix = "rocpd_";

/// Returns whether `table` is rocpd_<kind>, or rocpd_<kind>_<guid>, as in rocpd_region_00001234_5678. All
/// tables of a recording have the same guid.
bool is_of_kind(std::string_view table, std::string_view kind) {
  if (!table.starts_with(kPrefix)) return false;
  table.remove_prefix(kPrefix.size());
  if (!table.starts_with(kind)) return false;
  table.remove_prefix(kind.size());
  return table.empty() ||
         (table.front() == '_' && table.size() > 1 && std::ranges::all_of(table.substr(1), [](char c) {
            return is_digit(c) || c == '_' || c == '-' || (lower(c) >= 'a' && lower(c) <= 'f');
          }));
}

/// Returns Kineto's category for an API region.
std::string_view category_of(std::string_view category) {
  if (contains(category, "HIP_RUNTIME")) return "hip_runtime";
  if (contains(category, "MARKER") || contains(category, "ROCTX")) return "user_annotation";
  if (contains(category, "RCCL")) return "user_annotation";
  if (contains(category, "HIP_COMPILER")) return "hip_compiler";
  if (contains(category, "HSA")) return "hsa_api";
  return "api";
}

/// Converts one recording in a database: the tables with one guid.
class RocpdTranscriber {
 public:
  RocpdTranscriber(const Database& database, std::string guid, const Transcription& to)
      : database_(database), guid_(std::move(guid)), to_(to), out_(to.out) {}

  void run() {
    read_texts();
    regions();
    kernels();
    copies();
    names();
  }
  std::int64_t first_ns() const { return first_ns_; }

 private:
  struct Event {
    std::int64_t category = 0;
    std::int64_t stack = 0;
  };
  struct Place {
    std::string pid;
    std::string tid;
  };

  std::string table(std::string_view kind) const { return std::string(kPrefix) + std::string(kind) + guid_; }

  template <class Visit>
  void each(std::string_view kind, std::initializer_list<std::string_view> columns, Visit&& visit) {
    for_each_row(database_, to_, table(kind), columns, std::forward<Visit>(visit));
  }

  void read_texts() {
    each("string", {"id", "string"}, [&](const DatabaseRows& rows) {
      if (rows.integer(0)) texts_[*rows.integer(0)] = json_escaped(rows.text(1));
    });
    each("info_process", {"id", "pid", "command"}, [&](const DatabaseRows& rows) {
      const std::int64_t id = rows.integer_or(0, 0);
      processes_[id] = std::to_string(rows.integer_or(1, id));
      commands_[id] = json_escaped(rows.text(2));
    });
    each("info_thread", {"id", "tid"}, [&](const DatabaseRows& rows) {
      threads_[rows.integer_or(0, 0)] = std::to_string(rows.integer_or(1, 0));
    });
    each("info_agent", {"id", "type", "type_index", "product_name", "logical_index"},
         [&](const DatabaseRows& rows) {
           const std::int64_t id = rows.integer_or(0, 0);
           agents_[id] = std::to_string(rows.integer_or(2, rows.integer_or(4, 0)));
           if (rows.text(1) != "GPU") return;
           gpu_agents_.insert(id);
           gpu_names_[agents_[id]] = json_escaped(rows.text(3));
         });
    each("info_kernel_symbol", {"id", "display_name", "kernel_name"}, [&](const DatabaseRows& rows) {
      const std::string_view shown = rows.text(1);
      symbols_[rows.integer_or(0, 0)] = json_escaped(shown.empty() ? rows.text(2) : shown);
    });
    each("event", {"id", "category_id", "stack_id"}, [&](const DatabaseRows& rows) {
      if (rows.integer(0)) events_[*rows.integer(0)] = {rows.integer_or(1, 0), rows.integer_or(2, 0)};
    });
  }

  template <class Map>
  static std::string_view text_in(const Map& map, std::int64_t id) {
    const auto found = map.find(id);
    return found == map.end() ? std::string_view() : std::string_view(found->second);
  }

  bool timed(const DatabaseRows& rows, std::int64_t& start_ns, std::int64_t& end_ns) {
    const auto start = rows.integer(0);
    if (!start) {
      to_.damage.add(DamageReason::no_timestamp, kNoOffset, "");
      return false;
    }
    start_ns = *start;
    end_ns = rows.integer_or(1, start_ns);
    first_ns_ = std::min(first_ns_, start_ns);
    return true;
  }

  void write_stack(std::int64_t event) {
    const auto found = events_.find(event);
    if (found == events_.end()) return;
    if (found->second.stack > 0 && found->second.stack <= std::numeric_limits<std::uint32_t>::max())
      out_.argument("correlation", found->second.stack);
  }

  /// Returns the number of a process, thread or agent; the id itself if its number is unknown.
  static std::string number_of(const std::map<std::int64_t, std::string>& numbers, std::int64_t id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? std::to_string(id) : found->second;
  }

  Place thread_place(const DatabaseRows& rows, int pid, int tid) const {
    return {number_of(processes_, rows.integer_or(pid, 0)), number_of(threads_, rows.integer_or(tid, 0))};
  }

  Place gpu_place(const DatabaseRows& rows, int agent, int stream, int queue) const {
    return {number_of(agents_, rows.integer_or(agent, 0)),
            std::to_string(rows.integer(stream).value_or(rows.integer_or(queue, 0)))};
  }

  void regions() {
    each("region", {"start", "end", "pid", "tid", "name_id", "event_id"}, [&](const DatabaseRows& rows) {
      std::int64_t start = 0;
      std::int64_t end = 0;
      if (!timed(rows, start, end)) return;
      const auto event = events_.find(rows.integer_or(5, -1));
      const std::string_view category =
          category_of(event == events_.end() ? std::string_view() : text_in(texts_, event->second.category));
      const Place place = thread_place(rows, 2, 3);
      const std::string_view name = text_in(texts_, rows.integer_or(4, -1));
      out_.slice(category, name.empty() ? "region" : name, {place.pid, place.tid}, start, end);
      if (category == "hip_runtime") write_stack(rows.integer_or(5, -1));
    });
  }

  void kernels() {
    each("kernel_dispatch",
         {"start", "end", "agent_id", "stream_id", "queue_id", "kernel_id", "event_id", "grid_size_x",
          "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z",
          "group_segment_size"},
         [&](const DatabaseRows& rows) {
           std::int64_t start = 0;
           std::int64_t end = 0;
           if (!timed(rows, start, end)) return;
           const Place place = gpu_place(rows, 2, 3, 4);
           const std::string_view name = text_in(symbols_, rows.integer_or(5, -1));
           out_.slice("kernel", name.empty() ? "kernel" : name, {place.pid, place.tid}, start, end);
           write_stack(rows.integer_or(6, -1));
           if (rows.integer(4)) out_.argument("queue", *rows.integer(4));
           if (rows.integer(13)) out_.argument("shared memory", *rows.integer(13));
           // HSA counts a grid in work-items, CUDA in blocks, so the grid is divided by the block.
           std::string grid;
           std::string block;
           for (int i = 0; i < 3; ++i) {
             const std::int64_t items = rows.integer_or(7 + i, 1);
             const std::int64_t group = std::max<std::int64_t>(1, rows.integer_or(10 + i, 1));
             grid += (i == 0 ? "[" : ",") + std::to_string(items / group + (items % group != 0 ? 1 : 0));
             block += (i == 0 ? "[" : ",") + std::to_string(group);
           }
           if (rows.integer(7) && rows.integer(10)) {
             out_.argument_json("grid", grid + "]");
             out_.argument_json("block", block + "]");
           }
         });
  }

  void copies() {
    each("memory_copy",
         {"start", "end", "dst_agent_id", "stream_id", "queue_id", "name_id", "event_id", "size",
          "src_agent_id"},
         [&](const DatabaseRows& rows) {
           std::int64_t start = 0;
           std::int64_t end = 0;
           if (!timed(rows, start, end)) return;
           // A copy is shown on its target GPU; a copy to the host is shown on its source GPU.
           // CPUs and GPUs are numbered separately, so only the ids of agents distinguish them.
           const bool to_gpu = gpu_agents_.contains(rows.integer_or(2, -1));
           const Place place = gpu_place(rows, to_gpu ? 2 : 8, 3, 4);
           const std::string_view name = text_in(texts_, rows.integer_or(5, -1));
           out_.slice("gpu_memcpy", name.empty() ? "copy" : name, {place.pid, place.tid}, start, end);
           write_stack(rows.integer_or(6, -1));
           if (const auto bytes = rows.integer(7)) write_copy_size(out_, *bytes, start, end);
         });
  }

  void names() {
    for (const auto& [id, command] : commands_) {
      const std::string_view words = std::string_view(command).substr(0, command.find(' '));
      if (!words.empty())
        out_.name("process_name", {processes_.at(id), {}}, words.substr(words.rfind('/') + 1));
    }
    for (const auto& [device, name] : gpu_names_) {
      if (name.empty()) continue;
      out_.name("process_labels", {device, {}},
                std::string("GPU ").append(device).append(" \u00b7 ").append(name));
    }
  }

  const Database& database_;
  std::string guid_;
  const Transcription& to_;
  ImportWriter& out_;
  std::unordered_map<std::int64_t, std::string> texts_;
  std::unordered_map<std::int64_t, Event> events_;
  std::unordered_map<std::int64_t, std::string> symbols_;
  std::map<std::int64_t, std::string> processes_;
  std::map<std::int64_t, std::string> commands_;
  std::map<std::int64_t, std::string> threads_;
  std::map<std::int64_t, std::string> agents_;
  std::set<std::int64_t> gpu_agents_;  // ids
  std::map<std::string, std::string> gpu_names_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

bool is_rocpd(const Database& database) {
  return std::ranges::any_of(database.tables(), [](const Database::TableInfo& table) {
    return is_of_kind(table.name, "region") || is_of_kind(table.name, "kernel_dispatch");
  });
}

std::optional<Error> transcribe_rocpd(const Database& database, const Transcription& to) {
  to.out.begin("");
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const Database::TableInfo& table : database.tables()) {
    constexpr std::string_view kString = "string";
    if (!is_of_kind(table.name, kString)) continue;
    if (to.stop.stop_requested()) return std::nullopt;
    RocpdTranscriber one(database, table.name.substr(kPrefix.size() + kString.size()), to);
    one.run();
    first_ns = std::min(first_ns, one.first_ns());
  }
  if (first_ns == std::numeric_limits<std::int64_t>::max()) first_ns = 0;
  for (const std::string_view note :
       {std::string_view(
            "The recording has no operators of PyTorch: only ROCTx ranges mark what a kernel is for."),
        english(msg::recording_without_date)})
    to.out.instant(kRecorderNote, note, {"\"rocprofv3\"", "\"notes\""}, first_ns);
  return std::nullopt;
}

}  // namespace kino
