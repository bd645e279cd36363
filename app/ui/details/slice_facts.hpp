// Facts about one slice beyond its columns: self time, share of its parent, children, linked work, queueing.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/ui/text/texts.hpp"
#include "core/tables/gpu/gpu_cover.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct LinkedSlice {
  Text role{};  ///< "Launched by", "Backward", ...
  SliceId slice = kNoSlice;
};

/// Facts about a slice, computed once when the slice is selected.
struct SliceFacts {
  std::vector<SliceId> parents;   ///< outermost first
  std::vector<SliceId> children;  ///< the longest direct ones, longest first
  std::uint64_t child_count = 0;
  std::int64_t self_ns = 0;                     ///< duration minus the durations of the direct children
  double parent_share = 0;                      ///< share of the parent's duration; 0 if there is no parent
  std::vector<SliceId> launch_chain;            ///< for GPU work; see core/trace/links/slice_relations.hpp
  std::vector<SliceId> forward_chain;           ///< for GPU work; see core/trace/links/slice_relations.hpp
  std::optional<GpuCover> cover;                ///< for GPU work: concurrent compute on the GPU
  std::vector<LinkedSlice> linked;              ///< a few of each role
  std::uint64_t linked_omitted = 0;             ///< number of linked slices not in `linked`
  std::optional<std::int64_t> launch_delay_ns;  ///< for GPU work, or for a launch's first GPU work
  EarlyStart early_start = EarlyStart::none;    ///< reason why launch_delay_ns is negative
  std::optional<QueuePosition> queue;           ///< for GPU work
  std::uint64_t launched_count = 0;             ///< number of GPU slices launched by or within a CPU slice
  std::int64_t launched_ns = 0;                 ///< sum of the durations of those GPU slices
};

/// Computes the facts about a slice. For the cost see core/trace/links/slice_relations.hpp; call this on a
/// worker.
SliceFacts slice_facts(const Trace& trace, SliceId slice, std::size_t most_children,
                       const std::stop_token& stop = {});

/// Returns a time of the trace as "2026-01-01 12:34:56.123456 JST"; empty if the trace's clock does not count
/// from the Unix epoch.
std::string wall_clock_text(const Trace& trace, std::int64_t time_ns);

}  // namespace kino
