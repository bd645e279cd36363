#include "core/trace/build/track_order.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/trace/build/named_devices.hpp"

namespace kino {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether an id is a number, which may exceed 63 bits.
bool is_numeric(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_gpu_class(TrackClass track_class) {
  return track_class == TrackClass::gpu || track_class == TrackClass::gpu_annotation ||
         track_class == TrackClass::gpu_sync || track_class == TrackClass::gpu_counter;
}

TrackKind track_kind(TrackClass track_class) {
  switch (track_class) {
    case TrackClass::cpu:
      return TrackKind::cpu_thread;
    case TrackClass::gpu:
      return TrackKind::gpu_stream;
    case TrackClass::gpu_annotation:
      return TrackKind::gpu_annotation;
    case TrackClass::gpu_sync:
      return TrackKind::gpu_sync;
    case TrackClass::async:
      return TrackKind::async;
    case TrackClass::counter:
    case TrackClass::gpu_counter:
      return TrackKind::counter;
  }
  return TrackKind::cpu_thread;
}

/// Metadata (M events) of one process.
struct ProcessFacts {
  std::string name;
  std::string labels;
  std::optional<std::int64_t> sort_index;
};

/// Metadata (M events) of one thread.
struct ThreadFacts {
  std::string name;
  std::optional<std::int64_t> sort_index;
};

struct Named {
  std::map<std::string, ProcessFacts, std::less<>> processes;
  std::map<std::pair<std::string, std::string>, ThreadFacts> threads;
};

Named collect(const std::vector<MetadataRecord>& metadata) {
  Named named;
  for (const MetadataRecord& record : metadata) {
    switch (record.what) {
      case MetadataRecord::What::process_name:
        named.processes[record.pid].name = trimmed(record.text);
        break;
      case MetadataRecord::What::process_labels:
        named.processes[record.pid].labels = trimmed(record.text);
        break;
      case MetadataRecord::What::process_sort_index:
        named.processes[record.pid].sort_index = record.number;
        break;
      case MetadataRecord::What::thread_name:
        named.threads[{record.pid, record.tid}].name = trimmed(record.text);
        break;
      case MetadataRecord::What::thread_sort_index:
        named.threads[{record.pid, record.tid}].sort_index = record.number;
        break;
    }
  }
  return named;
}

/// Returns the metadata of a track's thread; empty if there is none.
const ThreadFacts& thread_facts(const Named& named, const TrackTable::Key& track) {
  static const ThreadFacts kNone;
  if (named.threads.empty()) return kNone;
  const auto found = named.threads.find({std::string(track.pid), std::string(track.tid)});
  return found == named.threads.end() ? kNone : found->second;
}

bool is_bookkeeping(std::string_view pid) { return pid == "Spans" || pid == "Traces"; }

/// Whether device numbers count agents. AMD's tracer numbers all agents of the machine, processors first,
/// whereas PyTorch numbers GPUs. Kernels of PyTorch's device 0 are therefore recorded with device 2 or 9. The
/// list of device names uses PyTorch's numbers.
bool numbers_agents(const JobInfo& job) {
  return std::ranges::any_of(job.device_names,
                             [](const std::string& name) { return name.starts_with("AMD"); });
}

/// Returns the device name of a GPU's pid; empty if unknown.
std::string_view device_name(std::string_view pid, const JobInfo& job) {
  const auto device = number_of(pid);
  const bool known = device && *device >= 0 && static_cast<std::size_t>(*device) < job.device_names.size();
  if (known && !job.device_names[static_cast<std::size_t>(*device)].empty())
    return job.device_names[static_cast<std::size_t>(*device)];
  if (!numbers_agents(job)) return {};
  const bool alike = std::ranges::all_of(
      job.device_names, [&](const std::string& name) { return name == job.device_names.front(); });
  return alike ? std::string_view(job.device_names.front()) : std::string_view();
}

/// Returns the label of a device's process if it starts with "GPU" or has the form "MTIA 17"; otherwise "GPU
/// 17".
std::string device_title(std::string_view pid, std::string_view label) {
  const std::string_view word = label.substr(0, label.find(' '));
  const bool capitals =
      !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool own =
      capitals && word != "CPU" && label.size() > word.size() + 1 && label.substr(word.size() + 1) == pid;
  return label.starts_with("GPU") || own ? std::string(label) : "GPU " + std::string(pid);
}

std::string process_title(std::string_view pid, bool gpu, const ProcessFacts& facts,
                          const NamedDevices& devices, const JobInfo& job) {
  const std::string pid_text(pid);
  if (gpu) {
    if (const std::string_view title = devices.title(pid); !title.empty()) return std::string(title);
    if (std::string title = unitrace_device_title(facts.name); !title.empty()) return title;
    std::string title = device_title(pid, facts.labels);
    if (const std::string_view name = device_name(pid, job); !name.empty())
      title += " · " + std::string(name);
    return title;
  }
  if (is_bookkeeping(pid)) return std::string(english(msg::profiler));
  if (pid.empty()) return std::string(english(msg::events_without_a_process));
  if (!is_numeric(pid))
    return facts.name.empty() || facts.name == pid ? pid_text : facts.name + " · " + pid_text;
  std::string title =
      facts.name.empty() ? Message(msg::process, pid_text).str() : facts.name + " " + pid_text;
  // Ignores labels "GPU n": the profiler gives them to every process whose pid is a device's number, even to
  // CPU processes.
  if (!facts.labels.empty() && !facts.labels.starts_with("GPU")) title += " · " + facts.labels;
  return title;
}

/// Removes the empty brackets that PyTorch writes for an unknown name on Windows: "thread 660 ()".
std::string without_empty_brackets(const std::string& name) {
  constexpr std::string_view kEmpty = " ()";
  return name.ends_with(kEmpty) ? name.substr(0, name.size() - kEmpty.size()) : name;
}

std::string thread_title(const TrackTable::Key& track, const ThreadFacts& facts, bool named_device,
                         NamedDevices::Content content) {
  std::string tid(track.tid);
  // rocprof assigns kernels to the thread that launched them; their queue is in the arguments.
  if (content == NamedDevices::Content::kernels && facts.name.empty())
    return Message(msg::kernels_of_thread, tid).str();
  if (named_device && !facts.name.empty()) return facts.name;
  // These are operators timed on the GPU, whose tid is the device. (The lines of XLA have names.)
  if (named_device && track.track_class == TrackClass::gpu_annotation)
    return Message(msg::device_numbered, tid).str();
  switch (track.track_class) {
    case TrackClass::gpu: {
      const bool named = !facts.name.empty();
      return named ? facts.name : (is_numeric(track.tid) ? Message(msg::word_stream, tid).str() : tid);
    }
    case TrackClass::gpu_annotation:
      return Message(msg::annotations_of_stream, tid).str();
    case TrackClass::gpu_sync:
      return (tid == "-1" ? Message(msg::synchronization) : Message(msg::waits_of_stream, tid)).str();
    case TrackClass::cpu:
      if (!facts.name.empty()) return without_empty_brackets(facts.name);
      if (tid.empty()) return std::string(english(msg::word_events));
      return is_numeric(track.tid) ? Message(msg::thread, tid).str() : tid;
    case TrackClass::async:
      return tid.empty() ? std::string(english(msg::async)) : tid;
    case TrackClass::counter:
    case TrackClass::gpu_counter:
      return tid;
  }
  return tid;
}

/// Display position of a track. Tracks are compared by group, section, sort index and number, then by tid (if
/// `by_tid`), `within` and id.
struct TrackPlace {
  std::uint32_t group = 0;  // index of the group's first track; then of the group; finally its position
  std::uint32_t id = 0;     // index in the table of tracks
  std::int64_t sort_index = 0;
  std::int64_t number = 0;
  std::uint8_t section = 0;
  std::uint8_t within = 0;
  bool by_tid = false;
};

struct TrackGroup {
  std::string_view pid;
  std::uint32_t tracks = 0;
  std::uint32_t place = 0;  // position among the groups, from the top
  std::int64_t sort_index = 0;
  std::int64_t number = 0;
  std::uint8_t section = 0;
  bool gpu = false;

  /// Smaller keys are higher on screen.
  auto key() const { return std::tuple(section, sort_index, number); }
};

/// The key of a group. A process with both GPU and CPU tracks forms two groups.
struct GroupName {
  std::string_view pid;
  bool gpu = false;
  bool operator==(const GroupName&) const = default;
  bool operator<(const GroupName& other) const { return std::tie(pid, gpu) < std::tie(other.pid, other.gpu); }
};

/// Assigns each track to a group. Returns the groups in the order of their first tracks. O(n log n), 4 bytes
/// per track.
template <class NameOf>
std::vector<TrackGroup> group_tracks(std::vector<TrackPlace>& places, const NameOf& name_of) {
  std::vector<std::uint32_t> together(places.size());
  std::iota(together.begin(), together.end(), std::uint32_t{0});
  std::sort(together.begin(), together.end(), [&](std::uint32_t a, std::uint32_t b) {
    const GroupName first = name_of(places[a].id);
    const GroupName second = name_of(places[b].id);
    return first == second ? a < b : first < second;
  });
  std::size_t count = 0;
  for (std::size_t i = 0; i < together.size(); ++i) {
    const bool same = i > 0 && name_of(places[together[i]].id) == name_of(places[together[i - 1]].id);
    places[together[i]].group =
        same ? places[together[i - 1]].group : together[i];  // the group's first track
    count += same ? 0 : 1;
  }
  together = {};
  std::vector<TrackGroup> groups;
  groups.reserve(count);
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    if (places[i].group == i) {
      const GroupName name = name_of(places[i].id);
      places[i].group = static_cast<std::uint32_t>(groups.size());
      groups.push_back({.pid = name.pid, .gpu = name.gpu});
    } else {
      places[i].group = places[places[i].group].group;
    }
    ++groups[places[i].group].tracks;
  }
  return groups;
}

TrackPlace place_of(const TrackTable::Key& track, const Named& named, std::uint32_t id) {
  constexpr std::int64_t kUnsorted = 1LL << 40;
  const auto number = number_of(track.tid);
  const bool counter = track_kind(track.track_class) == TrackKind::counter;
  TrackPlace place;
  place.id = id;
  place.section = counter ? 2 : (track.track_class == TrackClass::async ? 1 : 0);
  if (is_gpu_class(track.track_class)) {
    // A stream's annotations are above it, and its waits below it. Waits without a stream (-1) follow all
    // streams.
    place.sort_index = number && *number >= 0 ? *number : kUnsorted;
    place.by_tid = counter;
    place.within = track.track_class == TrackClass::gpu_annotation ? 0
                   : track.track_class == TrackClass::gpu          ? 1
                                                                   : 2;
    return place;
  }
  place.by_tid = true;
  place.number = number.value_or(kUnsorted);
  const bool main_thread = track.tid == track.pid;
  place.sort_index = main_thread ? -1 : thread_facts(named, track).sort_index.value_or(kUnsorted);
  return place;
}

bool is_above(const TrackTable& table, const TrackPlace& a, const TrackPlace& b) {
  const auto numbers = [](const TrackPlace& place) {
    return std::tie(place.group, place.section, place.sort_index, place.number);
  };
  if (numbers(a) != numbers(b)) return numbers(a) < numbers(b);
  const std::string_view a_tid = a.by_tid ? table[a.id].tid : std::string_view();
  const std::string_view b_tid = b.by_tid ? table[b.id].tid : std::string_view();
  return std::tie(a_tid, a.within, a.id) < std::tie(b_tid, b.within, b.id);
}

/// Returns the pid of the only device with work; empty if there are several or none.
std::string_view only_device(const TrackTable& table, const std::vector<std::uint32_t>& used,
                             const NamedDevices& devices) {
  std::string_view device;
  for (const std::uint32_t id : used) {
    const TrackTable::Key track = table[id];
    if (track.track_class != TrackClass::gpu || devices.has_all_copies(track.pid)) continue;
    const std::string_view pid = devices.device_pid(track.pid);
    if (!device.empty() && device != pid) return {};
    device = pid;
  }
  return device;
}

/// Whether the memory counters of a trace have one device number, which differs from that of its only device
/// with work. In AMD traces, both numbers denote the same GPU.
bool is_counted_elsewhere(const TrackTable& table, const std::vector<std::uint32_t>& used,
                          std::string_view device) {
  std::set<std::string_view> counts;
  for (const std::uint32_t id : used) {
    if (table[id].track_class == TrackClass::gpu_counter) counts.insert(table[id].pid);
  }
  return !device.empty() && counts.size() == 1 && *counts.begin() != device;
}

}  // namespace

