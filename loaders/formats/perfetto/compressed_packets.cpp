#include "loaders/formats/perfetto/compressed_packets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <archive.h>
#include <isa-l/igzip_lib.h>

namespace kino {
namespace {

constexpr std::uint32_t kDeflated = 50;  // field of a packet: further packets, compressed with zlib
constexpr std::uint32_t kZstd = 133;     // field of a packet: further packets, compressed with zstd
constexpr std::size_t kLargestInflated = std::size_t{256} << 20;
constexpr std::size_t kPiece = std::size_t{256} << 10;

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
    const std::size_t room = std::max(kPiece, had);
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

}  // namespace

bool is_compressed(const ProtoField& first) {
  return (first.number == kDeflated || first.number == kZstd) && first.wire == ProtoWire::bytes;
}

bool decompress(const ProtoField& first, std::string& out, const std::stop_token& stop) {
  return first.number == kDeflated ? inflate(first.bytes, out, stop)
                                   : decompress_zstd(first.bytes, out, stop);
}

}  // namespace kino
