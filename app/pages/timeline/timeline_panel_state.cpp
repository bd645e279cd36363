#include "app/pages/timeline/timeline_panel_state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline/timeline_marks.hpp"
#include "app/pages/timeline/track_headers.hpp"
#include "app/pages/timeline_drawer/bookmarks_page.hpp"
#include "app/pages/timeline_drawer/compare_page.hpp"
#include "app/pages/timeline_drawer/event_page.hpp"
#include "app/pages/timeline_drawer/flame_page.hpp"
#include "app/pages/timeline_drawer/hits_page.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/view/view_carry.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/findings.hpp"

namespace kino {

void TimelinePanel::State::update_look(const Theme& now, const ColorOptions& wanted) {
  const bool surface = !theme || theme->dark != now.dark;
  theme = now;
  if (surface) canvas.renderer().set_surface_colors(theme->track_area, theme->counter, theme->instant);
  hits.poll();
  const std::shared_ptr<const SliceSet> emphasised = emphasised_hits();
  const SliceStyle::Change change = look.update(wanted, *theme);
  if (change == SliceStyle::Change::keys || emphasised != painted_hits) {
    painted_hits = emphasised;
    if (change != SliceStyle::Change::nothing) legend.refresh(look, *theme);
    canvas.renderer().set_paint({look.keys(), emphasised}, legend.palette(look));
  } else if (change == SliceStyle::Change::palette) {
    legend.refresh(look, *theme);
    canvas.renderer().set_palette(legend.palette(look));
  }
  if (layout_stale) {
    for (const TrackStyle& style : arrangement.tracks) {
      if (!style.title.empty()) bookmarks.add_glyphs(style.title);
    }
  }
  legend_shown = legend.shown(look);
  constexpr float kFaded = 0.27F;
  constexpr float kFadedFully = 0.055F;
  only_matches = search.only_matches();
  const bool rows_only = only_matches && hits.answer() != nullptr;
  matched.update(rows_only ? hits.answer()->emphasised() : nullptr, packed);
  show_rows(matched.marks());
  const float other = only_matches ? kFadedFully : kFaded;
  canvas.renderer().set_unmatched_share(painted_hits ? other : 1);
}

bool TimelinePanel::State::handle_search_keys() {
  const SearchBar::Actions actions = search.handle_keys(keyboard, hits);
  act_on(actions);
  if (search.is_open() && !search_open) drawer.leave_full();
  search_open = search.is_open();
  return actions.closed;
}

void TimelinePanel::State::act_on(const SearchBar::Actions& actions) {
  if (actions.step != 0) {
    const auto from_ns = static_cast<std::int64_t>(navigation.view().begin_ns);
    hits.step(selection.slice, from_ns, actions.step);
  }
  if (actions.show_list) drawer.show(drawer_page::kHits);
}

void TimelinePanel::State::look_for(const std::string& query) {
  search.look_for(query, hits);
  opened_query = query;  // so that the page that requested the search remains open
  search_open = search.is_open();
}

Note TimelinePanel::State::whole_note() const {
  Note note = note_of(*this, search);
  note.trace = bookmarks.trace_path();
  for (const PlacedBookmark& placed : bookmarks.all()) note.bookmarks.push_back(placed.mark);
  return note;
}

void TimelinePanel::State::save_note() { sharing.save_note(whole_note()); }

void TimelinePanel::State::handle_sharing() {
  sharing.update();
  if (!keyboard) return;
  if (command_pressed(CommandId::save_png)) sharing.request_png();
  if (command_pressed(CommandId::save_svg)) sharing.save_svg(*this, look, steps.steps(), *theme);
  if (command_pressed(CommandId::save_trimmed)) sharing.save_trimmed(*this);
  if (command_pressed(CommandId::pack)) sharing.save_capsule(*this, whole_note(), false);
  if (command_pressed(CommandId::pack_redacted)) sharing.save_capsule(*this, whole_note(), true);
  if (command_pressed(CommandId::export_bookmarks)) save_note();
}

void TimelinePanel::State::handle_slice_commands() {
  slice_commands.poll();
  // If the drawer shows a table, Ctrl+C copies its rows.
  const DrawerPage* page = pages.shown();
  const bool rows = page != nullptr && page->copies_rows();
  if (keyboard) act_on(slice_commands.handle_keys(selection, !rows));
  const float x = selection.any() ? screen_x(range_of(*trace, selection).begin_ns) : 0;
  const auto lane = selection.slice != kNoSlice ? lane_of(selection.slice) : std::nullopt;
  const float y = boxes.tracks.top + (lane ? static_cast<float>(lane->y_px) + lane->height_px : 0.0F);
  act_on(slice_commands.draw_menu(selection, std::exchange(slice_menu_wanted, false),
                                  std::clamp(x, boxes.tracks.left, boxes.tracks.right - px(100)),
                                  std::clamp(y, boxes.tracks.top, boxes.tracks.bottom)));
}

void TimelinePanel::State::act_on(const SliceCommands::Actions& actions) {
  if ((actions.find_alike || actions.show_alike) && selection.slice != kNoSlice) {
    if (actions.show_alike) search.show_only_matches(true);
    look_for(query_for_name(trace->name_of(selection.slice)));
  }
  if (actions.measure) range_gesture.measure_from(*this, range_of(*trace, selection).begin_ns);
  if (actions.bookmark) flags.set(*this, bookmarks);
}

void TimelinePanel::State::draw_search() {
  if (const auto found = hits.poll_step()) {
    const bool listed = drawer.shows(drawer_page::kHits);
    choose({found->slice, kNoInstant}, true);
    if (std::exchange(opened_query, hits.query()) != hits.query() && !listed) turn_to_selection();
  }
  if (boxes.search.height() < 1) return;
  act_on(search.draw(boxes.search, hits, hits.place_of(selection.slice), *theme, scale));
  search_open = search.is_open();
}

void TimelinePanel::State::draw_top_row(ImDrawList& list) {
  const Box& ruler = boxes.ruler;
  const TimeView& view = navigation.view();
  const RulerScale ticks = ruler_scale(view, px(kTickDistancePx));
  list.AddRectFilled(left_top(boxes.corner), right_bottom(ruler), theme->panel);
  std::vector<RulerGap> gaps = flags.place(*this, bookmarks);
  const std::vector<RulerGap> letters = saved_range_gaps(*this);
  gaps.insert(gaps.end(), letters.begin(), letters.end());
  draw_ruler(list, view, ticks, left_top(ruler), right_bottom(ruler), gaps, *theme, scale);
  const ImVec2 at{boxes.corner.left + px(12),
                  std::floor(ruler.top + (ruler.height() - ImGui::GetFontSize()) / 2)};
  const float room = boxes.corner.width() - px(24);
  if (ticks.relative) {
    draw_elided(list, at, room, theme->text, base_text(ticks) + " +");
  } else {
    const auto length = static_cast<std::int64_t>(std::min(9e18, view.end_ns() - view.begin_ns));
    draw_elided(list, at, room, theme->text_dim, filled(Text::ruler_in_view, {text_from_duration(length)}));
  }
  const float y = ruler.bottom - 0.5F;
  list.AddLine({boxes.all.left, y}, {boxes.tracks.right, y}, theme->border);
  list.AddLine({ruler.left - 0.5F, ruler.top}, {ruler.left - 0.5F, ruler.bottom}, theme->border);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Box below{ruler.left, ruler.top, ruler.right, boxes.tracks.bottom};
  if (below.contains(mouse.x, mouse.y) &&
      ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
    const float x = std::floor(mouse.x) + 0.5F;
    list.AddLine({x, ruler.bottom - px(10)}, {x, ruler.bottom}, theme->accent, std::max(1.0F, px(1)));
  }
}

void TimelinePanel::State::note_mouse() {
  mouse_time_ns.reset();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Box timed{boxes.ruler.left, boxes.ruler.top, boxes.ruler.right, boxes.tracks.bottom};
  if (!timed.contains(mouse.x, mouse.y)) return;
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) return;
  mouse_time_ns = navigation.view().ns_from_px(mouse.x - boxes.tracks.left);
}

