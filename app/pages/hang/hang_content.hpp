// Content of the inspector of a hung job: an overview, a rank, a group, a rank in a group, or an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/drawer/inspector_content.hpp"
#include "app/ui/widgets/time_column.hpp"
#include "core/job/flight/hang.hpp"

namespace kino {

/// The inspected part of a hung job. Members that the part does not need are 0.
struct HangPart {
  enum class Kind : std::uint8_t { overview, rank, group, cell, operation };
  Kind kind = Kind::overview;
  std::size_t dump = 0;         ///< index into HangRecording::dumps
  std::size_t group = 0;        ///< index into HangAnalysis::groups
  std::size_t outstanding = 0;  ///< index into HangAnalysis::outstanding
  bool operator==(const HangPart&) const = default;
};

/// Content, and the result of a click on each of its rows.
struct HangContent {
  struct Target {
    HangPart part;
    bool shows_trace = false;  ///< shows part.outstanding in the open trace of its rank, instead of `part`
  };
  InspectorContent content;
  std::vector<std::vector<Target>> targets;  ///< by section, then row
};

/// Returns the content in the language in use. `traces` has the titles of the open traces by dump, empty for
/// none. `waiting` is the index of an outstanding operation of a waiting rank, for comparison of the stacks;
/// it is ignored if out of range.
HangContent hang_content(const HangRecording& hang, const HangPart& part, std::span<const std::string> traces,
                         std::size_t waiting);

/// Returns the common format of the ages of all outstanding operations. O(operations).
std::optional<TimeColumn> age_format(const HangRecording& hang);
/// Returns the time from the operation's enqueuing to the newest entry of all dumps; "?" if it is unknown.
std::string age_text(const HangRecording& hang, const FlightEntry& entry,
                     const std::optional<TimeColumn>& format);

/// Returns the sentences on a part in the language in use, escaped. Empty for the overview.
std::string hang_part_text(const HangRecording& hang, const HangPart& part);

}  // namespace kino
