// Compresses the arguments of many events without loss: common text is stored once, numbers and texts in
// columns.
//
// The text {"stream": 7, "correlation": 4711, "name": "x"} consists of the skeleton {"stream": #,
// "correlation": #, "name": "$"} and three slots. A block contains each skeleton and each text once. The
// slots of a skeleton are columns of numbers, stored as values or differences, whichever is shorter.
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

/// Packs at most kBlockEvents texts; an empty text is an event without arguments. O(bytes).
std::string packed_arguments(std::span<const std::string> texts);

/// Reads the output of packed_arguments(). Hostile input: memory is a few times its size.
class ArgumentBlock {
 public:
  static std::optional<ArgumentBlock> read(std::string_view packed);

  /// Number of events, with or without arguments.
  std::size_t size() const { return events_.size(); }
  bool has(std::size_t event) const { return events_[event].skeleton != kNone; }
  /// Returns an empty text for events without arguments, and above `most_bytes`. O(length).
  std::string text(std::size_t event, std::size_t most_bytes) const;
  /// The distinct forms of arguments, with a control character for each number and text.
  const std::vector<std::string>& skeletons() const { return skeletons_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Event {
    std::uint32_t skeleton = kNone;
    std::uint32_t index = 0;  // among the events of this skeleton
  };

  std::vector<std::string> skeletons_;
  std::vector<std::string> texts_;
  std::vector<Event> events_;
  std::vector<std::vector<std::vector<std::int64_t>>> slots_;  // by skeleton, slot and event
};

}  // namespace kino
