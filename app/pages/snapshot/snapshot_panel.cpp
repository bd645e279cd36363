#include "app/pages/snapshot/snapshot_panel.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/pages/memory_plot/band_labels.hpp"
#include "app/pages/memory_plot/category_legend.hpp"
#include "app/pages/memory_plot/memory_plot.hpp"
#include "app/pages/memory_plot/plot_picture.hpp"
#include "app/pages/memory_plot/run_lane.hpp"
#include "app/pages/memory_plot/step_ticks.hpp"
#include "app/pages/memory_plot/treemap_view.hpp"
#include "app/pages/snapshot/plot_input.hpp"
#include "app/pages/snapshot/snapshot_bar.hpp"
#include "app/pages/snapshot/snapshot_finder.hpp"
#include "app/pages/snapshot/snapshot_inspector.hpp"
#include "app/pages/snapshot/snapshot_json.hpp"
#include "app/pages/snapshot/snapshot_marks.hpp"
#include "app/pages/snapshot/snapshot_overlay.hpp"
#include "app/pages/snapshot/snapshot_verdict_strip.hpp"
#include "app/pages/snapshot_drawer/allocation_colors.hpp"
#include "app/pages/snapshot_drawer/allocation_page.hpp"
#include "app/pages/snapshot_drawer/categories_page.hpp"
#include "app/pages/snapshot_drawer/data_quality_page.hpp"
#include "app/pages/snapshot_drawer/live_flame_page.hpp"
#include "app/pages/snapshot_drawer/live_page.hpp"
#include "app/pages/snapshot_drawer/oom_page.hpp"
#include "app/pages/snapshot_drawer/segments_page.hpp"
#include "app/pages/snapshot_drawer/snapshot_tables_page.hpp"
#include "app/pages/what_if/what_if_page.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/commands/held_keys.hpp"
#include "app/ui/drawer/drawer.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/unix_clock.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"

namespace kino {

struct SnapshotPanel::State : SnapshotState {
  State(const std::shared_ptr<const Snapshot>& shown, const std::filesystem::path& file, WorkerPool& pool,
        const std::function<void()>& wake)
      : SnapshotState(shown),
        plot(shown, pool, wake),
        treemap(shown, pool, wake),
        finder(shown, pool, wake),
        picture(shown, file, pool, wake),
        capsule(file, pool, wake),
        overlay(pool, wake),
        run(pool, wake),
        colors(*this, plot, pool, wake),
        verdict(pool, wake),
        inspector(pool, wake),
        pages(drawer) {
    add_pages({*this, page_requests, facts, colors, run, file, pool, wake});
    if (any() && shown->source == SnapshotSource::memory_timeline) {
      // A memory timeline has categories and times but no stacks.
      colors.set_coloring(BandColoring::category);
      show_axis(SnapshotAxisKind::time);
    }
    trace_text = [this](EventIndex event) { return run.text_at(*this, event); };
  }

