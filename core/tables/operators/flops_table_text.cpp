// Tables of a FLOPs report, with notes on their sums.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/device_peaks.hpp"
#include "core/tables/operators/device_side.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

double gpu_time_share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string text_of_flop(double flop) { return formatted("%.4g FLOP", flop); }

/// Joins the non-empty types: "c10::BFloat16, float".
std::string joined(const std::vector<std::string_view>& types) {
  std::string out;
  for (const std::string_view type : types) {
    if (type.empty()) continue;
    if (!out.empty()) out += ", ";
    out += type;
  }
  return out;
}

/// Returns the name of the time base of the utilization.
Message window_text(const FlopsReport& report) {
  const bool of_operators = report.base.kind == TimeBase::Kind::trace && report.base.operators;
  return of_operators ? Message(msg::the_operators_first_to_last) : report.base.brief();
}

bool lacks_type(const FlopsRow& row) {
  return row.hardware.flop > 0 && std::ranges::find(row.types, "") != row.types.end();
}

void note_utilization(Table& table, const FlopsReport& report) {
  const double repeated = report.hardware.flop - report.model.flop;
  const bool at_least = report.at_least() && report.hardware.at_most_flop <= 0;
  const auto bounded = [&](const std::string& text) {
    return at_least && !text.starts_with('<') ? Message(msg::at_least, text) : Message(text);
  };
  table.notes.emplace_back(msg::flop_computed_over_window, window_text(report),
                           text_from_duration(report.base.window.length_ns()),
                           bounded(text_of_flop(report.hardware.flop)),
                           bounded(text_of_flop(report.model.flop)), text_of_flop(repeated));
  if (report.hardware.at_most_flop > 0) {
    table.notes.emplace_back(msg::part_of_flop_is_upper_bound, text_of_flop(report.hardware.at_most_flop));
  }
  const std::string device(report.device);
  if (report.gpus == 0) {
    table.notes.emplace_back(msg::no_compute_kernel_no_peak);
    return;
  }
  if (!device.empty() && std::ranges::any_of(report.rows, lacks_type)) {
    table.notes.emplace_back(msg::multiplied_types_not_recorded);
    return;
  }
  if (!report.hardware.peak_known || device.empty()) {
    table.notes.emplace_back(msg::the_peak_of_the_device_for_all_of,
                             device.empty() ? Message(msg::not_named_in_the_trace_or) : Message(device));
    return;
  }
  const double whole_ns = static_cast<double>(report.base.window.length_ns()) * std::max(1U, report.gpus);
  if (whole_ns <= 0) return;
  if (report.covered() < FlopsReport::kMinCovered) {
    table.notes.emplace_back(msg::utilization_not_shown, text_from_share(report.covered()));
    return;
  }
  std::string sources;
  for (const FlopsRow& row : report.rows) {
    for (const std::string_view type : row.types) {
      const auto peak = device_peak(device, type);
      const std::string source = peak ? peak->source.str() : std::string();
      if (!contains(sources, source)) sources += (sources.empty() ? "" : "; ") + source;
    }
  }
  table.notes.emplace_back(
      msg::model_flops_utilization_hardware_flops, bounded(text_from_share(report.model.peak_ns / whole_ns)),
      bounded(text_from_share(report.hardware.peak_ns / whole_ns)),
      (report.gpus > 1 ? std::to_string(report.gpus) + " " : "") + device + " (" + sources + ")");
}

void note_coverage(Table& table, const Trace& trace, const FlopsReport& report) {
  if (report.device_ns <= 0) return;
  constexpr std::size_t kNamed = 3;
  std::vector<Message> named;
  for (const UncountedRow& row : report.uncounted) {
    if (named.size() == kNamed) {
      named.emplace_back("...");
      break;
    }
    std::string text(trace.name_text(row.name));
    text.append(" ").append(text_from_share(gpu_time_share(row.device_ns, report.device_ns)));
    named.emplace_back(text);
  }
  const double rest = 1 - gpu_time_share(report.counted_ns, report.device_ns) -
                      gpu_time_share(report.uncounted_ns, report.device_ns);
  constexpr double kMinRest = 0.0005;  // smaller shares are not visible
  const std::string counted = text_from_share(gpu_time_share(report.counted_ns, report.device_ns));
  const std::string uncounted = text_from_share(gpu_time_share(report.uncounted_ns, report.device_ns));
  if (named.empty()) {
    table.notes.emplace_back(
        rest < kMinRest ? msg::counted_share_of_gpu_time : msg::counted_share_of_gpu_time_with_rest, counted,
        uncounted);
  } else {
    table.notes.emplace_back(rest < kMinRest ? msg::counted_share_of_gpu_time_named
                                             : msg::counted_share_of_gpu_time_named_with_rest,
                             counted, uncounted, comma_list(named));
  }
}

