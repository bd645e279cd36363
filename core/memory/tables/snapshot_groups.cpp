#include "core/memory/tables/snapshot_groups.hpp"

#include <string_view>

#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"

namespace kino {

// Of Python alone: what C++ does below a line differs from size to size.
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

std::string size_class_words(std::uint64_t bytes, ByteUnits units) {
  const SizeClass found = size_class_of(bytes);
  if (found.low == 0) return "up to " + text_from_bytes(static_cast<double>(found.high), units);
  return text_from_bytes(static_cast<double>(found.low), units) + " to " +
         text_from_bytes(static_cast<double>(found.high), units);
}

GroupName GroupNames::of_stack(AllocationId id) const {
  const Snapshot& snapshot = *scope_.snapshot;
  const Allocations& all = scope_.of().history.allocations;
  const auto i = static_cast<std::size_t>(id);
  const FrameId frame = place_frame(snapshot, all.stack[i]);
  if (frame == kNoFrame) {
    const bool of_size = by_ == LiveGrouping::stack || by_ == LiveGrouping::allocation;
    std::string name = of_stack_words(all, id, {});
    if (of_size) name += ", " + grouped(all.size[i]) + " B each";
    return {name, name};
  }
  const SnapshotFrame& shown = snapshot.frame(frame);
  std::string name = frame_text(snapshot, frame);
  std::string key = full_frame_text(snapshot, frame, moved_.line_before(snapshot, frame));
  if (by_ == LiveGrouping::file) key = name = snapshot.text(shown.file);
  if (by_ == LiveGrouping::function) key = name = snapshot.text(shown.name);
  if (by_ == LiveGrouping::stack) key = stack_key(snapshot, all.stack[i], moved_);
  return {of_stack_words(all, id, key), of_stack_words(all, id, name)};
}

const GroupName& GroupNames::of(AllocationId id) {
  const Snapshot& snapshot = *scope_.snapshot;
  const Allocations& all = scope_.of().history.allocations;
  const auto i = static_cast<std::uint32_t>(id);
  const auto plain = [&](std::string name) -> const GroupName& {
    other_.key = name;
    other_.name = std::move(name);
    return other_;
  };
  switch (by_) {
    case LiveGrouping::size:
      return plain(size_class_words(all.size[i], scope_.units));
    case LiveGrouping::category: {
      const AllocationCategories* const categories = scope_.categories;
      return plain(categories == nullptr ? std::string() : categories->name_of(i));
    }
    case LiveGrouping::stream:
      return plain("stream " + stream_text(snapshot, all.stream[i]));
    case LiveGrouping::pool:
      return plain("pool " + pool_id_text(snapshot, all.pool[i]));
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
