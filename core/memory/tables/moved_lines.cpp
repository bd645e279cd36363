#include "core/memory/tables/moved_lines.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/library_frames.hpp"

namespace kino {
namespace {

using FunctionOfFile = std::pair<std::string_view, std::string_view>;
using LinesOfFunctions = std::map<FunctionOfFile, std::set<std::int64_t>>;

/// Returns whether a frame has a line that can move. C++ frames have no lines.
bool has_line(const Snapshot& snapshot, const SnapshotFrame& frame) {
  return frame.line > 0 && is_python_file(snapshot.text(frame.file));
}

FunctionOfFile function_of(const Snapshot& snapshot, const SnapshotFrame& frame) {
  return {snapshot.text(frame.file), snapshot.text(frame.name)};
}

LinesOfFunctions lines_of_functions(const Snapshot& snapshot) {
  LinesOfFunctions lines;
  for (std::uint32_t i = 0; i < snapshot.stacks.frame_count(); ++i) {
    const SnapshotFrame& frame = snapshot.frame(FrameId{i});
    if (has_line(snapshot, frame)) lines[function_of(snapshot, frame)].insert(frame.line);
  }
  return lines;
}

/// Returns the distance by which all lines moved; 0 if they did not all move by one distance.
std::int64_t distance_between(const std::set<std::int64_t>& before, const std::set<std::int64_t>& after) {
  if (before.size() != after.size()) return 0;
  const std::int64_t distance = *after.begin() - *before.begin();
  auto other = after.begin();
  for (const std::int64_t line : before) {
    if (*other++ - line != distance) return 0;
  }
  return distance;
}

}  // namespace

MovedLines::MovedLines(const Snapshot& before, const Snapshot& after) {
  const LinesOfFunctions lines_before = lines_of_functions(before);
  std::map<FunctionOfFile, std::int64_t> moved;
  for (const auto& [function, lines] : lines_of_functions(after)) {
    const auto found = lines_before.find(function);
    if (found == lines_before.end()) continue;
    const std::int64_t distance = distance_between(found->second, lines);
    if (distance != 0) moved.emplace(function, distance);
  }
  function_count_ = moved.size();
  if (moved.empty()) return;
  distances_.assign(after.stacks.frame_count(), 0);
  for (std::uint32_t i = 0; i < after.stacks.frame_count(); ++i) {
    const SnapshotFrame& frame = after.frame(FrameId{i});
    if (!has_line(after, frame)) continue;
    const auto found = moved.find(function_of(after, frame));
    if (found != moved.end()) distances_[i] = found->second;
  }
}

std::int64_t MovedLines::line_before(const Snapshot& after, FrameId frame) const {
  const std::int64_t line = after.frame(frame).line;
  const auto i = static_cast<std::uint32_t>(frame);
  return i < distances_.size() ? line - distances_[i] : line;
}

}  // namespace kino
