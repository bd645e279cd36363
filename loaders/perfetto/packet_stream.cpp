#include "loaders/perfetto/packet_stream.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <archive.h>
#include <isa-l/igzip_lib.h>

#include "core/base/ascii.hpp"
#include "loaders/perfetto/proto_fields.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kPacket = 1;     // the only field of a trace
constexpr std::uint32_t kDeflated = 50;  // of a packet: further packets, compressed with zlib
constexpr std::uint32_t kZstd = 133;     // likewise
constexpr std::size_t kLargestPacket = std::size_t{256} << 20;
constexpr std::size_t kLargestInflated = std::size_t{1} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 20;

/// What zlib compressed; false when it is damaged or becomes too large.
bool inflate(std::string_view compressed, std::string& out, const std::stop_token& stop) {
  out.clear();
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(compressed.data()));
  state.avail_in = static_cast<std::uint32_t>(compressed.size());
  while (state.block_state != ISAL_BLOCK_FINISH) {
    const std::size_t had = out.size();
    if (stop.stop_requested() || had >= kLargestInflated) return false;
    const std::size_t room = std::max<std::size_t>(kPiece / 4, had);
    out.resize(had + room);
    state.next_out = reinterpret_cast<std::uint8_t*>(out.data() + had);
    state.avail_out = static_cast<std::uint32_t>(room);
    const int answer = isal_inflate(&state);
    const std::size_t made = room - state.avail_out;
    out.resize(had + made);
    if (answer != ISAL_DECOMP_OK) return false;
    if (made == 0 && state.avail_in == 0 && state.block_state != ISAL_BLOCK_FINISH) return false;
  }
  return true;
}

bool decompress_zstd(std::string_view compressed, std::string& out, const std::stop_token& stop) {
  out.clear();
  archive* const reader = archive_read_new();
  if (reader == nullptr) return false;
  archive_read_support_filter_zstd(reader);
  archive_read_support_format_raw(reader);
  archive_entry* entry = nullptr;
  bool good = archive_read_open_memory(reader, compressed.data(), compressed.size()) == ARCHIVE_OK &&
              archive_read_next_header(reader, &entry) == ARCHIVE_OK;
  std::vector<char> piece(std::size_t{1} << 16);
  while (good) {
    const la_ssize_t got = archive_read_data(reader, piece.data(), piece.size());
    if (got == 0) break;
    good = got > 0 && out.size() < kLargestInflated && !stop.stop_requested();
    if (good) out.append(piece.data(), static_cast<std::size_t>(got));
  }
  archive_read_free(reader);
  return good;
}

class Walk {
 public:
  Walk(GrowingText& text, DamageLog& damage, const std::stop_token& stop,
       const std::function<bool(std::string_view, std::uint64_t)>& visit)
      : text_(text), damage_(damage), stop_(stop), visit_(visit) {}

  std::optional<Error> run() {
    while (!stop_.stop_requested()) {
      constexpr std::size_t kLargestHeader = 20;  // a tag and a length
      if (auto error = have(kLargestHeader)) return error;
      std::string_view rest = held();
      if (rest.empty()) break;
      std::uint64_t tag = 0;
      std::uint64_t length = 0;
      const bool whole = take_varint(rest, tag) && (tag & 7U) == 2 && take_varint(rest, length);
      if (!whole || length > kLargestPacket) {
        const bool cut = ended_ && rest.size() < kLargestHeader;
        damage_.add(cut ? DamageReason::truncated_file : DamageReason::unreadable_event, offset(), "");
        break;
      }
      const std::size_t header = held().size() - rest.size();
      if (auto error = have(header + length)) return error;
      if (held().size() < header + length) {
        damage_.add(DamageReason::truncated_file, offset(), "");
        break;
      }
      const std::uint64_t begin = offset();
      if (tag >> 3U == kPacket && !packet(held().substr(header, length), begin)) break;
      at_ += header + length;
    }
    return std::nullopt;
  }

 private:
  std::string_view held() const { return std::string_view(buffer_).substr(at_); }
  std::uint64_t offset() const { return buffer_offset_ + at_; }

  /// Until that much is held, or the file ends.
  std::optional<Error> have(std::size_t size) {
    if (held().size() >= size || ended_) return std::nullopt;
    buffer_offset_ += at_;
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t wanted = std::max(size, kPiece);
    const auto available = text_.wait_for(buffer_offset_ + wanted, stop_);
    if (stop_.stop_requested()) return std::nullopt;
    if (auto error = text_.error()) return error;
    const std::uint64_t from = buffer_offset_ + buffer_.size();
    const std::size_t length =
        std::min<std::uint64_t>(wanted - buffer_.size(), available.size - std::min(from, available.size));
    const std::size_t had = buffer_.size();
    buffer_.resize(had + length);
    const Result<std::size_t> got = text_.source()->read(from, {buffer_.data() + had, length});
    if (!got) return got.error();
    buffer_.resize(had + got.value());
    ended_ = available.finished && from + got.value() >= available.size;
    if (got.value() < length) ended_ = true;
    return std::nullopt;
  }

  bool packet(std::string_view bytes, std::uint64_t begin) {
    ProtoField first;
    ProtoFields fields(bytes);
    if (!fields.next(first) || (first.number != kDeflated && first.number != kZstd) ||
        first.wire != ProtoWire::bytes) {
      return visit_(bytes, begin);
    }
    const bool good = first.number == kDeflated ? inflate(first.bytes, inflated_, stop_)
                                                : decompress_zstd(first.bytes, inflated_, stop_);
    if (!good) damage_.add(DamageReason::unreadable_event, begin, "");
    // As far as it could be decompressed. What is compressed in it once more is not looked into.
    ProtoFields packets(inflated_);
    ProtoField inner;
    std::uint64_t count = 0;
    while (packets.next(inner)) {
      if (++count % 1024 == 0 && stop_.stop_requested()) return false;
      if (inner.number == kPacket && inner.wire == ProtoWire::bytes && !visit_(inner.bytes, begin))
        return false;
    }
    if (good && packets.damaged()) damage_.add(DamageReason::unreadable_event, begin, "");
    return true;
  }

  GrowingText& text_;
  DamageLog& damage_;
  const std::stop_token& stop_;
  const std::function<bool(std::string_view, std::uint64_t)>& visit_;
  std::string buffer_;
  std::string inflated_;
  std::uint64_t buffer_offset_ = 0;
  std::size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace

std::optional<Error> for_each_packet(GrowingText& text, DamageLog& damage, const std::stop_token& stop,
                                     const std::function<bool(std::string_view, std::uint64_t)>& visit) {
  return Walk(text, damage, stop, visit).run();
}

}  // namespace kino
