// Language-independent texts of a snapshot: addresses, streams, frames, stacks, times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// "0x7f12ab000000".
std::string address_text(std::uint64_t addr);
/// Returns the number of a stream: small ones decimal, handles hexadecimal.
std::string stream_text(const Snapshot& snapshot, std::uint16_t stream);
/// Returns "(0, 1)"; "default" for the default pool.
std::string pool_id_text(const Snapshot& snapshot, std::uint16_t pool);
/// Returns "train.py:77 forward", without folders; C++ functions without parameters.
std::string frame_text(const Snapshot& snapshot, FrameId frame);
/// Returns the frame with its whole path: "/home/me/train.py:77 forward".
std::string full_frame_text(const Snapshot& snapshot, FrameId frame);
/// Replaces the frame's line by `line`.
std::string full_frame_text(const Snapshot& snapshot, FrameId frame, std::int64_t line);
/// Returns the most informative frame: the innermost user frame, else Python frame. In C++ the step of the
/// backward pass, else the called operator, else the innermost frame that is not memory bookkeeping. kNoFrame
/// for empty stacks.
FrameId place_frame(const Snapshot& snapshot, StackId stack);
/// Returns frame_text() of place_frame(), or "no stack recorded".
Message place_message(const Snapshot& snapshot, StackId stack);
/// Returns the place of an allocation. For older allocations that are freed in the recording only the stack
/// of the free is known; the text says so.
Message place_message(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// Like place_message(); `words` describe the stack of the allocation, and may be empty.
Message of_stack_text(const Allocations& all, AllocationId id, const Message& words);
/// Returns the place for a frame's text, which may be empty. `of_free`: an older allocation, freed there.
Message place_of_frame(const Message& frame, bool of_free);
/// Sizes from one power of two to the next: (low, high] bytes. The smallest ones share a class.
struct SizeClass {
  std::uint64_t low = 0;
  std::uint64_t high = 512;
};
SizeClass size_class_of(std::uint64_t bytes);
/// Returns one frame per line, innermost first, for the clipboard.
std::string stack_text(const Snapshot& snapshot, StackId stack);

/// Returns ns between two events; nullopt if the recording has no times or they do not ascend.
std::optional<std::int64_t> ns_between(const SnapshotDevice& device, EventIndex from, EventIndex to);
/// Returns ns_between() as text, or empty.
std::string time_between(const SnapshotDevice& device, EventIndex from, EventIndex to);

}  // namespace kino
