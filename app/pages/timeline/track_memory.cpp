#include "app/pages/timeline/track_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/shell/settings/recent_files.hpp"
#include "app/system/atomic_file.hpp"
#include "app/system/text_hash.hpp"
#include "core/base/platform/folder_names.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestMemoryFile = 4 << 20;
constexpr std::size_t kMostFiles = 500;

constexpr std::array kFolds = {std::pair{TrackFold::folded, "folded"}, std::pair{TrackFold::capped, "capped"},
                               std::pair{TrackFold::open, "open"}, std::pair{TrackFold::merged, "merged"}};
constexpr std::array kHeights = {std::pair{TrackHeight::compact, "compact"},
                                 std::pair{TrackHeight::normal, "normal"},
                                 std::pair{TrackHeight::expanded, "expanded"}};
constexpr std::array kPresetNames = {std::pair{TrackPreset::all, "all"},
                                     std::pair{TrackPreset::gpu_only, "gpu"},
                                     std::pair{TrackPreset::communication, "communication"},
                                     std::pair{TrackPreset::main_thread, "main-thread"}};

template <class Table, class Value>
const char* name_in(const Table& table, Value value) {
  return std::ranges::find(table, value, [](const auto& entry) { return entry.first; })->second;
}

template <class Table, class Value>
void read_choice(const Json& json, const char* key, const Table& table, Value& value) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return;
  const auto entry =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return *found == entry.second; });
  if (entry != table.end()) value = entry->first;
}

std::string key_of(const Process& process) { return process.pid + (process.gpu ? "|gpu" : "|cpu"); }

class Names {
 public:
  explicit Names(const ShownRows& rows) {
    for (std::uint32_t i = 0; i < rows.track_count(); ++i) tracks_.emplace(track_key(rows, i), i);
    for (std::uint32_t i = 0; i < rows.trace->processes.size(); ++i)
      processes_.emplace(key_of(rows.trace->processes[i]), i);
  }
  std::vector<std::uint32_t> tracks(const Json& json, const char* key) const {
    return listed(json, key, tracks_);
  }
  std::vector<std::uint32_t> processes(const Json& json, const char* key) const {
    return listed(json, key, processes_);
  }
  std::optional<std::uint32_t> track(const std::string& key) const {
    const auto found = tracks_.find(key);
    return found == tracks_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  using Table = std::unordered_map<std::string, std::uint32_t>;
  static std::vector<std::uint32_t> listed(const Json& json, const char* key, const Table& table) {
    std::vector<std::uint32_t> list;
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) return list;
    for (const Json& entry : *found) {
      const auto at = entry.is_string() ? table.find(entry.get<std::string>()) : table.end();
      if (at != table.end() && std::find(list.begin(), list.end(), at->second) == list.end())
        list.push_back(at->second);
    }
    return list;
  }

  Table tracks_;
  Table processes_;
};

void write_processes(Json& json, const char* key, const Trace& trace, const std::vector<std::uint8_t>& flags,
                     std::uint8_t wanted) {
  Json list = Json::array();
  for (std::size_t p = 0; p < flags.size(); ++p) {
    if (flags[p] == wanted) list.push_back(key_of(trace.processes[p]));
  }
  json[key] = std::move(list);
}

void forget_oldest(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
  for (const std::string& name : names_in(folder).names)
    files.emplace_back(std::filesystem::last_write_time(folder / name, code), folder / name);
  if (files.size() <= kMostFiles) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMostFiles < files.size(); ++i) std::filesystem::remove(files[i].second, code);
}

}  // namespace

std::filesystem::path arrangement_path(const std::filesystem::path& trace_path) {
  const std::filesystem::path recent = recent_files_path();
  if (recent.empty()) return {};
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%016llx.json",
                static_cast<unsigned long long>(hash_of(trace_path.string())));
  return recent.parent_path() / "tracks" / name.data();
}

std::string track_key(const ShownRows& rows, std::uint32_t index) {
  const Track& track = rows.track_at(index);
  const char* added = rows.is_packed_track(index) ? "|packed|" : rows.is_derived(index) ? "|derived|" : "|";
  return rows.trace->processes[track.process].pid + "|" + track.tid + "|" +
         std::to_string(static_cast<int>(track.kind)) + added + track.name;
}

