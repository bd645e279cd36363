#include "app/pages/timeline/timeline_panel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/query/sql_page.hpp"
#include "app/pages/timeline/added_tracks.hpp"
#include "app/pages/timeline/color_legend.hpp"
#include "app/pages/timeline/flow_view.hpp"
#include "app/pages/timeline/hover_card.hpp"
#include "app/pages/timeline/overview_strip.hpp"
#include "app/pages/timeline/range_gesture.hpp"
#include "app/pages/timeline/step_ruler.hpp"
#include "app/pages/timeline/timeline_input.hpp"
#include "app/pages/timeline/timeline_marks.hpp"
#include "app/pages/timeline/timeline_sharing.hpp"
#include "app/pages/timeline/track_bar.hpp"
#include "app/pages/timeline/track_canvas.hpp"
#include "app/pages/timeline/track_headers.hpp"
#include "app/pages/timeline_drawer/bookmarks_page.hpp"
#include "app/pages/timeline_drawer/compare_page.hpp"
#include "app/pages/timeline_drawer/event_page.hpp"
#include "app/pages/timeline_drawer/flame_page.hpp"
#include "app/pages/timeline_drawer/hits_page.hpp"
#include "app/pages/timeline_drawer/range_page.hpp"
#include "app/pages/timeline_drawer/tables_page.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/bookmarks/bookmark_flags.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/commands/held_keys.hpp"
#include "app/ui/details/slice_commands.hpp"
#include "app/ui/drawer/drawer.hpp"
#include "app/ui/search/search_bar.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/view/matched_rows.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/view/view_carry.hpp"
#include "app/ui/view/view_history.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/platform/thread_clock.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/trace_tables.hpp"

namespace kino {

struct TimelinePanel::State : TimelineState {
  State(std::shared_ptr<const Trace> shown_trace, std::shared_ptr<const EventDetails> its_details,
        Bookmarks& its_bookmarks, WorkerPool& its_pool, std::function<void()> its_wake)
      : TimelineState(std::move(shown_trace)),
        event_details(std::move(its_details)),
        bookmarks(its_bookmarks),
        pool(its_pool),
        wake(std::move(its_wake)),
        look(trace, pool, wake),
        canvas(trace, look, pool, wake),
        added(*this, event_details, canvas.renderer(), pool, wake),
        slice_commands(trace, event_details, pool, wake),
        hits(trace, event_details, pool, wake),
        matched(trace, pool, wake),
        overview(trace, pool, wake),
        steps(trace, pool, wake),
        sharing(event_details, its_bookmarks.trace_path(), pool, wake),
        pages(drawer) {
    add_pages();
  }

  void add_pages();

  std::shared_ptr<const EventDetails> event_details;
  Bookmarks& bookmarks;
  WorkerPool& pool;
  std::function<void()> wake;
  BookmarkFlags flags;
  std::vector<PageRequest> requests;
  TimelineInput input;
  SliceStyle look;
  TrackCanvas canvas;
  AddedTracks added;
  ColorLegend legend;
  SliceCommands slice_commands;
  FlowView flows;
  SearchHits hits;
  MatchedRows matched;
  std::string opened_query;  // last query whose first hit opened the selection page
  SearchBar search;
  TrackBar track_bar;
  BackgroundResult<DataQualityReport> trust;
  OverviewStrip overview;
  StepRuler steps;
  RangeGesture range_gesture;
  TimelineSharing sharing;
  std::optional<Note> first_note;  // not shown yet
  TimelineRequests page_requests;
  Drawer pages;
  RangePage* range_page = nullptr;
  TablesPage* tables = nullptr;
  SqlPage* sql = nullptr;
  ViewHistory history;
  std::optional<Theme> theme;  // of the newest frame
  std::shared_ptr<const SliceSet> painted_hits;
  bool keyboard = true;
  std::optional<double> mouse_time_ns;
  double own_cpu_ms = 0;
  HoverCards cards;

