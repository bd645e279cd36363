// Iterations of an inference engine that a table is requested for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kino {

/// Source of iterations: the first one that applies, or only one.
enum class IterationSourceChoice : std::uint8_t { automatic, annotation, hand_over, replays };

struct IterationQuery {
  IterationSourceChoice source = IterationSourceChoice::automatic;
  std::string phase = {};  ///< "prefill", "decode", ...; empty: all phases
  /// Numbers of requests. Each selects the group that contains it. If empty, all groups are selected.
  std::vector<std::uint64_t> batches = {};
  bool keep_all = false;   ///< leave nothing out of the statistics
  bool used_only = false;  ///< show only iterations that the statistics use

  bool operator==(const IterationQuery&) const = default;
};

}  // namespace kino
