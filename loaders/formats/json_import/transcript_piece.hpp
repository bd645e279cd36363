// A batch of converted events that will be written to the spool: their text, and the positions of the parts
// that the model needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace kino {

/// A range of bytes in a piece.
struct PiecePart {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
};

struct PieceArgument {
  PiecePart key;  ///< without its quotes
  PiecePart json;
};

/// Positions of an event's members. Positions of strings exclude the quotes.
struct PieceEvent {
  PiecePart category;
  PiecePart name;
  PiecePart pid;
  PiecePart tid;
  PiecePart time;
  PiecePart id;
  std::uint32_t name_index = 0;  ///< see EventViews
  std::uint32_t begin = 0;       ///< position of its opening brace
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;  ///< for slices
  char phase = 0;
};

/// A reusable buffer of events. Throws std::bad_alloc for an event above 4 GiB.
class TranscriptPiece {
 public:
  TranscriptPiece() : text_(std::make_unique_for_overwrite<char[]>(kCapacity)) {}

  /// Appends text and returns its position. The caller must have reserved space for the text.
  PiecePart put(std::string_view text) {
    const PiecePart part{size_, static_cast<std::uint32_t>(text.size())};
    if (!text.empty()) std::memcpy(text_.get() + size_, text.data(), text.size());
    size_ += part.size;
    return part;
  }
  /// Returns the start of the reserved space, for direct writes that end with put_until().
  char* end() { return text_.get() + size_; }
  PiecePart put_until(const char* end) {
    const std::uint32_t begin = std::exchange(size_, static_cast<std::uint32_t>(end - text_.get()));
    return {begin, size_ - begin};
  }
  /// Returns the position of a string's content; for other values, the position unchanged.
  PiecePart unquoted(PiecePart json) const {
    return json.size >= 2 && text_[json.at] == '"' ? PiecePart{json.at + 1, json.size - 2} : json;
  }
  void reserve(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
  }

  std::uint32_t size() const { return size_; }
  std::string_view text() const { return {text_.get(), size_}; }
  std::string_view view(PiecePart part) const { return {text_.get() + part.at, part.size}; }

  void clear() {
    if (capacity_ > kMaxSaved) *this = TranscriptPiece();
    size_ = head = 0;
    events.clear();
    arguments.clear();
  }

  std::uint32_t head = 0;  ///< size of the text before the first event
  std::vector<PieceEvent> events;
  std::vector<PieceArgument> arguments;

  static constexpr std::uint32_t kEnough = 256U << 10;  ///< size after which a piece is passed on

 private:
  static constexpr std::size_t kCapacity = kEnough + (std::size_t{64} << 10);
  static constexpr std::size_t kMaxSaved = std::size_t{8} << 20;

  void grow(std::size_t bytes) {
    const std::size_t needed = size_ + bytes;
    if (needed > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
    const std::size_t capacity = 2 * needed;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(larger.get(), text_.get(), size_);
    text_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> text_;
  std::size_t capacity_ = kCapacity;
  std::uint32_t size_ = 0;
};

}  // namespace kino
