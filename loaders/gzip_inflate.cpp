#include "loaders/gzip_inflate.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <unistd.h>

namespace kino {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::size_t kOutputBytes = std::size_t{512} << 10;

/// Writes everything or says why not.
bool write_all(int fd, const std::uint8_t* data, std::size_t size) {
  while (size > 0) {
    const ssize_t put = ::write(fd, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    data += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

class Inflater {
 public:
  Inflater(int fd, GrowingText& out, std::atomic<std::uint64_t>& bytes_read)
      : fd_(fd), out_(out), bytes_read_(bytes_read), input_(kInputBytes), output_(kOutputBytes) {}

  DamageLog run(const std::stop_token& stop) {
    start_member();
    while (!stop.stop_requested()) {
      if (state_.avail_in == 0 && !fill()) break;
      if (between_members_ && !next_member()) break;
      state_.next_out = output_.data();
      state_.avail_out = static_cast<std::uint32_t>(output_.size());
      const int status = isal_inflate(&state_);
      if (!flush(output_.size() - state_.avail_out)) return damage_;
      if (status == ISAL_INCORRECT_CHECKSUM) {
        damage_.add(DamageReason::gzip_checksum, written_, "");
        between_members_ = true;
      } else if (status < 0) {
        return end_early("The compressed data are damaged");
      } else if (state_.block_state == ISAL_BLOCK_FINISH) {
        between_members_ = true;
      }
    }
    if (failed_) return damage_;
    if (!between_members_ && !stop.stop_requested()) return end_early("The compressed data end early");
    out_.finish();
    return damage_;
  }

 private:
  void start_member() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    between_members_ = false;
  }

  /// Reads the next piece of the file; false at its end or on an error.
  bool fill() {
    ssize_t got = 0;
    do {
      got = ::pread(fd_, input_.data(), input_.size(), static_cast<off_t>(read_));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      failed_ = true;
      out_.fail({Error::Kind::system, std::string("Reading failed: ") + std::strerror(errno), read_});
      return false;
    }
    if (got == 0) return false;
    read_ += static_cast<std::uint64_t>(got);
    bytes_read_.store(read_, std::memory_order_relaxed);
    state_.next_in = input_.data();
    state_.avail_in = static_cast<std::uint32_t>(got);
    return true;
  }

  /// Another member may follow the one that ended; anything else is trailing data, zero padding is silent.
  bool next_member() {
    if (*state_.next_in == 0x1f) {
      const std::uint8_t* const next_in = state_.next_in;
      const std::uint32_t avail_in = state_.avail_in;
      start_member();
      state_.next_in = const_cast<std::uint8_t*>(next_in);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      state_.avail_in = avail_in;
      return true;
    }
    if (*state_.next_in == 0) {
      while (state_.avail_in > 0 && *state_.next_in == 0) {
        ++state_.next_in;
        --state_.avail_in;
      }
      if (state_.avail_in == 0) return fill() && next_member();
      return next_member();
    }
    damage_.add(DamageReason::trailing_data, written_,
                std::string_view(reinterpret_cast<const char*>(state_.next_in), state_.avail_in));
    return false;
  }

  bool flush(std::size_t size) {
    if (size == 0) return true;
    if (!write_all(out_.source()->fd(), output_.data(), size)) {
      const int reason = errno;
      const bool full = reason == ENOSPC || reason == EDQUOT;
      out_.fail({full ? Error::Kind::no_space : Error::Kind::system,
                 full ? "There is no space left in the cache folder for the decompressed text"
                      : std::string("Writing the decompressed text failed: ") + std::strerror(reason),
                 written_});
      return false;
    }
    written_ += size;
    out_.grow_to(written_);
    return true;
  }

  DamageLog end_early(const char* why) {
    if (written_ == 0) {
      out_.fail({Error::Kind::corrupt, std::string(why) + " before the first byte of text",
                 read_ - state_.avail_in});
    } else {
      damage_.add(DamageReason::truncated_gzip, written_,
                  std::string(why) + " (byte " + std::to_string(read_ - state_.avail_in) + " of the file)");
      out_.finish();
    }
    return damage_;
  }

  int fd_;
  GrowingText& out_;
  std::atomic<std::uint64_t>& bytes_read_;
  std::vector<std::uint8_t> input_;
  std::vector<std::uint8_t> output_;
  inflate_state state_{};
  DamageLog damage_;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
  bool between_members_ = false;
  bool failed_ = false;
};

}  // namespace

DamageLog inflate_gzip(int gzip_fd, GrowingText& out, std::atomic<std::uint64_t>& bytes_read,
                       const std::stop_token& stop) {
  return Inflater(gzip_fd, out, bytes_read).run(stop);
}

}  // namespace kino
