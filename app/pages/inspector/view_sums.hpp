// Sums of the visible time: its split by cause, and the kernels and operators with the most time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/trace.hpp"
#include "render/time_view.hpp"

namespace kino {

inline constexpr std::size_t kTopNames = 5;
/// Number of slices up to which operators are summed without a request of the user.
inline constexpr std::size_t kMostSlicesSummed = 20'000'000;

/// A part of the visible time. `cause` is the kind of work or of events that run, the finding that explains
/// idle time, or the label of other time.
struct TimePart {
  std::variant<SliceKind, FindingKind, Text> cause;
  std::int64_t ns = 0;

  /// Returns the label in the language in use.
  std::string label() const;
  /// Explains idle time that findings or idle bands divide at another moment; empty for other parts.
  std::string hint() const;
  std::uint32_t color(const Theme& theme) const;
  /// Whether no recorded event runs; such parts are hatched.
  bool is_idle() const { return !std::holds_alternative<SliceKind>(cause); }
};

struct TopName {
  NameId name{};
  SliceKind kind{};
  std::int64_t total_ns = 0;
  double share = 0;            ///< part of the time of all names, 0..1; see ViewSums for operators
  SliceId longest = kNoSlice;  ///< longest slice of the name that is in view
};

struct TopNames {
  std::vector<TopName> names;  ///< at most kTopNames, most time first
  std::size_t all = 0;         ///< number of names in the whole trace
};

struct ViewSums {
  TimeRange range;              ///< visible part of the trace
  std::size_t steps = 0;        ///< number of marked steps that overlap the range
  bool of_gpu = false;          ///< whether `parts` are of the time of GPUs rather than of a CPU thread
  std::vector<TimePart> parts;  ///< parts with time, in a fixed order; they add up to the range
  TopNames kernels;
  /// Operators with the most GPU self time, as a share of all GPU time; without GPU work, with the most CPU
  /// self time. nullopt if the trace has over kMostSlicesSummed slices.
  std::optional<TopNames> operators;
};

/// Inputs of view_sums() that do not depend on the range. Immutable; does not refer to the trace.
struct ViewBase {
  TimeAttribution split;
  HostCauses hosts;
  bool idle_unknown = false;  ///< see LaunchCounts::idle_unknown()
  std::size_t kernels = 0;    ///< number of names in the whole trace
  std::optional<std::size_t> operators;
};

/// Returns the part of the trace that a view shows. Its length is 0 if the view is outside of the trace.
TimeRange visible_range(const Trace& trace, const TimeView& view);

/// O(slices).
ViewBase view_base(const RangeAnalyses& analyses, const std::stop_token& stop = {});
/// Returns the sums of `range`, which must be inside the trace. O(slices in the range).
ViewSums view_sums(const RangeAnalyses& analyses, const ViewBase& base, TimeRange range,
                   const std::stop_token& stop = {});

}  // namespace kino
