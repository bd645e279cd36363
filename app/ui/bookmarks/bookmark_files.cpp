#include "app/ui/bookmarks/bookmark_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "app/system/atomic_file.hpp"
#include "app/system/text_hash.hpp"
#include "core/base/platform/folder_lock.hpp"
#include "core/base/platform/folder_names.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

constexpr std::uintmax_t kLargestBookmarksFile = 16 << 20;
constexpr std::size_t kSampleBytes = 64 << 10;  // hashed bytes of the trace's head, and of its tail
constexpr std::size_t kHashDigits = 16;

std::optional<std::string> content_key(const std::filesystem::path& trace_path) {
  std::error_code code;
  const TracePath path = split_trace_path(trace_path);
  const std::uintmax_t size = std::filesystem::file_size(path.file, code);
  if (code) return std::nullopt;  // for example a pipe, which must not be read here
  std::ifstream file(path.file, std::ios::binary);
  if (!file) return std::nullopt;
  std::uint64_t hash = hash_of(std::to_string(size) + path.entry);
  std::string sample(static_cast<std::size_t>(std::min<std::uintmax_t>(size, kSampleBytes)), '\0');
  file.read(sample.data(), static_cast<std::streamsize>(sample.size()));
  if (!file) return std::nullopt;
  hash = hash_of(sample, hash);
  file.seekg(-static_cast<std::streamoff>(sample.size()), std::ios::end);
  file.read(sample.data(), static_cast<std::streamsize>(sample.size()));
  if (!file) return std::nullopt;
  return hash_text(hash_of(sample, hash));
}

std::string path_key(const std::filesystem::path& trace_path) {
  std::error_code code;
  const std::filesystem::path canonical = std::filesystem::canonical(trace_path, code);
  return hash_text(hash_of((code ? trace_path : canonical).string()));
}

std::filesystem::file_time_type time_of(const std::filesystem::path& file) {
  std::error_code code;
  const auto time = std::filesystem::last_write_time(file, code);
  return code ? std::filesystem::file_time_type::min() : time;
}

enum class Aside : std::uint8_t { moved, copied };

/// Moves or copies a damaged file to another name, so that the next write does not overwrite it. Returns a
/// sentence about it.
Sentence keep_aside(const std::filesystem::path& file, Aside how) {
  std::filesystem::path aside;
  for (int i = 1; i < 1000; ++i) {
    aside = file.string() + (i == 1 ? ".bad" : ".bad" + std::to_string(i));
    std::error_code code;
    if (!std::filesystem::exists(aside, code)) break;
  }
  std::error_code code;
  if (how == Aside::moved) {
    std::filesystem::rename(file, aside, code);
    if (code) return {Text::bookmarks_unreadable, file.string(), {}};
    return {Text::bookmarks_unreadable_moved, aside.string(), {}};
  }
  std::filesystem::copy_file(file, aside, code);
  if (code) return {Text::bookmarks_some_unreadable_not_copied, file.string(), {}};
  return {Text::bookmarks_some_unreadable_copied, aside.string(), {}};
}

struct ReadFile {
  std::optional<std::vector<Bookmark>> bookmarks;  // nullopt: file missing or unreadable
  Sentence problem;
};

ReadFile read_file(const std::filesystem::path& file, bool will_be_replaced) {
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return {};
  std::optional<ReadBookmarks> read = import_bookmarks(file).read;
  if (!read) return {std::nullopt, keep_aside(file, Aside::moved)};
  ReadFile done{std::move(read->bookmarks), {}};
  if (read->skipped > 0) {
    done.problem = will_be_replaced ? keep_aside(file, Aside::copied)
                                    : Sentence{Text::bookmarks_some_unreadable, file.string(), {}};
  }
  return done;
}

}  // namespace

std::filesystem::path bookmarks_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') return std::filesystem::path(data) / "kinetoscope" / "bookmarks";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::filesystem::path(home) / ".local" / "share" / "kinetoscope" / "bookmarks";
}

OpenedBookmarks open_bookmarks(const std::filesystem::path& folder, const std::filesystem::path& trace_path) {
  OpenedBookmarks opened;
  if (folder.empty()) return opened;
  const std::optional<std::string> content = content_key(trace_path);
  if (!content) return opened;
  const std::string path = path_key(trace_path);
  opened.file = folder / (*content + "-" + path + ".json");
  std::filesystem::path source = opened.file;
  std::error_code code;
  if (!std::filesystem::exists(source, code)) {
    std::filesystem::path same_content;
    std::filesystem::path same_path;
    const auto newer = [](const std::filesystem::path& file, std::filesystem::path& best) {
      if (best.empty() || time_of(file) > time_of(best)) best = file;
    };
    for (const std::string& name : names_in(folder).names) {
      if (name.size() != 2 * kHashDigits + 6 || !name.ends_with(".json")) continue;
      if (name.starts_with(*content)) newer(folder / name, same_content);
      if (name.substr(kHashDigits + 1, kHashDigits) == path) newer(folder / name, same_path);
    }
    if (!same_content.empty()) opened.file = same_content;
    source = !same_content.empty() ? same_content : same_path;
  }
  if (source.empty()) return opened;
  ReadFile read = read_file(source, false);
  if (read.bookmarks) opened.bookmarks = std::move(*read.bookmarks);
  opened.problem = std::move(read.problem);
  return opened;
}

void apply_changes(std::vector<Bookmark>& bookmarks, const BookmarkChanges& changes) {
  for (const auto& [id, changed] : changes) {
    const auto found = std::ranges::find(bookmarks, id, &Bookmark::id);
    if (!changed) {
      if (found != bookmarks.end()) bookmarks.erase(found);
    } else if (found != bookmarks.end()) {
      *found = *changed;
    } else if (bookmarks.size() < kMostBookmarks) {
      bookmarks.push_back(*changed);
    }
  }
  settle_numbers(bookmarks);
}

ChangedBookmarks change_bookmarks(const std::filesystem::path& file, const std::filesystem::path& trace_path,
                                  const std::vector<Bookmark>& known, const BookmarkChanges& changes) {
  ChangedBookmarks changed;
  std::error_code code;
  std::filesystem::create_directories(file.parent_path(), code);
  const FolderLock lock(file.parent_path());
  ReadFile read = read_file(file, true);
  changed.bookmarks = std::move(read.bookmarks).value_or(known);
  changed.problem = std::move(read.problem);
  apply_changes(changed.bookmarks, changes);
  const std::string text = bookmarks_json(changed.bookmarks, trace_path);
  if (const auto error = write_file_atomically(file, text, Durability::power_loss)) {
    changed.problem = {Text::bookmarks_not_saved, error->what, file.string()};
  } else {
    changed.written = true;
  }
  return changed;
}

ImportedBookmarks import_bookmarks(const std::filesystem::path& path) {
  const auto nothing = [&](Text why) { return ImportedBookmarks{std::nullopt, {why, path.string(), {}}}; };
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return nothing(Text::bookmarks_no_such_file);
  if (std::filesystem::file_size(path, code) > kLargestBookmarksFile || code)
    return nothing(Text::bookmarks_file_too_large);
  std::ifstream file(path, std::ios::binary);
  if (!file) return nothing(Text::bookmarks_file_unreadable);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::optional<ReadBookmarks> read = bookmarks_from_json(text);
  if (!read) return nothing(Text::bookmarks_none_in_file);
  return {std::move(read), {}};
}

}  // namespace kino
