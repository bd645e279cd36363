// The arguments of many events in little room: what is alike in all of them is written once, numbers and
// texts stand in columns, exactly as the source had them.
//
// A text {"stream": 7, "correlation": 4711, "name": "x"} is its skeleton {"stream": #, "correlation": #,
// "name":
// "$"} and three slots. A block has each skeleton and each text once; the slots of a skeleton are columns of
// numbers, whichever is shorter of themselves and their differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Events of a block at most.
inline constexpr std::size_t kBlockEvents = std::size_t{1} << 14;

/// `texts` are at most kBlockEvents, empty ones of events without arguments. O(bytes).
std::string packed_arguments(std::span<const std::string> texts);

/// What packed_arguments() made, or somebody who wants to do harm: it takes memory of a few times its size.
class ArgumentBlock {
 public:
  static std::optional<ArgumentBlock> read(std::string_view packed);

  /// Events, with and without arguments.
  std::size_t size() const { return events_.size(); }
  bool has(std::size_t event) const { return events_[event].skeleton != kNone; }
  /// Empty without arguments, and for more than `most_bytes`. O(length).
  std::string text(std::size_t event, std::size_t most_bytes) const;
  /// The forms that the arguments have: with a control character in place of each number and text.
  const std::vector<std::string>& skeletons() const { return skeletons_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Event {
    std::uint32_t skeleton = kNone;
    std::uint32_t place = 0;  // among the events of this skeleton
  };

  std::vector<std::string> skeletons_;
  std::vector<std::string> texts_;
  std::vector<Event> events_;
  std::vector<std::vector<std::vector<std::int64_t>>> slots_;  // by skeleton and slot, in the order of events
};

}  // namespace kino
