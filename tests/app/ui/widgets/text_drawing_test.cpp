// Covers: text_drawing
// Texts that are cut in the middle keep the line number at their end.
#include "app/ui/widgets/text_drawing.hpp"

#include <doctest/doctest.h>

TEST_CASE("a line number at the end is recognized with what follows it") {
  CHECK(kino::line_number_bytes("/a/train.py:42") == 3);
  CHECK(kino::line_number_bytes("step (train.py:42)") == 4);
  CHECK(kino::line_number_bytes("/a/linear.py:125 forward") == 12);
  for (const std::string_view text :
       {"", ":", "42", ":42", "aten::mm", "std::42", "gemm_128x64", "train.py:", "a b"}) {
    CAPTURE(text);
    CHECK(kino::line_number_bytes(text) == 0);
  }
}
