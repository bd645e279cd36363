#include "loaders/transcript/transcript_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
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

TranscriptWriter::TranscriptWriter(SpoolWriter& out, ToldEvents& events)
    : out_(out),
      told_(events),
      buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)),
      at_(buffer_.get()),
      end_(at_ + kBuffer) {}

TranscriptWriter::~TranscriptWriter() { told_.finish(closed_); }

void TranscriptWriter::grow(std::size_t size) {
  const auto used = static_cast<std::size_t>(at_ - buffer_.get());
  const std::size_t capacity = 2 * (used + size);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(larger.get(), buffer_.get(), used);
  at_ = larger.get() + used;
  end_ = larger.get() + capacity;
  outgrown_.push_back(std::exchange(buffer_, std::move(larger)));  // the event's fields are views into it
}

template <class T>
std::string_view TranscriptWriter::put_number(T value) {
  char* const begin = at_;
  const auto [end, error] = std::to_chars(begin, begin + kNumber, value);
  if (error == std::errc{}) at_ = end;
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::string_view TranscriptWriter::put_time(std::int64_t ns) {
  // us with three decimals, so that a ns stays one.
  char* const begin = at_;
  const auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (ns < 0) *at_++ = '-';
  put_number(magnitude / 1000);
  const auto rest = static_cast<unsigned>(magnitude % 1000);
  *at_++ = '.';
  *at_++ = static_cast<char>('0' + rest / 100);
  *at_++ = static_cast<char>('0' + rest / 10 % 10);
  *at_++ = static_cast<char>('0' + rest % 10);
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

void TranscriptWriter::begin(std::string_view members) {
  reserve(members.size() + kFixed);
  put(R"({"schemaVersion":1,)");
  put(members);
  put("\"traceEvents\":[");
  told_.begin({buffer_.get(), static_cast<std::size_t>(at_ - buffer_.get())});
}

void TranscriptWriter::event(char phase, std::string_view category, std::string_view name, EventPlace place,
                             std::int64_t time_ns) {
  close_event();
  if (place.tid.empty()) place.tid = "0";
  reserve(category.size() + name.size() + place.pid.size() + place.tid.size() + kFixed);
  EventFields& fields = told_.fields();
  put(events_++ == 0 ? std::string_view("\n") : std::string_view(",\n"));
  offset_ = flushed_ + static_cast<std::uint64_t>(at_ - buffer_.get());
  put(R"({"ph":")");
  fields.phase = put({&phase, 1});
  put(R"(","cat":")");
  fields.category = put(category);
  put(R"(","name":")");
  fields.name = put(name);
  put(R"(","pid":)");
  fields.pid = unquoted(put(place.pid));
  put(",\"tid\":");
  fields.tid = unquoted(put(place.tid));
  put(",\"ts\":");
  fields.time = put_time(time_ns);
  fields.any = fields.timed = true;
  fields.time_ns = time_ns;
  in_event_ = true;
  if (fields.wants_args()) intake_.emplace(fields);
}

void TranscriptWriter::slice(std::string_view category, std::string_view name, EventPlace place,
                             std::int64_t start_ns, std::int64_t end_ns) {
  event('X', category, name, place, start_ns);
  EventFields& fields = told_.fields();
  fields.duration_ns = saturating_subtract(end_ns, start_ns);
  put(",\"dur\":");
  fields.duration = put_time(fields.duration_ns);
}

void TranscriptWriter::instant(std::string_view category, std::string_view name, EventPlace place,
                               std::int64_t time_ns) {
  event('i', category, name, place, time_ns);
  put(R"(,"s":"t")");
}

void TranscriptWriter::counter(std::string_view name, std::string_view pid, std::int64_t time_ns,
                               double value) {
  event('C', "counter", name, {pid, {}}, time_ns);
  argument_number(name, value);
}

void TranscriptWriter::flow(char phase, std::uint64_t id, EventPlace place, std::int64_t time_ns) {
  event(phase, "ac2g", "ac2g", place, time_ns);
  put(",\"id\":");
  told_.fields().id = put_number(id);
  if (phase != 'f') return;
  put(R"(,"bp":")");
  told_.fields().binding = put("e");
  put("\"");
}

void TranscriptWriter::name(std::string_view what, EventPlace place, std::string_view text) {
  event('M', "", what, place, 0);
  argument_text(what.ends_with("labels") ? "labels" : "name", text);
}

std::string_view TranscriptWriter::key(std::string_view key_text, std::size_t value_bytes) {
  reserve(key_text.size() + value_bytes + kFixed);
  put(in_arguments_ ? std::string_view(",\"") : std::string_view(R"(,"args":{")"));
  in_arguments_ = true;
  const std::string_view written = put(key_text);
  put("\":");
  return written;
}

void TranscriptWriter::tell(std::string_view key_text, std::string_view json) {
  if (intake_ && !intake_->take(key_text, json)) intake_.reset();
}

void TranscriptWriter::argument(std::string_view key_text, std::int64_t value) {
  const std::string_view written = key(key_text, kNumber);
  tell(written, put_number(value));
}

void TranscriptWriter::argument_number(std::string_view key_text, double value) {
  const std::string_view written = key(key_text, kNumber);
  tell(written, std::isfinite(value) ? put_number(value) : put("null"));
}

void TranscriptWriter::argument_text(std::string_view key_text, std::string_view escaped) {
  const std::string_view written = key(key_text, escaped.size());
  const char* const begin = at_;
  put("\"");
  put(escaped);
  put("\"");
  tell(written, {begin, static_cast<std::size_t>(at_ - begin)});
}

void TranscriptWriter::argument_json(std::string_view key_text, std::string_view json) {
  const std::string_view written = key(key_text, json.size());
  tell(written, put(json));
}

void TranscriptWriter::close_event() {
  if (!in_event_) return;
  reserve(kFixed);
  put(in_arguments_ ? std::string_view("}}") : std::string_view("}"));
  in_event_ = in_arguments_ = false;
  intake_.reset();
  told_.accept(offset_);
  outgrown_.clear();
  if (at_ - buffer_.get() >= static_cast<std::ptrdiff_t>(kPiece)) flush();
}

void TranscriptWriter::flush() {
  const std::string_view text(buffer_.get(), static_cast<std::size_t>(at_ - buffer_.get()));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (good_) good_ = out_.write(std::span(bytes, text.size()));
  flushed_ += text.size();
  if (good_) told_.keep(flushed_);
  at_ = buffer_.get();
}

void TranscriptWriter::finish() {
  close_event();
  reserve(kFixed);
  put("\n]}\n");
  flush();
  closed_ = good_;
}

}  // namespace kino
