#include "loaders/spool_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <isa-l/crc.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

bool memory_is_nearly_full() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t total = 0;
  std::uint64_t available = 0;
  for (std::string word; file >> word;) {
    if (word == "MemTotal:") file >> total;
    if (word == "MemAvailable:") file >> available;
  }
  return total > 0 && nearly_full(total << 10U, available << 10U);
}

}  // namespace

bool spool_is_nearly_full(int fd) {
  struct statvfs status {};
  if (::fstatvfs(fd, &status) != 0) return false;
  if (status.f_blocks == 0) return memory_is_nearly_full();  // memfd
  return nearly_full(status.f_blocks * status.f_frsize, status.f_bavail * status.f_frsize);
}

bool SpoolWriter::within_limit() {
  if (limit_.none || written_ < next_check_) return true;
  next_check_ = written_ + limit_.check_bytes;
  std::string why;
  if (in_ != nullptr && written_ >= limit_.ratio_from_bytes &&
      written_ / limit_.most_ratio > in_->file_bytes_read()) {
    why = "Stopped at more than " + std::to_string(limit_.most_ratio) +
          " times the compressed size; --no-limit reads all of it";
  } else if (spool_is_nearly_full(out_.source()->fd())) {
    why = "Stopped before the cache folder is full; free space there, or --no-limit reads on";
  }
  if (why.empty()) return true;
  damage_.add(DamageReason::spool_limit, written_, why);
  out_.finish();
  return false;
}

bool SpoolWriter::write(std::span<const std::uint8_t> data) {
  return write(data, 0, ::crc32_gzip_refl(0, data.data(), data.size()));
}

bool SpoolWriter::write(std::span<const std::uint8_t> data, std::uint32_t crc_before,
                        std::uint32_t crc_after) {
  if (data.empty()) return true;
  if (!within_limit()) return false;
  if (!write_all(out_.source()->fd(), data)) {
    const int reason = errno;
    const bool full = reason == ENOSPC || reason == EDQUOT;
    fail({full ? Error::Kind::no_space : Error::Kind::system,
          full ? "There is no space left in the cache folder for the decompressed text"
               : std::string("Writing the decompressed text failed: ") + std::strerror(reason),
          written_});
    return false;
  }
  written_ += data.size();
  out_.source()->add_block(data, crc_before, crc_after);
  out_.grow_to(written_);
  return true;
}

void SpoolWriter::end_early(const std::string& why) {
  if (written_ == 0) {
    fail({Error::Kind::corrupt, why + " before the first byte of text", bytes_read()});
    return;
  }
  damage_.add(DamageReason::truncated_gzip, written_,
              why + " (byte " + std::to_string(bytes_read()) + " of the file)");
  finish();
}

void SpoolWriter::end_with(Error error) {
  if (written_ == 0) {
    fail(std::move(error));
  } else if (error.kind == Error::Kind::wrong_checksum) {
    damage_.add(DamageReason::gzip_checksum, written_, error.what);
    finish();
  } else {
    end_early(error.what);
  }
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
