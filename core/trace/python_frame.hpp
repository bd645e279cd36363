// A Python function as recorders name it, in its parts.
#pragma once

#include <cstdint>
#include <string_view>

namespace kino {

/// Of "net.py(12): forward". What is not of that shape (a module, a built-in function) is a function without
/// a file.
struct PythonFrame {
  std::string_view file;
  std::string_view function;
  std::int64_t line = 0;
};

/// Views into `text`. O(length).
PythonFrame python_frame_of(std::string_view text);

}  // namespace kino
