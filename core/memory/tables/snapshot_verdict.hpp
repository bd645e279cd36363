// The verdict on a device of a snapshot: memory ran out, memory grows, or the largest parts of the peak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

enum class SnapshotVerdictKind : std::uint8_t {
  out_of_memory,  ///< a request failed
  grows,          ///< the peaks of the steps grow steadily; see forecast_of()
  peak,           ///< neither; the headline names the largest categories of the peak
  state,          ///< no history is recorded, only the memory at the end
  empty,          ///< no memory is live
};

struct SnapshotVerdict {
  SnapshotVerdictKind kind = SnapshotVerdictKind::empty;
  Message headline;                     ///< one sentence
  Message evidence;                     ///< further sentences; may be empty
  EventIndex event = kBeforeRecording;  ///< the first failed request, or the peak
};

/// Returns the index of the device with the largest peak of requested memory, which is shown first; 0 if
/// there are no devices.
std::size_t device_of_largest_peak(const Snapshot& snapshot);

/// Returns the verdict on a device. If the rules cannot be applied, only the place with the most memory is
/// named. O(entries + live * log live).
SnapshotVerdict snapshot_verdict(const Snapshot& snapshot, std::size_t device, const CategoryRuleSet& rules,
                                 ByteUnits units, const std::stop_token& stop = {});

}  // namespace kino
