#include "app/pages/timeline/timeline_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/pages/timeline/timeline_marks.hpp"
#include "app/pages/timeline/timeline_panel_state.hpp"
#include "app/pages/timeline_drawer/timeline_views.hpp"
#include "app/ui/commands/held_keys.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/search/search_fields.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/view_carry.hpp"
#include "core/base/platform/thread_clock.hpp"
#include "core/base/terminal_text.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/ledger/gpu_idle.hpp"

namespace kino {

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
  state.drag_selects = frame.drag_selects;
  state.update_look(*frame.theme, frame.look);
  state.steps.update(state);
  state.poll_annotations();
  state.canvas.update(state, state.painted_hits != nullptr);
  const std::array<bool, kIdleReasonCount> reasons =
      state.idle_band ? state.canvas.idle().reasons() : std::array<bool, kIdleReasonCount>{};
  if (state.legend.show_reasons(reasons, *state.theme)) state.set_palette();
  state.added.update();
  const bool taken = frame.active && state.handle_search_keys();
  state.track_bar.handle_keys(state, frame.keyboard);
  if (state.layout_stale) state.added.note_change();
  state.verdict.update(state, frame.splitters, size.y);
  state.inspector->handle_keys(frame.splitters, frame.keyboard);
  state.place(at.x, at.y, size.x, size.y);
  state.added.keep(false);
  state.flags.handle(state, state.bookmarks, frame.keyboard);
  state.flows.handle_pills(state, state.range_chip.box(), frame.delta_seconds);
  state.handle_ranges();
  if (frame.keyboard) state.pages.handle_keys();
  state.pages.update();
  state.inspector->update(frame.delta_seconds);
  state.handle_sharing();
  show_first_note();
  state.canvas.folded().note_mouse(state);
  if (state.legend.handle(state)) state.set_palette();
  state.input.handle(state, frame.keyboard && !taken);
  state.canvas.folded().follow_click(state);
  if (const auto pressed = state.input.range_drag()) state.range_gesture.begin_on_tracks(state, *pressed);
  if (state.input.measure_clicked())
    state.distances.measure(state, state.range_gesture.measured_at_mouse(state));
  state.handle_slice_commands();
  state.handle_history();
  state.flows.handle_keys(state, frame.keyboard);
  if (!state.drawer.fills()) move_by_keys(state.navigation, state.boxes.tracks, frame);
  state.scroll.step(frame.delta_seconds);
  state.pinned_scroll.step(frame.delta_seconds);

  state.note_mouse();
}

void TimelinePanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  const double cpu_begin = thread_cpu_ms();
  handle_input(frame, at, size);
  State& state = *state_;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (!state.drawer.fills()) state.draw_tracks(list, frame);
  if (state.verdict.draw(state, *state.tables, frame.splitters, *state.theme))
    state.requests.emplace_back(OpenSiblings{});
  const DrawContext look{*state.theme, state.scale, state.keyboard};
  state.inspector->draw(frame.splitters, look);
  state.pages.draw(state.boxes.drawer, look, state.drawer.fills() ? facts() : std::vector<PageFact>());
  state.apply_page_requests();
  state.flags.draw_editor(state, state.bookmarks, *state.theme);
  state.own_cpu_ms = thread_cpu_ms() - cpu_begin;
}

bool TimelinePanel::wants_frames() const {
  const State& state = *state_;
  return state.navigation.moving() || state.scroll.moving() || state.pinned_scroll.moving() ||
         state.layout_stale || state.reveal_selection || state.follow_selection || state.look_stale() ||
         state.search.opening() || state.pages.wants_frames() || state.inspector->wants_frames() ||
         !state.canvas.labels_fresh() || state.range_gesture.panning() || state.flows.wants_frames() ||
         state.cards.wants_frames(state) || held_keys(state.keyboard).any();
}

bool TimelinePanel::complete() const {
  const State& state = *state_;
  return state.canvas.complete() && state.added.complete() && !state.bookmarks.busy() &&
         state.look.complete() && state.pages.complete() && state.overview.complete() &&
         state.steps.complete() && !state.hits.running() && !state.hits.finding_names() &&
         state.matched.complete() && state.slice_commands.complete() && state.sharing.complete() &&
         state.verdict.complete() && state.inspector->complete() && !state.annotating.running();
}

