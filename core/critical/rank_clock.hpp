// Converts times of one recording to the common clock of the analyzed recordings.
#pragma once

#include <cstdint>

#include "core/job/job_clocks.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Clock of one recording. Without `clocks`, common times are those of the trace.
struct RankTimeline {
  const JobClocks* clocks = nullptr;
  std::uint32_t rank = 0;           ///< index into JobClocks::ranks
  std::int64_t origin_unix_ns = 0;  ///< Trace::origin_unix_ns
  std::int64_t base_ns = 0;         ///< Unix time of the common time 0

  std::int64_t common_ns(std::int64_t trace_ns) const {
    return clocks == nullptr ? trace_ns : clocks->common_ns(rank, origin_unix_ns + trace_ns) - base_ns;
  }
};

}  // namespace kino
