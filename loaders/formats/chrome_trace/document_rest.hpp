// What follows an event array: the rest of its document, and further arrays and documents in the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "loaders/formats/chrome_trace/event_array.hpp"

namespace kino {

/// Reads a text piece by piece from behind the first event array to its end. Members of the first document go
/// to the EventArray, and so does damage: each further array or document with events is counted with the
/// byte it begins at, and so is everything else that is no event.
class DocumentRest {
 public:
  /// `in_object`: the array was a member of an object that is not closed yet. Larger members lose their
  /// value.
  DocumentRest(bool in_object, EventArray& out, std::size_t largest_member = std::size_t{1} << 20U)
      : out_(out), in_object_(in_object), largest_member_(largest_member) {}

  enum class Found : std::uint8_t {
    array,  ///< a further event array begins
    more,   ///< the text has to be read on
    end,    ///< of the whole text
  };
  struct Stop {
    Found found{};
    std::size_t at = 0;     ///< array: behind its bracket; more: read again from here
    bool document = false;  ///< array: of a further document, and not a further one of the same
  };
  /// `text` stands at `offset`; `whole` when nothing follows it. After an array the next text starts behind
  /// its closing bracket. With `more` at 0 a longer text is needed. O(length).
  Stop read(std::string_view text, std::uint64_t offset, bool whole);

  /// Whether an object is open that may have further members.
  bool in_object() const { return in_object_; }

  /// baseTimeNanoseconds of the further document that was closed last, once.
  std::optional<std::int64_t> take_base_time() { return std::exchange(closed_base_ns_, std::nullopt); }

 private:
  /// Moves `at` on; nothing when the text goes on behind it.
  std::optional<Stop> read_in_object(std::string_view text, std::size_t& at, std::uint64_t offset,
                                     bool whole);
  std::optional<Stop> read_between(std::string_view text, std::size_t& at, std::uint64_t offset);
  /// With the reason for which an object that is open at the end of the whole text is damaged.
  Stop need_more(std::size_t at, std::uint64_t end, bool whole, DamageReason if_missing);
  void close_object(std::string_view text, std::size_t at, std::uint64_t offset);
  void pass_garbage(std::string_view text, std::size_t& at, std::uint64_t offset);

  EventArray& out_;
  bool in_object_;
  std::size_t largest_member_;
  bool has_array_ = true;  // the open document has given one
  bool first_document_ = true;
  bool in_garbage_ = false;  // its line goes on
  std::uint64_t begin_ = 0;  // of the open document
  std::uint64_t comma_ = kNoOffset;
  std::optional<std::int64_t> base_ns_;  // of the open document
  std::optional<std::int64_t> closed_base_ns_;
};

/// What has to be added to times that count from `base_ns` to make them count from `first_ns`; 0 when they
/// lie too far apart to be those of one trace.
std::int64_t base_shift_ns(std::int64_t base_ns, std::int64_t first_ns);

}  // namespace kino