void TimelinePanel::carry_from(const TimelinePanel& other) {
  const State& from = *other.state_;
  State& to = *state_;
  const Arrangement remembered = to.arrangement;
  carry_view(from, to);
  to.track_bar = from.track_bar;
  if (to.arrangement != remembered) to.added.note_change();
  to.added.keep(true);  // before packed streams arrive, which recall the saved arrangement
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
DrawerChoice* TimelinePanel::drawer_choice() { return &state_->drawer; }
void TimelinePanel::remember_tracks(const std::filesystem::path& file, bool keeps) {
  state_->added.remember(file, keeps);
}
std::vector<PageFact> TimelinePanel::facts() const {
  const Findings* const findings = state_->verdict.findings();
  std::string base;
  if (findings != nullptr && findings->base.mean_ns > 0)
    base = escaped(in_language(findings->base.text(findings->device)));
  return trace_facts(*state_->trace, base);
}
std::vector<PageScope> TimelinePanel::scopes() const { return state_->tables->scopes(); }
void TimelinePanel::choose_scope(std::size_t scope) { state_->tables->choose_scope(scope); }
std::string TimelinePanel::scope_title() const { return state_->tables->scope_title(); }
void TimelinePanel::fit_all() { state_->navigation.fit_all(); }
void TimelinePanel::fit_selection() { state_->fit_selection(); }
void TimelinePanel::show(TimeRange range) { state_->navigation.show(range); }
void TimelinePanel::select(SliceId slice) { state_->choose({slice, kNoInstant}, true); }

void TimelinePanel::search_for(const std::string& query) {
  state_->search.look_for(query, state_->hits);
  state_->search_open = state_->search.is_open();
}
Page::Searched TimelinePanel::searched() const {
  return {state_->search.last_query(), state_->search.is_open()};
}
void TimelinePanel::find_first(const std::string& query) {
  search_for(query);
  state_->hits.step(kNoSlice, state_->trace->content.begin_ns, 1);
}
const FoundNames* TimelinePanel::names_like(const std::string& query) { return state_->hits.names(query); }
SearchCompletions TimelinePanel::completions(const std::string& query) {
  return search_completions(query, query.size(), false, *state_->trace, state_->hits.fields());
}
void TimelinePanel::run_sql(const std::string& sql) { state_->sql->ask(sql); }
const Steps* TimelinePanel::steps() const { return state_->steps.steps(); }
void TimelinePanel::go_to_step(std::size_t step) { state_->steps.show(*state_, step); }
void TimelinePanel::go_to_time(std::int64_t time_ns) {
  constexpr std::int64_t kContentParts = 20;
  const TimeView& view = state_->navigation.target();
  const std::int64_t most = std::max<std::int64_t>(2, state_->trace->content.length_ns() / kContentParts);
  const auto shown = static_cast<std::int64_t>(std::min(9e18, view.end_ns() - view.begin_ns));
  const std::int64_t half = std::clamp<std::int64_t>(shown, 2, most) / 2;
  state_->navigation.fit({time_ns - half, time_ns + half}, 0);
}

void TimelinePanel::show_page(std::string_view id) { state_->drawer.show(id); }
void TimelinePanel::show_table(std::string_view name) {
  if (name == kSummaryTable.name) return show_summary(*state_);
  state_->tables->choose(name);
  show_page(drawer_page::kTables);
}
std::string TimelinePanel::device_word() const { return kino::device_word(*state_->trace); }
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
std::string TimelinePanel::headline() const {
  const Findings* const findings = state_->verdict.findings();
  return findings != nullptr ? verdict_headline(*findings) : std::string();
}
std::string TimelinePanel::verdict_text() const {
  const Findings* const findings = state_->verdict.findings();
  return findings != nullptr ? text_of(verdict_texts(*findings, Theme::make(true))) : std::string();
}

void TimelinePanel::analyze() {
  state_->verdict.start(state_->trace, state_->pool, state_->wake);
  state_->inspector->start();
  state_->summary->start();
  state_->tables->count_rows(state_->trace->slice_count() <= kMostSlicesSummed);
}

void TimelinePanel::offer_job(std::size_t ranks, bool more) { state_->verdict.offer_job(ranks, more); }

std::vector<PageView> TimelinePanel::views() const { return timeline_views(*state_, state_->pages); }
void TimelinePanel::show_view(std::string_view id) { show_timeline_view(id, *state_); }
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
  const FoldedPasses& folded = state.canvas.folded();
  Json blocks = Json::array();
  for (const ShownBlock& block : folded.shown(state)) {
    blocks.push_back({{"label", folded.label_of(*block.block)},
                      {"box", {block.box.left, block.box.top, block.box.right, block.box.bottom}}});
  }
  json["folded"] = {{"on", state.arrangement.layers_folded}, {"note", folded.note()}, {"blocks", blocks}};
  json["pointing"] = {{"chip", state.range_chip.test_state()},
                      {"distances", state.distances.test_state(*state.trace)},
                      {"chain", state.flows.outline().test_state(*state.trace)}};
  state.canvas.idle().write_test_state(json, state);
  state.legend.write_test_state(json);
  state.pages.write_test_state(json);
  state.verdict.write_test_state(json);
  state.inspector->write_test_state(json);
}
double TimelinePanel::frame_cpu_ms() const { return state_->own_cpu_ms + draw_stats().cpu_ms; }

}  // namespace kino
