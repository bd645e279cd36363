// The report of a trace: one page that loads nothing, and whose text is never markup.
#include "app/cli/report_page.hpp"

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
  CHECK(page.find("Shares of time are of 1 step (#7), 1") != std::string::npos);
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

TEST_CASE("base 64 is RFC 4648's") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}
