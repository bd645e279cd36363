#include "core/tables/ledger/roofline.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/ledger/whole_tree.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

constexpr double kNotKnown = -1;

/// Longest kernel of a call, and whether the call belongs to a point.
struct CallWork {
  SliceId kernel = kNoSlice;
  bool plotted = false;
};

std::vector<CallWork> work_of_calls(const Trace& trace, const WorkCosts& costs) {
  std::vector<CallWork> work(costs.calls().size());
  for (const WorkCosts::Piece& piece : costs.pieces()) {
    if (piece.call == WorkCosts::kNoCall) continue;
    CallWork& call = work[piece.call];
    if (call.kernel == kNoSlice || trace.duration_ns(piece.slice) > trace.duration_ns(call.kernel))
      call.kernel = piece.slice;
    call.plotted = call.plotted || piece.work_class == WorkClass::matrix ||
                   piece.work_class == WorkClass::memory || piece.work_class == WorkClass::recompute;
  }
  return work;
}

void add_call(const Trace& trace, const CallCost& cost, SliceId kernel, RooflinePoint& point) {
  if (point.calls == 0) {
    point.op = trace.name(cost.call);
    point.dtype = cost.dtype;
    point.peak_ns = 0;
    point.memory_ns = 0;
  }
  ++point.calls;
  point.flop += cost.hardware_flop;
  if (cost.bytes < 0) ++point.uncounted;
  point.bytes += std::max(cost.bytes, 0.0);
  point.peak_ns = point.peak_ns < 0 || cost.peak_ns < 0 ? kNotKnown : point.peak_ns + cost.peak_ns;
  point.memory_ns = point.memory_ns < 0 || cost.memory_ns < 0 ? kNotKnown : point.memory_ns + cost.memory_ns;
  point.served_by_l2 = point.served_by_l2 || (cost.above_bandwidth && cost.bytes >= 0);
  point.at_most = point.at_most || cost.at_most;
  add_saturating(point.device_ns, cost.device_ns);
  if (point.longest == kNoSlice || trace.duration_ns(kernel) > trace.duration_ns(point.longest)) {
    point.longest = kernel;
    point.kernel = trace.name(kernel);
  }
}

/// Returns `value` / `device_ns` in units of `per_ns`. kNoNumber if one of them is not positive.
double per_second(double value, std::int64_t device_ns, double per_ns) {
  return value > 0 && device_ns > 0 ? value / static_cast<double>(device_ns) / per_ns : kNoNumber;
}

Message bound_of(const RooflinePoint& point) {
  if (point.peak_ns < 0 && point.memory_ns < 0) return {};
  return point.peak_ns >= point.memory_ns ? Message(msg::compute) : Message(msg::roofline_memory);
}

Message note_of(const RooflinePoint& point) {
  if (point.uncounted > 0 && point.flop <= 0) return msg::roofline_not_plotted;
  if (point.at_most) return msg::roofline_flop_at_most;
  if (point.served_by_l2) return msg::roofline_served_by_l2;
  return {};
}

constexpr std::string_view kRooflineKeys[] = {"operator", "input_dims", "dtype"};

