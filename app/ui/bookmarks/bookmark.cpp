#include "app/ui/bookmarks/bookmark.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace kino {
namespace {

using BookmarkJson = nlohmann::json;

constexpr int kVersion = 1;
constexpr std::size_t kMostNameBytes = 4096;
// Limit of times, so that their differences fit into 64 bits.
constexpr std::int64_t kFarUnixNs = std::int64_t{1} << 62;

/// Returns the number of bytes of the UTF-8 character at the start of `text`; 0 if the character is invalid.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
                     (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90);
  return wrong ? 0 : length;
}

bool read_id(const BookmarkJson& json, std::uint64_t& id) {
  const auto found = json.find("id");
  if (found == json.end() || !found->is_string()) return false;
  const auto& text = found->get_ref<const std::string&>();
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), id, 16);
  return code == std::errc() && end == text.data() + text.size() && id != 0;
}

bool read_whole(const BookmarkJson& json, const char* key, std::int64_t least, std::int64_t most,
                std::int64_t& value) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return false;
  if (found->is_number_unsigned() && !std::in_range<std::int64_t>(found->get<std::uint64_t>())) return false;
  value = found->get<std::int64_t>();
  return value >= least && value <= most;
}

bool read_text(const BookmarkJson& json, const char* key, std::size_t most_bytes, std::string& text) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return false;
  text = stored_text(found->get_ref<const std::string&>(), most_bytes);
  return true;
}

bool read_slice(const BookmarkJson& json, BookmarkedSlice& slice) {
  std::int64_t offset = 0;
  const bool read =
      json.is_object() && read_whole(json, "offset", 0, std::numeric_limits<std::int64_t>::max(), offset) &&
      read_text(json, "name", kMostNameBytes, slice.name) &&
      read_whole(json, "start_unix_ns", -kFarUnixNs, kFarUnixNs, slice.start_unix_ns) &&
      read_whole(json, "duration_ns", 0, kFarUnixNs, slice.duration_ns) &&
      read_text(json, "pid", kMostNameBytes, slice.pid) && read_text(json, "tid", kMostNameBytes, slice.tid);
  slice.source_offset = static_cast<std::uint64_t>(offset);
  return read;
}

std::optional<Bookmark> bookmark_from_json(const BookmarkJson& json) {
  Bookmark bookmark;
  std::int64_t number = 0;
  std::int64_t color = 0;
  constexpr std::int64_t kMostNumber = 1'000'000;
  const bool read =
      json.is_object() && read_id(json, bookmark.id) && read_whole(json, "number", 0, kMostNumber, number) &&
      read_whole(json, "begin_unix_ns", -kFarUnixNs, kFarUnixNs, bookmark.begin_unix_ns) &&
      read_whole(json, "end_unix_ns", bookmark.begin_unix_ns, kFarUnixNs, bookmark.end_unix_ns) &&
      read_text(json, "text", kMostNoteBytes, bookmark.text) &&
      read_whole(json, "color", 0, kBookmarkColors - 1, color) &&
      read_whole(json, "created_unix_ms", 0, kFarUnixNs, bookmark.created_unix_ms);
  if (!read) return std::nullopt;
  bookmark.number = static_cast<std::uint32_t>(number);
  bookmark.color = static_cast<std::uint8_t>(color);
  if (const auto slice = json.find("slice"); slice != json.end()) {
    bookmark.slice.emplace();
    if (!read_slice(*slice, *bookmark.slice)) return std::nullopt;
  }
  return bookmark;
}

