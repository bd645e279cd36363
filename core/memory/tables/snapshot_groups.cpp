#include "core/memory/tables/snapshot_groups.hpp"

#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"

namespace kino {

// Uses Python frames only, because C++ frames below a line differ between sizes.
std::string stack_key(const Snapshot& snapshot, StackId stack, const MovedLines& moved) {
  std::string text;
  for (const FrameId id : snapshot.stacks.frames(stack)) {
    if (!is_python_file(snapshot.text(snapshot.frame(id).file))) continue;
    if (!text.empty()) text.append("; ");
    text.append(full_frame_text(snapshot, id, moved.line_before(snapshot, id)));
  }
  if (!text.empty()) return text;
  const FrameId frame = place_frame(snapshot, stack);
  return frame == kNoFrame ? text : full_frame_text(snapshot, frame);
}

Message size_class_text(std::uint64_t bytes, ByteUnits units) {
  const SizeClass found = size_class_of(bytes);
  const std::string high = bytes_text(found.high, units);
  if (found.low == 0) return {msg::up_to_bytes, high};
  return {msg::from_bytes_to_bytes, bytes_text(found.low, units), high};
}

GroupName GroupNames::of_stack(AllocationId id) const {
  const Snapshot& snapshot = *scope_.snapshot;
  const Allocations& all = scope_.of().history.allocations;
  const auto i = static_cast<std::size_t>(id);
  const FrameId frame = place_frame(snapshot, all.stack[i]);
  if (frame == kNoFrame) {
    const bool of_size = by_ == LiveGrouping::stack || by_ == LiveGrouping::allocation;
    Message name = of_stack_text(all, id, {});
    if (of_size) name = Message(msg::bytes_each, name, grouped(all.size[i]));
    return {name.str(), name};
  }
  const SnapshotFrame& shown = snapshot.frame(frame);
  std::string name = frame_text(snapshot, frame);
  std::string key = full_frame_text(snapshot, frame, moved_.line_before(snapshot, frame));
  if (by_ == LiveGrouping::file) key = name = snapshot.text(shown.file);
  if (by_ == LiveGrouping::function) key = name = snapshot.text(shown.name);
  if (by_ == LiveGrouping::stack) key = stack_key(snapshot, all.stack[i], moved_);
  return {of_stack_text(all, id, key).str(), of_stack_text(all, id, name)};
}

const GroupName& GroupNames::of(AllocationId id) {
  const Snapshot& snapshot = *scope_.snapshot;
  const Allocations& all = scope_.of().history.allocations;
  const auto i = static_cast<std::uint32_t>(id);
  const auto plain = [&](Message name) -> const GroupName& {
    other_.key = name.str();
    other_.name = std::move(name);
    return other_;
  };
  switch (by_) {
    case LiveGrouping::size:
      return plain(size_class_text(all.size[i], scope_.units));
    case LiveGrouping::category: {
      const AllocationCategories* const categories = scope_.categories;
      return plain(categories == nullptr ? Message() : categories->name_of(i));
    }
    case LiveGrouping::stream:
      return plain({msg::word_stream, stream_text(snapshot, all.stream[i])});
    case LiveGrouping::pool:
      return plain({msg::word_pool, pool_id_text(snapshot, all.pool[i])});
    case LiveGrouping::line:
    case LiveGrouping::file:
    case LiveGrouping::function:
    case LiveGrouping::stack:
    case LiveGrouping::allocation:
      break;
  }
  const auto [at, fresh] = by_stack_.try_emplace(stack_row(all, id));
  if (fresh) at->second = of_stack(id);
  return at->second;
}

}  // namespace kino
