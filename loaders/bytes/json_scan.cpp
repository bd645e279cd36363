#include "loaders/bytes/json_scan.hpp"

#include <charconv>
#include <system_error>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

/// Returns the value of the four hex digits at `at`; -1 if they are invalid.
int hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  unsigned value = 0;
  const char* const digits = text.data() + at;
  const auto [end, error] = std::from_chars(digits, digits + 4, value, 16);
  return error == std::errc() && end == digits + 4 ? static_cast<int>(value) : -1;
}

}  // namespace

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

std::size_t find_invalid_escape(std::string_view text, std::size_t at) {
  constexpr std::string_view kEscapes = "\"\\/bfnrtu";
  while ((at = text.find('\\', at)) != std::string_view::npos) {
    const char escape = at + 1 < text.size() ? text[at + 1] : '\0';
    if (kEscapes.find(escape) == std::string_view::npos || (escape == 'u' && hex4(text, at + 2) < 0))
      return at;
    at += 2;
  }
  return at;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

bool begins_value(std::string_view text) {
  return !text.empty() &&
         (text[0] == '"' || text[0] == '[' || text[0] == '-' || (text[0] >= '0' && text[0] <= '9') ||
          text.starts_with("null") || text.starts_with("true") || text.starts_with("false"));
}

std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return kIncomplete;
}

std::size_t value_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kIncomplete;
  if (text[at] == '"') return string_end(text, at);
  if (text[at] != '{' && text[at] != '[') {
    while (at < text.size() && !is_space(text[at]) && text[at] != ',' && text[at] != '}' && text[at] != ']')
      ++at;
    return at < text.size() ? at : kIncomplete;
  }
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = string_end(text, at);
        if (at == kIncomplete) return kIncomplete;
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      default:
        break;
    }
    ++at;
  }
  return kIncomplete;
}

bool nests_deeper_than(std::string_view text, std::size_t levels) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t end = string_end(text, i);
      if (end == kIncomplete) return false;
      i = end - 1;
    } else if (c == '[' || c == '{') {
      if (++depth > levels) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

std::size_t member_value_end(std::string_view text, std::size_t at) {
  std::size_t end = value_end(text, at);
  if (end == kIncomplete || text[at] == '"' || text[at] == '{' || text[at] == '[' || !is_space(text[end]) ||
      is_json_word(text.substr(at, end - at)))
    return end;
  constexpr std::string_view kStops = ",}]{[\"\n\r";
  for (std::size_t next = end; next < text.size() && kStops.find(text[next]) == std::string_view::npos;
       ++next) {
    if (!is_space(text[next])) end = next + 1;
  }
  return end;
}

bool is_json_word(std::string_view token) {
  const auto digit = [&](std::size_t at) { return at < token.size() && is_digit(token[at]); };
  std::size_t at = token.starts_with('-') ? 1 : 0;
  if (digit(at)) {
    const bool zero = token[at] == '0';
    while (digit(at)) ++at;
    if (zero && digit(token[0] == '-' ? 2 : 1)) return false;
    if (at < token.size() && token[at] == '.') {
      if (!digit(++at)) return false;
      while (digit(at)) ++at;
    }
    if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
      ++at;
      if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
      if (!digit(at)) return false;
      while (digit(at)) ++at;
    }
    return skip_space(token, at) == token.size();
  }
  while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
  return token == "null" || token == "true" || token == "false" || token == "NaN" || token == "Infinity" ||
         token == "-Infinity";
}

std::string unescape(std::string_view content) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  if (content.find('\\') == std::string_view::npos) return std::string(content);
  std::string out;
  out.reserve(content.size());
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (content[i] != '\\' || i + 1 == content.size()) {
      out += content[i];
      continue;
    }
    const char escape = content[++i];
    if (const std::size_t index = kEscapes.find(escape); index != std::string_view::npos) {
      out += kCharacters[index];
      continue;
    }
    const int first = escape == 'u' ? hex4(content, i + 1) : -1;
    if (first < 0) {
      out += '\\';
      out += escape;
      continue;
    }
    i += 4;
    auto code = static_cast<std::uint32_t>(first);
    if (code >= 0xD800 && code < 0xDC00 && content.substr(i + 1).starts_with("\\u")) {
      const int second = hex4(content, i + 3);
      if (second >= 0xDC00 && second < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(second) - 0xDC00);
        i += 6;
      }
    }
    append_utf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
  }
  return out;
}

}  // namespace kino
