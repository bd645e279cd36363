#include "app/shell/dialogs/directory_listing.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include "app/system/dialog_outcome.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/folder_names.hpp"

namespace kino {
namespace {

// Removes the number at the start of `text`, and returns it without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view number_a = take_number(a);
      const std::string_view number_b = take_number(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      continue;
    }
    if (lower(a.front()) != lower(b.front())) return lower(a.front()) < lower(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // the names differ only in case and leading zeros
}

bool looks_openable(std::string_view name) {
  return std::ranges::any_of(kRecordingPatterns, [&](std::string_view pattern) {
    return pattern.starts_with('*') ? name.ends_with(pattern.substr(1))
                                    : name.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

Result<DirectoryListing> list_directory(const std::filesystem::path& folder, const std::stop_token& stop) {
  NamesInFolder found = names_in(folder, DirectoryListing::kMostEntries + 1);
  if (found.names.empty() && found.error != 0) {
    const bool denied = found.error == EACCES || found.error == EPERM;
    return Error{denied ? Error::Kind::no_permission : Error::Kind::not_found,
                 denied ? msg::no_permission_for_folder : msg::this_folder_cannot_be_read};
  }
  DirectoryListing listing;
  listing.folder = folder;
  for (std::string& name : found.names) {
    if (stop.stop_requested()) return cancelled(msg::reading_the_folder);
    if (listing.entries.size() == DirectoryListing::kMostEntries) {
      listing.cut = true;
      break;
    }
    DirectoryEntry entry;
    const Result<FileFacts> facts = file_facts(folder / name);
    entry.name = std::move(name);
    entry.folder = facts && facts.value().type == FileType::folder;
    if (facts) entry.modified_ns = facts.value().stamp.modified_ns;
    if (facts && facts.value().type == FileType::regular) entry.size_bytes = facts.value().stamp.size_bytes;
    entry.openable = !entry.folder && looks_openable(entry.name);
    listing.entries.push_back(std::move(entry));
  }
  std::ranges::sort(listing.entries, [](const DirectoryEntry& a, const DirectoryEntry& b) {
    return a.folder != b.folder ? a.folder : natural_less(a.name, b.name);
  });
  return listing;
}

void sort_entries(const DirectoryListing& listing, EntryOrder order, bool descending,
                  std::vector<std::size_t>& entries) {
  const auto key = [&](std::size_t i) {
    const DirectoryEntry& entry = listing.entries[i];
    if (order == EntryOrder::name) return static_cast<std::int64_t>(i);
    return order == EntryOrder::date ? entry.modified_ns : static_cast<std::int64_t>(entry.size_bytes);
  };
  std::ranges::sort(entries);
  std::ranges::stable_sort(entries, [&](std::size_t a, std::size_t b) {
    const bool folder = listing.entries[a].folder;
    if (folder != listing.entries[b].folder) return folder;
    return descending ? key(a) > key(b) : key(a) < key(b);
  });
}

std::optional<std::filesystem::path> typed_path(std::string_view text, const std::filesystem::path& folder,
                                                const std::filesystem::path& home) {
  std::filesystem::path path;
  if (text == "~" || text.starts_with("~/")) {
    path = home / text.substr(std::min<std::size_t>(2, text.size()));
  } else if (text == ".." || text.find('/') != std::string_view::npos) {
    path = folder / text;
  } else {
    return std::nullopt;
  }
  path = path.lexically_normal();
  return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

std::vector<std::size_t> matching_entries(const DirectoryListing& listing, std::string_view filter) {
  std::vector<std::size_t> matches;
  const bool dotted = filter.starts_with('.');
  for (std::size_t i = 0; i < listing.entries.size(); ++i) {
    const std::string& name = listing.entries[i].name;
    if (name.starts_with('.') && !dotted) continue;
    if (contains_ignoring_case(name, filter)) matches.push_back(i);
  }
  return matches;
}

}  // namespace kino
