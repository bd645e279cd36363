#include "app/cli/report/snapshot_report.hpp"

#include <algorithm>
#include <cstdio>
#include <variant>

#include "app/cli/report/report_page.hpp"
#include "app/cli/snapshot_info.hpp"
#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/plot_raster.hpp"
#include "app/pages/memory_plot/plot_svg.hpp"
#include "app/pages/memory_plot/snapshot_axis.hpp"
#include "app/pages/memory_plot/treemap_svg.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/memory_raster.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/oom_analysis.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kPlotColumns = 1200;
constexpr std::uint32_t kPlotRows = 420;
constexpr float kLeastTreemapArea = 16;
constexpr std::size_t kReportedOoms = 10;
constexpr std::size_t kReportedDevices = 16;  // few machines have more; each adds a plot and all tables
constexpr std::size_t kMostBars = 20;
constexpr double kPageHeadroom = 1.06;
// Highest ratio of the peaks of reserved and requested memory at which the plot shows both. Above this ratio,
// the reserved curve is cut off, because it would flatten the requested memory.
constexpr double kMostReservedOfActive = 1.6;

std::string css_hex(std::uint32_t color) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", color & 255U, color >> 8U & 255U, color >> 16U & 255U);
  return text;
}

class DeviceReport {
 public:
  DeviceReport(const Snapshot& snapshot, std::size_t index, const AllocationCategories* categories)
      : snapshot_(snapshot),
        device_(snapshot.devices[index]),
        history_(has_history(snapshot.devices[index])),
        index_(index),
        suffix_(index == 0 ? std::string() : "-" + std::to_string(index)),
        categories_(categories),
        palette_(band_palette(false)) {
    scope_.snapshot = &snapshot;
    scope_.device = index;
    scope_.units = byte_units();
    scope_.categories = categories;
    scope_.most_stack_bytes = 0;
    scope_.at = device_.history.curve(MemoryCurve::requested).peak.event;
  }

  void add(std::string& body, std::string& links) {
    add_heading(body, links);
    add_figures(body);
    add_plot(body);
    add_ooms(body, links);
    add_live(body, links, LiveGrouping::line, "line",
             history_ ? "Live at the peak, by line" : "Live, by line");
    if (categories_ != nullptr) {
      add_live(body, links, LiveGrouping::category, "category",
               history_ ? "Live at the peak, by category" : "Live, by category");
    }
    add_growth(body, links, GrowthGrouping::stack, "growth", "Growth");
    add_growth(body, links, GrowthGrouping::step, "steps", "Steps");
    add_segments(body, links);
  }

 private:
  std::string id(const char* name) const { return name + suffix_; }
  void link(std::string& links, const char* name, const char* title) const {
    links += "<a href=\"#" + id(name) + "\">" + html_text(title) + "</a>";
  }
  EventIndex last() const { return static_cast<EventIndex>(device_.entries.entry_count()) - 1; }

  void add_heading(std::string& body, std::string& links) const {
    const std::string name =
        device_.host ? std::string("Host memory") : "Device " + std::to_string(device_.ordinal);
    body += "<h2 id=\"" + id("device") + "\">" + html_text(name) + "</h2>\n";
    link(links, "device", name.c_str());
  }