  void handle_keys();
  void handle_layout_keys();
  void save_svg();
  void handle_input(const PageFrame& frame);
  void draw_plot(ImDrawList& list, const std::optional<double>& other_time_ns);
  void toggle_only_hits();
  void update_filter();
  void go_to_oom();
  SnapshotBarParts bar_parts() { return {*this, treemap, finder, picture, colors, theme}; }
  void draw_card() const;
  void add_pages(const SnapshotHost& host);
  void update_pages();
  void apply_page_requests();
  PlotSvgStyle svg_look() const;
  void follow(SnapshotFinder::Actions actions);
  double highest() const { return std::max(highest_in_sight(), overlay.highest_in_sight(*this)); }
  PeerContext company;  // other open documents, for this frame
  PlotInput input;
  MemoryPlot plot;
  TreemapView treemap;
  SnapshotFinder finder;
  PlotPicture picture;
  CapsuleExport capsule;
  SnapshotOverlay overlay;
  MatchingTraceLane run;
  AllocationColors colors;
  SnapshotVerdictStrip verdict;
  SnapshotInspector inspector;
  SnapshotRequests page_requests;
  SnapshotPageInput facts;
  Drawer pages;
  LiveFlamePage* flame = nullptr;
  SegmentsPage* segments = nullptr;
  SnapshotTablesPage* tables = nullptr;
  Theme theme;
  std::vector<CategoryLegendEntry> legend;  // empty: the plot has none
  bool keyboard = true;
  bool drawn = false;
};

// Moves to the next out-of-memory error, or from the last to the first, and opens their page.
void SnapshotPanel::State::go_to_oom() {
  const SnapshotMarkers* markers = plot.markers(*this);
  if (markers == nullptr || markers->ooms.empty()) return;
  const auto next = std::ranges::upper_bound(markers->ooms, cursor);
  go_to(next == markers->ooms.end() ? markers->ooms.front() : *next);
  drawer.show(drawer_page::kOom);
}

void SnapshotPanel::State::handle_keys() {
  if (command_pressed(CommandId::fit_all)) fit_all();
  if (command_pressed(CommandId::fit_selection)) fit_selection();
  if (command_pressed(CommandId::clear_selection) && drawer.fills()) {
    drawer.leave_full();
  } else if (command_pressed(CommandId::clear_selection)) {
    if (selected == kNoAllocation) finder.close();
    selected = kNoAllocation;
  }
  if (command_pressed(CommandId::go_to_peak)) go_to(peak().event);
  if (command_pressed(CommandId::compare_moments)) toggle_baseline();
  if (command_pressed(CommandId::go_to_oom)) go_to_oom();
  if (command_pressed(CommandId::show_kernel)) run.go_to(*this, cursor);
  if (command_pressed(CommandId::time_axis)) show_axis(next_axis());
  handle_layout_keys();
  if (command_pressed(CommandId::only_hits)) toggle_only_hits();
  if (command_pressed(CommandId::next_device)) show_device((device_index() + 1) % snapshot->devices.size());
  if (command_pressed(CommandId::save_png)) picture.request_png();
  if (command_pressed(CommandId::save_svg)) save_svg();
  if (command_pressed(CommandId::pack)) capsule.save({});
  if (command_pressed(CommandId::pack_redacted)) capsule.save({{}, {}, true, {}});
  if (command_pressed(CommandId::list_hits)) follow({0, true});
  pages.handle_keys();
  constexpr double kKeyZoom = 1.4;
  const float mouse_y = ImGui::GetIO().MousePos.y;
  const bool beside = mouse_y < boxes.plot.top || mouse_y >= boxes.plot.bottom;
  const double share = beside ? 0 : (boxes.plot.bottom - mouse_y) / boxes.plot.height();
  if (command_pressed(CommandId::zoom_bytes_in)) bytes.zoom_at(share, kKeyZoom);
  if (command_pressed(CommandId::zoom_bytes_out)) bytes.zoom_at(share, 1 / kKeyZoom);
}

void SnapshotPanel::State::toggle_only_hits() {
  only_hits = !only_hits;
  if (only_hits && !finder.is_open()) finder.show();
}

// Updates the filter of the plot. A closed search does not filter.
void SnapshotPanel::State::update_filter() {
  if (finder.update(device_index())) colors.note_hits();
  only_hits = only_hits && finder.is_open();
  const auto answer = finder.answer();
  const bool usable = only_hits && answer != nullptr && answer->device == device_index();
  filter = usable ? std::shared_ptr<const SnapshotHits>(answer, &answer->hits) : nullptr;
}

void SnapshotPanel::State::handle_layout_keys() {
  constexpr std::array kCommands = {
      CommandId::layout_stacked, CommandId::layout_stack, CommandId::layout_stream,   CommandId::layout_pool,
      CommandId::layout_segment, CommandId::layout_lanes, CommandId::layout_addresses};
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    if (command_pressed(kCommands[i])) show_layout(static_cast<PlotLayout>(i));
  }
  if (command_pressed(CommandId::next_layout)) show_layout(next_layout());
}

void SnapshotPanel::State::save_svg() {
  if (!only_segments()) {
    picture.start_svg(*this, svg_look(), overlay.question(*this));
  } else if (const TreemapResult* shown = treemap.answer(*this)) {
    picture.start_svg(*shown, svg_look());
  }
}

