#include "loaders/bytes/gzip_inflate.hpp"

#include <string_view>

#include "loaders/bytes/gzip_decoder.hpp"

namespace kino {

void inflate_gzip(ByteStream& in, TextWriter& out, const std::stop_token& stop) {
  using Stop = GzipDecoder::Stop;
  GzipDecoder decoder(in);
  for (std::uint64_t counted = 0;;) {
    if (out.seek_point_due()) decoder.search_seek_point();
    const std::span<std::uint8_t> room = out.room(stop);
    if (room.empty()) return out.finish();
    const GzipDecoder::Decoded decoded = decoder.decode(room);
    out.count_read(decoder.bytes_read() - counted);
    counted = decoder.bytes_read();
    if (!out.commit(decoded.bytes, decoded.crc_before, decoded.crc_after)) return;
    if (decoded.point) out.add_point(*decoded.point);
    switch (decoded.stop) {
      case Stop::none:
        break;
      case Stop::wrong_checksum:
        out.damage().add(DamageReason::gzip_checksum, out.written(), "");
        break;
      case Stop::trailing_data:
        out.damage().add(DamageReason::trailing_data, out.written(),
                         std::string_view(reinterpret_cast<const char*>(decoder.trailing().data()),
                                          decoder.trailing().size()));
        return out.finish();
      case Stop::end:
        return out.finish();
      case Stop::damaged:
        return out.end_early("The compressed data are damaged");
      case Stop::early_end:
        return out.end_early("The compressed data end early");
      case Stop::unreadable:
        return out.end_with_error(decoder.take_error());
    }
  }
}

}  // namespace kino
