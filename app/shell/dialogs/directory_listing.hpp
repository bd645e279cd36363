// A sorted folder listing, and the entries that match a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

struct DirectoryEntry {
  std::string name;
  bool folder = false;
  bool openable = false;  ///< whether the program opens files with this extension
  std::uint64_t size_bytes = 0;
};

struct DirectoryListing {
  std::filesystem::path folder;
  std::vector<DirectoryEntry> entries;
  bool cut = false;  ///< there were more than kMostEntries

  static constexpr std::size_t kMostEntries = 50'000;
};

/// Lists a folder: first folders, then files, each in natural_less() order ("rank2" before "rank10"). O(n log
/// n). Accesses the disk, which can be slow, so do not call it on the UI thread.
Result<DirectoryListing> list_directory(const std::filesystem::path& folder, const std::stop_token& stop);

/// Returns the indices of the entries whose name contains `filter`, ignoring case. Names that start with a
/// dot match only filters that start with a dot. O(length of all names).
std::vector<std::size_t> matching_entries(const DirectoryListing& listing, std::string_view filter);

/// Whether the program opens files with such a name.
bool looks_openable(std::string_view name);

/// Whether `a` precedes `b` in natural order, which compares numbers by value and letters without case.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kino