std::string_view collective_of(std::string_view kernel_name) {
  for (const std::string_view prefix :
       {"ncclDevKernel_", "ncclKernel_", "rcclDevKernel_", "rcclKernel_", "mscclKernel_"}) {
    const std::size_t at = kernel_name.find(prefix);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = kernel_name.substr(at + prefix.size());
    return rest.substr(0, rest.find_first_of("_(< "));
  }
  // HCCL numbers its calls: "hcom_allReduce__538_0_1".
  if (kernel_name.starts_with("hcom_")) return kernel_name.substr(0, kernel_name.find("__"));
  if (kernel_name.starts_with("void ")) kernel_name.remove_prefix(5);
  const std::string_view name = kernel_name.substr(0, kernel_name.find_first_of("(<"));
  // XLA numbers its operations: "all-reduce.67".
  const std::size_t letter = name.find_last_not_of("0123456789");
  const bool numbered = letter != std::string_view::npos && letter + 1 < name.size() && name[letter] == '.';
  return numbered ? name.substr(0, letter) : name;
}

namespace {

/// Returns a text such as "NCCL AllReduce + AllGather" or "communication combine + dispatch", with at most
/// two collectives. Kernels of NCCL and RCCL are named by their operation. If there are none, other kernels
/// have their own names; otherwise, the text only mentions that there are others.
std::string communication_text(const std::vector<std::pair<std::string, std::int64_t>>& collectives) {
  constexpr std::size_t kNamed = 2;
  const auto of_library = [](const auto& collective) {
    return collective.first.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 0;
  };
  const bool library = std::ranges::any_of(collectives, of_library);
  const bool others = !std::ranges::all_of(collectives, of_library);
  std::string text;
  std::size_t named = 0;
  for (const auto& collective : collectives) {
    if (named == kNamed || of_library(collective) != library) continue;
    const std::size_t scope = collective.first.rfind("::");
    text.append(named++ > 0 ? " + " : "")
        .append(collective.first, scope == std::string::npos ? 0 : scope + 2);
  }
  if (!library) return Message(msg::communication_named, text).str();
  text.insert(0, "NCCL ");
  return others ? Message(msg::with_other_communication, text).str() : text;
}

}  // namespace

