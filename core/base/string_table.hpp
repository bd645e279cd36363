// Interned strings: each distinct text is stored once and known by a dense number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kino {

/// Append-only. Not thread-safe while growing; views stay valid as long as the table lives, also when it
/// moves.
class StringTable {
 public:
  /// The number of `text`, given out in order of first appearance from 0. Amortised O(length).
  std::uint32_t intern(std::string_view text);
  /// The number of `text`, or kAbsent.
  std::uint32_t find(std::string_view text) const;
  std::string_view operator[](std::uint32_t id) const { return texts_[id]; }
  /// Room for `count` texts in all. intern() makes the index larger as it goes.
  void reserve(std::uint32_t count) { texts_.reserve(count); }
  /// Gives back what only intern() and find() need: intern() makes it again, find() must not be called until
  /// then. O(texts).
  void drop_index();
  std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }
  std::size_t size_bytes() const;

  static constexpr std::uint32_t kAbsent = 0xffffffffU;

 private:
  std::string_view store(std::string_view text);
  void rehash(std::size_t buckets);

  struct Bucket {
    std::uint32_t hash = 0;
    std::uint32_t id = kAbsent;
  };
  std::vector<std::string_view> texts_;
  std::vector<Bucket> buckets_;  // power of two, linear probing, at most half full
  std::vector<std::unique_ptr<char[]>> arenas_;
  std::size_t arena_left_ = 0;
  char* arena_next_ = nullptr;
  std::size_t stored_bytes_ = 0;
};

}  // namespace kino
