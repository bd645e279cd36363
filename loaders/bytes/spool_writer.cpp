#include "loaders/bytes/spool_writer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <isa-l/crc.h>

#include "core/base/platform/file_io.hpp"
#include "core/base/platform/space.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostReserve = std::uint64_t{2} << 30;

bool is_nearly_full(const Space& space) {
  return space.free_bytes < std::min(space.total_bytes / 20, kMostReserve);
}

/// Returns whether little memory would be free if `bytes` more were in use.
bool memory_is_nearly_full(std::uint64_t bytes = 0) {
  std::optional<Space> memory = memory_space();
  if (!memory) return false;
  memory->free_bytes -= std::min(memory->free_bytes, bytes);
  return is_nearly_full(*memory);
}

bool lies_in_memory(int fd) {
  const std::optional<Space> disk = disk_space(fd);
  return disk && disk->total_bytes == 0;
}

/// Copies the bytes [0, bytes). Returns false if bytes are missing or do not fit.
bool copy_all(int from, int to, std::uint64_t bytes) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  std::vector<std::byte> block(kBlockBytes);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, bytes - done));
    const Result<std::size_t> got = read_some_at(from, std::span(block).first(wanted), done);
    if (!got || got.value() == 0 || write_all(to, std::span(block).first(got.value()))) return false;
    done += got.value();
  }
  return true;
}

}  // namespace

bool is_spool_nearly_full(int fd) {
  const std::optional<Space> disk = disk_space(fd);
  if (!disk) return false;
  return disk->total_bytes == 0 ? memory_is_nearly_full() : is_nearly_full(*disk);
}

Result<Descriptor> open_memory_spool() { return new_memory_file("kinetoscope-spool"); }

bool move_spool_to_memory(int fd, std::uint64_t bytes) {
  if (lies_in_memory(fd) || memory_is_nearly_full(bytes)) return false;
  const Result<Descriptor> memory = open_memory_spool();
  return memory && copy_all(fd, memory.value().fd, bytes) && !replace_descriptor(memory.value().fd, fd);
}

bool SpoolWriter::nearly_full() {
  return is_spool_nearly_full(spool_.fd()) && !move_spool_to_memory(spool_.fd(), written());
}

std::optional<Error> SpoolWriter::write_in_memory(std::span<const std::uint8_t> data) {
  if (!move_spool_to_memory(spool_.fd(), written())) return Error{Error::Kind::no_space, {}};
  return write_all(spool_.fd(), std::as_bytes(data));
}

std::span<std::uint8_t> SpoolWriter::room(const std::stop_token& stop) {
  constexpr std::size_t kRoomBytes = std::size_t{512} << 10;
  if (stop.stop_requested()) return {};
  room_.resize(kRoomBytes);
  return room_;
}

bool SpoolWriter::commit(std::size_t count, std::uint32_t crc_before, std::uint32_t crc_after) {
  return put(std::span(room_).first(count), crc_before, crc_after);
}

std::uint32_t SpoolWriter::crc_of(std::span<const std::uint8_t> data) {
  return ::crc32_gzip_refl(0, data.data(), data.size());
}

bool SpoolWriter::put(std::span<const std::uint8_t> data, std::uint32_t crc_before, std::uint32_t crc_after) {
  if (data.empty()) return true;
  if (!within_limit()) return false;
  std::optional<Error> error = write_all(spool_.fd(), std::as_bytes(data));
  if (error && error->kind == Error::Kind::no_space) error = write_in_memory(data);
  if (error) {
    const bool full = error->kind == Error::Kind::no_space;
    fail({full ? Error::Kind::no_space : Error::Kind::system,
          full ? "Neither the cache folder nor memory has space left for the decompressed text"
               : "Writing the decompressed text failed: " + error->what.str(),
          written()});
    return false;
  }
  count_written(data.size());
  spool_.add_block(data, crc_before, crc_after);
  out().grow_to(written());
  return true;
}

void copy_text(ByteStream& in, SpoolWriter& out, const std::stop_token& stop) {
  constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
  std::vector<std::uint8_t> buffer(kBlockBytes);
  while (!stop.stop_requested()) {
    Result<std::size_t> got = in.read(buffer);
    if (!got) return out.end_with_error(std::move(got.error()));
    if (*got == 0) break;
    out.count_read(*got);
    if (!out.write({buffer.data(), *got})) return;
  }
  out.finish();
}

}  // namespace kino
