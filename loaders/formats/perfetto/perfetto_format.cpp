#include "loaders/formats/perfetto/perfetto_format.hpp"

#include <algorithm>
#include <array>

#include "core/base/parallel.hpp"
#include "loaders/formats/json_import/transcript.hpp"
#include "loaders/formats/perfetto/perfetto_transcript.hpp"
#include "loaders/formats/perfetto/proto_fields.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kHighestField = 1500;  // highest field of a packet, including vendor extensions

/// Returns whether the message has only fields of packets, and at least one common field.
bool is_packet(std::string_view message) {
  constexpr std::array<std::uint32_t, 16> kUsual{1, 2, 6, 8, 10, 11, 12, 13, 33, 36, 43, 44, 58, 59, 60, 89};
  ProtoFields fields(message);
  ProtoField field;
  bool usual = false;
  while (fields.next(field)) {
    if (field.number > kHighestField) return false;
    usual = usual || std::ranges::find(kUsual, field.number) != kUsual.end();
  }
  return usual && !fields.damaged();
}

}  // namespace

FormatMatch perfetto_match(std::string_view head) {
  std::string_view rest = head;
  std::size_t packets = 0;
  constexpr std::size_t kEnough = 8;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 30U;
  while (packets < kEnough && rest.starts_with('\x0a')) {
    rest.remove_prefix(1);
    std::uint64_t length = 0;
    if (!take_varint(rest, length) || length == 0 || length > kLargest) break;
    std::string_view begin = rest;
    std::uint64_t tag = 0;
    const bool compressed = take_varint(begin, tag) && (tag == (50U << 3U | 2U) || tag == (133U << 3U | 2U));
    std::uint64_t inner = 0;
    if (compressed && take_varint(begin, inner) && inner < length && inner + 8 >= length)
      return FormatMatch::surely;
    if (length > rest.size()) break;
    if (!is_packet(rest.substr(0, length))) return FormatMatch::none;
    rest.remove_prefix(length);
    ++packets;
  }
  return packets > 0 ? FormatMatch::surely : FormatMatch::none;
}

Result<OpenedFile> open_perfetto(const FormatInput& input) {
  constexpr unsigned kMost = 8;  // one thread at a time merges the decoded packets
  const unsigned threads = std::min(thread_count_or_default(input.options.threads), kMost);
  return open_transcript(
      input, [&](const Transcription& to) { return transcribe_perfetto(input.content, to, threads); });
}

}  // namespace kino
