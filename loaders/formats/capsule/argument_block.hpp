// Compresses the arguments of many events without loss: common text is stored once; numbers and texts are
// stored in columns.
//
// The text {"stream": 7, "correlation": 4711, "name": "x"} consists of the skeleton {"stream": #,
// "correlation": #, "name": "$"} and three slots. A block contains each skeleton and each text once. The
// slots of a skeleton are columns of numbers, stored as values or as differences, whichever is estimated to
// compress better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Maximum number of events per block.
inline constexpr std::size_t kBlockEvents = std::size_t{1} << 14;

/// Compresses at most kBlockEvents texts; an empty text means an event that has no arguments. O(bytes).
std::string packed_arguments(std::span<const std::string> texts);

/// Reads the output of packed_arguments(), which may be hostile: the memory used is proportional to its size.
class ArgumentBlock {
 public:
  static std::optional<ArgumentBlock> read(std::string_view packed);

  /// Number of events, including those that have no arguments.
  std::size_t size() const { return events_.size(); }
  bool has(std::size_t event) const { return events_[event].skeleton != kNone; }
  /// Returns the arguments of an event; empty if it has none, or if they exceed `most_bytes`. O(length).
  std::string text(std::size_t event, std::size_t most_bytes) const;
  /// Returns the distinct forms of arguments; a control character replaces each number and text.
  const std::vector<std::string>& skeletons() const { return skeletons_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Event {
    std::uint32_t skeleton = kNone;
    std::uint32_t index = 0;  // index among the events with this skeleton
  };

  std::vector<std::string> skeletons_;
  std::vector<std::string> texts_;
  std::vector<Event> events_;
  std::vector<std::vector<std::vector<std::int64_t>>> slots_;  // indexed by skeleton, slot and event
};

}  // namespace kino
