#include "app/pages/job/job_panel.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/critical/job_path_page.hpp"
#include "app/pages/job/job_alignment.hpp"
#include "app/pages/job/job_head.hpp"
#include "app/pages/job/job_inspector.hpp"
#include "app/pages/job/job_state.hpp"
#include "app/pages/job/job_tables_page.hpp"
#include "app/pages/job/job_texts.hpp"
#include "app/pages/job/messages_page.hpp"
#include "app/pages/job/rank_memory_page.hpp"
#include "app/pages/job/rank_menu.hpp"
#include "app/pages/job/rank_rows.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/drawer.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "core/base/time_text.hpp"
#include "core/job/tables/job_tables.hpp"
#include "loaders/cache/ranks/rank_file.hpp"

namespace kino {

struct JobPanel::State : JobState {
  State(const std::filesystem::path& container, const std::vector<ContainedTrace>& contained,
        OpenOptions open_options, WorkerPool& workers, const std::function<void()>& tell_news)
      : options(std::move(open_options)),
        loader(contained, options, tell_news),
        pool(workers),
        wake(tell_news),
        pages(drawer),
        rows_of_ranks(options, workers, tell_news),
        inspector(workers, tell_news) {
    files = loader.ranks();
    std::ranges::copy_if(contained, std::back_inserter(snapshots), &ContainedTrace::snapshot);
    drawer.page = drawer_page::kTables;
    tables = &pages.add<JobTablesPage>(*this, options, container, workers, tell_news);
    pages.add<MessagesPage>(*this, workers, tell_news);
    pages.add<RankMemoryPage>(*this);
    path = &pages.add<JobPathPage>(options, workers, tell_news, requests);
    for (const ContainedTrace& file : contained) text_bytes[file.path] = text_bytes_of(file);
  }

  /// Settings from which a picture is computed.
  struct Query {
    std::size_t job = ~std::size_t{0};
    std::size_t content = 0;  ///< version of `jobs`: increases when recordings or snapshots change
    bool fitted = true;
    std::size_t hand = 0;
    bool operator==(const Query&) const = default;
  };
  Query wanted() const { return {shown_job, content, fitted, by_hand ? alignments : 0}; }
  /// Whether the picture is of the shown job with all its ranks read so far. Its clocks may differ.
  bool analyzed() const {
    return picture != nullptr && shown_job < jobs.size() && pictured.job == shown_job &&
           pictured.content == content;
  }

  /// Passes the job, with the traces of its ranks, to the view of its critical path.
  void show_path();
  /// Applies results of the loader and of computations.
  void update();
  void look_at_files();
  void compute();
  void handle_keys();
  void handle_row_keys();
  void handle_clock_keys();
  void align_here();
  void handle_splitter();

