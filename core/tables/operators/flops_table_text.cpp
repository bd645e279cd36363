// The tables of a FLOPs report, with notes on their sums.
#include <algorithm>
#include <cstdio>
#include <optional>
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

std::string text_of_flop(double flop) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g FLOP", flop);
  return text;
}

/// Joins the types of all rows in order: "c10::BFloat16, float".
std::string joined(const std::vector<std::string_view>& types) {
  std::string out;
  for (const std::string_view type : types) {
    if (type.empty()) continue;
    if (!out.empty()) out += ", ";
    out += type;
  }
  return out;
}

/// Base of the utilisation, as the begin of a sentence.
std::string window_text(const FlopsReport& report) {
  const bool of_operators = report.base.kind == TimeBase::Kind::trace && report.base.operators;
  return "Over " + (of_operators ? "the operators, first to last" : report.base.brief().str()) + " (" +
         text_from_duration(report.base.window.length_ns()) + ")";
}

bool lacks_type(const FlopsRow& row) {
  return row.hardware.flop > 0 && std::find(row.types.begin(), row.types.end(), "") != row.types.end();
}

void note_utilization(Table& table, const FlopsReport& report) {
  const double repeated = report.hardware.flop - report.model.flop;
  const bool at_least = report.at_least() && report.hardware.at_most_flop <= 0;
  const auto bounded = [&](const std::string& text) {
    return at_least && !text.starts_with('<') ? "at least " + text : text;
  };
  const std::string counted = window_text(report) + ": " + bounded(text_of_flop(report.hardware.flop)) +
                              " computed, " + bounded(text_of_flop(report.model.flop)) + " of the model (" +
                              text_of_flop(repeated) + " are of recomputation).";
  table.notes.push_back(counted);
  if (report.hardware.at_most_flop > 0) {
    table.notes.push_back(text_of_flop(report.hardware.at_most_flop) +
                          " of them are an upper bound, and so are sums and shares that contain them: the "
                          "lengths of packed sequences or groups are not recorded.");
  }
  const std::string device(report.device);
  if (report.gpus == 0) {
    table.notes.emplace_back(msg::no_kernel_computes_here_there_is);
    return;
  }
  if (!device.empty() && std::any_of(report.rows.begin(), report.rows.end(), lacks_type)) {
    table.notes.emplace_back(msg::the_types_of_what_is_multiplied);
    return;
  }
  if (!report.hardware.peak_known || device.empty()) {
    table.notes.push_back("The peak of the device (" +
                          (device.empty() ? std::string("not named in the trace, or not one kind") : device) +
                          ") for all of these types is not known, so there is no utilisation.");
    return;
  }
  const double room_ns = static_cast<double>(report.base.window.length_ns()) * std::max(1U, report.gpus);
  if (room_ns <= 0) return;
  if (report.covered() < FlopsReport::kFewCovered) {
    table.notes.push_back("No utilisation is given: operators that are counted take only " +
                          text_from_share(report.covered()) +
                          " of the GPU time in which matrices may be multiplied.");
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
  table.notes.push_back(
      "Model FLOPs utilisation " + bounded(text_from_share(report.model.peak_ns / room_ns)) +
      ", hardware FLOPs utilisation " + bounded(text_from_share(report.hardware.peak_ns / room_ns)) +
      " of the dense peak of " + (report.gpus > 1 ? std::to_string(report.gpus) + " " : "") + device + " (" +
      sources + ").");
}

void note_coverage(Table& table, const Trace& trace, const FlopsReport& report) {
  if (report.device_ns <= 0) return;
  constexpr std::size_t kNamed = 3;
  std::string text = text_from_share(gpu_time_share(report.counted_ns, report.device_ns)) +
                     " of the GPU time is of operators that are counted, " +
                     text_from_share(gpu_time_share(report.uncounted_ns, report.device_ns)) +
                     " of operators with shapes that are not";
  for (std::size_t i = 0; i < std::min(kNamed, report.uncounted.size()); ++i) {
    text += i == 0 ? " (" : ", ";
    text += trace.name_text(report.uncounted[i].name);
    text += " " + text_from_share(gpu_time_share(report.uncounted[i].device_ns, report.device_ns));
  }
  if (!report.uncounted.empty()) text += report.uncounted.size() > kNamed ? ", ...)" : ")";
  const double rest = 1 - gpu_time_share(report.counted_ns, report.device_ns) -
                      gpu_time_share(report.uncounted_ns, report.device_ns);
  constexpr double kLeastRest = 0.0005;  // what is shown as a part of a per cent
  table.notes.push_back(text +
                        (rest < kLeastRest ? "." : "; the rest has no shapes recorded, or no operator."));
}

/// Names what is missing in the sums.
void note_gaps(Table& table, const Trace& trace, const FlopsReport& report) {
  constexpr std::size_t kNamed = 3;
  if (report.captured > 0) {
    table.notes.push_back(
        grouped(report.captured) +
        (report.captured == 1 ? " operator was captured into a graph and did not run then: it is not counted."
                              : " operators were captured into graphs and did not run then: they are not "
                                "counted."));
  }
  if (report.graph_kernels > 0 && (report.captured > 0 || !report.rows.empty())) {
    table.notes.push_back(grouped(report.graph_kernels) +
                          (report.graph_kernels == 1
                               ? " kernel of graph launches is not counted: its operator is not recorded."
                               : " kernels of graph launches are not counted: their operators are not "
                                 "recorded."));
  }
  if (report.lacking == 0) return;
  std::string names;
  std::size_t named = 0;
  for (const UncountedRow& row : report.uncounted) {
    const std::string_view name = trace.name_text(row.name);
    if (!has_flop_formula(name)) continue;
    if (++named > kNamed) {
      names += ", ...";
      break;
    }
    if (named > 1) names += ", ";
    names += name;
  }
  table.notes.push_back(grouped(report.lacking) +
                        (report.lacking == 1
                             ? " call is not counted, as its arguments are not recorded: "
                             : " calls are not counted, as their arguments are not recorded: ") +
                        names + ".");
}

Table uncounted_table(const Trace& trace, const FlopsReport& report) {
  Table table;
  const std::vector<UncountedRow>& rows = report.uncounted;
  const bool has_device = records_gpu_work(trace);
  table.definition = msg::a_row_an_operator_whose_shapes;
  table.texts_of(rows, "name", msg::operator_, msg::the_operator,
                 [&](const UncountedRow& row) { return std::string(trace.name_text(row.name)); });
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::those_with_gpu_work_or_with,
                    &UncountedRow::calls);
  table.integers_of(rows, "device_ns", msg::device, Unit::ns, msg::summed_durations_of_their_own_gpu,
                    [&](const UncountedRow& row) { return has_device ? row.device_ns : kNoInteger; });
  table.numbers_of(rows, "share", msg::share, Unit::share, msg::of_the_summed_durations_of_all,
                   [&](const UncountedRow& row) {
                     return report.device_ns > 0 ? gpu_time_share(row.device_ns, report.device_ns)
                                                 : kNoNumber;
                   });
  for (const UncountedRow& row : rows) table.links.emplace_back(row.longest);
  return table;
}

