#include "loaders/bytes/spool.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <vector>

#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/system_failure.hpp"

namespace kino {

std::filesystem::path default_cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::filesystem::path(cache) / "kinetoscope";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::filesystem::path(home) / ".cache" / "kinetoscope";
  }
  return {};
}

void make_cache_folder(const std::filesystem::path& directory) {
  std::error_code code;
  if (directory.has_parent_path()) std::filesystem::create_directories(directory.parent_path(), code);
  if (make_private_folder(directory) || directory != default_cache_directory()) return;
  make_private(directory);  // an older version may have created it readable for all users
}

Result<Descriptor> open_spool(const std::filesystem::path& directory) {
  if (!directory.empty()) {
    make_cache_folder(directory);  // if this fails, the next step fails too and memory is used
    Result<Descriptor> file = new_unnamed_file(directory);
    if (file && !is_spool_nearly_full(file->fd)) return file;
  }
  Result<Descriptor> memory = open_memory_spool();
  if (memory) return memory;
  return Error{Error::Kind::system, "The decompressed text cannot be stored: " + memory.error().what.str()};
}

Result<Descriptor> spool_pipe(int fd, const std::filesystem::path& directory, const DecompressionLimit& limit,
                              std::atomic<std::uint64_t>& bytes_read, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPatience(20);
  constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
  Result<Descriptor> spool = open_spool(directory);
  if (!spool) return spool.error();
  const auto source = std::make_shared<FileSource>(std::move(*spool));
  GrowingText text(source);
  SpoolWriter out(text, *source, limit, bytes_read, nullptr);
  std::vector<std::uint8_t> buffer(kBlockBytes);
  while (!stop.stop_requested()) {
    const auto arrived = read_available(fd, std::as_writable_bytes(std::span(buffer)), kPatience);
    if (!arrived)
      return Error{Error::Kind::system, "Reading failed: " + arrived.error().what.str(), out.written()};
    if (!arrived.value()) continue;
    const std::size_t got = *arrived.value();
    if (got == 0) {
      Result<Descriptor> copy = duplicate(source->fd());
      if (copy) return copy;
      return Error{Error::Kind::system, "The text from the pipe cannot be kept: " + copy.error().what.str()};
    }
    out.count_read(got);
    if (out.write({buffer.data(), got})) continue;
    if (const auto error = text.error()) return *error;
    return Error{Error::Kind::no_space,
                 "The data from the pipe would fill the cache folder and memory; save the data to a file or "
                 "use --no-limit",
                 out.written()};
  }
  return Error{Error::Kind::cancelled, "Loading was cancelled"};
}

}  // namespace kino
