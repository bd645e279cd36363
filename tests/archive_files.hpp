// Archives and compressed files for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>

#include "tests/loader_files.hpp"
#include "tests/temporary_folder.hpp"

namespace kino_test {

using ArchivedFiles = std::vector<std::pair<std::string, std::string>>;

/// An archive of `format` (gnutar, zip, "stored zip", 7zip, raw), compressed by `filter` (none, gzip, zstd,
/// ...).
inline std::string packed(const char* format, const char* filter, const ArchivedFiles& files) {
  std::string out;
  archive* handle = ::archive_write_new();
  const bool stored = std::string(format) == "stored zip";
  REQUIRE(::archive_write_set_format_by_name(handle, stored ? "zip" : format) == ARCHIVE_OK);
  if (stored) REQUIRE(::archive_write_set_format_option(handle, "zip", "compression", "store") == ARCHIVE_OK);
  if (std::string(filter) != "none")
    REQUIRE(::archive_write_add_filter_by_name(handle, filter) == ARCHIVE_OK);
  ::archive_write_set_bytes_in_last_block(handle, 1);
  const kino_test::TemporaryFolder folder;
  const auto path = folder.path() / "archive";
  REQUIRE(::archive_write_open_filename(handle, path.c_str()) == ARCHIVE_OK);
  for (const auto& [name, content] : files) {
    archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, name.c_str());
    ::archive_entry_set_perm(entry, 0600);
    if (content.starts_with("-> ")) {
      ::archive_entry_set_filetype(entry, AE_IFLNK);
      ::archive_entry_set_symlink(entry, content.c_str() + 3);
    } else {
      ::archive_entry_set_filetype(entry, AE_IFREG);
      ::archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    }
    REQUIRE(::archive_write_header(handle, entry) == ARCHIVE_OK);
    if (!content.starts_with("-> ")) ::archive_write_data(handle, content.data(), content.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(handle);
  ::archive_write_free(handle);
  return kino_test::file_content(path);
}

inline std::string compressed(const char* filter, const std::string& text) {
  return packed("raw", filter, {{"data", text}});
}

}  // namespace kino_test
