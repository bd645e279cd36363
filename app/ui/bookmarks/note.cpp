#include "app/ui/bookmarks/note.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/ui/view/saved_ranges.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

using NoteJson = nlohmann::ordered_json;

constexpr std::uintmax_t kLargestNote = 16 << 20;
constexpr std::size_t kMostQueryBytes = 8192;
constexpr std::size_t kMostRanges = 1000;
constexpr std::int64_t kFarUnixTime = std::int64_t{1} << 62;

NoteJson json_of(TimeRange range) { return NoteJson::array({range.begin_ns, range.end_ns}); }

std::optional<TimeRange> range_from(const NoteJson& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number_integer() || !json[1].is_number_integer())
    return std::nullopt;
  const TimeRange range{json[0].get<std::int64_t>(), json[1].get<std::int64_t>()};
  if (range.begin_ns >= range.end_ns || range.begin_ns < -kFarUnixTime || range.end_ns > kFarUnixTime)
    return std::nullopt;
  return range;
}

std::string text_from(const NoteJson& json, const char* key, std::size_t most_bytes) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return {};
  return stored_text(found->get_ref<const std::string&>(), most_bytes);
}

std::int64_t whole_from(const NoteJson& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool flag_from(const NoteJson& json, const char* key, bool fallback) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

NoteJson json_of(const MomentSlice& slice) {
  return {{"start_unix_ns", slice.start_unix_ns},
          {"duration_ns", slice.duration_ns},
          {"pid", slice.pid},
          {"tid", slice.tid},
          {"offset", slice.source_offset}};
}

std::optional<MomentSlice> slice_from(const NoteJson& json, const char* key) {
  const auto slice = json.find(key);
  if (slice == json.end() || !slice->is_object()) return std::nullopt;
  return MomentSlice{.start_unix_ns = whole_from(*slice, "start_unix_ns"),
                     .duration_ns = whole_from(*slice, "duration_ns"),
                     .pid = text_from(*slice, "pid", kMostQueryBytes),
                     .tid = text_from(*slice, "tid", kMostQueryBytes),
                     .source_offset = static_cast<std::uint64_t>(whole_from(*slice, "offset"))};
}

std::optional<std::vector<std::string>> tracks_from(const NoteJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return std::nullopt;
  std::vector<std::string> tracks;
  for (const NoteJson& track : *found) {
    if (track.is_string()) tracks.push_back(track.get<std::string>());
  }
  return tracks;
}

NoteJson json_of(const NoteRange& range) {
  NoteJson json{{"name", range.name}, {"range", json_of(range.range)}};
  if (range.letter != 0) json["letter"] = std::string(1, range.letter);
  if (!range.compared) json["compared"] = false;
  if (range.tracks) json["tracks"] = *range.tracks;
  if (range.slice) json["slice"] = json_of(*range.slice);
  return json;
}

std::optional<NoteRange> note_range_from(const NoteJson& json) {
  if (!json.is_object()) return std::nullopt;
  const auto range = range_from(json.value("range", NoteJson()));
  NoteRange read;
  read.slice = slice_from(json, "slice");
  if (!range && !read.slice) return std::nullopt;
  if (range) read.range = *range;
  read.name = text_from(json, "name", SavedRanges::kMostNameBytes);
  const std::string letter = text_from(json, "letter", 1);
  read.letter = letter.empty() ? '\0' : letter.front();
  read.compared = flag_from(json, "compared", true);
  read.tracks = tracks_from(json, "tracks");
  return read;
}

void read_view(const NoteJson& json, Note& note) {
  note.moment.view = range_from(json.value("view", NoteJson()));
  note.moment.marked = range_from(json.value("marked", NoteJson()));
  note.marked_tracks = tracks_from(json, "marked_tracks");
  note.moment.slice = slice_from(json, "selection");
  if (const auto tracks = json.find("tracks"); tracks != json.end() && tracks->is_object())
    note.tracks = tracks->dump(-1, ' ', false, NoteJson::error_handler_t::replace);
  note.query = text_from(json, "query", kMostQueryBytes);
  note.only_matches = flag_from(json, "only_matches", false);
  const auto ranges = json.find("ranges");
  if (ranges == json.end() || !ranges->is_array()) return;
  for (const NoteJson& entry : *ranges) {
    if (note.ranges.size() == kMostRanges) break;
    if (auto range = note_range_from(entry)) note.ranges.push_back(std::move(*range));
  }
}

}  // namespace

std::string note_json(const Note& note) {
  // A note is a file of bookmarks (bookmarks_json()) with further members, so bookmarks_from_json() accepts
  // it.
  NoteJson json = NoteJson::parse(bookmarks_json(note.bookmarks, note.trace));
  const NoteJson bookmarks = std::exchange(json["bookmarks"], NoteJson());
  json.erase("bookmarks");
  json["note"] = 1;
  if (note.moment.view) json["view"] = json_of(*note.moment.view);
  if (note.moment.marked) json["marked"] = json_of(*note.moment.marked);
  if (note.moment.slice) json["selection"] = json_of(*note.moment.slice);
  const NoteJson tracks = NoteJson::parse(note.tracks, nullptr, false);
  if (tracks.is_object()) json["tracks"] = tracks;
  if (!note.query.empty()) json["query"] = note.query;
  if (note.only_matches) json["only_matches"] = true;
  if (note.moment.marked && note.marked_tracks) json["marked_tracks"] = *note.marked_tracks;
  for (const NoteRange& range : note.ranges) json["ranges"].push_back(json_of(range));
  json["bookmarks"] = bookmarks;
  return json.dump(2, ' ', false, NoteJson::error_handler_t::replace) + "\n";
}

std::optional<ReadNote> note_from_json(std::string_view text) {
  if (nests_deeper_than(text, kMaxNesting)) return std::nullopt;
  std::optional<ReadBookmarks> bookmarks = bookmarks_from_json(text);
  if (!bookmarks) return std::nullopt;
  const NoteJson json = NoteJson::parse(text, nullptr, false);
  ReadNote read;
  read.skipped = bookmarks->skipped;
  read.note.bookmarks = std::move(bookmarks->bookmarks);
  if (const auto path = json.find("path"); path != json.end() && path->is_string())
    read.note.trace = path->get_ref<const std::string&>();
  read.view = json.contains("note");
  if (read.view) read_view(json, read.note);
  return read;
}

std::optional<ReadNote> read_note(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code) ||
      std::filesystem::file_size(path, code) > kLargestNote || code)
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 64> head{};
  file.read(head.data(), head.size());
  const std::string_view begin(head.data(), static_cast<std::size_t>(file.gcount()));
  const std::size_t brace = begin.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || begin[brace] != '{') return std::nullopt;
  const std::size_t key = begin.find_first_not_of(" \t\r\n", brace + 1);
  if (key == std::string_view::npos || !begin.substr(key).starts_with("\"version\"")) return std::nullopt;
  file.clear();
  file.seekg(0);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return note_from_json(text);
}

}  // namespace kino
