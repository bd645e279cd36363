// Bounds-checked reader of protobuf fields: varints, fixed numbers and byte strings.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kino {

enum class ProtoWire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct ProtoField {
  std::uint32_t number = 0;
  ProtoWire wire{};
  std::uint64_t value = 0;  ///< for varints and fixed numbers
  std::string_view bytes;   ///< for texts and messages: a view of the message

  std::int64_t signed_value() const { return static_cast<std::int64_t>(value); }
  double as_double() const { return std::bit_cast<double>(value); }
};

[[gnu::noinline]] inline const char* read_long_varint(const char* at, const char* end, std::uint64_t& value) {
  std::uint64_t read = 0;
  for (unsigned shift = 0; shift < 70 && at < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    read |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) {
      value = read;
      return at;
    }
  }
  return nullptr;
}

/// Reads the varint at `at`. Returns the position after the varint, or nullptr if it does not end within 10
/// bytes or before `end`.
inline const char* read_varint(const char* at, const char* end, std::uint64_t& value) {
  if (at == end || static_cast<unsigned char>(*at) >= 0x80) return read_long_varint(at, end, value);
  value = static_cast<unsigned char>(*at);  // most are tags and short lengths
  return at + 1;
}

/// Removes a varint from the start of `text`. Returns false if there is no valid one.
inline bool take_varint(std::string_view& text, std::uint64_t& value) {
  const char* const after = read_varint(text.data(), text.data() + text.size(), value);
  if (after == nullptr) return false;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()));
  return true;
}

class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// Reads the next field. Returns false at the end, or if the message is damaged.
  bool next(ProtoField& field) {
    if (at_ == end_ || damaged_) return false;
    std::uint64_t tag = 0;
    const char* const after = read_varint(at_, end_, tag);
    damaged_ = after == nullptr || tag >> 3U == 0 || tag >> 3U > 0x1fffffff ||
               (at_ = read(field, after, tag & 7U)) == nullptr;
    field.number = static_cast<std::uint32_t>(tag >> 3U);
    return !damaged_;
  }
  bool damaged() const { return damaged_; }

 private:
  /// Reads a field. Returns the position after the field, or nullptr if it is damaged.
  const char* read(ProtoField& field, const char* at, std::uint64_t wire) const {
    field.wire = static_cast<ProtoWire>(wire);
    switch (wire) {
      case 0:
        field.bytes = {};
        return read_varint(at, end_, field.value);
      case 1:
        return read_fixed(field, at, 8);
      case 2: {
        std::uint64_t length = 0;
        at = read_varint(at, end_, length);
        if (at == nullptr || length > static_cast<std::uint64_t>(end_ - at)) return nullptr;
        field.value = 0;
        field.bytes = {at, static_cast<std::size_t>(length)};
        return at + length;
      }
      case 5:
        return read_fixed(field, at, 4);
      default:
        return nullptr;
    }
  }
  const char* read_fixed(ProtoField& field, const char* at, std::ptrdiff_t size) const {
    if (end_ - at < size) return nullptr;
    field.bytes = {};
    field.value = 0;
    std::memcpy(&field.value, at, static_cast<std::size_t>(size));  // little-endian, like this machine
    return at + size;
  }

  const char* at_;
  const char* end_;
  bool damaged_ = false;
};

}  // namespace kino
