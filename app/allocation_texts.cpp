#include "app/allocation_texts.hpp"

#include <array>
#include <cstdio>

#include "app/texts.hpp"
#include "core/snapshot_summary.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

std::string frame_words(const Snapshot& snapshot, FrameId id, std::string_view file) {
  const SnapshotFrame& frame = snapshot.frame(id);
  std::string text(file);
  if (frame.line > 0) text += ":" + std::to_string(frame.line);
  if (!text.empty()) text += " ";
  return text + std::string(snapshot.text(frame.name));
}

bool is_known_time(std::int64_t time_us) { return time_us != SnapshotEntries::kNoTime; }

}  // namespace

std::string address_text(std::uint64_t addr) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(addr));
  return text.data();
}

std::string stream_text(const Snapshot& snapshot, std::uint16_t stream) {
  constexpr std::uint64_t kMostDecimal = 9999;
  const std::uint64_t number = snapshot.streams[stream];
  return number <= kMostDecimal ? std::to_string(number) : address_text(number);
}

std::string pool_text(const Snapshot& snapshot, std::uint16_t pool) {
  const PoolId& id = snapshot.pools[pool];
  if (id == PoolId{}) return tr(Text::snapshot_default_pool);
  return "(" + std::to_string(id.graph) + ", " + std::to_string(id.user) + ")";
}

std::string frame_text(const Snapshot& snapshot, FrameId frame) {
  std::string_view file = snapshot.text(snapshot.frame(frame).file);
  if (const auto slash = file.find_last_of("/\\"); slash != file.npos) file.remove_prefix(slash + 1);
  return frame_words(snapshot, frame, file == "??" ? std::string_view() : file);
}

std::string full_frame_text(const Snapshot& snapshot, FrameId frame) {
  return frame_words(snapshot, frame, snapshot.text(snapshot.frame(frame).file));
}

std::string place_text(const Snapshot& snapshot, StackId stack) {
  FrameId frame = user_frame(snapshot, stack);
  if (frame == kNoFrame) frame = python_frame(snapshot, stack);
  if (frame == kNoFrame) frame = top_frame(snapshot, stack);
  return frame == kNoFrame ? tr(Text::snapshot_no_stack) : frame_text(snapshot, frame);
}

std::string stack_text(const Snapshot& snapshot, StackId stack) {
  std::string text;
  for (const FrameId frame : snapshot.stacks.frames(stack)) text += full_frame_text(snapshot, frame) + "\n";
  return text;
}

std::vector<StackPart> stack_parts(const Snapshot& snapshot, StackId stack) {
  std::vector<StackPart> parts;
  const auto frames = snapshot.stacks.frames(stack);
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    const std::string_view file = snapshot.text(snapshot.frame(frames[i]).file);
    const bool library = !is_python_file(file) || is_library_file(file);
    if (library && !parts.empty() && parts.back().library) {
      ++parts.back().count;
    } else {
      parts.push_back({i, 1, library});
    }
  }
  return parts;
}

std::string time_between(const SnapshotDevice& device, EventIndex from, EventIndex to) {
  const auto times = device.entries.time_us.span();
  if (from < 0 || to < from || static_cast<std::size_t>(to) >= times.size()) return {};
  const std::int64_t begin = times[static_cast<std::size_t>(from)];
  const std::int64_t end = times[static_cast<std::size_t>(to)];
  constexpr std::int64_t kLongest = INT64_MAX / 1000;
  if (!is_known_time(begin) || !is_known_time(end) || begin < 0 || end < begin || end - begin > kLongest) {
    return {};
  }
  return text_from_duration((end - begin) * 1000);
}

std::string age_text(const SnapshotDevice& device, AllocationId id, EventIndex event) {
  const EventIndex begin = device.history.allocations.begin[static_cast<std::uint32_t>(id)];
  if (begin == kBeforeRecording) return tr(Text::snapshot_before_recording);
  const auto events = static_cast<std::uint64_t>(event - begin);
  const std::string time = time_between(device, begin, event);
  const std::string count = counted(Text::snapshot_one_event, Text::snapshot_events, events);
  return time.empty() ? count : count + ", " + time;
}

}  // namespace kino
