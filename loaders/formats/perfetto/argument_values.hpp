// Reads the arguments of track events, which Perfetto calls debug annotations.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/string_table.hpp"
#include "loaders/formats/perfetto/perfetto_event.hpp"
#include "loaders/formats/perfetto/proto_fields.hpp"

namespace kino {

/// A text in a packet: either the text itself, or its id in a table of the packet sequence.
struct PacketText {
  std::string_view text;  ///< view of the file; data() is nullptr if `id` is set
  std::uint64_t id = 0;   ///< 0: none

  bool is_number() const { return text.data() == nullptr; }
};

/// A table of a packet sequence: maps ids to indices of texts in PerfettoEvents.
using PacketNames = std::unordered_map<std::uint64_t, std::uint32_t>;

/// Returns the text's index; 0 if the id is unknown.
inline std::uint32_t number_in(const PacketNames& names, std::uint64_t id) {
  const auto found = names.find(id);
  return found == names.end() ? 0 : found->second;
}

/// Tables that resolve the ids in values.
struct ValueTexts {
  const PacketNames& argument_names;
  const PacketNames& argument_texts;
  const StringTable& texts;  ///< escaped
};

/// An argument, decoded as far as its packet alone defines it.
struct DecodedArgument {
  /// Part of the argument that needs the tables of its sequence. `text`: the value is the id of a text.
  /// `all`: nested values contain ids, and the value is the raw annotation, for read_value().
  enum class Missing : std::uint8_t { nothing, text, all };

  PerfettoArgument value;  ///< except its name
  PacketText name;
  Missing missing = Missing::nothing;
  bool too_long = false;  ///< the value was replaced by null

  /// Bytes of memory.
  std::size_t bytes() const { return sizeof(value) + (missing == Missing::nothing ? value.size : 0); }
};

/// Reads values. Owns the values that are not numbers. Used by one thread.
class ArgumentValues {
 public:
  /// Reads an annotation without the tables of its sequence; see DecodedArgument::missing.
  DecodedArgument read(std::string_view annotation);
  /// Reads the whole value, using the tables of its sequence.
  DecodedArgument read_value(std::string_view annotation, const ValueTexts& texts);

  /// Longer values become null.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

 private:
  void keep(PerfettoArgument::Kind kind, std::string_view value, DecodedArgument& in);

  static constexpr std::size_t kFirstBytes = std::size_t{64} << 10;

  std::string scratch_;
  std::pmr::monotonic_buffer_resource values_{kFirstBytes};
};

}  // namespace kino
