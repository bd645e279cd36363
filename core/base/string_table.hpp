// Interned strings: each distinct text is stored once and has a dense id.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kino {

/// Append-only. Not thread-safe while growing. Views live as long as the table, even if it is moved.
class StringTable {
 public:
  /// Returns the id of `text`; ids start at 0 in order of first appearance. Amortized O(length).
  std::uint32_t intern(std::string_view text);
  /// Returns the id of `text`, or kAbsent.
  std::uint32_t find(std::string_view text) const;
  std::string_view operator[](std::uint32_t id) const { return texts_[id]; }
  /// The texts in order of their ids.
  auto begin() const { return texts_.begin(); }
  auto end() const { return texts_.end(); }
  /// Reserves memory for the list of `count` texts in total, but not for their characters or the index of
  /// intern().
  void reserve(std::uint32_t count) { texts_.reserve(count); }
  /// Frees the index of intern() and find(). The next intern() builds it again; find() must not be called
  /// until then. O(texts).
  void drop_index();
  std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }
  std::size_t size_bytes() const;

  static constexpr std::uint32_t kAbsent = 0xffffffffU;

 private:
  std::string_view store(std::string_view text);
  /// Returns the bucket of `text`, or the free bucket where it belongs.
  std::size_t bucket_index(std::string_view text, std::uint32_t hash) const;
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
