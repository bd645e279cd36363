// The pickle in a page of PyTorch's memory_viz: base64 in a line of its script.
#pragma once

#include "loaders/bytes/byte_window.hpp"

namespace kino {

/// Gives the bytes behind the first "base64": "..." of a page, decoded. Empty when there is none; ends at the
/// closing quote or at the first byte that is no base64. Used by one thread.
class HtmlSnapshotStream : public ByteStream {
 public:
  /// `page` outlives this.
  explicit HtmlSnapshotStream(ByteStream& page) : page_(page) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override;
  std::uint64_t file_bytes_read() const override { return page_.offset(); }
  bool found() const { return found_; }

 private:
  bool find();

  ByteWindow page_;
  bool looked_ = false;
  bool found_ = false;
  bool ended_ = false;
};

}  // namespace kino
