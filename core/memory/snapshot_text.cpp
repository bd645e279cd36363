#include "core/memory/snapshot_text.hpp"

#include <array>
#include <bit>
#include <cstdio>

#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {
namespace {

std::string frame_words(const SnapshotFrame& frame, std::string_view file, std::string_view name) {
  if (file == "??") return std::string(name);
  std::string text(file);
  if (frame.line > 0) text += ":" + std::to_string(frame.line);
  if (!text.empty()) text += " ";
  return text + std::string(name);
}

/// Removes parameters: "at::native::to(at::Tensor const&)" becomes "at::native::to".
std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::size_t at = name.find('(');
  while (at != name.npos) {
    if (name.substr(at).starts_with(kAnonymous)) {
      at = name.find('(', at + kAnonymous.size());
    } else if (name.substr(0, at).ends_with("operator")) {
      at = name.find('(', at + 1);
    } else {
      break;
    }
  }
  return name.substr(0, at);
}

/// Returns the origin of the work in a C++ stack, in this order of preference: the step of the backward pass;
/// the outermost operator; the innermost function in a namespace that is neither bookkeeping nor the engine;
/// the engine; top_frame(). Frames around the engine only start threads.
FrameId cpp_frame(const Snapshot& snapshot, StackId stack) {
  FrameId op = kNoFrame;
  FrameId inner = kNoFrame;
  FrameId engine = kNoFrame;
  for (const FrameId id : snapshot.stacks.frames(stack)) {
    const std::string_view name = snapshot.text(snapshot.frame(id).name);
    const bool step = name.find("::apply(") != name.npos || name.find("::release_variables(") != name.npos;
    if (name.starts_with("torch::autograd::") && step) return id;
    if (name.starts_with("at::_ops::") && name.find("::call(") != name.npos) op = id;
    if (is_memory_bookkeeping(name)) continue;
    if (is_autograd_engine(name)) {
      if (engine == kNoFrame) engine = id;
    } else if (inner == kNoFrame && name.find("::") != name.npos) {
      inner = id;
    }
  }
  if (op != kNoFrame) return op;
  if (inner == kNoFrame) inner = engine;
  return inner == kNoFrame ? top_frame(snapshot, stack) : inner;
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

std::string pool_id_text(const Snapshot& snapshot, std::uint16_t pool) {
  const PoolId& id = snapshot.pools[pool];
  if (id == PoolId{}) return "default";
  return "(" + std::to_string(id.graph) + ", " + std::to_string(id.user) + ")";
}

std::string frame_text(const Snapshot& snapshot, FrameId frame) {
  std::string_view file = snapshot.text(snapshot.frame(frame).file);
  if (const auto slash = file.find_last_of("/\\"); slash != file.npos) file.remove_prefix(slash + 1);
  const std::string_view name = snapshot.text(snapshot.frame(frame).name);
  const bool cpp = snapshot.frame(frame).line == 0 && !is_python_file(file);
  return frame_words(snapshot.frame(frame), file == "??" ? std::string_view() : file,
                     cpp ? without_parameters(name) : name);
}

std::string full_frame_text(const Snapshot& snapshot, FrameId frame) {
  return full_frame_text(snapshot, frame, snapshot.frame(frame).line);
}

std::string full_frame_text(const Snapshot& snapshot, FrameId frame, std::int64_t line) {
  SnapshotFrame shown = snapshot.frame(frame);
  shown.line = line;
  return frame_words(shown, snapshot.text(shown.file), snapshot.text(shown.name));
}

FrameId place_frame(const Snapshot& snapshot, StackId stack) {
  FrameId frame = user_frame(snapshot, stack);
  if (frame == kNoFrame) frame = python_frame(snapshot, stack);
  return frame == kNoFrame ? cpp_frame(snapshot, stack) : frame;
}

Message place_message(const Snapshot& snapshot, StackId stack) {
  const FrameId frame = place_frame(snapshot, stack);
  return frame == kNoFrame ? Message(msg::no_stack_recorded) : frame_text(snapshot, frame);
}

Message place_message(const Snapshot& snapshot, const Allocations& all, AllocationId id) {
  const auto i = static_cast<std::size_t>(id);
  const FrameId frame = place_frame(snapshot, all.stack[i]);
  return of_stack_text(all, id, frame == kNoFrame ? std::string() : frame_text(snapshot, frame));
}

Message of_stack_text(const Allocations& all, AllocationId id, const Message& words) {
  return place_of_frame(words, all.origin[static_cast<std::size_t>(id)] == AllocationOrigin::freed_only);
}

Message place_of_frame(const Message& frame, bool of_free) {
  if (!of_free) return frame.empty() ? Message(msg::no_stack_recorded) : frame;
  return frame.empty() ? Message(msg::before_the_recording)
                       : Message(msg::before_the_recording_freed_in, frame);
}

SizeClass size_class_of(std::uint64_t bytes) {
  SizeClass found;
  if (bytes <= found.high) return found;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  if (bytes > kLargest) return {kLargest, ~std::uint64_t{0}};
  found.high = std::bit_ceil(bytes);
  found.low = found.high / 2;
  return found;
}

std::string stack_text(const Snapshot& snapshot, StackId stack) {
  std::string text;
  for (const FrameId frame : snapshot.stacks.frames(stack)) text += full_frame_text(snapshot, frame) + "\n";
  return text;
}

std::optional<std::int64_t> ns_between(const SnapshotDevice& device, EventIndex from, EventIndex to) {
  const auto times = device.entries.time_us.span();
  if (from < 0 || to < from || static_cast<std::size_t>(to) >= times.size()) return std::nullopt;
  const std::int64_t begin = times[static_cast<std::size_t>(from)];
  const std::int64_t end = times[static_cast<std::size_t>(to)];
  constexpr std::int64_t kLongest = INT64_MAX / 1000;
  if (!is_known_time(begin) || !is_known_time(end) || begin < 0 || end < begin || end - begin > kLongest)
    return std::nullopt;
  return (end - begin) * 1000;
}

std::string time_between(const SnapshotDevice& device, EventIndex from, EventIndex to) {
  const std::optional<std::int64_t> ns = ns_between(device, from, to);
  return ns ? text_from_duration(*ns) : std::string();
}

}  // namespace kino
