#include "loaders/bytes/spool_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <isa-l/crc.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "loaders/bytes/descriptor.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostReserve = std::uint64_t{2} << 30;

// Writes everything, or leaves the reason in errno.
bool write_all(int fd, std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const ssize_t put = ::write(fd, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    data = data.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

bool nearly_full(std::uint64_t total, std::uint64_t free) {
  return free < std::min(total / 20, kMostReserve);
}

/// With `bytes` more in use.
bool memory_is_nearly_full(std::uint64_t bytes = 0) {
  std::ifstream file("/proc/meminfo");
  std::uint64_t total = 0;
  std::uint64_t available = 0;
  for (std::string word; file >> word;) {
    if (word == "MemTotal:") file >> total;
    if (word == "MemAvailable:") file >> available;
  }
  available <<= 10U;
  return total > 0 && nearly_full(total << 10U, available - std::min(available, bytes));
}

bool is_full(int reason) { return reason == ENOSPC || reason == EDQUOT; }

bool lies_in_memory(int fd) {
  struct statvfs status {};
  return ::fstatvfs(fd, &status) == 0 && status.f_blocks == 0;  // memfd
}

/// Copies [0, bytes). False when it is not all there or not all fits.
bool copy_all(int from, int to, std::uint64_t bytes) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  std::vector<std::uint8_t> block(kBlockBytes);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, bytes - done));
    const ssize_t got = ::pread(from, block.data(), wanted, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !write_all(to, {block.data(), static_cast<std::size_t>(got)})) return false;
    done += static_cast<std::uint64_t>(got);
  }
  return true;
}

}  // namespace

bool spool_is_nearly_full(int fd) {
  struct statvfs status {};
  if (::fstatvfs(fd, &status) != 0) return false;
  if (status.f_blocks == 0) return memory_is_nearly_full();  // memfd
  return nearly_full(status.f_blocks * status.f_frsize, status.f_bavail * status.f_frsize);
}

int open_memory_spool() { return ::memfd_create("kinetoscope-spool", MFD_CLOEXEC); }

bool move_spool_to_memory(int fd, std::uint64_t bytes) {
  if (lies_in_memory(fd) || memory_is_nearly_full(bytes)) return false;
  const Descriptor memory(open_memory_spool());
  return memory.fd >= 0 && copy_all(fd, memory.fd, bytes) && ::dup3(memory.fd, fd, O_CLOEXEC) >= 0;
}

bool SpoolWriter::nearly_full() {
  return spool_is_nearly_full(spool_.fd()) && !move_spool_to_memory(spool_.fd(), written());
}

bool SpoolWriter::write_in_memory(std::span<const std::uint8_t> data) {
  if (!move_spool_to_memory(spool_.fd(), written())) {
    errno = ENOSPC;
    return false;
  }
  return write_all(spool_.fd(), data);
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
  if (!write_all(spool_.fd(), data) && !(is_full(errno) && write_in_memory(data))) {
    const int reason = errno;
    const bool full = is_full(reason);
    fail({full ? Error::Kind::no_space : Error::Kind::system,
          full ? "There is no space left in the cache folder nor in memory for the decompressed text"
               : std::string("Writing the decompressed text failed: ") + std::strerror(reason),
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
    if (!got) return out.end_with(std::move(got.error()));
    if (*got == 0) break;
    out.count_read(*got);
    if (!out.write({buffer.data(), *got})) return;
  }
  out.finish();
}

}  // namespace kino
