#include "loaders/formats.hpp"

#include <array>

#include "loaders/capsule/capsule_format.hpp"
#include "loaders/capsule/snapshot_capsule.hpp"
#include "loaders/chrome_trace/chrome_trace_format.hpp"
#include "loaders/databases/database_format.hpp"
#include "loaders/databases/nsight_report.hpp"
#include "loaders/flight_recorder/flight_format.hpp"
#include "loaders/perfetto/perfetto_format.hpp"
#include "loaders/snapshot/snapshot_formats.hpp"

namespace kino {
namespace {

// Of equally likely ones the first counts: a trace may have names of a snapshot in it.
constexpr std::array kFormats = {
    kSnapshotCapsule,     // before the other one, whose magic its own begins with
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

FormatGuess most_alike(std::span<const Format> formats, std::string_view head) {
  FormatGuess best;
  for (const Format& format : formats) {
    const Likeness likeness = format.likeness(head);
    if (likeness > best.likeness) best = {&format, likeness};
  }
  return best;
}

}  // namespace kino