Table counted_table(const Trace& trace, const FlopsReport& report) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  const std::vector<FlopsRow>& rows = report.rows;
  const bool has_device = records_gpu_work(trace);
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  Table table;
  table.definition = msg::a_row_an_operator_and_its_input_shapes;
  table.texts_of(rows, "name", msg::operator_, msg::the_operator,
                 [&](const FlopsRow& row) { return std::string(trace.name_text(row.name)); });
  table.texts_of(rows, "input_dims", msg::input_shapes, msg::as_recorded,
                 [&](const FlopsRow& row) { return std::string(facts[row.facts].input_dims); });
  table.texts_of(rows, "dtype", msg::type, msg::of_what_is_multiplied,
                 [](const FlopsRow& row) { return joined(row.types); });
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::how_often_it_was_called, &FlopsRow::calls);
  table.integers_of(rows, "recomputed", msg::recomputed, Unit::count, msg::calls_in_which_the_backward_pass,
                    &FlopsRow::recomputed);
  table.numbers_of(rows, "flop", msg::flop, Unit::flop, msg::of_all_calls_what_the_device,
                   [](const FlopsRow& row) { return row.hardware.flop; });
  table.numbers_of(rows, "model_flop", msg::model_flop, Unit::flop,
                   msg::without_recomputed_calls_and_the_scores, &FlopsRow::model_flop);
  table.integers_of(rows, "device_ns", msg::device, Unit::ns, msg::summed_durations_of_their_gpu_work,
                    [&](const FlopsRow& row) { return has_device ? row.device_ns : kNoInteger; });
  table.numbers_of(rows, "tflop_per_s", msg::achieved, Unit::tflop_per_s, msg::flop_divided_by_device_time,
                   [&](const FlopsRow& row) { return absent(row.tflop_per_s); });
  table.numbers_of(rows, "peak_share", msg::of_the_peak, Unit::share, msg::of_the_devices_dense_peak_for,
                   [&](const FlopsRow& row) { return absent(row.peak_share); });
  table.texts_of(
      rows, "upper_bound", msg::upper_bound, msg::whether_its_flops_are_an_upper,
      [](const FlopsRow& row) { return row.hardware.at_most_flop > 0 || row.peak_share > 1 ? "yes" : "no"; });
  for (const FlopsRow& row : rows) table.links.emplace_back(row.longest);
  return table;
}

}  // namespace

bool FlopsReport::at_least() const {
  constexpr double kMostCovered = 0.95;  // little work of unknown kind is no doubt about the sums
  return lacking > 0 || graph_kernels > 0 || covered() < kMostCovered;
}

double FlopsReport::covered() const {
  const double all_ns = static_cast<double>(counted_ns) + static_cast<double>(unknown_ns);
  return all_ns <= 0 ? 1 : static_cast<double>(counted_ns) / all_ns;
}

Table flops_table(const Trace& trace, const FlopsReport& report, FlopsGrouping grouping) {
  Table table =
      grouping == FlopsGrouping::uncounted ? uncounted_table(trace, report) : counted_table(trace, report);
  table.name = "flops";
  table.title = grouping == FlopsGrouping::uncounted ? "FLOPs not counted" : "FLOPs";
  if (report.rows.empty() && report.captured + report.lacking == 0 && grouping == FlopsGrouping::shape)
    table.notes.emplace_back(msg::no_operator_with_recorded_shapes_record);
  if (!report.rows.empty() && grouping == FlopsGrouping::shape) note_utilization(table, report);
  note_gaps(table, trace, report);
  note_coverage(table, trace, report);
  return table;
}

}  // namespace kino