  OpenOptions options;  // options for reading recordings
  JobLoader loader;
  WorkerPool& pool;
  std::function<void()> wake;
  std::uint64_t seen = 0;                       // generation of the loader in the last update
  std::size_t content = 0;                      // version of `jobs`; see Query
  std::size_t looked_at = 0;                    // number of files that were ready when `jobs` was computed
  std::shared_ptr<const JobAnalysis> analysis;  // analysis of the ranks read so far, with fitted clocks
  Query computed;                               // of the newest computation
  Query pictured;                               // of `picture`
  std::size_t alignments = 0;                   // number of manual alignments so far
  BackgroundResult<std::shared_ptr<const JobPicture>> made;
  Drawer pages;
  JobTablesPage* tables = nullptr;
  JobPathPage* path = nullptr;
  std::shared_ptr<const JobPicture> path_picture;             // of the last set_job() of `path`
  std::map<std::filesystem::path, std::uint64_t> text_bytes;  // estimated size of each file
  RankRows rows_of_ranks;
  JobInspector inspector;
};

void JobPanel::State::look_at_files() {
  const std::uint64_t now = loader.generation();
  if (now == seen) return;
  seen = now;
  const bool done = loader.done();
  files = loader.ranks();
  arrange();
  const auto there =
      static_cast<std::size_t>(std::ranges::count(files, RankFile::State::ready, &RankFile::state));
  // While files are being read, the jobs are computed again each time the number of ready files has grown by
  // half. This limits the cost.
  const bool enough = there >= 2 && there >= looked_at + std::max<std::size_t>(1, looked_at / 2);
  if (read || (!done && (!enough || made.running()))) return;
  read = done;
  looked_at = there;
  std::vector<FiledJob> found = jobs_of(files);
  if (!std::ranges::equal(found, jobs, same_content)) ++content;
  jobs = std::move(found);
  if (!done && shown_job >= jobs.size()) shown_job = 0;
  arrange();
}

void JobPanel::State::update() {
  look_at_files();
  if (shown_job >= jobs.size()) shown_job = 0;
  if (!jobs.empty() && computed != wanted()) compute();
  if (const std::shared_ptr<const JobPicture>* done = made.poll(); done != nullptr && *done != picture) {
    const bool grown = picture != nullptr && (*done)->ranks.size() != picture->ranks.size();
    if ((*done)->clocks != PageClocks::by_hand) analysis = (*done)->job;
    take(*done, grown);
    pictured = computed;
  }
  show_path();
}

void JobPanel::State::show_path() {
  const std::shared_ptr<const JobPicture> now = read && analyzed() ? picture : nullptr;
  if (now == path_picture) return;
  path_picture = now;
  if (now == nullptr) return path->set_job(nullptr, {});
  RankSources sources;
  sources.files.reserve(picture->files.size());
  sources.text_bytes.reserve(picture->files.size());
  for (const std::filesystem::path& file : picture->files) {
    sources.files.push_back(trace_of_rank_file(file));
    const auto known = text_bytes.find(sources.files.back());
    const auto listed = known != text_bytes.end() ? known : text_bytes.find(file);
    sources.text_bytes.push_back(listed != text_bytes.end() ? listed->second : 0);
  }
  path->set_job(picture->job, std::move(sources));
}

void JobPanel::State::compute() {
  const Query now = wanted();
  const bool same = computed.job == now.job && computed.content == now.content;
  if (!same) {
    analysis = nullptr;
    by_hand.reset();
  }
  computed = wanted();
  const PageClocks clocks = by_hand ? PageClocks::by_hand : fitted ? PageClocks::fitted : PageClocks::own;
  made.start(pool, wake,
             [known = analysis, job = jobs[shown_job], clocks, hand = by_hand](const std::stop_token& stop) {
               std::shared_ptr<const JobAnalysis> all =
                   known != nullptr ? known : std::make_shared<const JobAnalysis>(analyze_job(job.job, stop));
               if (hand) all = std::make_shared<const JobAnalysis>(with_clocks(*all, *hand, stop));
               return std::make_shared<const JobPicture>(picture_of(all, job.files, clocks, stop));
             });
}

void JobPanel::State::align_here() {
  if (picture == nullptr) return;
  const std::uint32_t hovered = rows_of_ranks.hovered_collective(*this);
  const std::uint32_t chosen = collective != KernelWait::kUnmatched ? collective : hovered;
  std::optional<JobClocks> clocks;
  if (chosen != KernelWait::kUnmatched) {
    clocks = aligned_at_collective(*picture, chosen);
  } else if (const std::optional<double> at = rows_of_ranks.mouse_ns(*this)) {
    const std::optional<std::uint32_t> by =
        rows_of_ranks.hovered_rank() ? rows_of_ranks.hovered_rank() : rank;
    const std::optional<std::int64_t> number = by ? step_beginning_near(*picture, *by, *at) : std::nullopt;
    if (number) clocks = aligned_at_step(*picture, *number);
  }
  if (!clocks) return;
  by_hand = std::move(clocks);
  clocks_chosen = true;
  ++alignments;
}

void JobPanel::State::handle_clock_keys() {
  if (command_pressed(CommandId::toggle_clocks)) toggle_clocks();
  if (command_pressed(CommandId::align_here)) align_here();
  if (command_pressed(CommandId::undo_alignment)) by_hand.reset();
}

void JobPanel::State::handle_row_keys() {
  if (command_pressed(CommandId::next_rank)) step_row(1);
  if (command_pressed(CommandId::previous_rank)) step_row(-1);
  if (command_pressed(CommandId::rank_order)) {
    order = static_cast<RankOrder>((static_cast<int>(order) + 1) % kRankOrderCount);
    arrange();
  }
  if (command_pressed(CommandId::group_ranks) && picture != nullptr) {
    group_by((grouping + 1) % grouping_count());
  }
  if (command_pressed(CommandId::rank_figure))
    figure = static_cast<RankFigure>((static_cast<int>(figure) + 1) % kRankFigureCount);
  if (command_pressed(CommandId::all_ranks)) show_only({});
  if (command_pressed(CommandId::higher_rows)) row_zoom = std::min(256.0, row_zoom * 1.5);
  if (command_pressed(CommandId::lower_rows)) row_zoom = std::max(1.0, row_zoom / 1.5);
  if (command_pressed(CommandId::expand_rank) && picture != nullptr) {
    const std::optional<std::uint32_t> chosen = rank ? rank : rows_of_ranks.hovered_rank();
    if (chosen) toggle_expanded(*chosen);
  }
  if (command_pressed(CommandId::streams_of_ranks) && picture != nullptr) {
    by_stream = !by_stream;
    lines_stale = true;
  }
  if (command_pressed(CommandId::open_rank) && rank && picture != nullptr)
    requests.emplace_back(OpenRecording{picture->files[*rank]});
  if (command_pressed(CommandId::snapshots_of_ranks)) request_snapshots();
}

void JobPanel::State::handle_keys() {
  if (command_pressed(CommandId::fit_all)) navigation.fit_all();
  if (command_pressed(CommandId::fit_selection)) {
    const std::optional<TimeRange> of_slice = slice ? rows_of_ranks.range_of(*this, *slice) : std::nullopt;
    if (of_slice) {
      navigation.fit(*of_slice, 0.2);
    } else if (collective != KernelWait::kUnmatched) {
      navigation.fit(range_of(collective), 0.5);
    }
  }
  if (command_pressed(CommandId::clear_selection)) {
    if (drawer.fills()) {
      drawer.leave_full();
    } else {
      clear();
    }
  }
  if (command_pressed(CommandId::next_late)) step_late(1);
  if (command_pressed(CommandId::previous_late)) step_late(-1);
  if (command_pressed(CommandId::next_alike)) step_alike(1);
  if (command_pressed(CommandId::previous_alike)) step_alike(-1);
  if (command_pressed(CommandId::next_job_step)) go_to_step(1);
  if (command_pressed(CommandId::previous_job_step)) go_to_step(-1);
  if (command_pressed(CommandId::next_job) && read && !jobs.empty())
    shown_job = (shown_job + 1) % jobs.size();
  if (command_pressed(CommandId::go_to_culprit) && collective != KernelWait::kUnmatched)
    select_rank(job()->waits.collectives[collective].latest);
  handle_row_keys();
  handle_clock_keys();
  pages.handle_keys();
}

void JobPanel::State::handle_splitter() {
  if (!drawer.open || drawer.fills()) return;
  if (const std::optional<float> dragged = dragged_drawer_height(boxes.drawer, scale))
    drawer.set_height(*dragged);
}

namespace {

/// Returns the number of track lines of each expanded rank.
nlohmann::ordered_json track_counts(const JobState& state) {
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (const auto& [rank, list] : state.tracks) counts[std::to_string(rank)] = list.lines.size();
  return counts;
}

}  // namespace

JobPanel::JobPanel(const std::filesystem::path& container, const std::vector<ContainedTrace>& files,
                   const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake)
    : state_(std::make_unique<State>(container, files, options, pool, wake)) {}

JobPanel::~JobPanel() = default;

void JobPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  state.framebuffer_scale = frame.framebuffer_scale;
  state.update();
  state.rows_of_ranks.update(state);
  state.inspector.handle_keys(state, frame.splitters, frame.keyboard, size.x);
  state.place(at.x, at.y, size.x, size.y);
  state.handle_splitter();
  state.rows_of_ranks.handle(state);
  state.cursor_ns = state.rows_of_ranks.mouse_ns(state);
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  move_by_keys(state.navigation, state.boxes.lanes, frame);
  state.scroll.step(frame.delta_seconds);
  state.inspector.update(state, frame.delta_seconds);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_job_head(list, state);
  state.rows_of_ranks.draw(list, state, frame.look);
  state.pages.update();
  const DrawContext look{state.theme, state.scale, frame.keyboard};
  state.pages.draw(state.boxes.drawer, look, state.drawer.fills() ? facts() : std::vector<PageFact>());
  state.inspector.draw(state, frame.splitters, look);
  draw_rank_menu(state);
}