  void add_figures(std::string& body) const {
    const CurvePyramid& active = device_.history.curve(MemoryCurve::requested);
    const CurvePyramid& reserved = device_.history.curve(MemoryCurve::reserved);
    const SegmentSummary sum = summarize_segments(device_);
    body += "<div class=\"figures\">\n";
    const auto figure = [&](const std::string& value, const std::string& name, const std::string& detail) {
      body += "<div class=\"figure\"><b>" + html_text(value) + "</b><span>" + html_text(name) +
              "</span><span title=\"" + html_text(detail) + "\">" + html_text(detail) + "</span></div>\n";
    };
    const auto moment = [&](EventIndex event) {
      if (event < 0) return std::string("before the recording");
      const std::string time =
          ns_between(device_, 0, event) ? " · " + text_from_duration(*ns_between(device_, 0, event)) : "";
      return "after event " + std::to_string(event) + time;
    };
    const std::string at_end = history_ ? " at the end" : "";
    const std::string segments = "in " + grouped(sum.count) + " segments";
    if (history_) {
      figure(text_from_bytes(active.peak.bytes), "peak of requested memory", moment(active.peak.event));
    } else {
      figure(text_from_bytes(active.peak.bytes), "requested",
             "when the snapshot was taken; the peak is unknown");
    }
    if (reserved.peak.bytes > 0) {
      if (history_)
        figure(text_from_bytes(reserved.peak.bytes), "peak of reserved memory", moment(reserved.peak.event));
      figure(text_from_bytes(sum.reserved), "reserved" + at_end, segments);
      figure(text_from_bytes(sum.largest_free_block), "largest free block" + at_end,
             text_from_bytes(sum.inactive) + " free in total");
    }
    if (history_) {
      figure(text_from_bytes(curve_at(device_, MemoryCurve::requested, last())), "requested at the end",
             text_from_bytes(active.start) + " at the start");
    }
    figure(grouped(device_.history.allocations.count()), "allocations",
           grouped(device_.entries.entry_count()) + " events");
    body += "</div>\n";
    if (const std::string note = end_note(sum); !note.empty())
      body += "<p class=\"dim\">" + html_text(note) + "</p>\n";
    for (const Message& note : recording_notes(device_))
      body += "<p class=\"dim\">" + html_text(note.str()) + "</p>\n";
  }

  /// Returns a note if the final state of the segments differs from that of the replayed events. The figures
  /// are based on the segments, the tables on the events. Empty if they agree, or if there is no history or
  /// no segment.
  std::string end_note(const SegmentSummary& sum) const {
    if (!history_ || sum.reserved == 0) return {};
    SegmentSummary replayed;
    const AllocatorLayout layout = layout_at(device_, last());
    for (const LayoutSegment& segment : layout.segments) replayed.reserved += segment.size;
    for (const LayoutBlock& block : layout.blocks) {
      if (block.kind != LayoutKind::free) continue;
      replayed.inactive += block.size;
      replayed.largest_free_block = std::max(replayed.largest_free_block, block.size);
    }
    if (sum.reserved == replayed.reserved && sum.inactive == replayed.inactive &&
        sum.largest_free_block == replayed.largest_free_block)
      return {};
    const auto words = [](const SegmentSummary& end) {
      return text_from_bytes(end.inactive) + " of " + text_from_bytes(end.reserved) + " free, at most " +
             text_from_bytes(end.largest_free_block) + " in one block";
    };
    return "The file is inconsistent at the end. According to its segments (values above): " + words(sum) +
           ". According to its events (tables below): " + words(replayed) + ".";
  }

  PlotGeometry geometry() const {
    const SnapshotAxisKind kind = SnapshotAxis::can_show(device_, SnapshotAxisKind::time, nullptr)
                                      ? SnapshotAxisKind::time
                                      : SnapshotAxisKind::events;
    const SnapshotAxis axis(device_, kind);
    PlotGeometry geometry;
    geometry.device = index_;
    geometry.axis = kind;
    geometry.begin_units = static_cast<double>(axis.content().begin_ns);
    geometry.columns = kPlotColumns;
    geometry.units_per_column = static_cast<double>(axis.content().length_ns()) / kPlotColumns;
    geometry.rows = kPlotRows;
    const auto active = static_cast<double>(device_.history.curve(MemoryCurve::requested).peak.bytes);
    const auto reserved = static_cast<double>(device_.history.curve(MemoryCurve::reserved).peak.bytes);
    const double highest =
        active > 0 && reserved > kMostReservedOfActive * active ? active : std::max(active, reserved);
    geometry.bytes_per_row = kPageHeadroom * std::max(1.0, highest) / kPlotRows;
    return geometry;
  }