std::string contents_of(const StreamContents& work) {
  double total = 0;
  for (const auto& [kind, ns] : work.kind_ns) total += static_cast<double>(ns);
  auto kinds = work.kind_ns;
  std::erase_if(kinds, [&](const auto& kind) {
    return kind.first != work.most && 100 * static_cast<double>(kind.second) <= total;
  });
  std::ranges::sort(kinds, {}, [](const auto& kind) { return std::pair(-kind.second, kind.first); });
  std::string text;
  for (const auto& [kind, ns] : kinds) {
    if (!text.empty()) text += ", ";
    if (kind != SliceKind::communication || work.collectives.empty()) {
      text += kind == SliceKind::gpu_sync ? kWaitsOfStream : text_of(kind);
      continue;
    }
    text += communication_text(work.collectives);
  }
  return text;
}

namespace {

/// Determines the order of the groups and sets TrackGroup::place. Returns the processes in this order.
std::vector<Process> ordered_processes(std::vector<TrackGroup>& groups, const Named& named,
                                       const NamedDevices& devices, const JobInfo& job) {
  const ProcessFacts no_process;
  const auto process_facts = [&](std::string_view pid) -> const ProcessFacts& {
    const auto found = named.processes.find(pid);
    return found == named.processes.end() ? no_process : found->second;
  };
  for (TrackGroup& group : groups) {
    group.number = number_of(group.pid).value_or(1LL << 40);
    group.section = group.gpu ? 0 : (is_bookkeeping(group.pid) ? 2 : 1);
    group.sort_index = group.gpu ? group.number : process_facts(group.pid).sort_index.value_or(group.number);
  }
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::sort(order, {}, [&](std::uint32_t index) { return std::pair(groups[index].key(), index); });

  std::vector<Process> processes;
  processes.reserve(groups.size());
  std::uint32_t first_track = 0;
  for (const std::uint32_t index : order) {
    TrackGroup& group = groups[index];
    group.place = static_cast<std::uint32_t>(processes.size());
    Process process;
    process.pid = group.pid;
    process.gpu = group.gpu;
    process.bookkeeping = is_bookkeeping(group.pid);
    process.title = process_title(group.pid, group.gpu, process_facts(group.pid), devices, job);
    process.first_track = std::exchange(first_track, first_track + group.tracks);
    process.track_count = group.tracks;
    processes.push_back(std::move(process));
  }
  return processes;
}

/// Creates a track for each of `order.sources`.
std::vector<Track> make_tracks(const TrackTable& table, const TrackOrder& order, const Named& named,
                               const NamedDevices& devices) {
  std::vector<Track> tracks;
  tracks.reserve(order.sources.size());
  for (std::uint32_t index = 0; index < order.processes.size(); ++index) {
    const Process& process = order.processes[index];
    const bool named_device = process.gpu && !devices.title(process.pid).empty();
    for (std::uint32_t i = 0; i < process.track_count; ++i) {
      const TrackTable::Key key = table[order.sources[tracks.size()]];
      Track track;
      track.kind = track_kind(key.track_class);
      track.name =
          thread_title(key, thread_facts(named, key), named_device, devices.content(key.pid, key.tid));
      track.tid = key.tid;
      track.process = index;
      tracks.push_back(std::move(track));
    }
  }
  return tracks;
}

}  // namespace

