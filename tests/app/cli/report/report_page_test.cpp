// Covers: report_page
// The report of a trace: one page that loads nothing, and whose text is never markup.
#include "app/cli/report/report_page.hpp"

#include <memory>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

TEST_CASE("the report has the tables, the charts and the picture, and loads nothing") {
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "user_annotation", "ProfilerStep#7", 0, 1000, "1")
                         .op("aten::mm", 10, 100)
                         .launch(20, 10, 1)
                         .kernel("gemm<float, 3>", 50, 200, 1)
                         .build();
  const std::string page = report_page(RangeAnalyses(*trace), "run 1.json", "PNG", "");
  CHECK(page.find("<h1>run 1.json</h1>") != std::string::npos);
  CHECK(page.find("Step 7") != std::string::npos);
  CHECK(page.find("Shares of time refer to 1 step (#7), 1") != std::string::npos);
  CHECK(page.find("gemm&lt;float, 3&gt;") != std::string::npos);
  CHECK(page.find("gemm<float") == std::string::npos);
  CHECK(page.find("<h2 id=\"operators\">Operators</h2>") != std::string::npos);
  CHECK(page.find("data:image/png;base64,UE5H\"") != std::string::npos);
  CHECK(page.find("http://") == std::string::npos);
  CHECK(page.find("https://") == std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
}

TEST_CASE("text of a trace cannot become markup") {
  const std::string evil = "</title><script>alert('1')</script>\"\x1b\xff";
  const auto trace = EventFixture().op(evil, 0, 10).kernel(evil, 0, 10).build();
  const std::string page = report_page(RangeAnalyses(*trace), evil, "", evil);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("alert('") == std::string::npos);
  CHECK(page.find('\x1b') == std::string::npos);
  CHECK(html_text("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST_CASE("an empty trace has a report as well") {
  const auto trace = EventFixture().build();
  CHECK(report_page(RangeAnalyses(*trace), "empty.json", "", "No picture.").find("No picture.") !=
        std::string::npos);
}

TEST_CASE("base64 follows RFC 4648") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("the report lists damage, reading notes and missing links as info does") {
  const auto trace = std::const_pointer_cast<Trace>(
      EventFixture().op("aten::mm", 10, 100).kernel("gemm", 50, 200, 1).build());
  CHECK(report_page(RangeAnalyses(*trace), "a.json", "", "No.").find("kind of damage") == std::string::npos);
  trace->damage.add(DamageReason::end_without_begin, 7, "<i>{}");
  trace->damage.add(DamageReason::end_without_begin, 9, "{}");
  trace->damage.add(DamageReason::no_duration, 30, "{}");
  trace->damage.add(DamageReason::further_events, 40, "{}");
  trace->damage.add(DamageReason::time_in_ns, 5, "{}", 7);
  const std::string page = report_page(RangeAnalyses(*trace), "a.json", "", "No.");
  CHECK(page.find("3 kinds of damage, see Data quality</p>") != std::string::npos);
  CHECK(page.find("<a href=\"#quality\">Data quality</a>") != std::string::npos);
  CHECK(page.find("<b>2</b> end events without a begin event, skipped, first at byte 7 "
                  "<span class=\"dim\">&lt;i&gt;{}") != std::string::npos);
  CHECK(page.find("slice without a readable duration, shown with zero length, first at byte 30") !=
        std::string::npos);
  CHECK(page.find("<h3>Interpretation</h3>") != std::string::npos);
  CHECK(page.find("<b>7</b> timestamps too large for microseconds") != std::string::npos);
  CHECK(page.find("GPU work without a launch in the trace, of 1, 200 ns") != std::string::npos);
}

TEST_CASE("a report without findings has no heading for them") {
  const auto empty = EventFixture().build();
  const std::string page = report_page(RangeAnalyses(*empty), "empty.json", "", "No.");
  CHECK(page.find("What to fix") == std::string::npos);
  CHECK(page.find("#summary") == std::string::npos);
  CHECK(page.find("Data quality") == std::string::npos);
}

TEST_CASE("the head of the report counts only named devices") {
  const auto trace = std::const_pointer_cast<Trace>(EventFixture().kernel("gemm", 50, 200, 1).build());
  trace->job.device_names = {"", "", ""};
  const auto head = [&] {
    const std::string page = report_page(RangeAnalyses(*trace), "a.json", "", "No.");
    return page.substr(0, page.find("<nav>"));
  };
  CHECK(head().find("more") == std::string::npos);
  trace->job.device_names = {"", "NVIDIA A100", "", "NVIDIA A100"};
  CHECK(head().find("1 slice \xC2\xB7 NVIDIA A100 and 1 more") != std::string::npos);
}
