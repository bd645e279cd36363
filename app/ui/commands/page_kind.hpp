// The kinds of pages of documents. Scopes of commands refer to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kino {

enum class PageKind : std::uint8_t {
  none,        ///< no document is open, or the document has nothing to show yet
  timeline,    ///< a trace
  snapshot,    ///< a memory snapshot
  job,         ///< a job of many ranks
  comparison,  ///< a comparison of two runs
  snapshots,   ///< many snapshots as one page
  hang,        ///< dumps of a flight recorder
  ledger,      ///< the time of a trace's steps by cause
  layers,      ///< the repeated layers of a trace
  critical,    ///< the critical path of a trace, and forecasts
  serving,     ///< the iterations of an inference engine in a trace
};
/// Names in the order of PageKind, used as keys of the state file and as ids of Dear ImGui.
inline constexpr std::array kPageKindNames{"",           "timeline",  "snapshot", "job",
                                           "comparison", "snapshots", "hang",     "ledger",
                                           "layers",     "critical",  "serving"};
inline constexpr std::size_t kPageKindCount = kPageKindNames.size();
constexpr const char* name_of(PageKind kind) { return kPageKindNames[static_cast<std::size_t>(kind)]; }

/// Whether pages of this kind have an axis to move along, so that the commands of Reach::view apply to them.
constexpr bool has_axis(PageKind kind) {
  return kind != PageKind::none && kind != PageKind::hang && kind != PageKind::ledger &&
         kind != PageKind::layers && kind != PageKind::critical && kind != PageKind::serving;
}

}  // namespace kino
