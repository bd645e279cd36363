// The report of a trace: summary, tables and pictures as one HTML page that needs nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/range_analysis.hpp"

namespace kino {

/// Rows of each table on the page.
inline constexpr std::size_t kReportRows = 40;

/// The page, in UTF-8. It loads nothing and runs no script, and no text of the trace can be taken for markup.
/// `file` is how the trace is called; `picture` the PNG of its timeline, or empty with `no_picture` saying
/// why.
std::string report_page(const RangeAnalyses& analyses, std::string_view file, std::string_view picture,
                        std::string_view no_picture);

/// Safe between tags and in attributes: control characters, bidirectional overrides and invalid UTF-8 as
/// escaped() shows them, & < > " ' as entities.
std::string html_text(std::string_view text);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace kino
