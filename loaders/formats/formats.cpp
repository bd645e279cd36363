#include "loaders/formats/formats.hpp"

#include <array>

#include "loaders/formats/capsule/capsule_format.hpp"
#include "loaders/formats/capsule/snapshot_capsule.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_format.hpp"
#include "loaders/formats/databases/database_format.hpp"
#include "loaders/formats/databases/nsight_report.hpp"
#include "loaders/formats/flight_recorder/flight_format.hpp"
#include "loaders/formats/perfetto/perfetto_format.hpp"
#include "loaders/formats/snapshot/snapshot_formats.hpp"

namespace kino {
namespace {

// Formats in order of preference among equal matches: a trace may contain names that occur in snapshots.
constexpr std::array kFormats = {
    kSnapshotCapsule,     // first, since its magic starts with the magic of kCapsule
    kCapsule,             //
    kPickledSnapshot,     //
    kOtherPickle,         //
    kSnapshotPage,        //
    kChromeTrace,         //
    kFlightDump,          //
    kJsonSnapshot,        //
    kMemoryTimelineFile,  //
    kDatabase,            //
    kNsightReport,        //
    kPerfetto,            //
};

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

FormatGuess detect_format(std::span<const Format> formats, std::string_view head) {
  FormatGuess best;
  for (const Format& format : formats) {
    const FormatMatch likeness = format.likeness(head);
    if (likeness > best.likeness) best = {&format, likeness};
  }
  return best;
}

}  // namespace kino
