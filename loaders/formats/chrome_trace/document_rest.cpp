#include "loaders/formats/chrome_trace/document_rest.hpp"

#include <charconv>

#include "loaders/bytes/json_scan.hpp"

namespace kino {

DocumentRest::Stop DocumentRest::read(std::string_view text, std::uint64_t offset, bool whole) {
  std::size_t at = 0;
  if (in_garbage_) {
    const std::size_t line = text.find('\n');
    at = line == std::string_view::npos ? text.size() : line + 1;
    in_garbage_ = line == std::string_view::npos;
  }
  for (;;) {
    at = skip_space(text, at);
    if (at == text.size()) {
      const bool between = has_array_ && comma_ == kNoOffset;
      return need_more(at, offset + at, whole,
                       between ? DamageReason::unclosed_document : DamageReason::truncated_rest);
    }
    const std::optional<Stop> stop =
        in_object_ ? read_in_object(text, at, offset, whole) : read_between(text, at, offset);
    if (stop) return *stop;
  }
}

DocumentRest::Stop DocumentRest::need_more(std::size_t at, std::uint64_t end, bool whole,
                                           DamageReason if_missing) {
  if (!whole) return {Found::more, at};
  if (in_object_) out_.damage.add(if_missing, end, "");
  return {Found::end, at};
}

std::optional<DocumentRest::Stop> DocumentRest::read_in_object(std::string_view text, std::size_t& at,
                                                               std::uint64_t offset, bool whole) {
  if (text[at] == ',') {
    comma_ = offset + at++;
    return std::nullopt;
  }
  if (text[at] == '}') {
    close_object(text, at, offset);
    ++at;
    return std::nullopt;
  }
  if (text[at] != '"') {
    pass_garbage(text, at, offset);
    return std::nullopt;
  }
  const std::size_t key_end = string_end(text, at);
  const std::size_t colon = key_end == kIncomplete ? text.size() : skip_space(text, key_end);
  const std::size_t value = colon >= text.size() ? colon : skip_space(text, colon + 1);
  if (value >= text.size())
    return need_more(whole ? text.size() : at, offset + text.size(), whole, DamageReason::truncated_rest);
  if (text[colon] != ':') {
    pass_garbage(text, at, offset);
    return std::nullopt;
  }
  const std::string_view key = text.substr(at + 1, key_end - at - 2);
  comma_ = kNoOffset;
  if (key == "traceEvents" && text[value] == '[') {
    out_.damage.add(DamageReason::further_events, offset + value, text.substr(at));
    const bool of_document = !has_array_;
    has_array_ = true;
    return Stop{Found::array, value + 1, of_document};
  }
  const std::size_t end = value_end(text, value);
  if (end == kIncomplete)
    return need_more(whole ? text.size() : at, offset + text.size(), whole, DamageReason::truncated_rest);
  const std::string_view content =
      end - value <= largest_member_ ? text.substr(value, end - value) : std::string_view();
  if (first_document_) {
    out_.members.push_back({unescape(key), std::string(content)});
  } else if (key == "baseTimeNanoseconds") {
    std::int64_t base = 0;
    const auto [last, error] = std::from_chars(content.data(), content.data() + content.size(), base);
    if (error == std::errc() && last == content.data() + content.size()) base_ns_ = base;
  }
  at = end;
  return std::nullopt;
}

void DocumentRest::close_object(std::string_view text, std::size_t at, std::uint64_t offset) {
  if (comma_ != kNoOffset) {
    const std::size_t sample = comma_ >= offset ? static_cast<std::size_t>(comma_ - offset) : at;
    out_.damage.add(DamageReason::repaired_document, comma_, text.substr(sample));
  }
  if (!has_array_) {
    const std::size_t sample = begin_ >= offset ? static_cast<std::size_t>(begin_ - offset) : at;
    out_.damage.add(DamageReason::trailing_data, begin_, begin_ >= offset ? text.substr(sample) : "");
  }
  in_object_ = false;
  if (!first_document_ && has_array_) closed_base_ns_ = base_ns_;
  first_document_ = false;
  comma_ = kNoOffset;
}

std::optional<DocumentRest::Stop> DocumentRest::read_between(std::string_view text, std::size_t& at,
                                                             std::uint64_t offset) {
  first_document_ = false;
  switch (text[at]) {
    case '{':
      in_object_ = true;
      has_array_ = false;
      begin_ = offset + at++;
      comma_ = kNoOffset;
      base_ns_.reset();
      return std::nullopt;
    case '[':
      out_.damage.add(DamageReason::further_events, offset + at, text.substr(at));
      return Stop{Found::array, at + 1, true};
    case ',':
      out_.damage.add(DamageReason::repaired_document, offset + at, text.substr(at));
      ++at;
      return std::nullopt;
    default:
      pass_garbage(text, at, offset);
      return std::nullopt;
  }
}

void DocumentRest::pass_garbage(std::string_view text, std::size_t& at, std::uint64_t offset) {
  out_.damage.add(DamageReason::trailing_data, offset + at, text.substr(at));
  const std::size_t line = text.find('\n', at);
  in_garbage_ = line == std::string_view::npos;
  at = in_garbage_ ? text.size() : line + 1;
}

std::int64_t base_shift_ns(std::int64_t base_ns, std::int64_t first_ns) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61U;
  std::int64_t shift_ns = 0;
  const bool fits = !__builtin_sub_overflow(base_ns, first_ns, &shift_ns);
  return fits && shift_ns <= kFarthest && shift_ns >= -kFarthest ? shift_ns : 0;
}

}  // namespace kino
