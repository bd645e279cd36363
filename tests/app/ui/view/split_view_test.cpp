// Covers: split_view
#include "app/ui/view/split_view.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "app/ui/view/navigation.hpp"

using namespace kino;

namespace {

using Serials = std::vector<std::uint64_t>;
using Panes = std::array<std::uint64_t, 2>;

SplitView stacked(const Serials& open, std::uint64_t active, std::uint64_t before) {
  SplitView view;
  view.sync(open, before);
  view.sync(open, active);
  view.cycle();
  return view;
}

ClockRange recorded_at(std::int64_t origin_unix_ns, std::int64_t length_ns) {
  return {origin_unix_ns, {0, length_ns}};
}

constexpr std::int64_t kNow = 1'743'406'976'000'000'000;

}  // namespace

TEST_CASE("the split cycles from one to stacked to side by side, and needs two documents") {
  SplitView view;
  view.sync(Serials{1}, 1);
  view.cycle();
  CHECK(view.mode() == SplitMode::one);
  view.sync(Serials{1, 2}, 1);
  view.cycle();
  CHECK(view.mode() == SplitMode::stacked);
  view.cycle();
  CHECK(view.mode() == SplitMode::side_by_side);
  view.cycle();
  CHECK(view.mode() == SplitMode::one);
}

TEST_CASE("the document beside the active one is the one that was active before") {
  SplitView view = stacked({1, 2, 3}, 1, 3);
  CHECK(view.panes() == Panes{1, 3});
  CHECK(view.active_pane() == 0);
  CHECK(view.other_document() == 3);
}

TEST_CASE("another document is shown in the active pane; the other pane's document becomes active there") {
  SplitView view = stacked({1, 2, 3}, 1, 3);
  view.sync(Serials{1, 2, 3}, 2);
  CHECK(view.panes() == Panes{2, 3});
  CHECK(view.active_pane() == 0);
  view.sync(Serials{1, 2, 3}, 3);
  CHECK(view.panes() == Panes{2, 3});
  CHECK(view.active_pane() == 1);
  view.sync(Serials{1, 2, 3}, 1);
  CHECK(view.panes() == Panes{2, 1});
}

TEST_CASE("a closed document is replaced by the last active one; without a second one the split ends") {
  SplitView view = stacked({1, 2, 3}, 1, 3);
  view.sync(Serials{1, 2}, 1);  // the other pane's document was closed
  CHECK(view.panes() == Panes{1, 2});
  view.sync(Serials{2, 4}, 2);  // the active pane's document was closed, so that the other pane is active
  CHECK(view.active_pane() == 1);
  CHECK(view.panes() == Panes{4, 2});
  view.sync(Serials{4}, 4);
  CHECK_FALSE(view.split());
  CHECK(view.mode() == SplitMode::one);
  view.sync({}, 0);
  CHECK_FALSE(view.available());
}

TEST_CASE("two panes share an area without a gap, and neither gets too small") {
  const Box area{0, 32, 1280, 720};
  const auto rows = split_boxes(area, SplitMode::stacked, 0.3F, 1);
  REQUIRE(rows);
  CHECK(rows->panes[0].top == 32);
  CHECK(rows->panes[0].bottom == rows->splitter.top);
  CHECK(rows->splitter.bottom == rows->panes[1].top);
  CHECK(rows->panes[1].bottom == 720);
  CHECK(rows->panes[0].left == rows->panes[1].left);
  CHECK(rows->panes[0].height() >= 230);
  const auto columns = split_boxes(area, SplitMode::side_by_side, 0.85F, 1);
  REQUIRE(columns);
  CHECK(columns->panes[1].right == 1280);
  CHECK(columns->panes[1].width() >= 420);
  CHECK_FALSE(split_boxes(area, SplitMode::stacked, 0.5F, 2));
  CHECK_FALSE(split_boxes({0, 0, 600, 2000}, SplitMode::side_by_side, 0.5F, 1));
}

TEST_CASE("the position of the splitter is bounded") {
  SplitView view;
  view.set_share(-3);
  CHECK(view.share() == SplitView::kLeastShare);
  view.set_share(3);
  CHECK(view.share() == 1 - SplitView::kLeastShare);
}