/// Converts a bookmark to JSON. Members are assigned one by one: if memory runs out inside an initializer
/// list, or while null becomes an object, nlohmann::json leaks or corrupts the value.
nlohmann::ordered_json json_of(const Bookmark& bookmark) {
  auto json = nlohmann::ordered_json::object();
  json["id"] = hash_text(bookmark.id);
  json["number"] = bookmark.number;
  json["text"] = bookmark.text;
  json["color"] = bookmark.color;
  json["begin_unix_ns"] = bookmark.begin_unix_ns;
  json["end_unix_ns"] = bookmark.end_unix_ns;
  json["created_unix_ms"] = bookmark.created_unix_ms;
  if (bookmark.slice) {
    auto slice = nlohmann::ordered_json::object();
    slice["name"] = bookmark.slice->name;
    slice["start_unix_ns"] = bookmark.slice->start_unix_ns;
    slice["duration_ns"] = bookmark.slice->duration_ns;
    slice["pid"] = bookmark.slice->pid;
    slice["tid"] = bookmark.slice->tid;
    slice["offset"] = bookmark.slice->source_offset;
    json["slice"] = std::move(slice);
  }
  return json;
}

/// Returns the first slice of a row that does not start before `start_ns`.
std::uint32_t first_from(const Trace& trace, const Row& row, std::int64_t start_ns) {
  const auto* begin = trace.slices.start_ns.data() + row.first_slice;
  return row.first_slice +
         static_cast<std::uint32_t>(std::lower_bound(begin, begin + row.slice_count, start_ns) - begin);
}

/// Intermediate result of find_bookmarked().
struct Nearest {
  SliceId slice = kNoSlice;
  std::int64_t distance_ns = 0;
};

/// Searches a row for the bookmarked slice. Returns true if it contains the exact slice; else updates
/// `nearest`.
bool look_in_row(const Trace& trace, const Row& row, const BookmarkedSlice& wanted, std::uint32_t name,
                 Nearest& nearest, const std::stop_token& stop) {
  constexpr std::int64_t kNearNs = 1'000'000;
  constexpr std::uint32_t kStopStride = 1U << 16;
  const SliceColumns& slices = trace.slices;
  const std::int64_t start = ns_from_unix(wanted.start_unix_ns, trace.origin_unix_ns);
  const std::int64_t near = std::max(kNearNs, wanted.duration_ns);
  const std::uint32_t last = row.first_slice + row.slice_count;
  const std::uint32_t middle = first_from(trace, row, start);
  for (std::uint32_t i = middle; i < last && slices.start_ns[i] == start; ++i) {
    if (slices.source_offset[i] != wanted.source_offset || slices.duration_ns[i] != wanted.duration_ns ||
        stored_text(trace.name_of(SliceId{i}), kMostNameBytes) != wanted.name) {
      continue;
    }
    nearest = {SliceId{i}, 0};
    return true;
  }
  if (name == StringTable::kAbsent) return false;
  const auto consider = [&](std::uint32_t i) {
    const std::int64_t distance =
        ns_from_unix(std::max(slices.start_ns[i], start), std::min(slices.start_ns[i], start));
    if (distance > near) return true;
    if (index_of(slices.name[i]) != name) return false;
    if (nearest.slice == kNoSlice || distance < nearest.distance_ns) nearest = {SliceId{i}, distance};
    return true;
  };
  for (std::uint32_t i = middle; i < last && !consider(i); ++i) {
    if (i % kStopStride == 0 && stop.stop_requested()) return false;
  }
  for (std::uint32_t i = middle; i > row.first_slice && !consider(i - 1); --i) {
    if (i % kStopStride == 0 && stop.stop_requested()) return false;
  }
  return false;
}

}  // namespace

