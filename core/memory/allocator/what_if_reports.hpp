// Allocator settings to try, their effect on a recording, and the best one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/allocator/allocator_what_if.hpp"
#include "core/memory/allocator_settings.hpp"

namespace kino {

struct WhatIfSetting {
  std::string conf;  ///< PYTORCH_CUDA_ALLOC_CONF, such as "expandable_segments:True,..."; empty: as recorded
  AllocatorRules rules;
};

/// A key of PYTORCH_CUDA_ALLOC_CONF that the user can choose, with suggested values.
struct WhatIfOption {
  std::string_view key;
  std::span<const std::string_view> values;
};
std::span<const WhatIfOption> what_if_options();

/// Returns the usual single changes to `baseline`, except those without effect.
std::vector<WhatIfSetting> usual_settings(const AllocatorRules& baseline);
/// Returns the settings of a search, except those without effect: expandable segments on, expandable segments
/// off, and each split limit. Each of these is combined with every rounding and with none. At most 28
/// settings.
std::vector<WhatIfSetting> searched_settings(const AllocatorRules& baseline);
/// Returns `baseline` with `conf` applied. Expandable segments ignore max_split_size_mb, so this key turns
/// off expandable segments, unless `conf` sets them. A garbage collection threshold is relative to the limit
/// of the process, or to the capacity if there is no limit. Fails like rules_with().
Result<WhatIfSetting> setting_of(const AllocatorRules& baseline, std::string_view conf);

/// A setting and the results of its replays.
struct WhatIfReport {
  WhatIfSetting setting;
  WhatIfResult result;
  std::uint64_t other_way_peak = 0;  ///< peak if new segments are placed in the other direction
  bool other_way_oom = false;        ///< whether the replay in the other direction ran out of memory
  std::vector<OomResult> ooms;       ///< first four errors, by default with the capacity at the first one

  std::uint64_t least_peak() const { return std::min(result.peak_reserved, other_way_peak); }
  std::uint64_t most_peak() const { return std::max(result.peak_reserved, other_way_peak); }
  /// Returns whether the requests of all `ooms` fit.
  bool fits_ooms() const;
};

/// Replays the trace under a setting. O(2 runs, and one per error for the first four errors).
WhatIfReport answer_setting(const AllocatorTrace& trace, const CapacityBounds& bounds,
                            const WhatIfSetting& setting, const std::stop_token& stop = {});

/// Returns the index of the best report; nullopt if none is better than the baseline, which is the first
/// report. A better report does not run out of memory. In addition, the baseline runs out of memory, or only
/// the report fits all recorded errors, or the report reserves at least 1 % less. A report that only reserves
/// less must fit the errors if the baseline fits them. Among better reports, one that fits the recorded
/// errors takes precedence over one that only reserves less.
std::optional<std::size_t> best_answer(std::span<const WhatIfReport> answers);

/// Returns the shell assignment for a setting; empty if the setting is as recorded or sets only a capacity or
/// limit.
std::string line_of(const AllocatorSettings& recorded, const WhatIfSetting& setting);

/// Reserved bytes of a replay, by the events at which they change.
struct ReservedCurve {
  std::vector<EventIndex> events;  ///< ascending; the first is kBeforeRecording
  std::vector<std::uint64_t> bytes;
  EventIndex end = kNever;  ///< event of the request that does not fit
};
/// Returns the curve under `rules`, which ends where memory runs out. O(run).
ReservedCurve reserved_curve(const AllocatorTrace& trace, const AllocatorRules& rules,
                             const std::stop_token& stop = {});

}  // namespace kino
