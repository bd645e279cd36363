// Command-line options for a picture of an allocator snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kino {

/// Options for a picture of a snapshot. Empty members mean the defaults of the window.
struct PlotOptions {
  std::string at;      ///< moment of the cursor; see requested_moment()
  std::string layout;  ///< see text_of(PlotLayout)
  std::string color;   ///< see text_of(BandColoring)
  std::string axis;    ///< events, time or steps
  std::string find;    ///< a SnapshotQuery
  bool only_hits = false;
  std::optional<std::int64_t> device;  ///< ordinal of the device
  bool operator==(const PlotOptions&) const = default;
};

}  // namespace kino
