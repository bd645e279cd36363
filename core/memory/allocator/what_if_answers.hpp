// Settings of the allocator that are worth a try, what each of them comes to, and which is the best.
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
  std::string conf;  ///< what it sets: "expandable_segments:True,..."; empty: as recorded
  AllocatorRules rules;
};

/// A setting that a person can choose, as PYTORCH_CUDA_ALLOC_CONF calls it, and values worth a try.
struct WhatIfOption {
  std::string_view key;
  std::span<const std::string_view> values;
};
std::span<const WhatIfOption> what_if_options();

/// One change each that people make, against `baseline`; none that changes nothing.
std::vector<WhatIfSetting> usual_settings(const AllocatorRules& baseline);
/// All of expandable segments, or else each limit of splitting, with each rounding: at most 28.
std::vector<WhatIfSetting> searched_settings(const AllocatorRules& baseline);
/// `conf` on top of `baseline`. What max_split_size_mb asks for, expandable segments do not heed: they go
/// off unless `conf` says otherwise. A threshold of garbage collection counts from the limit of a process; a
/// capacity is taken for it where there is no other. Fails as rules_with() does.
Result<WhatIfSetting> setting_of(const AllocatorRules& baseline, std::string_view conf);

/// A setting and what it came to.
struct WhatIfAnswer {
  WhatIfSetting setting;
  WhatIfResult result;
  std::uint64_t other_way_peak = 0;  ///< with segments that lie the other way: ties go by address
  bool other_way_oom = false;        ///< it ran out of memory
  std::vector<OomAnswer> ooms;       ///< of the first errors, under the capacity that the first one tells

  std::uint64_t least_peak() const { return std::min(result.peak_reserved, other_way_peak); }
  std::uint64_t most_peak() const { return std::max(result.peak_reserved, other_way_peak); }
  /// Whether all of `ooms` fit.
  bool fits_ooms() const;
};

/// O(2 runs, and one an error, of which it looks at four).
WhatIfAnswer answer_setting(const AllocatorTrace& trace, const CapacityBounds& bounds,
                            const WhatIfSetting& setting, const std::stop_token& stop = {});

/// Which of them reserves least, where one has room that the first, the baseline, has not, or reserves less
/// by 1 % or more.
std::optional<std::size_t> best_answer(std::span<const WhatIfAnswer> answers);

/// What a shell takes to run with it; empty for what is as recorded, and where only a capacity is asked for.
std::string line_of(const AllocatorSettings& recorded, const WhatIfSetting& setting);

/// The reserved bytes of a run, from each event on at which they change.
struct ReservedCurve {
  std::vector<EventIndex> events;  ///< ascending; the first is kBeforeRecording
  std::vector<std::uint64_t> bytes;
  EventIndex end = kNever;  ///< the request without room
};
/// Up to where memory runs out. O(run).
ReservedCurve reserved_curve(const AllocatorTrace& trace, const AllocatorRules& rules,
                             const std::stop_token& stop = {});

}  // namespace kino
