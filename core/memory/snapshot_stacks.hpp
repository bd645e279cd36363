// Call stacks of a snapshot; each distinct frame and stack is stored once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/string_table.hpp"

namespace kino {

enum class StackId : std::uint32_t {};
enum class FrameId : std::uint32_t {};
inline constexpr StackId kNoStack{0xffffffffU};  ///< not recorded
inline constexpr StackId kEmptyStack{0};         ///< recorded, without frames

/// Source of a frame in a compiled graph. Members are indices into Snapshot::strings.
struct FxNode {
  std::uint32_t op = StringTable::kAbsent;
  std::uint32_t name = StringTable::kAbsent;
  std::uint32_t target = StringTable::kAbsent;
  std::uint32_t original_trace = StringTable::kAbsent;
  bool operator==(const FxNode&) const = default;
};

struct SnapshotFrame {
  std::uint32_t name = StringTable::kAbsent;  ///< index into Snapshot::strings
  std::uint32_t file = StringTable::kAbsent;
  std::int64_t line = 0;     ///< 0 in C++; -1 if the file has 2^64-1
  std::uint32_t fx = kNoFx;  ///< index for SnapshotStacks::fx()

  static constexpr std::uint32_t kNoFx = 0xffffffffU;
  bool operator==(const SnapshotFrame&) const = default;
};

/// Distinct frames and stacks. Append-only; not thread-safe while growing.
class SnapshotStacks {
 public:
  SnapshotStacks();

  /// Returns the id of a frame, which is added if new. O(1).
  FrameId intern(const SnapshotFrame& frame);
  /// Returns the index for SnapshotFrame::fx. A node is stored again unless it equals the previous one.
  std::uint32_t intern(const FxNode& node);
  /// Returns the id of a stack, which is added if new. Frames are innermost first. O(frames).
  StackId intern(std::span<const FrameId> frames);

  std::uint32_t frame_count() const { return static_cast<std::uint32_t>(frames_.size()); }
  std::uint32_t stack_count() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  const SnapshotFrame& frame(FrameId id) const { return frames_[static_cast<std::uint32_t>(id)]; }
  const FxNode& fx(std::uint32_t id) const { return fx_[id]; }
  /// Returns the frames of a stack, innermost first; empty for kNoStack.
  std::span<const FrameId> frames(StackId id) const;
  /// Returns the number of frames in all distinct stacks.
  std::size_t stored_frames() const { return stack_frames_.size(); }
  std::size_t size_bytes() const;

 private:
  struct Bucket {
    std::uint32_t hash = 0;
    std::uint32_t id = StringTable::kAbsent;
  };
  std::vector<SnapshotFrame> frames_;
  std::vector<FxNode> fx_;
  std::vector<std::uint64_t> begins_;  // start of each stack in stack_frames_, then the end of the last
  std::vector<FrameId> stack_frames_;
  std::vector<Bucket> frame_buckets_;  // linear probing; sizes are powers of two, at most half full
  std::vector<Bucket> stack_buckets_;
};

}  // namespace kino