/// Adds notes on operations that the sums do not include.
void note_gaps(Table& table, const Trace& trace, const FlopsReport& report) {
  constexpr std::size_t kNamed = 3;
  if (report.captured > 0) {
    table.notes.emplace_back(report.captured == 1 ? msg::operator_was_captured_into_a_graph
                                                  : msg::operators_were_captured_into_graphs_and,
                             grouped(report.captured));
  }
  if (report.graph_kernels > 0 && (report.captured > 0 || !report.rows.empty())) {
    table.notes.emplace_back(report.graph_kernels == 1 ? msg::kernel_of_graph_launches_is_not
                                                       : msg::kernels_of_graph_launches_are_not,
                             grouped(report.graph_kernels));
  }
  if (report.lacking == 0) return;
  std::vector<Message> names;
  for (const UncountedRow& row : report.uncounted) {
    const std::string_view name = trace.name_text(row.name);
    if (!has_flop_formula(name)) continue;
    names.emplace_back(names.size() == kNamed ? "..." : name);
    if (names.size() > kNamed) break;
  }
  table.notes.emplace_back(
      report.lacking == 1 ? msg::call_is_not_counted_as_its : msg::calls_are_not_counted_as_their,
      grouped(report.lacking), comma_list(names));
}

Table uncounted_table(const Trace& trace, const FlopsReport& report) {
  const std::vector<UncountedRow>& rows = report.uncounted;
  const bool has_device = records_gpu_work(trace);
  Table table{
      .name = "flops", .title = msg::flops_not_counted, .definition = msg::row_per_uncounted_operator};
  table.texts_of(rows, "name", msg::operator_, msg::the_operator,
                 [&](const UncountedRow& row) { return std::string(trace.name_text(row.name)); });
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::calls_with_work_or_formula,
                    &UncountedRow::calls);
  table.integers_of(rows, "device_ns", msg::device, Unit::ns, msg::summed_durations_of_their_own_gpu,
                    [&](const UncountedRow& row) { return has_device ? row.device_ns : kNoInteger; });
  table.number_column(
      rows, "share", msg::share, Unit::share, msg::share_of_all_gpu_work, [&](const UncountedRow& row) {
        return report.device_ns > 0 ? gpu_time_share(row.device_ns, report.device_ns) : kNoNumber;
      });
  for (const UncountedRow& row : rows) table.links.emplace_back(row.longest);
  return table;
}

Table counted_table(const Trace& trace, const FlopsReport& report) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  const std::vector<FlopsRow>& rows = report.rows;
  const bool has_device = records_gpu_work(trace);
  Table table{.name = "flops", .title = msg::flops, .definition = msg::row_per_operator_and_shapes_flops};
  table.texts_of(rows, "name", msg::operator_, msg::the_operator,
                 [&](const FlopsRow& row) { return std::string(trace.name_text(row.name)); });
  table.texts_of(rows, "input_dims", msg::input_shapes, msg::as_recorded,
                 [&](const FlopsRow& row) { return std::string(facts[row.facts].input_dims); });
  table.texts_of(rows, "dtype", msg::type, msg::type_of_multiplied_operands,
                 [](const FlopsRow& row) { return joined(row.types); });
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::number_of_calls, &FlopsRow::calls);
  table.integers_of(rows, "recomputed", msg::recomputed, Unit::count, msg::calls_in_which_the_backward_pass,
                    &FlopsRow::recomputed);
  table.number_column(rows, "flop", msg::flop, Unit::flop, msg::operations_in_all_calls,
                      [](const FlopsRow& row) { return row.hardware.flop; });
  table.number_column(rows, "model_flop", msg::model_flop, Unit::flop,
                      msg::without_recomputed_calls_and_the_scores, &FlopsRow::model_flop);
  table.integers_of(rows, "device_ns", msg::device, Unit::ns, msg::summed_durations_of_their_gpu_work,
                    [&](const FlopsRow& row) { return has_device ? row.device_ns : kNoInteger; });
  table.number_column(rows, "tflop_per_s", msg::achieved, Unit::tflop_per_s, msg::flop_divided_by_device_time,
                      [&](const FlopsRow& row) { return known_or_none(row.tflop_per_s); });
  table.number_column(rows, "peak_share", msg::of_the_peak, Unit::share, msg::of_the_devices_dense_peak_for,
                      [&](const FlopsRow& row) { return known_or_none(row.peak_share); });
  table.text_column(rows, "upper_bound", msg::upper_bound, msg::whether_its_flops_are_an_upper,
                    [](const FlopsRow& row) {
                      return row.hardware.at_most_flop > 0 || row.peak_share > 1 ? msg::yes : msg::no;
                    });
  for (const FlopsRow& row : rows) table.links.emplace_back(row.longest);
  return table;
}

}  // namespace

bool FlopsReport::at_least() const {
  constexpr double kMostCovered = 0.95;  // up to 5 % of uncounted time is tolerated
  return lacking > 0 || graph_kernels > 0 || covered() < kMostCovered;
}

double FlopsReport::covered() const {
  const double all_ns = static_cast<double>(counted_ns) + static_cast<double>(unknown_ns);
  return all_ns <= 0 ? 1 : static_cast<double>(counted_ns) / all_ns;
}

Table flops_table(const Trace& trace, const FlopsReport& report, FlopsGrouping grouping) {
  Table table =
      grouping == FlopsGrouping::uncounted ? uncounted_table(trace, report) : counted_table(trace, report);
  if (report.rows.empty() && report.captured + report.lacking == 0 && grouping == FlopsGrouping::shape)
    table.notes.emplace_back(msg::no_operator_with_recorded_shapes_record);
  if (!report.rows.empty() && grouping == FlopsGrouping::shape) note_utilization(table, report);
  note_gaps(table, trace, report);
  note_coverage(table, trace, report);
  return table;
}

}  // namespace kino
