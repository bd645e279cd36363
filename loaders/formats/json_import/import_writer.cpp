#include "loaders/formats/json_import/import_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/saturating.hpp"

namespace kino {

namespace {

/// Returns the length of the UTF-8 character at the start (Unicode's table of well-formed sequences); 0 if
/// malformed.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const auto continues = [&](std::size_t i) { return continues_character(static_cast<char>(byte(i))); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool needs_no_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && needs_no_escape(text[end])) ++end;
    out.append(text, i, end - i);
    i = end;
    if (i == text.size()) return;
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      const std::size_t length = length_of_character(text.substr(i));
      out += length == 0 ? kReplacement : text.substr(i, length);
      i += std::max<std::size_t>(length, 1);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t') {
      out += c == '\n' ? "\\n" : "\\t";
    } else {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    }
    ++i;
  }
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out + '"';
}

template <class T>
PiecePart ImportWriter::put_number(T value) {
  char* const begin = piece_->end();
  const auto [end, error] = std::to_chars(begin, begin + kNumber, value);
  return piece_->put_until(error == std::errc{} ? end : begin);
}

PiecePart ImportWriter::put_time(std::int64_t ns) {
  // Written in us with three decimals, which is exact.
  char* at = piece_->end();
  const auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (ns < 0) *at++ = '-';
  at = std::to_chars(at, at + kNumber, magnitude / 1000).ptr;
  const auto rest = static_cast<unsigned>(magnitude % 1000);
  *at++ = '.';
  *at++ = static_cast<char>('0' + rest / 100);
  *at++ = static_cast<char>('0' + rest / 10 % 10);
  *at++ = static_cast<char>('0' + rest % 10);
  return piece_->put_until(at);
}

void ImportWriter::begin(std::string_view members) {
  piece_->reserve(members.size() + kFixed);
  put(R"({"schemaVersion":1,)");
  put(members);
  put("\"traceEvents\":[");
  piece_->head = piece_->size();
}

PieceEvent& ImportWriter::event(char phase, std::string_view category, std::string_view name,
                                EventPlace place, std::int64_t time_ns) {
  close_event();
  if (place.tid.empty()) place.tid = "0";
  piece_->reserve(category.size() + name.size() + place.pid.size() + place.tid.size() + kFixed);
  put(events_++ == 0 ? std::string_view("\n") : std::string_view(",\n"));
  in_event_ = true;
  PieceEvent& event = piece_->events.emplace_back();
  event.begin = piece_->size();
  event.first_argument = static_cast<std::uint32_t>(piece_->arguments.size());
  event.phase = phase;
  event.time_ns = time_ns;
  put(R"({"ph":")");
  put({&phase, 1});
  put(R"(","cat":")");
  event.category = put(category);
  put(R"(","name":")");
  event.name = put(name);
  put(R"(","pid":)");
  event.pid = piece_->unquoted(put(place.pid));
  put(",\"tid\":");
  event.tid = piece_->unquoted(put(place.tid));
  put(",\"ts\":");
  event.time = put_time(time_ns);
  return event;
}

void ImportWriter::slice(std::string_view category, std::string_view name, EventPlace place,
                         std::int64_t start_ns, std::int64_t end_ns, std::uint32_t name_index) {
  PieceEvent& slice = event('X', category, name, place, start_ns);
  slice.duration_ns = saturating_subtract(end_ns, start_ns);
  slice.name_index = name_index;
  put(",\"dur\":");
  put_time(slice.duration_ns);
}

void ImportWriter::instant(std::string_view category, std::string_view name, EventPlace place,
                           std::int64_t time_ns, std::uint32_t name_index) {
  event('i', category, name, place, time_ns).name_index = name_index;
  put(R"(,"s":"t")");
}

void ImportWriter::counter(std::string_view name, std::string_view pid, std::int64_t time_ns, double value) {
  event('C', "counter", name, {pid, {}}, time_ns);
  argument_number(name, value);
}

void ImportWriter::flow(char phase, std::uint64_t id, EventPlace place, std::int64_t time_ns) {
  PieceEvent& flow = event(phase, "ac2g", "ac2g", place, time_ns);
  put(",\"id\":");
  flow.id = put_number(id);
  if (phase == 'f') put(R"(,"bp":"e")");
}

void ImportWriter::name(std::string_view what, EventPlace place, std::string_view text) {
  event('M', "", what, place, 0);
  argument_text(what.ends_with("labels") ? "labels" : "name", text);
}

PiecePart ImportWriter::key(std::string_view key_text, std::size_t value_bytes) {
  piece_->reserve(key_text.size() + value_bytes + kFixed);
  const bool first = piece_->events.back().argument_count++ == 0;
  put(first ? std::string_view(R"(,"args":{")") : std::string_view(",\""));
  const PiecePart written = put(key_text);
  put("\":");
  return written;
}

void ImportWriter::argument(std::string_view key_text, std::int64_t value) {
  const PiecePart written = key(key_text, kNumber);
  piece_->arguments.push_back({written, put_number(value)});
}

void ImportWriter::argument_number(std::string_view key_text, double value) {
  const PiecePart written = key(key_text, kNumber);
  piece_->arguments.push_back({written, std::isfinite(value) ? put_number(value) : put("null")});
}

void ImportWriter::argument_text(std::string_view key_text, std::string_view escaped) {
  const PiecePart written = key(key_text, escaped.size());
  const PiecePart quote = put("\"");
  put(escaped);
  put("\"");
  piece_->arguments.push_back({written, {quote.at, piece_->size() - quote.at}});
}

void ImportWriter::argument_json(std::string_view key_text, std::string_view json) {
  const PiecePart written = key(key_text, json.size());
  piece_->arguments.push_back({written, put(json)});
}

void ImportWriter::close_event() {
  if (!in_event_) return;
  in_event_ = false;
  piece_->reserve(kFixed);
  put(piece_->events.back().argument_count > 0 ? std::string_view("}}") : std::string_view("}"));
  if (piece_->size() < TranscriptPiece::kEnough) return;
  teller_.take(std::move(piece_));
  piece_ = teller_.empty_piece();
}

void ImportWriter::finish() {
  close_event();
  piece_->reserve(kFixed);
  put("\n]}\n");
  teller_.take(std::move(piece_));
  teller_.finish();
}

}  // namespace kino