  void update_look(const Theme& now, const ColorOptions& wanted);
  std::shared_ptr<const SliceSet> emphasised_hits() const {
    // A selected row takes precedence over an open search.
    if (auto of_row = tables->highlighted()) return of_row;
    return hits.answer() != nullptr ? hits.answer()->emphasised() : nullptr;
  }
  /// Returns whether the search has changed since the renderer was updated.
  bool look_stale() const {
    return painted_hits != emphasised_hits() || only_matches != search.only_matches();
  }
  void draw_top_row(ImDrawList& list);
  void note_mouse();
  void apply_page_requests();
  void handle_sharing();
  Note whole_note() const;
  void save_note();
  void look_for(const std::string& query);
  void draw_scrollbars(ImDrawList& list) const;
  /// Handles the keys of the search. Returns true if a key closed the search, because other views use the
  /// same key.
  bool handle_search_keys();
  void act_on(const SearchBar::Actions& actions);
  void draw_search();
  void handle_slice_commands();
  void act_on(const SliceCommands::Actions& actions);
  void handle_ranges();
  void handle_history();
};

void TimelinePanel::State::update_look(const Theme& now, const ColorOptions& wanted) {
  const bool surface = !theme || theme->dark != now.dark;
  theme = now;
  if (surface) canvas.renderer().set_surface_colors(theme->track_area, theme->counter, theme->instant);
  hits.poll();
  const std::shared_ptr<const SliceSet> emphasised = emphasised_hits();
  const SliceStyle::Change change = look.update(wanted, *theme);
  if (change == SliceStyle::Change::keys || emphasised != painted_hits) {
    painted_hits = emphasised;
    canvas.renderer().set_paint({look.keys(), emphasised}, look.palette());
  } else if (change == SliceStyle::Change::palette) {
    canvas.renderer().set_palette(look.palette());
  }
  if (change != SliceStyle::Change::nothing) legend.refresh(look);
  if (layout_stale) {
    for (const TrackStyle& style : arrangement.tracks) {
      if (!style.title.empty()) bookmarks.add_glyphs(style.title);
    }
  }
  legend_shown = look.shown_mode() != ColorMode::name;
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
    if (std::exchange(opened_query, hits.query()) != hits.query() && !listed)
      drawer.page = drawer_page::kSelection;
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
  list.AddLine({boxes.all.left, y}, {boxes.all.right, y}, theme->border);
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
  range_page = &pages.add<RangePage>(host);
  pages.add<ComparePage>(host);
  tables = &pages.add<TablesPage>(host, [this] { return steps.steps(); });
  pages.add<FlamePage>(host);
  pages.add<HitsPage>(host, hits);
  pages.add<BookmarksPage>(host, bookmarks, flags);
  sql = &pages.add<SqlPage>(host, event_details);
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
  const PlacedBookmark* chosen =
      requested.go_to_bookmark != 0 ? bookmarks.find(requested.go_to_bookmark) : nullptr;
  if (chosen != nullptr) flags.go_to(*this, *chosen);
}

void TimelinePanel::State::handle_ranges() {
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

TimelinePanel::TimelinePanel(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                             Bookmarks& bookmarks, WorkerPool& pool, const std::function<void()>& wake)
    : state_(std::make_unique<State>(std::move(trace), std::move(details), bookmarks, pool, wake)) {
  bookmarks.set_trace(state_->trace);
}

TimelinePanel::~TimelinePanel() { state_->added.close(); }

// Handles the input of a frame. A panel that replaces this one uses the same ImGui ids, so that a text field
// keeps its cursor.
void TimelinePanel::handle_input(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.scale = frame.scale;
  state.framebuffer_scale = frame.framebuffer_scale;
  state.keyboard = frame.keyboard;
  state.update_look(*frame.theme, frame.look);
  state.steps.update(state);
  state.canvas.update(state);
  state.added.update();
  const bool taken = frame.active && state.handle_search_keys();
  state.track_bar.handle_keys(state, frame.keyboard);
  if (state.layout_stale) state.added.note_change();
  state.place(at.x, at.y, size.x, size.y);
  state.added.keep(false);
  state.flags.handle(state, state.bookmarks, frame.keyboard);
  state.handle_ranges();
  if (frame.keyboard) state.pages.handle_keys();
  state.pages.update();
  state.handle_sharing();
  show_first_note();
  state.input.handle(state, frame.keyboard && !taken);
  state.handle_slice_commands();
  state.handle_history();
  state.flows.handle_keys(state, frame.keyboard);
  move_by_keys(state.navigation, state.boxes.tracks, frame);
  state.scroll.step(frame.delta_seconds);
  state.pinned_scroll.step(frame.delta_seconds);

  state.note_mouse();
}

void TimelinePanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  const double cpu_begin = thread_cpu_ms();
  handle_input(frame, at, size);
  State& state = *state_;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  state.canvas.draw(list, state, *state.theme);
  draw_track_headers(list, state, *state.theme);
  state.input.drag().draw(list, state, *state.theme);
  state.flags.draw_in_tracks(list, state, state.bookmarks, *state.theme);
  state.flows.draw(list, state, *state.theme);
  state.draw_top_row(list);
  draw_saved_ranges(list, state, *state.theme);
  state.steps.draw(list, state, *state.theme);
  state.range_gesture.draw(list, state, *state.theme);
  state.overview.draw(list, state, state.steps.ranges(),
                      state.hits.hits_per_bin(state.trace->content, state.overview.columns()), *state.theme);
  state.flags.draw_flags(list, state, state.bookmarks, *state.theme);
  const Box& ruler = state.boxes.ruler;
  draw_linked_time(list, state.navigation.view(), {ruler.left, ruler.bottom - state.px(10)},
                   {ruler.right, state.boxes.tracks.bottom}, frame.other_time_ns, *state.theme, state.scale);
  state.draw_scrollbars(list);
  state.sharing.draw(list, state);
  state.draw_search();
  state.track_bar.draw(state, *state.theme);
  state.cards.note(state, state.input.hovered_part(), frame.delta_seconds);
  state.legend.draw(list, state, state.look, *state.theme);
  state.cards.draw(state, state.look, *state.theme);
  state.pages.draw(state.boxes.drawer, {*state.theme, state.scale, state.keyboard});
  state.apply_page_requests();
  state.flags.draw_editor(state, state.bookmarks, *state.theme);
  state.own_cpu_ms = thread_cpu_ms() - cpu_begin;
}

bool TimelinePanel::wants_frames() const {
  const State& state = *state_;
  return state.navigation.moving() || state.scroll.moving() || state.pinned_scroll.moving() ||
         state.layout_stale || state.reveal_selection || state.follow_selection || state.look_stale() ||
         state.search.opening() || state.pages.wants_frames() || !state.canvas.labels_fresh() ||
         state.range_gesture.panning() || state.cards.wants_frames(state) || held_keys(state.keyboard).any();
}

bool TimelinePanel::complete() const {
  const State& state = *state_;
  return state.canvas.complete() && state.added.complete() && !state.bookmarks.busy() &&
         state.look.complete() && state.pages.complete() && state.overview.complete() &&
         state.steps.complete() && !state.hits.running() && state.matched.complete() &&
         state.slice_commands.complete() && state.sharing.complete();
}

void TimelinePanel::carry_from(const TimelinePanel& other) {
  const State& from = *other.state_;
  State& to = *state_;
  const Arrangement remembered = to.arrangement;
  carry_view(from, to);
  to.track_bar = from.track_bar;
  if (to.arrangement != remembered) to.added.note_change();
  to.added.keep(true);  // must precede the packed streams, which recall the saved arrangement
  to.search = from.search;
  to.history = from.history;
  to.history.shift(static_cast<double>(time_shift_ns(*from.trace, *to.trace)));
  to.flows.show_all_in_view(from.flows.all_in_view());
  to.range_page->take_choice(*from.range_page);
  to.tables->take_choice(*from.tables);
}

std::vector<PageRequest> TimelinePanel::take_requests() { return std::exchange(state_->requests, {}); }
bool TimelinePanel::searching() const { return state_->hits.running(); }
bool TimelinePanel::moving() const { return state_->navigation.moving(); }
std::span<const TableInfo* const> TimelinePanel::tables() const { return table_kinds(); }
bool TimelinePanel::marks(CommandId command) const { return has_mark(*state_, command); }
float* TimelinePanel::header_width() { return &state_->header_width; }
float* TimelinePanel::drawer_height() { return &state_->drawer_height; }
void TimelinePanel::remember_tracks(const std::filesystem::path& file, bool keeps) {
  state_->added.remember(file, keeps);
}
void TimelinePanel::fit_all() { state_->navigation.fit_all(); }
void TimelinePanel::fit_selection() { state_->fit_selection(); }
void TimelinePanel::show(TimeRange range) { state_->navigation.show(range); }
void TimelinePanel::select(SliceId slice) { state_->choose({slice, kNoInstant}, true); }

void TimelinePanel::show_page(std::string_view id) { state_->drawer.show(id); }
void TimelinePanel::show_table(std::string_view name) {
  state_->tables->choose(name);
  show_page(drawer_page::kTables);
}
void TimelinePanel::set_others(std::vector<CountersOfRun> others) {
  state_->added.set_others(std::move(others));
}
AddedTracks::TracksOutOfMemory TimelinePanel::refused() const { return state_->added.refused(); }
void TimelinePanel::reset_refused() { state_->added.reset_refused(); }
Moment TimelinePanel::moment() const { return moment_of(*state_); }
void TimelinePanel::go_to(const Moment& moment) { go_to_moment(*state_, moment); }
void TimelinePanel::open_note(const Note& note) {
  State& state = *state_;
  kino::open_note(state, state.search, state.hits, note);
  state.added.note_change();
}
void TimelinePanel::show_first_note() {
  if (!state_->first_note || !laid_out()) return;
  const Note note = *std::exchange(state_->first_note, std::nullopt);
  open_note(note);
  state_->bookmarks.add_missing(note.bookmarks);
}
void TimelinePanel::show_first(Note note) { state_->first_note = std::move(note); }
void TimelinePanel::pack_by(PackCapsule pack) { state_->sharing.pack_by(std::move(pack)); }
bool TimelinePanel::laid_out() const { return state_->boxes.tracks.width() > 0; }
bool TimelinePanel::editing_bookmark() const { return state_->flags.editing(); }

const DataQualityReport* TimelinePanel::data_quality_report() {
  State& state = *state_;
  state.trust.poll();
  if (state.trust.value() == nullptr && !state.trust.running() && !state.trust.failed()) {
    state.trust.start(state.pool, state.wake, [shown = state.trace](const std::stop_token& stop) {
      return kino::data_quality_report(*shown, stop);
    });
  }
  return state.trust.value();
}

std::optional<TimePane> TimelinePanel::time_pane() const {
  State& state = *state_;
  return TimePane{&state.navigation,   &state.marked,           clock_of(*state.trace),  true,
                  state.mouse_time_ns, state.boxes.tracks.left, state.boxes.tracks.right};
}
SliceId TimelinePanel::selection() const { return state_->selection.slice; }
const TimelineState& TimelinePanel::shown() const { return *state_; }
const SliceStyle& TimelinePanel::look() const { return state_->look; }
const SearchHits& TimelinePanel::hits() const { return state_->hits; }
const DrawStats& TimelinePanel::draw_stats() const { return state_->canvas.stats(); }
void TimelinePanel::write_test_state(nlohmann::ordered_json& json) const {
  using Json = nlohmann::ordered_json;
  const State& state = *state_;
  const SearchResult* answer = state.hits.answer();
  const bool found = answer != nullptr && answer->query;
  const auto hit_index = state.hits.place_of(state.selection.slice);
  Json offered = Json::array();
  for (const SearchCompletion& one : state.search.offered().list) offered.push_back(one.text);
  json["search"] = {{"open", state.search_open},
                    {"query", state.hits.query()},
                    {"typing", state.search.typing()},
                    {"only_matches", state.only_matches},
                    {"offered", std::move(offered)},
                    {"hits", found ? Json(answer->total) : Json()},
                    {"error", answer != nullptr ? Json(answer->error.str()) : Json()},
                    {"error_at", answer != nullptr && answer->error_at ? Json(*answer->error_at) : Json()},
                    {"current", hit_index ? Json(*hit_index) : Json()}};
  state.pages.write_test_state(json);
}
double TimelinePanel::frame_cpu_ms() const { return state_->own_cpu_ms + draw_stats().cpu_ms; }

}  // namespace kino