void SnapshotPanel::State::draw_card() const {
  if (hovered == kNoAllocation || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const Allocations& allocations = history().allocations;
  const auto i = static_cast<std::size_t>(hovered);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * scale);
  colored_text(theme.text, text_from_bytes(allocations.size[i]));
  ImGui::SameLine(0, 8 * scale);
  colored_text(theme.text_dim, grouped(allocations.size[i]) + " B");
  colored_text(theme.text, place_text(*snapshot, allocations, hovered));
  if (const AllocationCategories* categories = colors.told();
      categories != nullptr && i < categories->of_allocation.size()) {
    colored_text(theme.text_dim,
                 filled(Text::category_with_confidence,
                        {in_language(categories->name_of(i)), in_language(text_of(categories->sure[i]))}));
  }
  colored_text(theme.text_dim, age_text(device(), hovered, hovered_moment));
  if (allocations.free_requested[i] <= hovered_moment)
    colored_text(theme.warning, tr(Text::snapshot_pending));
  colored_text(theme.text_dim,
               filled(Text::snapshot_card_place,
                      {address_text(allocations.addr[i]), stream_text(*snapshot, allocations.stream[i]),
                       pool_text(*snapshot, allocations.pool[i])}));
  const std::uint64_t total = curve_at(device(), MemoryCurve::requested, hovered_moment);
  colored_text(theme.text_dim, filled(Text::snapshot_card_total, {text_from_bytes(total)}));
  if (const std::string words = run.text_at(*this, hovered_moment); !words.empty())
    colored_text(theme.text_dim, words);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void SnapshotPanel::State::follow(SnapshotFinder::Actions actions) {
  if (command_pressed(CommandId::next_found)) actions.step = 1;
  if (command_pressed(CommandId::previous_found)) actions.step = -1;
  if (actions.step != 0) {
    if (const auto next = finder.neighbor(*this, actions.step)) {
      selected = *next;
      go_to(history().allocations.begin[static_cast<std::size_t>(*next)]);
    }
  }
  if (!actions.show_list) return;
  const auto answer = finder.answer();
  tables->choose(answer != nullptr && answer->of_events ? "events" : "allocations");
  drawer.show(drawer_page::kTables);
}

// Returns a style that owns all its data, because a worker writes the picture.
PlotSvgStyle SnapshotPanel::State::svg_look() const {
  PlotSvgStyle look;
  look.background = theme.track_area;
  look.text = theme.text;
  look.grid = mixed(theme.track_area, theme.grid, (theme.grid >> 24U) / 255.0);
  look.title = snapshot_figures(*this, treemap);
  if (overlay.curves(*this) != nullptr)
    look.title += " · " + filled(Text::overlay_in_picture, {escaped(overlay.title())});
  if (bands != nullptr) {
    for (const BandStrip& strip : bands->strips) look.strips.push_back(strip_name(*this, strip));
  }
  std::vector<std::uint32_t> palette;
  for (std::uint32_t i = 0; i < 64; ++i) palette.push_back(plot.color_of(i));
  std::vector<std::uint8_t> painted;
  if (const BandPaint* paint = colors.paint()) painted = paint->of_allocation;
  const std::uint32_t gray = MemoryPlot::gray(theme);
  look.band = [palette = std::move(palette), painted = std::move(painted), gray, back = theme.track_area,
               free = MemoryPlot::free_color(theme)](const MemoryCell& cell) {
    if (cell.allocation == 0) return free;
    const std::uint32_t i = cell.allocation - 1;
    const std::uint8_t byte = i < painted.size() ? painted[i] : static_cast<std::uint8_t>(cell.key % 64U);
    std::uint32_t color = (byte & BandPaint::kGrey) != 0 ? gray : palette[byte & 63U];
    if ((cell.key & MemoryCell::kOlder) != 0) color = mixed(color, gray, 0.62);
    return (byte & BandPaint::kFaded) != 0 ? mixed(color, back, 0.78) : color;
  };
  return look;
}

void SnapshotPanel::State::add_pages(const SnapshotHost& host) {
  pages.add<AllocationPage>(host);
  pages.add<LivePage>(host);
  flame = &pages.add<LiveFlamePage>(host);
  segments = &pages.add<SegmentsPage>(host);
  tables = &pages.add<SnapshotTablesPage>(host);
  pages.add<CategoriesPage>(host);
  pages.add<OomPage>(host);
  pages.add<WhatIfPage>(host);
  pages.add<DataQualityPage>(host);
}

void SnapshotPanel::State::update_pages() {
  const auto answer = finder.answer();
  facts.found = finder.query();
  facts.found_events = answer != nullptr && answer->of_events;
  facts.hits = answer == nullptr   ? 0
               : answer->of_events ? answer->hits.events.size()
                                   : answer->hits.allocations.size();
  facts.others = company.others;
  facts.markers = plot.markers(*this);
  pages.update();
  colors.update(company.colors,
                answer == nullptr ? nullptr : std::shared_ptr<const SnapshotHits>(answer, &answer->hits));
}

void SnapshotPanel::State::apply_page_requests() {
  facts.others = {};  // valid in this frame only
  const SnapshotRequests requested = std::exchange(page_requests, {});
  if (requested.read_rules) colors.read_rules();
  if (!requested.find.empty()) finder.look_for(requested.find);
  if (requested.table.empty()) return;
  tables->choose(requested.table);
  drawer.show(drawer_page::kTables);
}

void SnapshotPanel::State::handle_input(const PageFrame& frame) {
  PlotInput::handle_splitter(*this);
  if (only_segments()) {
    treemap.handle_mouse(*this);
  } else {
    input.handle(*this, plot);
  }
  const SnapshotFinder::Actions found = finder.handle_keys(frame.keyboard);
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) handle_keys();
  follow(found);
  if (frame.keyboard && command_pressed(CommandId::overlay_other))
    overlay.next(company.others, company.adjacent_document);
  HeldMovement held = held_keys(frame.keyboard);
  if (held.fast) held.zoom = 0;  // with Shift, these keys zoom the bytes instead
  move_by_keys(navigation, boxes.plot, frame, held);
  overlay.update(*this, company.others);
  bytes.set_content(std::max(highest(), company.linked_highest_bytes));
}

