// Covers: hang_report
// The report of a hung job: named ranks, and texts of dumps that are not interpreted as markup.
#include "app/cli/report/hang_report.hpp"

#include <string>

#include <doctest/doctest.h>

#include "app/cli/report/report_page.hpp"

namespace {

/// Three ranks; rank 2 never reached operation 5.
kino::HangRecording three_ranks() {
  kino::HangRecording hang;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    kino::FlightDump dump;
    dump.rank = rank;
    dump.file = "<u>dump_" + std::to_string(rank);
    dump.groups.push_back({"0", "<b>world", {0, 1, 2}, rank == 2 ? 4 : 5, 4, 4});
    if (rank != 2) {
      kino::FlightEntry entry;
      entry.state = kino::FlightState::started;
      entry.sequence = 5;
      entry.operation = "nccl:<i>all_reduce";
      entry.created_ns = 1'000'000'000 + rank * 500'000'000;
      entry.frames = {{"<s>step", "train.py", 12}};
      dump.entries.push_back(entry);
    }
    hang.dumps.push_back(dump);
  }
  hang.problems = {"<em>cut: dump_9"};
  hang.analysis = kino::analyze_hang(hang.dumps);
  return hang;
}

}  // namespace

TEST_CASE("the report of a hung job has verdict, groups and outstanding operations, and escapes markup") {
  kino::HangRecording hang = three_ranks();
  hang.beside = {"rank<0>.json", "rank1.json"};
  const std::string page = kino::hang_report(hang, "<h1>job");
  for (const char* const text :
       {"&lt;h1&gt;job", "&lt;em&gt;cut: dump_9", "&lt;b&gt;world [0, 1 and 2]", "missing",
        "nccl:&lt;i&gt;all_reduce", "id=\"ranks\"", "id=\"outstanding\"", "id=\"hang-groups\"", "4 / 5 +1",
        "4 / 4, missing", "last completed 4; 1 collective behind the others</li>",
        "rank&lt;0&gt;.json and 1 more"}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }
  CHECK(page.find(kino::html_text(kino::hang_verdict(hang.analysis).str())) != std::string::npos);
  // Stragglers are listed first.
  const std::string matrix = page.substr(page.find("id=\"ranks\""));
  CHECK(matrix.find("<tr><td class=\"n bad\">2</td>") < matrix.find("<tr><td class=\"n\">0</td>"));
  for (const char* const text : {"<h1>job", "<em>", "<b>world", "<i>", "<u>", "<s>", "<script"}) {
    CAPTURE(text);
    CHECK(page.find(text) == std::string::npos);
  }
}

TEST_CASE("the report of one dump covers one rank and counts the ranks named by its groups") {
  kino::HangRecording hang = three_ranks();
  hang.dumps.resize(1);
  hang.dumps[0].groups.push_back({"1", "default_pg", {0, 1, 2, 3}, -1, -1, -1});
  hang.analysis = kino::analyze_hang(hang.dumps);
  const std::string page = kino::hang_report(hang, "one");
  for (const char* const text : {"<b>1</b><span>dump</span>", ">no dump of ranks 1, 2 and 3<",
                                 "flight recorder of 1 rank<", ">in 1 group<"}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }
  CHECK(page.find("oldest outstanding operation to the newest entry of all ranks") == std::string::npos);
}

TEST_CASE("a report of ranks with nothing outstanding names no culprit and has no empty table") {
  kino::HangRecording hang;
  hang.dumps.emplace_back().rank = 0;
  hang.analysis = kino::analyze_hang(hang.dumps);
  const std::string page = kino::hang_report(hang, "one");
  CHECK(page.find("no rank is suspect") != std::string::npos);
  CHECK(page.find("<table") == std::string::npos);
}
