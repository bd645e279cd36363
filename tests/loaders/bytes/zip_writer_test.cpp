// Covers: zip_writer
#include "loaders/bytes/zip_writer.hpp"

#include <filesystem>
#include <string>

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>

#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using kino::ZipWriter;

namespace {

kino_test::ArchivedFiles files_in(const std::filesystem::path& path) {
  kino_test::ArchivedFiles files;
  archive* const handle = ::archive_read_new();
  ::archive_read_support_format_zip(handle);
  REQUIRE(::archive_read_open_filename(handle, path.c_str(), 65536) == ARCHIVE_OK);
  archive_entry* entry = nullptr;
  while (::archive_read_next_header(handle, &entry) == ARCHIVE_OK) {
    std::string content(static_cast<std::size_t>(::archive_entry_size(entry)), '\0');
    CHECK(::archive_read_data(handle, content.data(), content.size()) ==
          static_cast<la_ssize_t>(content.size()));
    files.emplace_back(::archive_entry_pathname(entry), content);
  }
  ::archive_read_free(handle);
  return files;
}

}  // namespace

TEST_CASE("a ZIP archive contains the added files in order") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.path() / "tables.zip";
  const kino_test::ArchivedFiles files = {
      {"kernels.csv", std::string(300'000, 'k')}, {"empty.csv", ""}, {"steps.csv", "a,b\n1,2\n"}};
  auto zip = ZipWriter::create(path);
  REQUIRE(zip.ok());
  for (const auto& [name, content] : files) CHECK_FALSE(zip.value().add(name, content));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(zip.value().finish());
  CHECK(files_in(path) == files);
  CHECK(std::filesystem::file_size(path) < 10'000);
}

TEST_CASE("an archive that is not finished leaves no file, and a missing folder is reported") {
  const kino_test::TemporaryFolder folder;
  {
    auto zip = ZipWriter::create(folder.path() / "tables.zip");
    REQUIRE(zip.ok());
    CHECK_FALSE(zip.value().add("kernels.csv", "x"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK_FALSE(ZipWriter::create(folder.path() / "missing" / "tables.zip").ok());
}