TrackOrder order_tracks(const TrackTable& table, const std::vector<std::uint32_t>& used,
                        const std::vector<MetadataRecord>& metadata, const JobInfo& job, bool hip_calls) {
  const Named named = collect(metadata);
  const NamedDevices devices(metadata);
  const std::string_view device = only_device(table, used, devices);
  const bool counted = (hip_calls || numbers_agents(job)) && is_counted_elsewhere(table, used, device);
  std::string_view bookkeeping;
  for (const std::uint32_t id : used) {
    if (const std::string_view pid = table[id].pid; is_bookkeeping(pid)) bookkeeping = pid;
  }
  std::vector<TrackPlace> places;
  places.reserve(used.size());
  for (const std::uint32_t id : used) places.push_back(place_of(table[id], named, id));
  // The profiler's own events have the pid "Spans", "Traces" or none. They share one group.
  const auto group_name = [&](std::uint32_t id) {
    const TrackTable::Key track = table[id];
    const bool gpu = is_gpu_class(track.track_class);
    std::string_view pid = gpu ? devices.device_pid(track.pid) : track.pid;
    if (counted && track.track_class == TrackClass::gpu_counter) pid = device;
    if (gpu && !device.empty() && devices.has_all_copies(pid)) pid = device;
    if (!bookkeeping.empty() && (pid.empty() || is_bookkeeping(pid))) pid = bookkeeping;
    return GroupName{pid, gpu};
  };
  std::vector<TrackGroup> groups = group_tracks(places, group_name);

  TrackOrder result;
  result.processes = ordered_processes(groups, named, devices, job);
  for (TrackPlace& place : places) place.group = groups[place.group].place;
  groups = std::vector<TrackGroup>();
  std::sort(places.begin(), places.end(),
            [&](const TrackPlace& a, const TrackPlace& b) { return is_above(table, a, b); });
  result.sources.reserve(places.size());
  for (const TrackPlace& place : places) result.sources.push_back(place.id);
  places = std::vector<TrackPlace>();  // freed before the tracks need as much memory
  result.tracks = make_tracks(table, result, named, devices);
  return result;
}

}  // namespace kino
