// Reads the text after the first event array: the rest of its document, further arrays and further documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "loaders/formats/chrome_trace/event_array.hpp"

namespace kino {

/// Reads a text in pieces. Adds members of the first document, and damage, to the EventArray. Each further
/// event array is recorded as damage with its offset, as are objects without events and text other than JSON.
class DocumentRest {
 public:
  /// `in_object`: whether the array was a member of an object that is still open. Members above
  /// `largest_member` bytes are added with no value.
  DocumentRest(bool in_object, EventArray& out, std::size_t largest_member = std::size_t{1} << 20U)
      : out_(out), in_object_(in_object), largest_member_(largest_member) {}

  enum class Found : std::uint8_t {
    array,  ///< a further event array starts
    more,   ///< more text is needed
    end,    ///< end of the text
  };
  struct Stop {
    Found found{};
    std::size_t at = 0;     ///< array: index after its bracket; more: continue reading here
    bool document = false;  ///< array: whether it is in a further document
  };
  /// Reads until an array, the end of `text`, or the end of the file. `text` starts at `offset`; `whole`
  /// indicates that it ends the file. After an array, continue after its closing bracket. If `more` is
  /// returned with `at` 0, pass a longer text. O(length).
  Stop read(std::string_view text, std::uint64_t offset, bool whole);

  /// Returns whether an object is open that can have further members.
  bool in_object() const { return in_object_; }

  /// Returns baseTimeNanoseconds of the further document that was closed last, and clears it.
  std::optional<std::int64_t> take_base_time() { return std::exchange(closed_base_ns_, std::nullopt); }

 private:
  /// Advance `at`. Return nullopt if reading continues.
  std::optional<Stop> read_in_object(std::string_view text, std::size_t& at, std::uint64_t offset,
                                     bool whole);
  std::optional<Stop> read_between(std::string_view text, std::size_t& at, std::uint64_t offset);
  /// `if_missing` is the damage to record if the file ends within an open object.
  Stop need_more(std::size_t at, std::uint64_t end, bool whole, DamageReason if_missing);
  void close_object(std::string_view text, std::size_t at, std::uint64_t offset);
  void pass_garbage(std::string_view text, std::size_t& at, std::uint64_t offset);

  EventArray& out_;
  bool in_object_;
  std::size_t largest_member_;
  bool has_array_ = true;  // whether the open document contains an array
  bool first_document_ = true;
  bool in_garbage_ = false;  // skipping up to the end of the line
  std::uint64_t begin_ = 0;  // offset at which the open document starts
  std::uint64_t comma_ = kNoOffset;
  std::optional<std::int64_t> base_ns_;  // time base of the open document
  std::optional<std::int64_t> closed_base_ns_;
};

/// Returns the offset that converts times from the base `base_ns` to `first_ns`; 0 if the bases are too far
/// apart for one trace.
std::int64_t base_shift_ns(std::int64_t base_ns, std::int64_t first_ns);

}  // namespace kino
