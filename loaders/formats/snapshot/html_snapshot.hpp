// Decodes the pickle in a page of PyTorch's memory_viz, which is a base64 string in a line of the page's
// script.
#pragma once

#include "loaders/bytes/byte_window.hpp"

namespace kino {

/// Decodes the first "base64": "..." of a page; empty if there is none. Ends at the closing quote or at
/// invalid base64.
class HtmlSnapshotStream : public ByteStream {
 public:
  /// `page` must outlive this object.
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
