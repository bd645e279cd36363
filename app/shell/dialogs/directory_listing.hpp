// A sorted folder listing, and the entries that match a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

struct DirectoryEntry {
  std::string name;
  bool folder = false;
  bool openable = false;  ///< see looks_openable(); false for folders
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< Unix time; 0 if unknown
};

struct DirectoryListing {
  std::filesystem::path folder;
  std::vector<DirectoryEntry> entries;
  bool cut = false;  ///< whether the folder has more than kMostEntries entries

  static constexpr std::size_t kMostEntries = 50'000;
};

/// Lists a folder, up to kMostEntries: first folders, then files, each in natural_less() order ("rank2"
/// before "rank10"). O(n log n) for n entries. Accesses the disk, which can be slow, so do not call it on the
/// UI thread.
Result<DirectoryListing> list_directory(const std::filesystem::path& folder, const std::stop_token& stop);

/// Returns the indices of the entries whose name contains `filter`, ignoring case. Names that start with a
/// dot match only filters that start with a dot. O(length of all names).
std::vector<std::size_t> matching_entries(const DirectoryListing& listing, std::string_view filter);

enum class EntryOrder { name, size, date };
/// Sorts indices of entries; entries with equal keys are in the order of the listing. Folders remain first,
/// and folders sorted by size are in the order of the listing. O(n log n).
void sort_entries(const DirectoryListing& listing, EntryOrder order, bool descending,
                  std::vector<std::size_t>& entries);

/// Returns the path that the user has typed. A text is a path if it is "~" or "..", or if it contains "/"; it
/// is relative to `folder` unless it starts with "/" or "~". nullopt for other texts, which are filters.
std::optional<std::filesystem::path> typed_path(std::string_view text, const std::filesystem::path& folder,
                                                const std::filesystem::path& home);

/// Whether a file name matches one of kRecordingPatterns.
bool looks_openable(std::string_view name);

/// Whether `a` precedes `b` in natural order, which compares numbers by value and letters without case.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kino
