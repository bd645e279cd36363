// The kinds of pages that a document can be shown as. Commands count where one of them is shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kino {

enum class PageKind : std::uint8_t {
  none,        ///< nothing is open, or nothing of it can be shown yet
  timeline,    ///< of a trace
  snapshot,    ///< of an allocator
  job,         ///< of many ranks
  comparison,  ///< of two runs
  snapshots,   ///< many of them as one page
  hang,        ///< of dumps of a flight recorder
};
/// In the order of PageKind: keys of the state file, and ids of Dear ImGui.
inline constexpr std::array kPageKindNames{"",           "timeline",  "snapshot", "job",
                                           "comparison", "snapshots", "hang"};
inline constexpr std::size_t kPageKindCount = kPageKindNames.size();
constexpr const char* name_of(PageKind kind) { return kPageKindNames[static_cast<std::size_t>(kind)]; }

/// Whether it has an axis to move along, so that the commands that all such pages share mean something.
constexpr bool has_axis(PageKind kind) { return kind != PageKind::none && kind != PageKind::hang; }

}  // namespace kino