bool JobPanel::wants_frames() const {
  return state_->navigation.moving() || state_->scroll.moving() || state_->pages.wants_frames() ||
         state_->rows_of_ranks.wants_frames() || state_->inspector.wants_frames();
}

bool JobPanel::complete() const {
  const State& state = *state_;
  return state.read && !state.made.running() && (state.jobs.empty() || state.picture != nullptr) &&
         (state.jobs.empty() || state.computed == state.wanted()) && state.pages.complete() &&
         state.rows_of_ranks.complete() && state.inspector.complete();
}

std::vector<PageView> JobPanel::views() const { return state_->pages.views(tr(Text::view_ranks)); }
void JobPanel::show_view(std::string_view id) { state_->pages.show_view(id); }
std::vector<PageFact> JobPanel::facts() const {
  const JobAnalysis* const job = state_->job();
  if (job == nullptr) return {};
  std::vector<PageFact> facts{{counted(Text::facts_one_rank, Text::facts_ranks, job->ranks.size())}};
  if (!state_->picture->steps.empty())
    facts.push_back({counted(Text::steps_one, Text::steps_several, state_->picture->steps.size())});
  if (!job->missing.empty()) {
    facts.push_back(
        {counted(Text::facts_one_missing_rank, Text::facts_missing_ranks, job->missing.size()), {}, true});
  }
  return facts;
}
bool JobPanel::marks(CommandId command) const {
  return command == CommandId::toggle_inspector && state_->boxes.inspector.width() > 0;
}
void JobPanel::fit_all() { state_->navigation.fit_all(); }
void JobPanel::show_page(std::string_view id) { state_->drawer.show(id); }
void JobPanel::show_table(std::string_view name) {
  state_->tables->choose(name);
  state_->drawer.show(drawer_page::kTables);
}
std::string JobPanel::device_word() const {
  const JobAnalysis* const job = state_->job();
  return job != nullptr ? job->device_word() : "GPU";
}
std::span<const TableInfo* const> JobPanel::tables() const { return job_table_kinds(); }
DrawerChoice* JobPanel::drawer_choice() { return &state_->drawer; }
void JobPanel::poll() { state_->update(); }
bool JobPanel::reading() const { return !state_->read; }
bool JobPanel::analyzing() const {
  const State& state = *state_;
  return !state.read || (!state.jobs.empty() && !state.analyzed() && !state.made.failed());
}
std::vector<PageRequest> JobPanel::take_requests() { return std::exchange(state_->requests, {}); }
const std::vector<ContainedTrace>& JobPanel::snapshots() const { return state_->snapshots; }

