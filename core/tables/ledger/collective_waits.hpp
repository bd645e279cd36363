// Divides collectives into waiting and transfer, as far as a single trace shows it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <unordered_map>

#include "core/tables/compare/step_rows.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Division of one collective kernel: first the bubble, then the wait, then the rest.
struct CollectiveSplit {
  std::int64_t bubble_ns = 0;  ///< wait for messages that a pipeline has not sent yet
  std::int64_t wait_ns = 0;    ///< wait for other ranks; a lower bound unless `exact`
  bool exact = false;          ///< whether all ranks are known, so that the rest transfers data
  bool p2p = false;            ///< whether the kernel sends or receives
};

/// Calls body(TimeRange, StepRow) for the rows of a part of a collective that starts at `start_ns`, in order.
template <class Body>
void for_each_row(const CollectiveSplit& split, std::int64_t start_ns, TimeRange part, Body&& body) {
  const auto until = [&](std::int64_t end_ns, StepRow row) {
    const std::int64_t cut_ns = std::clamp(end_ns, part.begin_ns, part.end_ns);
    if (cut_ns > part.begin_ns) body(TimeRange{part.begin_ns, cut_ns}, row);
    part.begin_ns = cut_ns;
  };
  until(start_ns + split.bubble_ns, StepRow::idle_bubble);
  until(start_ns + split.bubble_ns + split.wait_ns, StepRow::comm_waiting);
  until(part.end_ns, split.p2p     ? StepRow::comm_p2p
                     : split.exact ? StepRow::comm_moving
                                   : StepRow::comm_unsplit);
}

/// Waits of the collectives of communication libraries, see is_attributed_collective(). Kernels with the same
/// name, size, type and group are compared, if there are at least kFewest. The wait of a kernel is the time
/// by which it exceeds the fastest one. Kernels without recorded sizes, and sends and receives, have no known
/// wait. O(collectives * log collectives). The content is unspecified if stopped.
class CollectiveWaits {
 public:
  static constexpr std::size_t kFewest = 3;

  CollectiveWaits() = default;
  explicit CollectiveWaits(const Trace& trace, const std::stop_token& stop = {});

  CollectiveSplit of(SliceId kernel) const {
    const auto found = splits_.find(index_of(kernel));
    return found == splits_.end() ? CollectiveSplit{} : found->second;
  }

 private:
  std::unordered_map<std::uint32_t, CollectiveSplit> splits_;
};

}  // namespace kino
