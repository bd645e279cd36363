#include "loaders/bytes/zstd_frame.hpp"

#include <memory>
#include <new>

#include <archive.h>
#include <archive_entry.h>

namespace kino {
namespace {

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

la_ssize_t append_to(archive* /*writer*/, void* out, const void* bytes, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

}  // namespace

std::string zstd_packed(std::string_view bytes, int level) {
  std::string packed;
  if (bytes.empty()) return packed;
  const Writer writer(archive_write_new(), &archive_write_free);
  const Entry entry(archive_entry_new(), &archive_entry_free);
  if (!writer || !entry) throw std::bad_alloc();
  archive_write_add_filter_zstd(writer.get());
  archive_write_set_format_raw(writer.get());
  const std::string option = "zstd:compression-level=" + std::to_string(level);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  const bool good =
      archive_write_set_options(writer.get(), option.c_str()) == ARCHIVE_OK &&
      archive_write_open(writer.get(), &packed, nullptr, &append_to, nullptr) == ARCHIVE_OK &&
      archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK &&
      archive_write_data(writer.get(), bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size()) &&
      archive_write_close(writer.get()) == ARCHIVE_OK;
  if (!good) throw std::bad_alloc();
  return packed;
}

bool zstd_unpacked(std::string_view packed, std::span<char> out) {
  if (packed.empty()) return out.empty();
  const Reader reader(archive_read_new(), &archive_read_free);
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_raw(reader.get());
  // This filter, and once: what is in a frame may look like another one.
  archive_entry* entry = nullptr;
  if (archive_read_append_filter(reader.get(), ARCHIVE_FILTER_ZSTD) != ARCHIVE_OK ||
      archive_read_open_memory(reader.get(), packed.data(), packed.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return false;
  }
  while (!out.empty()) {
    const la_ssize_t got = archive_read_data(reader.get(), out.data(), out.size());
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  char more = 0;
  return archive_read_data(reader.get(), &more, 1) == 0;
}

}  // namespace kino
