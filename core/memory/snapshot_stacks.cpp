#include "core/memory/snapshot_stacks.hpp"

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace kino {
namespace {

constexpr std::size_t kFirstStackBuckets = 64;

std::uint32_t hash_bytes(const void* data, std::size_t size) {
  const std::size_t hash = std::hash<std::string_view>{}({static_cast<const char*>(data), size});
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

std::uint32_t hash_of(const SnapshotFrame& frame) {
  const std::uint64_t key[3] = {frame.name | std::uint64_t{frame.file} << 32U,
                                static_cast<std::uint64_t>(frame.line), frame.fx};
  return hash_bytes(key, sizeof key);
}

/// Returns the bucket for which `same` returns true, or the free bucket for a new id.
template <class Bucket, class Same>
Bucket& bucket_for(std::vector<Bucket>& buckets, std::uint32_t hash, const Same& same) {
  const std::size_t mask = buckets.size() - 1;
  std::size_t i = hash & mask;
  while (buckets[i].id != StringTable::kAbsent && !(buckets[i].hash == hash && same(buckets[i].id)))
    i = (i + 1) & mask;
  return buckets[i];
}

/// Grows `buckets` so that they are at most half full after one more insertion.
template <class Bucket>
void make_room(std::vector<Bucket>& buckets, std::size_t used) {
  if (buckets.size() >= 2 * (used + 1)) return;
  std::vector<Bucket> old(buckets.empty() ? kFirstStackBuckets : 2 * buckets.size());
  old.swap(buckets);
  for (const Bucket& bucket : old) {
    if (bucket.id != StringTable::kAbsent)
      bucket_for(buckets, bucket.hash, [](std::uint32_t) { return false; }) = bucket;
  }
}

void check_count(std::size_t count) {
  if (count >= StringTable::kAbsent) throw std::length_error("SnapshotStacks");
}

}  // namespace

SnapshotStacks::SnapshotStacks() : begins_{0} { intern(std::span<const FrameId>()); }

FrameId SnapshotStacks::intern(const SnapshotFrame& frame) {
  make_room(frame_buckets_, frames_.size());
  const std::uint32_t hash = hash_of(frame);
  Bucket& bucket = bucket_for(frame_buckets_, hash, [&](std::uint32_t id) { return frames_[id] == frame; });
  if (bucket.id == StringTable::kAbsent) {
    check_count(frames_.size());
    bucket = {hash, static_cast<std::uint32_t>(frames_.size())};
    frames_.push_back(frame);
  }
  return FrameId{bucket.id};
}

std::uint32_t SnapshotStacks::intern(const FxNode& node) {
  if (fx_.empty() || !(fx_.back() == node)) fx_.push_back(node);
  return static_cast<std::uint32_t>(fx_.size() - 1);
}

StackId SnapshotStacks::intern(std::span<const FrameId> frames) {
  make_room(stack_buckets_, stack_count());
  const std::uint32_t hash = hash_bytes(frames.data(), frames.size_bytes());
  Bucket& bucket = bucket_for(stack_buckets_, hash, [&](std::uint32_t id) {
    const std::span<const FrameId> stored = this->frames(StackId{id});
    return stored.size() == frames.size() &&
           (frames.empty() || std::memcmp(stored.data(), frames.data(), frames.size_bytes()) == 0);
  });
  if (bucket.id == StringTable::kAbsent) {
    check_count(stack_count());
    bucket = {hash, stack_count()};
    stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
    begins_.push_back(stack_frames_.size());
  }
  return StackId{bucket.id};
}

std::span<const FrameId> SnapshotStacks::frames(StackId id) const {
  if (id == kNoStack) return {};
  const auto i = static_cast<std::size_t>(id);
  return std::span(stack_frames_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
}

std::size_t SnapshotStacks::size_bytes() const {
  return frames_.capacity() * sizeof(SnapshotFrame) + fx_.capacity() * sizeof(FxNode) +
         begins_.capacity() * sizeof(std::uint64_t) + stack_frames_.capacity() * sizeof(FrameId) +
         (frame_buckets_.capacity() + stack_buckets_.capacity()) * sizeof(Bucket);
}

}  // namespace kino
