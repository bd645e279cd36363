// A folder's content in the order a file browser shows it, and the part of it that matches what was typed.
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
  bool openable = false;  ///< named like something the program opens
  std::uint64_t size_bytes = 0;
};

struct DirectoryListing {
  std::filesystem::path folder;
  std::vector<DirectoryEntry> entries;
  bool cut = false;  ///< there were more than kMostEntries

  static constexpr std::size_t kMostEntries = 50'000;
};

/// Folders first, then files, each by name with numbers in them compared as numbers ("rank2" before
/// "rank10"). O(n log n) and as slow as the disk: not for the UI thread.
Result<DirectoryListing> list_directory(const std::filesystem::path& folder, const std::stop_token& stop);

/// Indices of the entries whose name contains `filter`, whatever its case, in order. Names that begin with a
/// dot are only found by a filter that does so too. O(length of all names).
std::vector<std::size_t> matching_entries(const DirectoryListing& listing, std::string_view filter);

/// Whether a file called so looks like something to open.
bool looks_openable(std::string_view name);

/// Whether `a` comes before `b` for people.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kino
