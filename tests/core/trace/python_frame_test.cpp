// Covers: python_frame
// Parts of the names of Python functions.
#include "core/trace/python_frame.hpp"

#include <doctest/doctest.h>

TEST_CASE("a Python frame is a file, a line and a function, any other name a function") {
  const auto is = [](std::string_view text, std::string_view file, std::int64_t line,
                     std::string_view function) {
    const kino::PythonFrame parts = kino::python_frame_of(text);
    return parts.file == file && parts.line == line && parts.function == function;
  };
  CHECK(is("net.py(12): forward", "net.py", 12, "forward"));
  CHECK(is("a (b)/<string>(3): <module>", "a (b)/<string>", 3, "<module>"));
  CHECK(is("nn.Module: Linear_0", "", 0, "nn.Module: Linear_0"));
  CHECK(is("<built-in method mm of type object at 0x7f>", "", 0,
           "<built-in method mm of type object at 0x7f>"));
  for (const std::string_view text : {"", "): ", "(): ", "(1): ", "a(): f", "a(1):f", "a1): f"})
    CHECK(is(text, "", 0, text));
  CHECK(is("a(99999999999999999999): f", "a", 0, "f"));
}
