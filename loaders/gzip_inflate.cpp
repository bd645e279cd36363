#include "loaders/gzip_inflate.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <isa-l/igzip_lib.h>

namespace kino {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::size_t kOutputBytes = std::size_t{512} << 10;

class Inflater {
 public:
  Inflater(ByteStream& in, SpoolWriter& out)
      : in_(in), out_(out), input_(kInputBytes), output_(kOutputBytes) {}

  void run(const std::stop_token& stop) {
    start_member();
    while (!stop.stop_requested()) {
      if (state_.avail_in == 0 && !fill()) break;
      if (between_members_ && !next_member()) break;
      state_.next_out = output_.data();
      state_.avail_out = static_cast<std::uint32_t>(output_.size());
      const std::uint32_t crc_before = state_.crc;
      const int status = isal_inflate(&state_);
      if (!out_.write({output_.data(), output_.size() - state_.avail_out}, crc_before, state_.crc)) return;
      if (status == ISAL_INCORRECT_CHECKSUM) {
        out_.damage().add(DamageReason::gzip_checksum, out_.written(), "");
        between_members_ = true;
      } else if (status < 0) {
        return out_.end_early("The compressed data are damaged");
      } else if (state_.block_state == ISAL_BLOCK_FINISH) {
        between_members_ = true;
      }
    }
    if (failed_) return;
    if (!between_members_ && !stop.stop_requested()) return out_.end_early("The compressed data end early");
    out_.finish();
  }

 private:
  void start_member() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    between_members_ = false;
  }

  /// Reads the next piece of the file; false at its end or on an error.
  bool fill() {
    Result<std::size_t> got = in_.read(input_);
    if (!got) {
      failed_ = true;
      out_.end_with(std::move(got.error()));
      return false;
    }
    if (*got == 0) return false;
    out_.count_read(*got);
    state_.next_in = input_.data();
    state_.avail_in = static_cast<std::uint32_t>(*got);
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
    out_.damage().add(DamageReason::trailing_data, out_.written(),
                      std::string_view(reinterpret_cast<const char*>(state_.next_in), state_.avail_in));
    return false;
  }

  ByteStream& in_;
  SpoolWriter& out_;
  std::vector<std::uint8_t> input_;
  std::vector<std::uint8_t> output_;
  inflate_state state_{};
  bool between_members_ = false;
  bool failed_ = false;
};

}  // namespace

void inflate_gzip(ByteStream& in, SpoolWriter& out, const std::stop_token& stop) {
  Inflater(in, out).run(stop);
}

}  // namespace kino