void SnapshotPanel::State::draw_plot(ImDrawList& list, const std::optional<double>& other_time_ns) {
  input.note_mouse(*this);
  run.look(*this);
  plot.draw(list, *this, theme);
  draw_category_legend(list, *this, legend, theme);
  overlay.draw(list, *this, company.title, {plot.color_of(0), plot.color_of(1), plot.color_of(2)}, theme);
  run.draw(list, *this, theme);
  if (!axis().by_time()) return;
  const Box& ruler = boxes.ruler;
  draw_linked_time(list, navigation.view(), {ruler.left, ruler.bottom - px(10)},
                   {ruler.right, boxes.plot.bottom}, other_time_ns, theme, scale);
}

SnapshotPanel::SnapshotPanel(const std::shared_ptr<const Snapshot>& snapshot,
                             const std::filesystem::path& file, WorkerPool& pool,
                             const std::function<void()>& wake)
    : state_(std::make_unique<State>(snapshot, file, pool, wake)) {}

SnapshotPanel::~SnapshotPanel() = default;

void SnapshotPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.drawn = true;
  if (!state.any()) {
    ImGui::SetCursorScreenPos({at.x + 16 * frame.scale, at.y + 12 * frame.scale});
    colored_text(frame.theme->text_dim, tr(Text::snapshot_empty));
    return;
  }
  state.scale = frame.scale;
  state.framebuffer_scale = frame.framebuffer_scale;
  state.keyboard = frame.keyboard;
  if (const SnapshotMarkers* markers = state.plot.markers(state))
    state.annotation_rows = annotation_rows(markers->annotations);
  state.run.update(state);
  state.linked_time_edges = state.company.beside;
  state.verdict.update(state, frame.splitters, size.y);
  state.inspector.handle_keys(state, frame.splitters, frame.keyboard, size.x);
  state.legend =
      state.only_segments() ? std::vector<CategoryLegendEntry>() : state.colors.legend(state.theme);
  state.legend_px = state.legend.empty() ? 0 : state.px(kCategoryLegendPx);
  state.place(at.x, at.y, size.x, size.y);
  state.handle_input(frame);
  state.bytes.step(frame.delta_seconds);
  state.update_filter();
  state.plot.use(state.theme);
  if (state.only_segments()) {
    state.treemap.update(state);
  } else {
    state.plot.update(state);
  }
  state.update_pages();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool covered = state.drawer.fills();
  if (covered) {
    state.hovered = kNoAllocation;
  } else if (state.only_segments()) {
    state.treemap.draw(
        list, state, [&state](AllocationId id) { return state.colors.of(id, state.theme); }, state.theme);
  } else {
    state.draw_plot(list, frame.other_time_ns);
  }
  state.picture.update();
  state.capsule.update();
  if (const auto found_now = draw_snapshot_bar(list, state.bar_parts())) state.follow(*found_now);
  state.picture.draw(list, state);
  if (!state.only_segments() && !covered) state.draw_card();
  state.verdict.draw(state, frame.splitters, state.theme);
  const DrawContext look{state.theme, state.scale, state.keyboard};
  state.inspector.draw(state, state.colors, frame.splitters, look);
  state.pages.draw(state.boxes.drawer, look, covered ? facts() : std::vector<PageFact>());
  state.apply_page_requests();
  state.company = {};  // the other documents may be closed before the next frame
}