TEST_CASE("linked by clocks, equal moments are equal in both panes and both directions") {
  TimeLink link;
  link.fit = ClockFit{};
  link.follow(recorded_at(kNow, 1'000'000'000), recorded_at(kNow - 250'000'000, 1'000'000'000));
  CHECK(link.by_clock());
  CHECK(link.converted_time(0, 0.25) == 250'000'000.25);
  const TimeView view{100, 2, 1000};
  const TimeView there = link.converted_view(0, view, 500);
  CHECK(there == TimeView{250'000'100, 4, 500});
  CHECK(link.converted_view(1, there, 1000) == view);
  CHECK(link.converted_range(1, {10, 20}) == TimeRange{10 - 250'000'000, 20 - 250'000'000});
}

TEST_CASE("a range transferred to the other pane and back is the same to the ns") {
  // The recordings are 115 days apart; a conversion with double would be off by 1 ns.
  constexpr std::int64_t kApart = 9'936'000'000'000'001;
  TimeLink link;
  link.fit = ClockFit{};
  link.follow(recorded_at(kNow + kApart, 1), recorded_at(kNow, 1));
  const TimeRange range{3, 1'000'000'004};
  const TimeRange there = link.converted_range(0, range);
  CHECK(there == TimeRange{kApart + 3, kApart + 1'000'000'004});
  CHECK(link.converted_range(1, there) == range);
}

TEST_CASE("a view is transferred to a faster clock with its drift, and back") {
  TimeLink link;
  link.fit = ClockFit{1000, 1'000'000, 0, 0, ClockEvidence::by_hand};
  const TimeView view{2e9, 100, 1000};
  const TimeView there = link.converted_view(0, view, 1000);
  CHECK(there.begin_ns == 2'002'001'000);
  CHECK(there.ns_per_px == doctest::Approx(100.1));
  const TimeView back = link.converted_view(1, there, 1000);
  CHECK(back.begin_ns == view.begin_ns);
  CHECK(back.ns_per_px == doctest::Approx(100));
}

TEST_CASE("offsets beyond 64 bits are bounded") {
  constexpr std::int64_t kMost = 9'223'372'036'854'775'807;
  TimeLink link;
  link.fit = ClockFit{};
  link.follow(recorded_at(kMost, 1), recorded_at(-kMost, 1));
  CHECK(link.converted_time(0, 0) == 4e18);
  const TimeRange far = link.converted_range(0, {-kMost, kMost});
  CHECK(far.length_ns() >= 0);
  CHECK(link.converted_time(1, -1e300) == -4e18);
}

TEST_CASE("recordings aligned by their edges remain aligned when the origin of one of them moves") {
  TimeLink link;
  link.fit = fit_of_edges({100.25, 2, 500}, {800.5, 12.5, 500});
  CHECK(link.fit->offset_ns == 700);
  CHECK(link.fit->uncertainty_ns == 13);  // one px of the coarser view
  CHECK_FALSE(link.by_clock());
  link.origins_unix_ns = {kNow, 5000};
  link.follow(recorded_at(kNow + 40, 1000), recorded_at(5300, 1000));
  CHECK(link.converted_time(0, 0) == 700 + 40 - 300);
  link.follow(recorded_at(kNow + 40, 1000), recorded_at(5300, 1000));
  CHECK(link.converted_time(0, 0) == 440);
}

TEST_CASE("a linked view shows the same range at its own width, also outside its content, and then rests") {
  Navigation navigation({0, 1000});
  navigation.set_width(500);
  navigation.follow({5000, 4, 1000}, {6000, 2, 1000});
  CHECK(navigation.view() == TimeView{5000, 8, 500});
  CHECK(navigation.target() == TimeView{6000, 4, 500});
  navigation.follow({6000, 2, 1000}, {6000, 2, 1000});
  navigation.step(0.1, {}, 0);
  CHECK_FALSE(navigation.moving());
  CHECK(navigation.view() == TimeView{6000, 4, 500});
}

TEST_CASE("a document is shown beside the active one: above it in a new split, else in the other pane") {
  SplitView view;
  view.sync(Serials{1, 2}, 2);
  view.show_beside(1);
  CHECK(view.mode() == SplitMode::stacked);
  CHECK(view.panes() == Panes{1, 2});
  CHECK(view.active_pane() == 1);
  view.sync(Serials{1, 2}, 2);
  CHECK(view.panes() == Panes{1, 2});
  view.sync(Serials{1, 2, 3}, 3);
  view.show_beside(2);
  CHECK(view.panes() == Panes{2, 3});
  view.show_beside(7);  // not open
  CHECK(view.panes() == Panes{2, 3});
}