  void add_plot(std::string& body) const {
    const Theme theme = Theme::make(false);
    const BandColoring coloring = categories_ != nullptr ? BandColoring::category : BandColoring::size;
    const BandPaint paint = band_paint(snapshot_, index_, coloring, categories_, nullptr, {}, {});
    const bool only_segments = has_only_segments(device_);
    PlotSvgStyle look;
    look.background = theme.track_area;
    look.text = theme.text;
    look.grid = mixed(theme.track_area, theme.grid, (theme.grid >> 24U) / 255.0);
    look.title = only_segments
                     ? "Contents of the segments when the snapshot was taken: no history was recorded"
                     : "Requested memory over time; the line is reserved memory";
    look.band = [&](const MemoryCell& cell) {
      if (cell.allocation == 0 || cell.allocation > paint.of_allocation.size()) return theme.track_area;
      return color_of(paint.of_allocation[cell.allocation - 1]);
    };
    const std::string drawing =
        only_segments
            ? treemap_svg(snapshot_,
                          compute_treemap(device_, {index_, kPlotColumns, kPlotRows, kLeastTreemapArea}),
                          look)
            : plot_svg(snapshot_, plot_raster(snapshot_, geometry(), {}), look);
    body += "<img alt=\"" + look.title + R"(" src="data:image/svg+xml;base64,)" + base64(drawing) + "\">\n";
    if (categories_ == nullptr) return;
    std::vector<bool> used(categories_->names.size());
    for (const std::uint8_t category : categories_->of_allocation) used[category] = true;
    body += "<p class=\"legend\">";
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      body += "<span><i style=\"background:" + css_hex(color_of(paint_of_category(*categories_, i))) +
              "\"></i>" + html_text(categories_->names[i].str()) + "</span>";
    }
    body += "</p>\n";
  }

  std::uint32_t color_of(std::uint8_t paint) const {
    constexpr std::uint32_t kGreyOfPaper = 0xffb4b4b4U;
    return (paint & BandPaint::kGrey) != 0 ? kGreyOfPaper : palette_[paint & 63U];
  }

  void add_ooms(std::string& body, std::string& links) const {
    const std::vector<OomAnalysis> autopsies = analyze_ooms(snapshot_, device_, kReportedOoms);
    if (autopsies.empty()) return;
    link(links, "oom", "Out of memory");
    body += "<h2 id=\"" + id("oom") + "\">Out of memory</h2>\n";
    for (const OomAnalysis& autopsy : autopsies) {
      const AutopsyWords words = autopsy_text(snapshot_, autopsy);
      body += "<p><b>" + html_text(words.title) + "</b></p>\n<ul class=\"findings\">\n";
      for (const std::string& line : words.lines) body += "<li>" + html_text(line) + "</li>\n";
      body += "</ul>\n";
      if (!words.to_set.empty()) body += "<pre>" + html_text(words.to_set) + "</pre>\n";
      std::vector<ReportBar> bars;
      const double most = autopsy.places.empty()
                              ? 1
                              : static_cast<double>(std::max<std::uint64_t>(1, autopsy.places.front().bytes));
      for (std::size_t i = 0; i < autopsy.places.size(); ++i) {
        const OomPlace& place = autopsy.places[i];
        const std::string held = words.places[i].first + " in " + grouped(place.count);
        bars.push_back({words.places[i].second,
                        {{"var(--compute)", static_cast<double>(place.bytes) / most, held}},
                        words.places[i].first});
      }
      if (!bars.empty()) add_report_chart(body, bars, "Largest users of memory");
    }
    if (autopsies.size() == kReportedOoms)
      body += "<p class=\"dim\">The first " + std::to_string(kReportedOoms) + ".</p>\n";
  }

  void add_live(std::string& body, std::string& links, LiveGrouping by, const char* name,
                const char* title) const {
    Table table = live_memory_table(scope_, by);
    if (table.row_count() == 0) return;
    table.title = title;
    link(links, name, title);
    std::string rest;
    add_report_table(rest, table, id(name));
    const std::size_t end_of_heading = rest.find("</h2>\n");
    const std::size_t cut = end_of_heading == std::string::npos ? 0 : end_of_heading + 6;
    body += rest.substr(0, cut);
    add_live_chart(body, table, by);
    body += rest.substr(cut);
  }

  void add_live_chart(std::string& body, const Table& table, LiveGrouping by) const {
    const auto& names = std::get<TableColumn::Texts>(table.find("place")->values);
    const auto& bytes = std::get<TableColumn::Integers>(table.find("bytes")->values);
    const auto& shares = std::get<TableColumn::Numbers>(table.find("share")->values);
    const auto most = static_cast<double>(std::max<std::int64_t>(1, bytes.empty() ? 1 : bytes.front()));
    std::vector<ReportBar> bars;
    for (std::size_t row = 0; row < std::min(names.size(), kMostBars); ++row) {
      std::string color = "var(--compute)";
      if (by == LiveGrouping::category && categories_ != nullptr) {
        const auto found = std::ranges::find(categories_->names, names[row]);
        const auto category = static_cast<std::size_t>(found - categories_->names.begin());
        if (found != categories_->names.end())
          color = css_hex(color_of(paint_of_category(*categories_, category)));
      }
      const std::string words = text_from_bytes(bytes[row]) + " · " + text_from_share(shares[row]);
      bars.push_back({names[row], {{color, 0.85 * static_cast<double>(bytes[row]) / most, words}}, words});
    }
    add_report_chart(body, bars, table.title.str());
  }

  void add_growth(std::string& body, std::string& links, GrowthGrouping by, const char* name,
                  const char* title) const {
    Table table = growth_table(scope_, by);
    if (table.row_count() == 0) return;
    table.title = title;
    link(links, name, title);
    if (by == GrowthGrouping::stack) keep_growing(table);
    add_report_table(body, table, id(name));
  }

  /// Removes the rows whose memory did not grow from the first to the last step. In the table, all growing
  /// rows come first.
  static void keep_growing(Table& table) {
    const auto& growth = std::get<TableColumn::Integers>(table.find("growth_bytes")->values);
    const auto end = std::ranges::find_if(growth, [](std::int64_t bytes) { return bytes <= 0; });
    const auto rows = static_cast<std::size_t>(end - growth.begin());
    const std::size_t left_out = table.row_count() - rows;
    if (rows > 0 && left_out > 0) {
      table.notes.insert(table.notes.begin(), counted_noun(left_out, "stack that does not grow is omitted.",
                                                           "stacks that do not grow are omitted."));
    }
    for (TableColumn& column : table.columns) {
      std::visit([&](auto& values) { values.resize(rows); }, column.values);
      column.words.resize(std::min(column.words.size(), rows));
    }
  }

  void add_segments(std::string& body, std::string& links) const {
    if (device_.history.curve(MemoryCurve::reserved).peak.bytes == 0) return;
    const auto add_one = [&](SegmentGrouping by, EventIndex at, const char* name, const char* title) {
      SnapshotScope scope = scope_;
      scope.at = at;
      Table table = segment_table(scope, by);
      if (table.row_count() == 0) return;
      table.title = title;
      link(links, name, title);
      add_report_table(body, table, id(name));
    };
    add_one(SegmentGrouping::pool, scope_.at, "pools",
            history_ ? "Reserved at the peak, by pool" : "Reserved, by pool");
    add_one(SegmentGrouping::segment, last(), "segments", history_ ? "Segments at the end" : "Segments");
  }

  const Snapshot& snapshot_;
  const SnapshotDevice& device_;
  bool history_;  // whether the entries change memory; if not, only one state is known
  std::size_t index_;
  std::string suffix_;  // appended to the ids of headings, which must be unique on the page
  const AllocationCategories* categories_;
  std::vector<std::uint32_t> palette_;
  SnapshotScope scope_;
};

}  // namespace

std::string snapshot_report(const Snapshot& snapshot, std::string_view file, const CategoryRuleSet& rules) {
  std::string body;
  std::string links;
  for (std::size_t i = 0; i < std::min(kReportedDevices, snapshot.devices.size()); ++i) {
    const Result<AllocationCategories> made = categorize(snapshot, i, rules, byte_units());
    DeviceReport(snapshot, i, made.ok() ? &made.value() : nullptr).add(body, links);
    if (!made.ok()) body += "<p class=\"dim\">" + html_text(made.error().what.str()) + "</p>\n";
  }
  if (snapshot.devices.size() > kReportedDevices) {
    body += "<p class=\"dim\">This page covers the first " + grouped(kReportedDevices) + " of " +
            grouped(snapshot.devices.size()) +
            " devices; for the others, use kinetoscope table live FILE --device N.</p>\n";
  }
  if (snapshot.devices.empty()) body += "<p>The snapshot contains no device.</p>\n";
  if (has_settings(snapshot.source))
    body = "<p class=\"dim\">Settings of the run: " + html_text(settings_words(snapshot)) + "</p>\n" + body;
  return report_document(file, "allocator snapshot", links, body);
}

}  // namespace kino