void TimelinePanel::State::draw_scrollbars(ImDrawList& list) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const bool pinned : {false, true}) {
    const auto bar = scrollbar_of(*this, pinned);
    if (!bar) continue;
    const bool near = bar->box.contains(mouse.x, mouse.y);
    const float inset = near ? px(2) : px(4);
    list.AddRectFilled({bar->box.left + inset, bar->thumb_top + px(2)},
                       {bar->box.right - px(2), bar->thumb_top + bar->thumb_px - px(2)},
                       ImGui::GetColorU32(near ? ImGuiCol_ScrollbarGrabHovered : ImGuiCol_ScrollbarGrab),
                       px(4));
  }
}

void TimelinePanel::State::add_pages() {
  const TimelineHost host{*this, page_requests, look, bookmarks.trace_path(), pool, wake};
  pages.add<EventPage>(host, event_details);
  tables = &pages.add<TablesPage>(host, [this] { return steps.steps(); });
  range_page = &pages.add<RangePage>(host);
  pages.add<FlamePage>(host);
  pages.add<HitsPage>(host, hits);
  pages.add<BookmarksPage>(host, bookmarks, flags);
  sql = &pages.add<SqlPage>(host, event_details);
  summary = &pages.add<SummaryPage>(host, *tables);
  pages.add<ComparePage>(host);
  inspector.emplace(host, event_details, *tables);
}

void TimelinePanel::State::find_annotations() {
  if (annotations->streams.empty()) return;
  annotating.start(pool, wake, [shown = trace](const std::stop_token& stop) {
    return std::make_shared<const StreamAnnotations>(stream_annotations(*shown, stop));
  });
}

