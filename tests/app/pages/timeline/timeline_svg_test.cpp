// Covers: timeline_svg
// The SVG of a timeline shows the same as the timeline, and remains small with many slices.
#include "app/pages/timeline/timeline_svg.hpp"

#include <string>

#include <doctest/doctest.h>

#include "app/ui/text/svg_text.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

kino::TimelineDrawing drawing_of(std::shared_ptr<const kino::Trace> trace) {
  kino::TimelineDrawing drawing;
  drawing.trace = std::move(trace);
  drawing.palette.assign(drawing.trace->names.size(), 0xff3366ccU);
  drawing.theme = kino::Theme::make(true);
  drawing.view = {0, 1000, 1000};
  drawing.ticks = kino::ruler_scale(drawing.view, 100);
  drawing.title = "a <trace> & more";
  drawing.header_px = 200;
  drawing.height_px = 100;
  drawing.lines.push_back({.top_px = 0, .height_px = 30, .title = "stream 7", .note = "compute"});
  for (std::uint32_t row = 0; row < drawing.trace->rows.size(); ++row)
    drawing.lanes.push_back({kino::LaneDraw::Kind::slices, row, 5, 18, false});
  return drawing;
}

}  // namespace

TEST_CASE("the SVG contains title, headers, names and tooltips of wide slices") {
  const auto trace = kino::EventFixture()
                         .kernel("gemm_kernel<float, 4>", 100'000, 200'000, 1)
                         .kernel("late_kernel", 5'000'000, 100'000, 2)
                         .build();
  const std::string text = kino::timeline_svg(drawing_of(trace), {});
  CHECK(text.starts_with("<svg "));
  CHECK(text.ends_with("</svg>\n"));
  CHECK(text.find("a &lt;trace> &amp; more") != std::string::npos);
  CHECK(text.find(">stream 7<") != std::string::npos);
  CHECK(text.find("<title>gemm_kernel&lt;float, 4>, ") != std::string::npos);
  CHECK(text.find("late_kernel") == std::string::npos);  // outside of the view
}

TEST_CASE("many slices within a pixel become few visible shapes") {
  kino::EventFixture fixture;
  for (int i = 0; i < 5000; ++i) fixture.kernel("tiny", i * 200, 100, static_cast<std::uint32_t>(i + 1));
  kino::TimelineDrawing drawing = drawing_of(fixture.build());
  drawing.view = {0, 10'000, 1000};
  const std::string text = kino::timeline_svg(drawing, {});
  const std::size_t joined = count_of(text, "opacity=");
  CHECK(joined > 0);
  CHECK(joined <= 150);
  CHECK(text.size() < 100'000);
}

TEST_CASE("text that does not fit is cut between characters, or omitted") {
  CHECK(kino::svg_fitted("abc", 100, 10) == "abc");
  const std::string cut = kino::svg_fitted("abcdefghijklmnop", 50, 10);
  CHECK(cut.starts_with("abc"));
  CHECK(cut.ends_with("\u2026"));
  CHECK(kino::svg_width(cut, 10) <= 50);
  const std::string wide = kino::svg_fitted("\u65e5\u672c\u8a9e\u306e\u540d\u524d", 45, 10);
  CHECK(wide == "\u65e5\u672c\u8a9e\u2026");
  CHECK(kino::svg_fitted("abcdefgh", 12, 10).empty());
}
