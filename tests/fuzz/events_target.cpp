// Covers: event_array, document_rest, strict_parser, tolerant_parser
// Fuzz target: the strict and the tolerant parser read any bytes as a unit of the event array. Both must read
// valid JSON alike. (The strict parser accepts more, since it does not check the values that it skips.)
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/document_rest.hpp"
#include "loaders/formats/chrome_trace/event_array.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"
#include "loaders/formats/chrome_trace/tolerant_parser.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using kino::ParseOutcome;
using kino_test::require;

constexpr std::uint64_t kBase = 1000;
constexpr std::size_t kLargestEvent = 16384;  // longer events are rejected; the loader's limit is far higher

/// Parses the whole text with the tolerant parser, piece by piece as the loader does.
kino::EventCounts read_with_care(std::string_view text, const std::string& separator,
                                 kino::EventInterpreter& out) {
  kino::TolerantParser tolerant;
  bool comma_due = false;
  for (std::size_t at = 0, length = 256; at < text.size();) {
    const std::string_view piece = text.substr(at, length);
    const bool more = at + piece.size() < text.size();
    const kino::TolerantOptions care{separator, comma_due, more, length > kLargestEvent};
    const ParseOutcome outcome = tolerant.parse(piece, kBase + at, care, out);
    require(outcome.offset >= kBase + at && outcome.offset <= kBase + at + piece.size(),
            "the tolerant parser leaves its text");
    require(outcome.state != ParseOutcome::State::broken, "the tolerant parser gives up");
    if (outcome.state == ParseOutcome::State::closed) break;
    require(length <= kLargestEvent || outcome.offset > kBase + at,
            "an endless event stops the tolerant parser");
    require(more || outcome.offset == kBase + text.size(), "the tolerant parser stops before the end");
    comma_due = outcome.comma_due;
    length = outcome.offset > kBase + at ? 256 : 4 * length;
    at = outcome.offset - kBase;
  }
  return out.take_counts();
}

bool is_valid(std::string_view events) {
  return events.size() <= kLargestEvent && nlohmann::json::accept("[" + std::string(events) + "]");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string room(kino::StrictParser::kRoomBefore, '#');
  room += text;
  room.append(kino::StrictParser::kRoomAfter, '#');
  const std::span<char> own(room.data() + kino::StrictParser::kRoomBefore, size);
  const std::string before = room;

  kino::EventBatch batch;
  kino::EventInterpreter out(batch);
  kino::StrictParser strict;
  const ParseOutcome outcome = strict.parse(own, kBase, out);
  const kino::EventCounts counts = out.take_counts();
  require(room == before, "the strict parser leaves something behind");
  require(outcome.offset >= kBase && outcome.offset <= kBase + size, "the strict parser leaves its text");

  std::string separator = kino::detect_separator(text);
  if (separator.find('\n') == std::string::npos) separator.clear();
  kino::EventBatch careful_batch;
  kino::EventInterpreter careful_out(careful_batch);
  const kino::EventCounts careful = read_with_care(text, separator, careful_out);
  if (outcome.state == ParseOutcome::State::complete && is_valid(text)) {
    require(careful.total() == counts.total() &&
                careful[kino::EventType::dropped] == counts[kino::EventType::dropped],
            "the parsers disagree about valid events");
    require(careful_out.take_damage().count(kino::DamageReason::repaired_event) == 0,
            "valid events are repaired");
  }

  kino::EventArray array;
  if (kino::find_event_array(text, array) == kino::ArraySearch::found) {
    require(array.begin <= size, "the event array begins behind the text");
    kino::DocumentRest rest(true, array);
    for (std::size_t at = 0; at <= text.size();) {
      const kino::DocumentRest::Stop stop = rest.read(text.substr(at), at, true);
      require(stop.at <= text.size() - at, "what follows the events lies behind the text");
      if (stop.found != kino::DocumentRest::Found::array) break;
      at += stop.at;
    }
    kino::facts_of(array.members, array.damage);
  }
  kino::unescape(text);
  return 0;
}