void TimelinePanel::State::poll_annotations() {
  if (const auto* const found = annotating.poll()) take_annotations(*found);
  if (!annotating.failed()) return;
  annotating.reset();
  take_annotations(nullptr);  // they are shown as rows
}

std::optional<OverviewStrip::Mark> TimelinePanel::State::worst_example() const {
  const Findings* const findings = verdict.findings();
  if (findings == nullptr || findings->list.empty() || findings->list.front().examples.empty()) return {};
  const Finding& first = findings->list.front();
  return OverviewStrip::Mark{first.examples.front().shown(), finding_color(first.kind, *theme),
                             filled(Text::overview_worst, {in_language(text_of(first.kind))})};
}

void TimelinePanel::State::apply_page_requests() {
  const TimelineRequests requested = std::exchange(page_requests, {});
  if (requested.remove_result_tracks) added.forget_results();
  if (requested.result_track != nullptr) added.add_result(requested.result_track);
  if (!requested.find.empty()) look_for(requested.find);
  if (!requested.sql.empty()) sql->ask(requested.sql);
  if (requested.set_bookmark) flags.set(*this, bookmarks);
  if (requested.import_bookmarks) requests.emplace_back(ImportBookmarks{});
  if (requested.save_note) save_note();
  if (requested.ledger_row) requests.emplace_back(ShowLedger{*requested.ledger_row});
  if (requested.show_quality) requests.emplace_back(ShowQuality{});
  if (!requested.compare_with.empty()) requests.emplace_back(CompareWith{requested.compare_with});
  if (requested.save_report) requests.emplace_back(SaveReport{});
  const PlacedBookmark* chosen =
      requested.go_to_bookmark != 0 ? bookmarks.find(requested.go_to_bookmark) : nullptr;
  if (chosen != nullptr) flags.go_to(*this, *chosen);
}

void TimelinePanel::State::handle_ranges() {
  range_chip.handle(*this);
  if (range_gesture.handle(*this)) {
    drawer.page = drawer_page::kRange;
    drawer.open = drawer.open || !drawer.refused;
  }
  // The steps are handled after the edges of the range, which overlap the steps and must be placed first.
  steps.handle(*this, keyboard);
  overview.handle(*this);
}

void TimelinePanel::State::handle_history() {
  const bool back = keyboard && command_pressed(CommandId::undo_view);
  const bool forward = keyboard && command_pressed(CommandId::redo_view);
  constexpr ImGuiMouseButton kBackButton = 3;
  constexpr ImGuiMouseButton kForwardButton = 4;
  const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  std::optional<TimeView> place;
  if (back || (over && ImGui::IsMouseClicked(kBackButton))) place = history.undo();
  if (forward || (over && ImGui::IsMouseClicked(kForwardButton))) place = history.redo();
  if (place) navigation.go_to(*place);
  const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Middle);
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  history.note(navigation.view(), navigation.moving() || held, now);
}

void TimelinePanel::State::draw_tracks(ImDrawList& list, const PageFrame& frame) {
  State& state = *this;
  const float window_bottom = boxes.scrollbar.bottom;
  list.AddRectFilled({boxes.headers.left, boxes.headers.bottom}, {boxes.headers.right, window_bottom},
                     theme->panel);
  list.AddRectFilled({boxes.tracks.left, boxes.tracks.bottom}, {boxes.tracks.right, window_bottom},
                     theme->track_area);
  state.canvas.draw(list, state, {{painted_hits.get(), legend.dims_brackets()}, legend.chosen()},
                    *state.theme);
  draw_track_headers(list, state, *state.theme);
  state.input.drag().draw(list, state, *state.theme);
  state.flags.draw_in_tracks(list, state, state.bookmarks, *state.theme);
  state.flows.draw(list, state, *state.theme);
  state.distances.draw(list, state, *state.theme);
  state.range_chip.draw(list, state, *state.theme);
  state.draw_top_row(list);
  draw_saved_ranges(list, state, *state.theme);
  state.steps.draw(list, state, *state.theme);
  state.range_gesture.draw(list, state, *state.theme);
  state.overview.draw(list, state, state.steps.ranges(),
                      state.hits.hits_per_bin(state.trace->content, state.overview.columns()),
                      worst_example(), *state.theme);
  state.flags.draw_flags(list, state, state.bookmarks, *state.theme);
  const Box& ruler = state.boxes.ruler;
  draw_linked_time(list, state.navigation.view(), {ruler.left, ruler.bottom - state.px(10)},
                   {ruler.right, state.boxes.tracks.bottom}, frame.other_time_ns, *state.theme, state.scale);
  state.draw_scrollbars(list);
  state.draw_search();
  state.track_bar.draw(state, *state.theme);
  state.sharing.draw(list, state);
  state.cards.note(state, state.input.hovered_part(), frame.delta_seconds);
  state.legend.draw(list, state, state.look, *state.theme);
  state.cards.draw(state, state.look, *state.theme);
  state.canvas.folded().draw_card(state);
  state.canvas.idle().draw_card(state, *state.theme);
}

}  // namespace kino
