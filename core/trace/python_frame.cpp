#include "core/trace/python_frame.hpp"

#include <charconv>

#include "core/base/ascii.hpp"

namespace kino {

PythonFrame python_frame_of(std::string_view text) {
  const std::size_t close = text.rfind("): ");
  if (close == std::string_view::npos) return {{}, text, 0};
  std::size_t open = close;
  while (open > 0 && is_digit(text[open - 1])) --open;
  if (open < 2 || open == close || text[open - 1] != '(') return {{}, text, 0};
  PythonFrame parts{text.substr(0, open - 1), text.substr(close + 3), 0};
  std::from_chars(text.data() + open, text.data() + close, parts.line);
  return parts;
}

}  // namespace kino
