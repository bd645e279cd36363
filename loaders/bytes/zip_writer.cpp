#include "loaders/bytes/zip_writer.hpp"

#include <ctime>
#include <utility>

#include <archive.h>
#include <archive_entry.h>

#include "core/base/messages/message.hpp"

namespace kino {
namespace {

using ZipEntry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

}  // namespace

ZipWriter::ZipWriter(std::string name, NewFile file, Writer writer)
    : name_(std::move(name)), file_(std::move(file)), writer_(std::move(writer)) {}

Result<ZipWriter> ZipWriter::create(const std::filesystem::path& path) {
  Result<NewFile> file = NewFile::create(path.parent_path());
  if (!file.ok()) return file.error();
  ZipWriter zip(path.filename().string(), std::move(file).value(),
                Writer(archive_write_new(), &archive_write_free));
  archive* const writer = zip.writer_.get();
  if (archive_write_set_format_zip(writer) != ARCHIVE_OK ||
      archive_write_set_bytes_in_last_block(writer, 1) != ARCHIVE_OK ||
      archive_write_open_fd(writer, zip.file_.fd()) != ARCHIVE_OK)
    return zip.failure();
  return zip;
}

std::optional<Error> ZipWriter::add(const std::string& name, std::string_view content) {
  const ZipEntry entry(archive_entry_new(), &archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), std::time(nullptr), 0);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  if (archive_write_header(writer_.get(), entry.get()) != ARCHIVE_OK) return failure();
  while (!content.empty()) {
    const la_ssize_t written = archive_write_data(writer_.get(), content.data(), content.size());
    if (written <= 0) return failure();
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

std::optional<Error> ZipWriter::finish() {
  if (archive_write_close(writer_.get()) != ARCHIVE_OK) return failure();
  return file_.publish(name_);
}

Error ZipWriter::failure() const {
  const char* const why = archive_error_string(writer_.get());
  return {Error::Kind::system, {msg::the_file_cannot_be_written, why != nullptr ? why : "ZIP"}};
}

}  // namespace kino
