// Values of a track event's arguments, which Perfetto calls debug annotations.
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

/// What packets tell of a text: it, or its number in a table of its sequence.
struct PacketText {
  std::string_view text;  ///< as the file has it; nullptr for a number
  std::uint64_t id = 0;   ///< 0: none

  bool is_number() const { return text.data() == nullptr; }
};

/// A table of a sequence of packets: numbers of texts in PerfettoEvents.
using PacketNames = std::unordered_map<std::uint64_t, std::uint32_t>;

/// The number of a text in it; 0 without one.
inline std::uint32_t number_in(const PacketNames& names, std::uint64_t id) {
  const auto found = names.find(id);
  return found == names.end() ? 0 : found->second;
}

/// What numbers within values stand for.
struct ValueTexts {
  const PacketNames& argument_names;
  const PacketNames& argument_texts;
  const StringTable& texts;  ///< escaped
};

/// An argument as far as its packet tells it.
struct DecodedArgument {
  /// `text`: the value is the number of a text of the sequence. `all`: numbers lie deep in it; the value is
  /// the annotation, for read_value().
  enum class Missing : std::uint8_t { nothing, text, all };

  PerfettoArgument value;  ///< without its name
  PacketText name;
  Missing missing = Missing::nothing;
  bool too_long = false;  ///< the value is null instead

  /// What it takes in memory.
  std::size_t bytes() const { return sizeof(value) + (missing == Missing::nothing ? value.size : 0); }
};

/// Reads values, and keeps those that are no number: they stay as long as this. Used by one thread.
class ArgumentValues {
 public:
  /// What an annotation says by itself.
  DecodedArgument read(std::string_view annotation);
  /// The value where texts are at hand.
  DecodedArgument read_value(std::string_view annotation, const ValueTexts& texts);

  /// Longer values are null.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

 private:
  void keep(PerfettoArgument::Kind kind, std::string_view value, DecodedArgument& in);

  static constexpr std::size_t kFirstBytes = std::size_t{64} << 10;

  std::string scratch_;
  std::pmr::monotonic_buffer_resource values_{kFirstBytes};
};

}  // namespace kino
