// The fields of a protobuf message, one after the other: varints, fixed numbers and pieces of text, within
// bounds.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kino {

enum class ProtoWire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct ProtoField {
  std::uint32_t number = 0;
  ProtoWire wire{};
  std::uint64_t value = 0;  ///< of varints and fixed numbers
  std::string_view bytes;   ///< of text and messages; into the message

  std::int64_t signed_value() const { return static_cast<std::int64_t>(value); }
  double as_double() const { return std::bit_cast<double>(value); }
};

/// Reads a varint at the begin of `text` and drops it. False when it does not end within 10 bytes or in the
/// text.
inline bool take_varint(std::string_view& text, std::uint64_t& value) {
  if (!text.empty() && static_cast<unsigned char>(text.front()) < 0x80) {  // most are tags and short lengths
    value = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    return true;
  }
  value = 0;
  for (unsigned i = 0; i < 10 && i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message) : rest_(message) {}

  /// False at the end, and where the message is damaged.
  bool next(ProtoField& field) {
    if (rest_.empty() || damaged_) return false;
    std::uint64_t tag = 0;
    damaged_ = !take_varint(rest_, tag) || tag >> 3U == 0 || tag >> 3U > 0x1fffffff || !read(field, tag & 7U);
    field.number = static_cast<std::uint32_t>(tag >> 3U);
    return !damaged_;
  }
  bool damaged() const { return damaged_; }

 private:
  bool read(ProtoField& field, std::uint64_t wire) {
    field.wire = static_cast<ProtoWire>(wire);
    field.bytes = {};
    switch (wire) {
      case 0:
        return take_varint(rest_, field.value);
      case 1:
        return read_fixed(field, 8);
      case 2: {
        std::uint64_t length = 0;
        if (!take_varint(rest_, length) || length > rest_.size()) return false;
        field.value = 0;
        field.bytes = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return true;
      }
      case 5:
        return read_fixed(field, 4);
      default:
        return false;
    }
  }
  bool read_fixed(ProtoField& field, std::size_t size) {
    if (rest_.size() < size) return false;
    field.value = 0;
    std::memcpy(&field.value, rest_.data(), size);  // little-endian, as this machine
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool damaged_ = false;
};

}  // namespace kino