bool SnapshotPanel::wants_frames() const {
  const State& state = *state_;
  return state.any() && (state.navigation.moving() || state.bytes.moving() || state.pages.wants_frames() ||
                         held_keys(state.keyboard).any());
}

bool SnapshotPanel::complete() const {
  const State& state = *state_;
  if (!state.any()) return state.drawn;
  return state.drawn && (state.only_segments() ? state.treemap.complete() : state.plot.complete()) &&
         state.pages.complete() && state.finder.complete() && state.run.complete() &&
         state.colors.complete() && state.picture.complete() && !state.capsule.running() &&
         state.overlay.complete() && state.verdict.complete() && state.inspector.complete();
}

void SnapshotPanel::pack_by(PackCapsule pack) { state_->capsule.pack_by(std::move(pack)); }

void SnapshotPanel::carry_from(const SnapshotPanel& other) {
  const State& from = *other.state_;
  State& to = *state_;
  if (!from.any() || !to.any()) return;
  if (from.device_index() < to.snapshot->devices.size()) to.show_device(from.device_index());
  to.show_axis(from.wanted_axis());
  to.layout = from.layout;
  to.drawer = from.drawer;
}

const SnapshotFinder& SnapshotPanel::finder() const { return state_->finder; }
const MatchingTraceLane& SnapshotPanel::run() const { return state_->run; }
std::span<const TableInfo* const> SnapshotPanel::tables() const { return snapshot_table_kinds(); }
bool SnapshotPanel::marks(CommandId command) const { return has_mark(*this, command); }
void SnapshotPanel::search_for(const std::string& query) { state_->finder.look_for(query); }
Page::Searched SnapshotPanel::searched() const { return {state_->finder.typed(), state_->finder.is_open()}; }
bool SnapshotPanel::searching() const { return !state_->finder.complete(); }
bool SnapshotPanel::moving() const { return state_->navigation.moving(); }
bool SnapshotPanel::next_coloring() {
  state_->colors.next_coloring();
  return true;
}
DrawerChoice* SnapshotPanel::drawer_choice() { return &state_->drawer; }
void SnapshotPanel::set_peer_context(PeerContext company) { state_->company = std::move(company); }
std::optional<TimePane> SnapshotPanel::time_pane() const {
  State& state = *state_;
  const auto clock = state.any() ? clock_of(state.device()) : std::nullopt;
  if (!clock) return std::nullopt;
  return TimePane{&state.navigation,
                  nullptr,
                  *clock,
                  state.axis().by_time(),
                  state.input.mouse_time_ns(),
                  state.own_left(),
                  state.boxes.all.right - state.inspector_px};
}
std::optional<BytePane> SnapshotPanel::byte_pane() const {
  State& state = *state_;
  if (!state.any() || !state.drawn || state.bytes.high() == 0) return std::nullopt;
  return BytePane{&state.bytes, state.highest(),
                  state.bands == nullptr ? PlotLayout::stacked : state.bands->kind};
}
PaintReference SnapshotPanel::paint_reference() const {
  return {state_->snapshot, state_->colors.categories(), state_->any() ? state_->device_index() : 0};
}
void SnapshotPanel::set_traces(std::vector<MatchingTrace> by_device) {
  state_->run.set(std::move(by_device));
}
std::vector<PageRequest> SnapshotPanel::take_requests() {
  const SliceRef wanted = state_->run.take_go_to();
  if (wanted.slice == kNoSlice) return {};
  return {ShowSlice{wanted}};
}
void SnapshotPanel::show_times() {
  if (state_->any()) state_->show_axis(SnapshotAxisKind::time);
}
std::string SnapshotPanel::headline() const { return state_->verdict.headline(); }
std::string SnapshotPanel::verdict_text() const { return state_->verdict.text(); }
std::vector<PageView> SnapshotPanel::views() const { return state_->pages.views(tr(Text::view_plot)); }
void SnapshotPanel::show_view(std::string_view id) { state_->pages.show_view(id); }
std::vector<PageFact> SnapshotPanel::facts() const {
  const State& state = *state_;
  if (!state.any()) return {};
  const SnapshotSource source = state.snapshot->source;
  const Text type = source == SnapshotSource::memory_timeline ? Text::facts_memory_timeline
                    : source == SnapshotSource::trace         ? Text::facts_trace_memory
                                                              : Text::facts_snapshot;
  std::string gpu = device_name(*state.snapshot, state.device_index());
  if (!state.device_model.empty()) gpu += " · " + escaped(state.device_model);
  std::vector<PageFact> facts{{tr(type)}, {gpu}};
  if (state.steps() != nullptr)
    facts.push_back({steps_count_text(*state.steps()), steps_text(*state.steps())});
  facts.push_back(
      {counted(Text::snapshot_one_event, Text::snapshot_events, state.device().entries.entry_count())});
  facts.push_back({counted(Text::snapshot_one_allocation, Text::snapshot_allocations,
                           state.history().allocations.count())});
  return facts;
}
void SnapshotPanel::fit_all() {
  if (state_->any()) state_->fit_all();
}
void SnapshotPanel::go_to(EventIndex event) {
  if (!state_->any()) return;
  const auto last = static_cast<EventIndex>(state_->device().entries.entry_count()) - 1;
  state_->go_to(std::clamp(event, kBeforeRecording, std::max(kBeforeRecording, last)));
}
void SnapshotPanel::highlight(std::size_t device, AllocationId allocation) {
  if (state_->any() && state_->device_index() == device) state_->selected = allocation;
}
void SnapshotPanel::show_table(std::string_view name) {
  state_->tables->choose(name);
  state_->drawer.show(drawer_page::kTables);
}
void SnapshotPanel::show_page(std::string_view id) { state_->drawer.show(id); }
std::optional<Error> SnapshotPanel::look(const PlotOptions& wanted) {
  State& state = *state_;
  const Result<std::size_t> device = requested_device(*state.snapshot, wanted.device);
  if (!device.ok()) return device.error();
  if (wanted.device) state.show_device(device.value());
  constexpr std::array<std::string_view, kSnapshotAxisKinds> kAxes{"events", "time", "steps"};
  if (const auto axis = std::ranges::find(kAxes, wanted.axis); axis != kAxes.end())
    state.show_axis(static_cast<SnapshotAxisKind>(axis - kAxes.begin()));
  for (std::size_t i = 0; i < kPlotLayoutCount; ++i) {
    const auto layout = static_cast<PlotLayout>(i);
    if (text_of(layout) == wanted.layout) state.show_layout(layout);
  }
  if (const auto coloring = parse_band_coloring(wanted.color)) state.colors.set_coloring(*coloring);
  if (!wanted.find.empty()) {
    const auto query = SnapshotQuery::compile(wanted.find, *state.snapshot, state.device_index());
    if (!query.ok()) return query.error();
    state.finder.look_for(wanted.find);
    state.only_hits = wanted.only_hits;
  }
  if (!wanted.at.empty()) {
    const Result<EventIndex> at = requested_moment(state.device(), wanted.at);
    if (!at.ok()) return at.error();
    state.cursor = at.value();
  }
  return std::nullopt;
}
const SnapshotState& SnapshotPanel::shown() const { return *state_; }
const LiveFlame& SnapshotPanel::flame() const { return state_->flame->flame(); }
const SegmentView& SnapshotPanel::segments() const { return state_->segments->segments(); }
const SnapshotOverlay& SnapshotPanel::overlay() const { return state_->overlay; }

void SnapshotPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  json = json_of({state, state.plot, state.treemap, state.overlay, state.finder, state.run,
                  state.colors.coloring(), state.picture.message()});
  if (!state.any()) return;
  state.pages.write_test_state(json);
  state.verdict.write_test_state(json);
  state.inspector.write_test_state(state, json);
  auto names = nlohmann::ordered_json::array();
  for (const CategoryLegendEntry& entry : state.legend) names.push_back(entry.name);
  json["legend"] = std::move(names);
}

}  // namespace kino
