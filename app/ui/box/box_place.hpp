// Reads places in a recording that are typed into the box: times, steps, and numbers of events.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

struct BoxPlace {
  enum class Kind : std::uint8_t {
    time,   ///< "12.5ms", "12.5 ms": ns on the ruler of the trace
    step,   ///< "step 7": number of a training step
    event,  ///< "#4711": correlation id or external id
  };
  Kind kind{};
  std::int64_t number = 0;
  bool operator==(const BoxPlace&) const = default;
};

/// Returns the place that the whole text names; nullopt if the text is not a place. Times need a unit (ns,
/// us, ms, s). Steps may also be written in Japanese or Chinese.
std::optional<BoxPlace> box_place(std::string_view text);

}  // namespace kino
