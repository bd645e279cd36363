// What a snapshot calls things, the same in every language: addresses, streams, frames, stacks, times.
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
/// The number of a stream as the allocator has it: small ones decimal, handles hexadecimal.
std::string stream_text(const Snapshot& snapshot, std::uint16_t stream);
/// "(0, 1)"; "default" for the default pool.
std::string pool_id_text(const Snapshot& snapshot, std::uint16_t pool);
/// "train.py:77 forward", without folders; C++ functions without parameters.
std::string frame_text(const Snapshot& snapshot, FrameId frame);
/// With the whole path: "/home/me/train.py:77 forward".
std::string full_frame_text(const Snapshot& snapshot, FrameId frame);
/// With another line than the frame's own.
std::string full_frame_text(const Snapshot& snapshot, FrameId frame, std::int64_t line);
/// The frame that says most: the innermost of the user's, else of Python; in C++ the step of the backward
/// pass, else the operator that was called, else the innermost that is no memory bookkeeping. kNoFrame
/// without any.
FrameId place_frame(const Snapshot& snapshot, StackId stack);
/// frame_text() of place_frame(), or "no stack recorded".
Message place_words(const Snapshot& snapshot, StackId stack);
/// Where an allocation was made. Of one that is older than the recording and freed in it only the stack of
/// the free is known, which is never called the place of the allocation.
Message place_words(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// The same where `words` tell of its stack, or are empty.
Message of_stack_words(const Allocations& all, AllocationId id, const Message& words);
/// The place of a frame's text, which may be empty; `of_free`: older than the recording and freed there.
Message place_of_frame(const Message& frame, bool of_free);
/// Sizes from one power of two to the next: (low, high] bytes; the smallest ones together.
struct SizeClass {
  std::uint64_t low = 0;
  std::uint64_t high = 512;
};
SizeClass size_class_of(std::uint64_t bytes);
/// Innermost first, one frame a line, for the clipboard.
std::string stack_text(const Snapshot& snapshot, StackId stack);

/// The ns from event to event; nothing where the recording has no times or they do not ascend.
std::optional<std::int64_t> ns_between(const SnapshotDevice& device, EventIndex from, EventIndex to);
/// The same in words; empty.
std::string time_between(const SnapshotDevice& device, EventIndex from, EventIndex to);

}  // namespace kino