Table roofline_table(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const WholeTree tree(parts, stop);
  const WorkCosts costs(trace, tree.part(), stop);
  const std::vector<RooflinePoint> points = roofline(trace, costs, parts.range(), stop);
  Table table = titled_table(kRooflineTable, msg::roofline_definition);
  table.texts_of(points, "operator", msg::operator_, msg::roofline_operator_about,
                 [&](const RooflinePoint& point) { return trace.name_text(point.op); });
  table.texts_of(points, "input_dims", msg::input_shapes, msg::roofline_shapes_about,
                 &RooflinePoint::input_dims);
  table.texts_of(points, "dtype", msg::roofline_type, msg::roofline_type_about, &RooflinePoint::dtype);
  table.texts_of(points, "kernel", msg::kernel, msg::roofline_kernel_about,
                 [&](const RooflinePoint& point) { return trace.name_text(point.kernel); });
  table.integers_of(points, "calls", msg::calls, Unit::count, msg::roofline_calls_about,
                    &RooflinePoint::calls);
  table.integers_of(points, "device_ns", msg::time, Unit::ns, msg::roofline_time_about,
                    &RooflinePoint::device_ns);
  table.number_column(points, "flop", msg::flops, Unit::flop, msg::roofline_flop_about,
                      [](const RooflinePoint& point) { return point.flop > 0 ? point.flop : kNoNumber; });
  table.number_column(points, "bytes", msg::roofline_bytes, Unit::bytes, msg::roofline_bytes_about,
                      [](const RooflinePoint& point) { return point.bytes > 0 ? point.bytes : kNoNumber; });
  table.number_column(points, "intensity", msg::roofline_intensity, Unit::number,
                      msg::roofline_intensity_about, [](const RooflinePoint& point) {
                        return point.flop > 0 && point.bytes > 0 && point.uncounted == 0
                                   ? point.flop / point.bytes
                                   : kNoNumber;
                      });
  constexpr double kTeraPerNs = 1000;
  table.number_column(
      points, "tflop_per_s", msg::roofline_achieved, Unit::tflop_per_s, msg::roofline_achieved_about,
      [](const RooflinePoint& point) { return per_second(point.flop, point.device_ns, kTeraPerNs); });
  table.number_column(points, "gb_per_s", msg::roofline_bandwidth, Unit::gb_per_s,
                      msg::roofline_bandwidth_about, [](const RooflinePoint& point) {
                        return per_second(point.uncounted == 0 ? point.bytes : 0, point.device_ns, 1);
                      });
  table.number_column(points, "roof_share", msg::roofline_share, Unit::share, msg::roofline_share_about,
                      [](const RooflinePoint& point) { return known_or_none(point.roof_share()); });
  table.text_column(points, "bound", msg::ledger_bound, msg::roofline_bound_about, &bound_of);
  table.text_column(points, "note", msg::roofline_note, msg::roofline_note_about, &note_of);
  for (const RooflinePoint& point : points) table.links.emplace_back(point.longest);
  if (costs.roofs().assumed)
    table.notes.emplace_back(Message(msg::ledger_peaks_assumed, costs.roofs().device));
  return table;
}

}  // namespace

double RooflinePoint::roof_share() const {
  const double roof_ns = std::max(peak_ns, memory_ns);
  return roof_ns < 0 || device_ns <= 0 ? kNotKnown : roof_ns / static_cast<double>(device_ns);
}

std::vector<RooflinePoint> roofline(const Trace& trace, const WorkCosts& costs, TimeRange range,
                                    const std::stop_token& stop) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  const std::vector<CallWork> work = work_of_calls(trace, costs);
  std::map<std::tuple<NameId, std::string_view, std::string_view>, RooflinePoint> by_key;
  std::unordered_map<std::uint64_t, RooflinePoint*> by_facts;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const CallCost& cost = costs.calls()[i];
    const std::int64_t start_ns = trace.start_ns(cost.call);
    const std::string_view dims = facts[cost.facts].input_dims;
    if (!work[i].plotted || dims.empty() || start_ns < range.begin_ns || start_ns >= range.end_ns) continue;
    // Calls with equal name and facts have equal keys.
    RooflinePoint*& point = by_facts[std::uint64_t{index_of(trace.name(cost.call))} << 32 | cost.facts];
    if (point == nullptr) point = &by_key[{trace.name(cost.call), dims, cost.dtype}];
    point->input_dims = dims;
    add_call(trace, cost, work[i].kernel, *point);
  }
  std::vector<RooflinePoint> points;
  points.reserve(by_key.size());
  for (const auto& [key, point] : by_key) points.push_back(point);
  std::ranges::stable_sort(points, std::greater<>(), &RooflinePoint::device_ns);
  return points;
}

constexpr TableKind<RangeParts> kRooflineTable{{.name = "roofline",
                                                .title = msg::roofline_title,
                                                .heading = msg::cpu,
                                                .about = msg::about_roofline,
                                                .keys = kRooflineKeys},
                                               &roofline_table};

}  // namespace kino