void JobPanel::select_rank(std::int64_t rank) {
  const JobAnalysis* const job = state_->job();
  for (std::uint32_t i = 0; job != nullptr && i < job->ranks.size(); ++i) {
    if (job->ranks[i]->rank == rank) state_->select_rank(i);
  }
}

std::optional<TimePane> JobPanel::time_pane() const {
  State& state = *state_;
  if (state.picture == nullptr) return std::nullopt;
  return TimePane{&state.navigation,
                  nullptr,
                  {state.picture->begin_ns, state.picture->content},
                  true,
                  state.cursor_ns,
                  state.boxes.lanes.left,
                  state.boxes.lanes.right};
}

JobTraces JobPanel::traces() const {
  const State& state = *state_;
  JobTraces out;
  if (!state.read || !state.analyzed()) return out;
  out.options = state.options;
  // Traces are not stored in the cache, because the traces of all ranks would occupy memory while they are
  // written.
  out.options.cache.keep = nullptr;
  if (const JobAnalysis* const job = state.job()) {
    out.verdict = verdict_title(*job);
    out.reasons = verdict_reason(*job);
  }
  for (const std::filesystem::path& file : state.jobs[state.shown_job].files) {
    const auto read = std::ranges::find(state.files, file, &RankFile::path);
    // Files without a digest are skipped: they are snapshots of the ranks.
    if (read != state.files.end() && read->digest != nullptr) out.files.push_back(trace_of_rank_file(file));
  }
  return out;
}

std::string JobPanel::headline() const {
  const JobAnalysis* const job = state_->read && state_->analyzed() ? state_->job() : nullptr;
  return job != nullptr && job->ranks.size() > 1 ? verdict_title(*job) : std::string();
}

const JobState& JobPanel::shown() const { return *state_; }

void JobPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  using Json = nlohmann::ordered_json;
  const JobAnalysis* const job = state.job();
  const TimeView& view = state.navigation.view();
  Json list = Json::array();
  for (std::size_t i = 0; job != nullptr && i < job->ranks.size(); ++i) list.push_back(job->ranks[i]->rank);
  const Box& lanes = state.boxes.lanes;
  const Box& labels = state.boxes.labels;
  json = {{"files", state.files.size()},
          {"read", state.read},
          {"jobs", state.jobs.size()},
          {"shown_job", state.shown_job},
          {"ranks", list},
          {"missing", job != nullptr ? Json(job->missing) : Json()},
          {"verdict", job != nullptr ? Json(verdict_title(*job)) : Json()},
          {"fitted", state.picture != nullptr && state.picture->clocks != PageClocks::own},
          {"by_hand", state.picture != nullptr && state.picture->clocks == PageClocks::by_hand},
          {"rank", state.rank ? Json(*state.rank) : Json()},
          {"collective", state.collective == KernelWait::kUnmatched ? Json() : Json(state.collective)},
          {"begin_ns", view.begin_ns},
          {"ns_per_px", view.ns_per_px},
          {"row_height", state.row_height},
          {"figure", state.figure},
          {"order", state.order},
          {"shown", state.shown},
          {"grouping", state.grouping},
          {"groups", state.groups.size()},
          {"tracks", track_counts(state)},
          {"step", state.step ? Json(*state.step) : Json()},
          {"steps", state.picture != nullptr ? state.picture->steps.size() : 0},
          {"labels", {labels.left, labels.top, labels.right, labels.bottom}},
          {"lanes", {lanes.left, lanes.top, lanes.right, lanes.bottom}},
          {"drawer_open", state.drawer.open}};
  json["group"] = state.group ? Json(*state.group) : Json();
  json["menu_items"] = state.menu.items;
  state.inspector.write_test_state(state, json);
  state.pages.write_test_state(json);
}

}  // namespace kino
