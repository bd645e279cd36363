#include <doctest/doctest.h>

#include "app/frame_report.hpp"

using kino::FrameReport;

TEST_CASE("frames are told by percentiles, apart by what went on beside them") {
  FrameReport report;
  for (int i = 1; i <= 1000; ++i) report.add(i * 0.01, FrameReport::Beside::nothing);
  report.add(3, FrameReport::Beside::loading);
  CHECK(report.text() ==
        "CPU ms of         frames    median      99 %    99.9 %      most\n"
        "all                 1001      5.00      9.90      9.99     10.00\n"
        "while loading          1      3.00      3.00      3.00      3.00\n"
        "other               1000      5.00      9.90      9.99     10.00\n");
}

TEST_CASE("without frames there is only the head") {
  CHECK(FrameReport().text().find('\n') + 1 == FrameReport().text().size());
}
