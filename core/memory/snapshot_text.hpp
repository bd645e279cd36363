// Language-independent texts of a snapshot: addresses, streams, frames, stacks, times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Returns an address such as "0x7f12ab000000".
std::string address_text(std::uint64_t addr);
/// Returns the number of a stream: small numbers in decimal, handles in hexadecimal.
std::string stream_text(const Snapshot& snapshot, std::uint16_t stream);
/// Returns a pool such as "(0, 1)"; "default" for the default pool.
std::string pool_id_text(const Snapshot& snapshot, std::uint16_t pool);
/// Returns a frame without folders, such as "train.py:77 forward"; C++ functions without parameters.
std::string frame_text(const Snapshot& snapshot, FrameId frame);
/// Returns a frame with its whole path, such as "/home/me/train.py:77 forward".
std::string full_frame_text(const Snapshot& snapshot, FrameId frame);
/// Returns the frame with its whole path, and `line` instead of its own line.
std::string full_frame_text(const Snapshot& snapshot, FrameId frame, std::int64_t line);
/// Returns the most informative frame: the innermost user frame; if there is none, the innermost Python
/// frame. For C++ stacks, in this order of preference: the step of the backward pass; the outermost operator;
/// the innermost function that is neither bookkeeping of memory nor the autograd engine; the engine;
/// top_frame(). kNoFrame for empty stacks.
FrameId place_frame(const Snapshot& snapshot, StackId stack);
/// Returns frame_text() of place_frame(), or "no stack recorded".
Message place_message(const Snapshot& snapshot, StackId stack);
/// Returns the place of an allocation. For older allocations that are freed in the recording, only the stack
/// of the free is known; the text states that.
Message place_message(const Snapshot& snapshot, const Allocations& all, AllocationId id);
/// Returns the text of place_message() for `words`, which describe the stack of the allocation and may be
/// empty.
Message of_stack_text(const Allocations& all, AllocationId id, const Message& words);
/// Returns the place for the text of a frame, which may be empty. `of_free`: the frame is that of the free of
/// an older allocation.
Message place_of_frame(const Message& frame, bool of_free);
/// Class of sizes from one power of two to the next: (low, high] bytes. Sizes up to 512 bytes share a class.
struct SizeClass {
  std::uint64_t low = 0;
  std::uint64_t high = 512;
};
SizeClass size_class_of(std::uint64_t bytes);
/// Returns the stack as text for the clipboard: one frame per line, innermost first.
std::string stack_text(const Snapshot& snapshot, StackId stack);

/// Returns the ns between two events; nullopt if an event does not exist or has no time, or if `to` is
/// earlier than `from`.
std::optional<std::int64_t> ns_between(const SnapshotDevice& device, EventIndex from, EventIndex to);
/// Returns ns_between() as text; empty if it is nullopt.
std::string time_between(const SnapshotDevice& device, EventIndex from, EventIndex to);

}  // namespace kino
