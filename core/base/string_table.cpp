#include "core/base/string_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

namespace kino {
namespace {

constexpr std::size_t kFirstArenaBytes = std::size_t{4} << 10;
constexpr std::size_t kArenaBytes = std::size_t{64} << 10;  // upper bound; arenas double until then
constexpr std::size_t kFirstBuckets = 64;

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
}

}  // namespace

std::uint32_t StringTable::intern(std::string_view text) {
  if (buckets_.size() < 2 * (texts_.size() + 1))
    rehash(std::max(kFirstBuckets, std::bit_ceil(2 * (texts_.size() + 1))));
  const std::uint32_t hash = hash_of(text);
  Bucket& bucket = buckets_[bucket_index(text, hash)];
  if (bucket.id == kAbsent) {
    if (texts_.size() >= kAbsent) throw std::length_error("StringTable");
    texts_.push_back(store(text));
    bucket = Bucket{hash, static_cast<std::uint32_t>(texts_.size() - 1)};
  }
  return bucket.id;
}

std::uint32_t StringTable::find(std::string_view text) const {
  return buckets_.empty() ? kAbsent : buckets_[bucket_index(text, hash_of(text))].id;
}

std::size_t StringTable::bucket_index(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = buckets_.size() - 1;
  std::size_t i = hash & mask;
  while (buckets_[i].id != kAbsent && (buckets_[i].hash != hash || texts_[buckets_[i].id] != text))
    i = (i + 1) & mask;
  return i;
}

std::size_t StringTable::size_bytes() const {
  return stored_bytes_ + texts_.capacity() * sizeof(std::string_view) + buckets_.capacity() * sizeof(Bucket);
}

std::string_view StringTable::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > arena_left_) {
    // A long text gets a separate arena, so that the rest of the current arena is not wasted.
    const std::size_t shared = std::clamp(stored_bytes_, kFirstArenaBytes, kArenaBytes);
    const bool own = text.size() > shared / 4;
    const std::size_t size = own ? text.size() : shared;
    arenas_.push_back(std::make_unique_for_overwrite<char[]>(size));
    stored_bytes_ += size;
    if (own) return {static_cast<const char*>(std::memcpy(arenas_.back().get(), text.data(), size)), size};
    arena_next_ = arenas_.back().get();
    arena_left_ = size;
  }
  std::memcpy(arena_next_, text.data(), text.size());
  const std::string_view stored{arena_next_, text.size()};
  arena_next_ += text.size();
  arena_left_ -= text.size();
  return stored;
}

void StringTable::drop_index() {
  buckets_ = std::vector<Bucket>();  // {} would keep the memory
  texts_.shrink_to_fit();
}

void StringTable::rehash(std::size_t buckets) {
  std::vector<Bucket> next(buckets);
  const auto place = [&](const Bucket& bucket) {
    std::size_t i = bucket.hash & (buckets - 1);
    while (next[i].id != kAbsent) i = (i + 1) & (buckets - 1);
    next[i] = bucket;
  };
  for (std::uint32_t id = 0; buckets_.empty() && id < texts_.size(); ++id) place({hash_of(texts_[id]), id});
  for (const Bucket& bucket : buckets_) {
    if (bucket.id != kAbsent) place(bucket);
  }
  buckets_ = std::move(next);
}

}  // namespace kino
