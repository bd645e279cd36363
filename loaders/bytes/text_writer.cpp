#include "loaders/bytes/text_writer.hpp"

#include <utility>

namespace kino {

bool TextWriter::within_limit() {
  if (limit_.none) return true;
  std::string why;
  if (in_ != nullptr && written_ >= limit_.ratio_from_bytes &&
      written_ / limit_.most_ratio > in_->file_bytes_read()) {
    why = "Stopped because the text is more than " + std::to_string(limit_.most_ratio) +
          " times the compressed size; --no-limit reads the whole text";
  } else if (written_ >= next_check_) {
    next_check_ = written_ + limit_.check_bytes;
    if (nearly_full()) {
      why =
          "Stopped before the cache folder and memory are full; free space there, or use --no-limit to read "
          "on";
    }
  }
  if (why.empty()) return true;
  damage_.add(DamageReason::spool_limit, written_, why);
  finish();
  return false;
}

void TextWriter::end_early(const std::string& why) {
  if (written_ == 0) {
    fail({Error::Kind::corrupt, why + " before the first byte of text", bytes_read()});
    return;
  }
  damage_.add(DamageReason::truncated_gzip, written_,
              why + " (byte " + std::to_string(bytes_read()) + " of the file)");
  finish();
}

void TextWriter::end_with_error(Error error) {
  if (written_ == 0) {
    fail(std::move(error));
  } else if (error.kind == Error::Kind::wrong_checksum) {
    damage_.add(DamageReason::gzip_checksum, written_, error.what.str());
    finish();
  } else {
    end_early(error.what.str());
  }
}

}  // namespace kino
