// Covers: moved_lines
// Functions whose lines moved between two recordings, and functions in which other lines ran.
#include "core/memory/tables/moved_lines.hpp"

#include <initializer_list>

#include <doctest/doctest.h>

namespace {

using kino::FrameId;
using kino::MovedLines;
using kino::Snapshot;

/// Frames of the function `step` in `file`, in the order of the lines.
Snapshot with_lines(std::initializer_list<std::int64_t> lines, const char* file = "/me/train.py") {
  Snapshot snapshot;
  for (const std::int64_t line : lines) {
    snapshot.stacks.intern(
        kino::SnapshotFrame{snapshot.strings.intern("step"), snapshot.strings.intern(file), line});
  }
  return snapshot;
}

}  // namespace

TEST_CASE("a function has moved if all of its lines are shifted by the same distance") {
  const Snapshot after = with_lines({11, 13, 14});
  const MovedLines moved(with_lines({12, 14, 15}), after);
  CHECK(moved.function_count() == 1);
  CHECK(moved.line_before(after, FrameId{0}) == 12);
  CHECK(moved.line_before(after, FrameId{1}) == 14);
  CHECK(moved.line_before(after, FrameId{2}) == 15);
}

TEST_CASE("other lines of a function, other files and C++ have not moved") {
  const Snapshot after = with_lines({10, 30});
  for (const Snapshot& before : {with_lines({10, 20}), with_lines({10}), with_lines({10, 30}),
                                 with_lines({15, 35}, "/me/other.py"), Snapshot()}) {
    const MovedLines moved(before, after);
    CHECK(moved.function_count() == 0);
    CHECK(moved.line_before(after, FrameId{1}) == 30);
  }
  CHECK(MovedLines(with_lines({1}, "a.cpp"), with_lines({2}, "a.cpp")).function_count() == 0);
  CHECK(MovedLines().line_before(after, FrameId{0}) == 10);
}
