#include "loaders/transcript/transcript_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/base/saturating.hpp"

namespace kino {

namespace {

/// Bytes of the character that begins here, as Unicode's table of well-formed sequences has them; 0 for what
/// is none.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool stays(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && stays(text[end])) ++end;
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
void TranscriptWriter::append_number(T value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) text_.append(digits.data(), end);
}

void TranscriptWriter::append_time(std::int64_t ns) {
  // us with three decimals, so that a ns stays one.
  const auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (ns < 0) text_ += '-';
  append_number(magnitude / 1000);
  const auto rest = static_cast<unsigned>(magnitude % 1000);
  text_ += '.';
  text_ += static_cast<char>('0' + rest / 100);
  text_ += static_cast<char>('0' + rest / 10 % 10);
  text_ += static_cast<char>('0' + rest % 10);
}

void TranscriptWriter::begin(std::string_view members) {
  text_ += R"({"schemaVersion":1,)";
  text_ += members;
  text_ += "\"traceEvents\":[";
}

void TranscriptWriter::event(char phase, std::string_view category, std::string_view name, EventPlace place,
                             std::int64_t time_ns) {
  close_event();
  text_ += events_++ == 0 ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
  text_ += phase;
  text_ += R"(","cat":")";
  text_ += category;
  text_ += R"(","name":")";
  text_ += name;
  text_ += R"(","pid":)";
  text_ += place.pid;
  text_ += ",\"tid\":";
  text_ += place.tid.empty() ? std::string_view("0") : place.tid;
  text_ += ",\"ts\":";
  append_time(time_ns);
  in_event_ = true;
}

void TranscriptWriter::slice(std::string_view category, std::string_view name, EventPlace place,
                             std::int64_t start_ns, std::int64_t end_ns) {
  event('X', category, name, place, start_ns);
  text_ += ",\"dur\":";
  append_time(saturating_subtract(end_ns, start_ns));
}

void TranscriptWriter::instant(std::string_view category, std::string_view name, EventPlace place,
                               std::int64_t time_ns) {
  event('i', category, name, place, time_ns);
  text_ += R"(,"s":"t")";
}

void TranscriptWriter::counter(std::string_view name, std::string_view pid, std::int64_t time_ns,
                               double value) {
  event('C', "counter", name, {pid, {}}, time_ns);
  argument_number(name, value);
}

void TranscriptWriter::flow(char phase, std::uint64_t id, EventPlace place, std::int64_t time_ns) {
  event(phase, "ac2g", "ac2g", place, time_ns);
  text_ += ",\"id\":";
  append_number(id);
  if (phase == 'f') text_ += R"(,"bp":"e")";
}

void TranscriptWriter::name(std::string_view what, EventPlace place, std::string_view text) {
  event('M', "", what, place, 0);
  argument_text(what.ends_with("labels") ? "labels" : "name", text);
}

void TranscriptWriter::key(std::string_view key) {
  text_ += in_arguments_ ? ",\"" : R"(,"args":{")";
  in_arguments_ = true;
  text_ += key;
  text_ += "\":";
}

void TranscriptWriter::argument(std::string_view key_text, std::int64_t value) {
  key(key_text);
  append_number(value);
}

void TranscriptWriter::argument_number(std::string_view key_text, double value) {
  key(key_text);
  if (std::isfinite(value)) {
    append_number(value);
  } else {
    text_ += "null";
  }
}

void TranscriptWriter::argument_text(std::string_view key_text, std::string_view escaped) {
  key(key_text);
  text_ += '"';
  text_ += escaped;
  text_ += '"';
}

void TranscriptWriter::argument_json(std::string_view key_text, std::string_view json) {
  key(key_text);
  text_ += json;
}

void TranscriptWriter::argument_members(std::string_view json) {
  if (json.empty()) return;
  text_ += in_arguments_ ? "," : ",\"args\":{";
  in_arguments_ = true;
  text_ += json;
}

void TranscriptWriter::close_event() {
  if (!in_event_) return;
  text_ += in_arguments_ ? "}}" : "}";
  in_event_ = in_arguments_ = false;
  if (text_.size() >= kPiece) flush();
}

void TranscriptWriter::flush() {
  if (good_) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
    good_ = out_.write(std::span(bytes, text_.size()));
  }
  text_.clear();
}

void TranscriptWriter::finish() {
  close_event();
  text_ += "\n]}\n";
  flush();
}

}  // namespace kino
