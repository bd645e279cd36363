// Flow arrows between slices, and the GPU work of each launch, resolved once while a trace is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"

namespace kino {

struct Trace;

/// A flow event (s, t or f) as written. 32 bytes.
struct FlowPoint {
  std::int64_t time_ns = 0;
  std::uint64_t id = 0;
  std::uint64_t source_offset = 0;
  TrackId track{};  ///< kNoTrack if the track has no other events
  CategoryId category{};
  char phase = 's';
  bool binds_enclosing = false;  ///< bp "e"
};

/// Arrows as columns, ordered by (from, to, category), and the GPU work of launches that have more than one
/// GPU slice. 14 bytes per arrow; 4 bytes per GPU slice that shares its launch. Links in SliceColumns::link
/// (ac2g, in older files async) are not arrows.
struct FlowLinks {
  Column<SliceId> from;
  Column<SliceId> to;
  Column<CategoryId> category;
  Column<std::uint32_t> by_to;  ///< indices of arrows, ordered by (to, from)
  Column<SliceId> launched;  ///< ordered by (launch, start, id); launches with a single GPU slice are absent

  std::size_t size() const { return from.size(); }
  std::size_t size_bytes() const;
};

/// Consecutive arrows [first, last), as indices into the columns of FlowLinks.
struct ArrowRange {
  class Iterator {
   public:
    explicit Iterator(std::uint32_t arrow) : arrow_(arrow) {}
    std::uint32_t operator*() const { return arrow_; }
    Iterator& operator++() {
      ++arrow_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t arrow_;
  };

  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Iterator begin() const { return Iterator(first); }
  Iterator end() const { return Iterator(last); }
  std::uint32_t size() const { return last - first; }
  bool empty() const { return first == last; }
};

/// Returns the arrows that start at `slice`. O(log arrows).
ArrowRange flows_from(const Trace& trace, SliceId slice);
/// Returns the indices of the arrows that end at `slice`. The span refers to the trace. O(log arrows).
std::span<const std::uint32_t> flows_to(const Trace& trace, SliceId slice);

/// Returns the GPU work (and waits recorded on the GPU) of one launch, ordered by start. Empty if the slice
/// is not a launch with GPU work. The span refers to the trace. O(log linked GPU slices).
std::span<const SliceId> launched_by(const Trace& trace, SliceId launch);

/// Turns flow events into arrows. Requires the tracks, rows, slices and SliceColumns::link of `trace`. Times
/// of `points` are relative to the trace's origin. Fills all columns except FlowLinks::launched.
///
/// An event belongs to the slice that covers its time in the deepest lane of its track. If slices start at
/// exactly that time, the event belongs to the last of them that precedes it in the file. If none precedes
/// it, the event belongs to the first of them that follows it. The reason is that Kineto (output_json.cpp,
/// handleLink) writes a slice and its event with the same time. An operator often starts in the same us as
/// its callee. An f without bp "e" belongs to the next slice that starts at or after it, the outermost of
/// several ("Trace Event Format", flow events).
///
/// Events of one (category, id) are joined in order of time: s starts a chain, t continues it, f ends it. A
/// further t or f is joined to the last s or t before it. If an id has only an f and a later s (two clocks),
/// these are joined as well. `damage` counts events without a partner by reason (flow_without_start,
/// flow_begun_again, flow_without_partner), and events with a partner but without a slice as
/// flow_without_slice. O(n * lanes) for points in order of time, parallel over tracks.
FlowLinks resolve_flows(const Trace& trace, const RecordList<FlowPoint>& points, unsigned threads,
                        const std::stop_token& stop, DamageLog& damage);

/// Returns `links` with the arrows `from_to` added; they get `category`. FlowLinks::launched is unchanged.
/// O(n log n).
FlowLinks with_arrows(FlowLinks links, std::span<const std::pair<SliceId, SliceId>> from_to,
                      CategoryId category);

/// Returns `links` without the arrows with the indices `dropped`, which must ascend. FlowLinks::launched is
/// unchanged. O(n log n).
FlowLinks without_arrows(FlowLinks links, std::span<const std::uint32_t> dropped);

/// Computes FlowLinks::launched for GPU slices, each of which must have a link; duplicates are allowed. O(n
/// log n).
Column<SliceId> launch_index(const Trace& trace, std::vector<SliceId> gpu_work);

}  // namespace kino
