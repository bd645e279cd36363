// Identifies one event of a trace: a slice or an instant.
#pragma once

#include <cstdint>

#include "core/base/ids.hpp"

namespace kino {

inline constexpr std::uint32_t kNoInstant = 0xffffffffU;

/// A slice, an instant (index in Trace::instants), or nothing.
struct EventRef {
  SliceId slice = kNoSlice;
  std::uint32_t instant = kNoInstant;
  bool any() const { return slice != kNoSlice || instant != kNoInstant; }
  bool operator==(const EventRef&) const = default;
};

}  // namespace kino
