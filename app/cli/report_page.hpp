// The report of a trace: summary, tables and pictures as one HTML page that needs nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Rows of each table on the page.
inline constexpr std::size_t kReportRows = 40;

/// The page, in UTF-8. It loads nothing and runs no script, and no text of the trace can be taken for markup.
/// `file` is how the trace is called; `picture` the PNG of its timeline, or empty with `no_picture` saying
/// why.
std::string report_page(const RangeAnalyses& analyses, std::string_view file, std::string_view picture,
                        std::string_view no_picture);

// What other reports are made of.

/// One line of a chart: a label, pieces of a bar, and a number behind them.
struct ReportBar {
  struct Piece {
    std::string color;  ///< of CSS
    double share = 0;   ///< of the chart's width
    std::string tip;
  };
  std::string label;
  std::vector<Piece> pieces;
  std::string value;
};
void add_report_chart(std::string& out, const std::vector<ReportBar>& bars, std::string_view title);
/// The first kReportRows rows under a heading; `id` is the anchor, the table's name unless told.
void add_report_table(std::string& out, const Table& table, std::string_view id = {});
/// The page around `body`; `links` and `body` are markup, the others text.
std::string report_document(std::string_view file, std::string_view facts, std::string_view links,
                            std::string_view body);

/// Safe between tags and in attributes: control characters, bidirectional overrides and invalid UTF-8 as
/// escaped() shows them, & < > " ' as entities.
std::string html_text(std::string_view text);

/// The style sheet: assets/report/report.css, as it was when the program was built.
std::string_view report_style();

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace kino