std::string hash_text(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string stored_text(std::string_view text, std::size_t most_bytes) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string stored;
  while (!text.empty()) {
    const std::size_t length = character_bytes(text);
    const bool control = length == 1 && (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7F);
    const std::string_view piece = length == 0 ? kReplacement : control ? " " : text.substr(0, length);
    if (stored.size() + piece.size() > most_bytes) break;
    stored += piece;
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return stored;
}

std::uint32_t free_number(std::span<const Bookmark> bookmarks) {
  std::set<std::uint32_t> taken;
  for (const Bookmark& bookmark : bookmarks) taken.insert(bookmark.number);
  std::uint32_t number = 1;
  while (taken.contains(number)) ++number;
  return number;
}

void settle_numbers(std::vector<Bookmark>& bookmarks) {
  const auto by_number = [](const Bookmark& mark) {
    return std::tuple(mark.number, mark.created_unix_ms, mark.id);
  };
  std::ranges::sort(bookmarks, {}, by_number);
  std::set<std::uint32_t> taken;
  for (Bookmark& bookmark : bookmarks) {
    if (!taken.insert(bookmark.number).second) bookmark.number = 0;  // an older bookmark has it
  }
  for (Bookmark& bookmark : bookmarks) {
    if (bookmark.number == 0) bookmark.number = free_number(bookmarks);
  }
  std::ranges::sort(bookmarks, {}, by_number);
}

std::string bookmarks_json(std::span<const Bookmark> bookmarks, const std::filesystem::path& trace_path) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Bookmark& bookmark : bookmarks) list.push_back(json_of(bookmark));
  const nlohmann::ordered_json json = {
      {"version", kVersion}, {"path", stored_text(trace_path.string(), kMostNameBytes)}, {"bookmarks", list}};
  return json.dump(2, ' ', false, BookmarkJson::error_handler_t::replace) + "\n";
}

std::optional<ReadBookmarks> bookmarks_from_json(std::string_view text) {
  const BookmarkJson json = BookmarkJson::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto version = json.find("version");
  const auto list = json.find("bookmarks");
  if (version == json.end() || *version != kVersion || list == json.end() || !list->is_array())
    return std::nullopt;
  ReadBookmarks read;
  std::set<std::uint64_t> ids;
  for (const BookmarkJson& entry : *list) {
    std::optional<Bookmark> bookmark = bookmark_from_json(entry);
    if (!bookmark || read.bookmarks.size() == kMostBookmarks || !ids.insert(bookmark->id).second) {
      ++read.skipped;
    } else {
      read.bookmarks.push_back(std::move(*bookmark));
    }
  }
  settle_numbers(read.bookmarks);
  return read;
}

std::int64_t ns_from_unix(std::int64_t unix_ns, std::int64_t origin_unix_ns) {
  std::int64_t ns = 0;
  if (!__builtin_sub_overflow(unix_ns, origin_unix_ns, &ns)) return std::clamp(ns, -kFarUnixNs, kFarUnixNs);
  return unix_ns < origin_unix_ns ? -kFarUnixNs : kFarUnixNs;
}

BookmarkedSlice bookmarked_slice(const Trace& trace, SliceId slice) {
  const std::uint32_t i = index_of(slice);
  const Track& track = trace.track(trace.track_of(slice));
  return {.source_offset = trace.slices.source_offset[i],
          .name = stored_text(trace.name_of(slice), kMostNameBytes),
          .start_unix_ns = trace.origin_unix_ns + trace.slices.start_ns[i],
          .duration_ns = trace.slices.duration_ns[i],
          .pid = stored_text(trace.processes[track.process].pid, kMostNameBytes),
          .tid = stored_text(track.tid, kMostNameBytes)};
}

FoundSlice find_bookmarked(const Trace& trace, const BookmarkedSlice& wanted, const std::stop_token& stop) {
  const std::uint32_t name = trace.names.find(wanted.name);
  Nearest nearest;
  for (const Track& track : trace.tracks) {
    if (track.tid != wanted.tid || trace.processes[track.process].pid != wanted.pid) continue;
    for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
      if (look_in_row(trace, trace.rows[row], wanted, name, nearest, stop))
        return {nearest.slice, SliceMatch::exact};
    }
  }
  if (nearest.slice == kNoSlice) return {kNoSlice, SliceMatch::lost};
  return {nearest.slice, SliceMatch::nearest};
}

}  // namespace kino