std::string json_from_arrangement(const ShownRows& rows, const Arrangement& arrangement) {
  const Trace& trace = *rows.trace;
  Arrangement plain = Arrangement::defaults(trace);
  plain.add_tracks(rows);
  if (plain == arrangement) return {};
  Json json;
  if (!arrangement.filter.empty()) json["filter"] = arrangement.filter;
  if (arrangement.preset != TrackPreset::all) json["preset"] = name_in(kPresetNames, arrangement.preset);
  if (arrangement.group_open != plain.group_open)
    write_processes(json, "folded", trace, arrangement.group_open, 0);
  if (arrangement.idle_open != plain.idle_open)
    write_processes(json, "idle_shown", trace, arrangement.idle_open, 1);
  if (arrangement.packed != plain.packed) write_processes(json, "packed", trace, arrangement.packed, 1);
  if (arrangement.counters) json["counters"] = true;
  if (arrangement.annotation_rows) json["annotation_rows"] = true;
  if (arrangement.layers_folded) json["layers_folded"] = true;
  if (arrangement.groups != plain.groups) {
    for (const std::uint32_t process : arrangement.groups)
      json["groups"].push_back(key_of(trace.processes[process]));
  }
  if (arrangement.order != plain.order) {
    for (const std::uint32_t track : arrangement.order) json["order"].push_back(track_key(rows, track));
  }
  for (const std::uint32_t track : arrangement.pinned) json["pinned"].push_back(track_key(rows, track));
  for (std::uint32_t track = 0; track < arrangement.tracks.size(); ++track) {
    const TrackStyle& style = arrangement.tracks[track];
    const TrackStyle usual;
    if (style == usual) continue;
    Json entry = Json::object();
    if (style.fold != usual.fold) entry["lanes"] = name_in(kFolds, style.fold);
    if (style.height != usual.height) entry["height"] = name_in(kHeights, style.height);
    if (style.hidden) entry["hidden"] = true;
    if (!style.title.empty()) entry["name"] = style.title;
    json["tracks"][track_key(rows, track)] = std::move(entry);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void apply_arrangement_json(std::string_view text, const ShownRows& rows, Arrangement& arrangement) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const Names names(rows);
  if (const auto filter = json.find("filter"); filter != json.end() && filter->is_string())
    arrangement.filter = filter->get<std::string>();
  read_choice(json, "preset", kPresetNames, arrangement.preset);
  if (const auto counters = json.find("counters"); counters != json.end() && counters->is_boolean())
    arrangement.counters = counters->get<bool>();
  if (const auto shown = json.find("annotation_rows"); shown != json.end() && shown->is_boolean())
    arrangement.annotation_rows = shown->get<bool>();
  if (const auto folded = json.find("layers_folded"); folded != json.end() && folded->is_boolean())
    arrangement.layers_folded = folded->get<bool>();
  const auto set = [&](const char* key, std::vector<std::uint8_t>& flags, std::uint8_t listed) {
    if (!json.contains(key)) return;
    std::fill(flags.begin(), flags.end(), static_cast<std::uint8_t>(1 - listed));
    for (const std::uint32_t process : names.processes(json, key)) flags[process] = listed;
  };
  set("folded", arrangement.group_open, 0);
  set("idle_shown", arrangement.idle_open, 1);
  set("packed", arrangement.packed, 1);
  reorder(arrangement.groups, names.processes(json, "groups"));
  reorder(arrangement.order, names.tracks(json, "order"));
  if (json.contains("pinned")) arrangement.pinned = names.tracks(json, "pinned");
  const auto tracks = json.find("tracks");
  if (tracks == json.end() || !tracks->is_object()) return;
  for (const auto& [key, style] : tracks->items()) {
    const auto track = names.track(key);
    if (!track || !style.is_object()) continue;
    TrackStyle& shown = arrangement.tracks[*track];
    read_choice(style, "lanes", kFolds, shown.fold);
    read_choice(style, "height", kHeights, shown.height);
    const auto hidden = style.find("hidden");
    shown.hidden = hidden != style.end() && hidden->is_boolean() && hidden->get<bool>();
    const auto name = style.find("name");
    if (name != style.end() && name->is_string()) shown.title = name->get<std::string>();
  }
}

void ArrangementFile::recall(const ShownRows& rows, Arrangement& arrangement) {
  if (file_.empty()) return;
  std::error_code code;
  if (text_.empty()) {
    const auto bytes = std::filesystem::file_size(file_, code);
    if (code || bytes > kLargestMemoryFile) return;
    std::ifstream file(file_, std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(file), {});
  }
  apply_arrangement_json(text_, rows, arrangement);
}

std::optional<Error> ArrangementFile::keep(const ShownRows& rows, const Arrangement& arrangement) {
  if (file_.empty()) return std::nullopt;
  std::string text = json_from_arrangement(rows, arrangement);
  if (text == text_ && saved_) return std::nullopt;
  text_ = std::move(text);
  std::error_code code;
  if (text_.empty()) {
    std::filesystem::remove(file_, code);
    saved_ = !code;
    return std::nullopt;
  }
  const bool fresh = !std::filesystem::exists(file_, code);
  auto problem = write_file_atomically(file_, text_, Durability::process_crash);
  saved_ = !problem;
  if (fresh && !problem) forget_oldest(file_.parent_path());
  return problem;
}

}  // namespace kino
