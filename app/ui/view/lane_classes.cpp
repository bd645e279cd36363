#include "app/ui/view/lane_classes.hpp"

#include <algorithm>
#include <array>

namespace kino {
namespace {

constexpr std::uint32_t kLookedAt = 64;   // slices of a row
constexpr double kAnnotationShare = 0.9;  // minimum share of annotations in the time of their lanes
constexpr double kPythonShare = 0.5;      // minimum share of Python functions
constexpr double kKernelShare = 0.5;      // minimum share of kernels in the time of a stream's lanes
constexpr double kBusyShare = 0.02;       // minimum busy time of kernel lanes, relative to the busiest one

/// Returns the time of each kind in an even sample of a row's slices.
std::array<double, kSliceKindCount> sampled_ns(const Trace& trace, const Row& row) {
  std::array<double, kSliceKindCount> ns{};
  const std::uint32_t looked = std::min(row.slice_count, kLookedAt);
  for (std::uint32_t i = 0; i < looked; ++i) {
    const auto at = static_cast<std::uint32_t>(std::uint64_t{row.slice_count} * i / looked);
    const SliceId slice{row.first_slice + at};
    ns[static_cast<std::size_t>(trace.kind(slice))] += 1 + static_cast<double>(trace.duration_ns(slice));
  }
  return ns;
}

LaneClass sampled_class(const Trace& trace, const Row& row) {
  const TrackKind kind = trace.track(row.track).kind;
  if (row.slice_count == 0 || (kind != TrackKind::gpu_stream && kind != TrackKind::cpu_thread))
    return class_of(kind);
  const auto ns = sampled_ns(trace, row);
  double all = 0;
  for (const double part : ns) all += part;
  const auto share = [&](SliceKind wanted) { return ns[static_cast<std::size_t>(wanted)] / all; };
  const double annotated = share(SliceKind::annotation) + share(SliceKind::gpu_annotation);
  if (annotated >= kAnnotationShare) return LaneClass::annotations;
  if (kind == TrackKind::cpu_thread)
    return share(SliceKind::python) >= kPythonShare ? LaneClass::python : LaneClass::operators;
  const double kernels = share(SliceKind::compute) + share(SliceKind::communication);
  return kernels >= kKernelShare ? LaneClass::kernels : LaneClass::other_stream;
}

std::int64_t row_busy_ns(const Trace& trace, const Row& row) {
  const auto durations = trace.slices.duration_ns.sub(row.first_slice, row.slice_count);
  return trace.lod.busy_in(row.lod, durations, 0, row.slice_count);
}

}  // namespace

LaneClass class_of(TrackKind kind) {
  if (kind == TrackKind::gpu_stream) return LaneClass::kernels;
  if (kind == TrackKind::gpu_annotation) return LaneClass::annotations;
  return kind == TrackKind::gpu_sync ? LaneClass::other_stream : LaneClass::operators;
}

std::vector<LaneClass> lane_classes(const Trace& trace) {
  std::vector<LaneClass> classes;
  classes.reserve(trace.rows.size());
  std::int64_t busiest_ns = 0;
  for (const Row& row : trace.rows) {
    classes.push_back(sampled_class(trace, row));
    if (classes.back() == LaneClass::kernels && row.slice_count > 0)
      busiest_ns = std::max(busiest_ns, row_busy_ns(trace, row));
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] != LaneClass::kernels || trace.rows[i].slice_count == 0) continue;
    if (static_cast<double>(row_busy_ns(trace, trace.rows[i])) < kBusyShare * static_cast<double>(busiest_ns))
      classes[i] = LaneClass::other_stream;
  }
  return classes;
}

}  // namespace kino
