// Covers: frame_report
#include "app/system/frame_report.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using kino::FrameCost;
using kino::FrameReport;

TEST_CASE("frames are reported by percentiles, separately by activity") {
  FrameReport report;
  for (int i = 1; i <= 1000; ++i) {
    report.add({.interface = i * 0.01, .driver = 20}, FrameReport::Beside::nothing, i);
  }
  report.add({.documents = 2, .tiles = 1}, FrameReport::Beside::loading, 2000);
  const std::string text = report.text();
  CHECK(
      text.starts_with("CPU ms of         frames    median      99 %    99.9 %       max\n"
                       "all                 1001      5.00      9.90      9.99     10.00\n"
                       "while loading          1      3.00      3.00      3.00      3.00\n"
                       "other               1000      5.00      9.90      9.99     10.00\n"
                       "in the driver       1001     20.00     20.00     20.00     20.00\n"));
}

TEST_CASE("the slowest frames are reported with their breakdown") {
  FrameReport report;
  for (int i = 0; i < 20; ++i) report.add({.interface = 1.0 + i}, FrameReport::Beside::moving, i);
  report.add({.events = 1, .documents = 30, .fonts = 2, .interface = 3, .tiles = 4, .driver = 500},
             FrameReport::Beside::searching, 12.5);
  const std::string text = report.text();
  const std::size_t head = text.find("slowest");
  REQUIRE(head != text.npos);
  CHECK(std::string_view(text).substr(head).starts_with(
      "slowest        at s     all  events  documents  fonts  interface  tiles\n"
      "while searching  12.50   40.00    1.00      30.00   2.00       3.00   4.00\n"
      "while moving     19.00   20.00    0.00       0.00   0.00      20.00   0.00\n"));
}

TEST_CASE("without frames there is only the header") {
  CHECK(FrameReport().text().find('\n') + 1 == FrameReport().text().size());
}
