// Splits the name of a Python function into file, line and function.
#pragma once

#include <cstdint>
#include <string_view>

namespace kino {

/// Parts of "net.py(12): forward". A name in another format (a module, a built-in function) is a function
/// without a file.
struct PythonFrame {
  std::string_view file;
  std::string_view function;
  std::int64_t line = 0;
};

/// Splits `text`. The result contains views into `text`. O(length).
PythonFrame python_frame_of(std::string_view text);

}  // namespace kino
