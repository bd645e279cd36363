// The report of a trace as one self-contained HTML page: summary, tables and pictures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Maximum number of rows of each table on the page.
inline constexpr std::size_t kReportRows = 40;

/// Returns the page in UTF-8. It loads nothing and runs no script, and texts of the trace are never
/// interpreted as markup. `file` is the title; `picture` is the timeline as PNG. If `picture` is empty,
/// `no_picture` is the reason.
std::string report_page(const RangeAnalyses& analyses, std::string_view file, std::string_view picture,
                        std::string_view no_picture);

// Parts for other reports.

/// One bar of a chart: its label, its pieces, and the value shown after them.
struct ReportBar {
  struct Piece {
    std::string color;  ///< CSS color
    double share = 0;   ///< fraction of the chart's width
    std::string tip;
  };
  std::string label;
  std::vector<Piece> pieces;
  std::string value;
};
void add_report_chart(std::string& out, const std::vector<ReportBar>& bars, std::string_view title);
/// Adds a heading and the first kReportRows rows of a table. `id` is the anchor, by default the table's name.
void add_report_table(std::string& out, const Table& table, std::string_view id = {});
/// Returns the page around `body`. `links` and `body` are markup; the other arguments are plain text.
std::string report_document(std::string_view file, std::string_view facts, std::string_view links,
                            std::string_view body);

/// Returns text that is safe between tags and in attributes: & < > " ' become entities. Control characters,
/// bidirectional overrides and invalid UTF-8 are escaped as in escaped().
std::string html_text(std::string_view text);

/// Returns the style sheet: assets/report/report.css, embedded at build time.
std::string_view report_style();

/// Returns `bytes` in base64 (RFC 4648), with padding.
std::string base64(std::string_view bytes);

}  // namespace kino
