// Covers: tolerant_parser
#include "loaders/formats/chrome_trace/tolerant_parser.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "core/trace/build/event_batch.hpp"
#include "loaders/formats/chrome_trace/event_interpreter.hpp"

namespace {

/// Reads the text in pieces as the loader does, and returns the number of events.
std::uint64_t read_in_pieces(kino::TolerantParser& parser, std::string_view text) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  constexpr std::size_t kLargest = std::size_t{4} << 20;
  kino::EventBatch batch;
  kino::EventInterpreter out(batch);
  for (std::size_t at = 0, length = kPiece; at < text.size();) {
    const std::string_view piece = text.substr(at, length);
    const kino::TolerantOptions care{{}, at > 0, at + piece.size() < text.size(), length >= kLargest};
    const kino::ParseOutcome outcome = parser.parse(piece, at, care, out);
    length = outcome.offset > at ? kPiece : 4 * length;
    at = outcome.offset;
    if (outcome.state == kino::ParseOutcome::State::closed) break;
    if (length > 4 * kLargest) break;
  }
  const kino::EventCounts counts = out.take_counts();
  return counts.total() - counts[kino::EventType::dropped];
}

}  // namespace

TEST_CASE("searches for missing ends are bounded, however long the text is" * doctest::test_suite("serial")) {
  std::string text;
  while (text.size() < std::size_t{16} << 20) text += R"({"a" )";
  kino::TolerantParser parser;
  CHECK(read_in_pieces(parser, text) == 0);
  CHECK(parser.wasted_bytes() > 0);
  CHECK(parser.wasted_bytes() <= kino::TolerantParser::kMostWasted + 3 * text.size());
}
