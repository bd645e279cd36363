// Pairs start and end events (B/E per thread, b/n/e and S/T/F by id) into slices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/damage.hpp"
#include "core/trace/build/event_batch.hpp"

namespace kino {

struct SpanPairs {
  std::vector<SliceRecord> slices;
  std::vector<PointRecord> instants;  ///< async steps, and async ends without a start
  std::uint64_t matched = 0;          ///< number of B events with an E
  std::uint64_t async_matched = 0;
  DamageLog damage;
};

/// Pairs the spans, which are sorted by (track, time, file offset). Each E closes one B of its track:
/// - An E without a name, or with a name that no unclosed B has, closes the innermost open B.
/// - An E with a name closes the innermost open B with that name. The Bs inside it are passed over: they
/// leave the stack, and a later E with their name closes them. Such spans cross, and keep their lengths.
/// - If no B is open, an E without a name closes the innermost B that was passed over.
/// A B that was passed over and has no E ends where it was passed over. If an E with the name of a B follows
/// it in the file but has an earlier time, the B has length 0. Any other B without an E ends at `end_ns`. For
/// nested input, ends with and without names close the same Bs. The end of an async id closes the last open
/// start of the id; async starts without an end last until `end_ns`.
///
/// Source: the Trace Event Format requires nested B and E, with a name in E to check. Perfetto's SliceTracker
/// also matches an E by name, but cuts crossing spans ("misplaced_end_event"). Ray writes crossing spans for
/// tasks that overlap on one thread. O(n) for nested input, O(n log n) otherwise.
SpanPairs pair_spans_of(std::span<const PointRecord> spans, std::int64_t end_ns);

}  // namespace kino
