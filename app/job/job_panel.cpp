#include "app/job/job_panel.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/commands/held_keys.hpp"
#include "app/drawer/drawer.hpp"
#include "app/drawer/state_json.hpp"
#include "app/job/job_head.hpp"
#include "app/job/job_state.hpp"
#include "app/job/job_tables_page.hpp"
#include "app/job/job_words.hpp"
#include "app/job/rank_rows.hpp"
#include "app/system/background_result.hpp"
#include "app/widgets/panel_parts.hpp"

namespace kino {

struct JobPanel::State : JobState {
  State(const std::filesystem::path& container, const std::vector<ContainedTrace>& contained,
        const OpenOptions& options, WorkerPool& workers, const std::function<void()>& tell_news)
      : loader(contained, options, tell_news), pool(workers), wake(tell_news), pages(drawer) {
    files = loader.ranks();
    drawer.show(drawer_page::kTables);
    tables = &pages.add<JobTablesPage>(*this, container, workers, tell_news);
  }

  /// Takes over what was read and computed.
  void update();
  void compute();
  void handle_keys();
  void handle_splitter();

  JobLoader loader;
  WorkerPool& pool;
  std::function<void()> wake;
  std::uint64_t seen = 0;                       // of the loader's changes
  std::shared_ptr<const JobAnalysis> analysis;  // of the job that is computed, once it is there
  std::pair<std::size_t, bool> computed{~std::size_t{0}, true};  // job, and whether its clocks are fitted
  BackgroundResult<std::shared_ptr<const JobPicture>> made;
  Drawer pages;
  JobTablesPage* tables = nullptr;
  RankRows rows_of_ranks;
};

void JobPanel::State::update() {
  if (const std::uint64_t now = loader.generation(); now != seen) {
    seen = now;
    files = loader.ranks();
  }
  if (!read && loader.done()) {
    files = loader.ranks();
    read = true;
    jobs = jobs_of(files);
  }
  if (read && !jobs.empty() && computed != std::pair(shown_job, fitted)) compute();
  if (const std::shared_ptr<const JobPicture>* done = made.poll(); done != nullptr && *done != picture) {
    const bool first = picture == nullptr || picture->job != (*done)->job;
    take(*done);
    analysis = picture->job;
    // Clocks that agree are left as they were recorded.
    if (first && !clocks_differ(*analysis)) fitted = false;
  }
}

void JobPanel::State::compute() {
  const bool same = computed.first == shown_job;
  computed = {shown_job, fitted};
  if (!same) analysis = nullptr;
  made.start(pool, wake,
             [known = analysis, job = jobs[shown_job].job, clocks = fitted](const std::stop_token& stop) {
               const std::shared_ptr<const JobAnalysis> all =
                   known != nullptr ? known : std::make_shared<const JobAnalysis>(analyze_job(job, stop));
               return std::make_shared<const JobPicture>(picture_of(all, clocks, stop));
             });
}

void JobPanel::State::handle_keys() {
  if (command_pressed(CommandId::fit_all)) navigation.fit_all();
  if (command_pressed(CommandId::fit_selection) && collective != KernelWait::kAlone)
    navigation.fit(range_of(collective), 0.5);
  if (command_pressed(CommandId::clear_selection)) clear();
  if (command_pressed(CommandId::toggle_drawer)) drawer.open = !drawer.open;
  if (command_pressed(CommandId::toggle_clocks)) fitted = !fitted;
  if (command_pressed(CommandId::next_late)) step_late(1);
  if (command_pressed(CommandId::previous_late)) step_late(-1);
  if (command_pressed(CommandId::next_rank)) step_row(1);
  if (command_pressed(CommandId::previous_rank)) step_row(-1);
  if (command_pressed(CommandId::next_job_step)) go_to_step(1);
  if (command_pressed(CommandId::previous_job_step)) go_to_step(-1);
  if (command_pressed(CommandId::rank_order)) {
    order = static_cast<RankOrder>((static_cast<int>(order) + 1) % kRankOrderCount);
    arrange();
  }
  if (command_pressed(CommandId::rank_figure))
    figure = static_cast<RankFigure>((static_cast<int>(figure) + 1) % kRankFigureCount);
  if (command_pressed(CommandId::all_ranks)) show_only({});
  if (command_pressed(CommandId::go_to_culprit) && collective != KernelWait::kAlone)
    select_rank(job()->waits.collectives[collective].latest);
  if (command_pressed(CommandId::open_rank) && rank && picture != nullptr)
    open_wanted = jobs[shown_job].files[*rank];
  pages.handle_keys();
}

void JobPanel::State::handle_splitter() {
  if (!drawer.open) return;
  const float half = px(kSplitterPx) / 2;
  const float edge = boxes.drawer.top;
  place_button("splitter", {boxes.drawer.left, edge - half, boxes.drawer.right, edge + half});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (ImGui::IsItemActive())
    drawer_height = std::max(0.0F, boxes.all.bottom - ImGui::GetIO().MousePos.y) / scale;
}

JobPanel::JobPanel(const std::filesystem::path& container, const std::vector<ContainedTrace>& files,
                   const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake)
    : state_(std::make_unique<State>(container, files, options, pool, wake)) {}

JobPanel::~JobPanel() = default;

void JobPanel::draw(const PageFrame& frame) {
  State& state = *state_;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  constexpr float kSmallestPx = 64;
  if (size.x < kSmallestPx || size.y < kSmallestPx) return;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  state.update();
  state.place(at.x, at.y, size.x, size.y);
  ImGui::PushID("job");
  state.handle_splitter();
  state.rows_of_ranks.handle(state);
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  const float mouse_x = ImGui::GetIO().MousePos.x;
  const Box& lanes = state.boxes.lanes;
  const bool beside = mouse_x < lanes.left || mouse_x >= lanes.right;
  state.navigation.step(frame.delta_seconds, held_keys(frame.keyboard),
                        beside ? lanes.width() / 2 : mouse_x - lanes.left);
  state.scroll.step(frame.delta_seconds);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_job_head(list, state);
  state.rows_of_ranks.draw(list, state);
  state.pages.update();
  state.pages.draw(state.boxes.drawer, {state.theme, state.scale, frame.keyboard});
  ImGui::PopID();
}

bool JobPanel::wants_frames() const {
  return state_->navigation.moving() || state_->scroll.moving() || state_->pages.wants_frames();
}

bool JobPanel::complete() const {
  const State& state = *state_;
  return state.read && !state.made.running() && (state.jobs.empty() || state.picture != nullptr) &&
         (state.jobs.empty() || state.computed == std::pair(state.shown_job, state.fitted)) &&
         state.pages.complete();
}

void JobPanel::fit_all() { state_->navigation.fit_all(); }
void JobPanel::show_page(std::string_view id) { state_->drawer.show(id); }
void JobPanel::show_table(std::string_view name) {
  state_->tables->choose(name);
  state_->drawer.show(drawer_page::kTables);
}
float JobPanel::drawer_height() const { return state_->drawer_height; }
void JobPanel::set_drawer_height(float height) { state_->drawer_height = height; }
bool JobPanel::reading() const { return !state_->read; }
std::filesystem::path JobPanel::take_open_request() { return std::exchange(state_->open_wanted, {}); }
const JobState& JobPanel::shown() const { return *state_; }

void JobPanel::tell(nlohmann::ordered_json& json) const {
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
          {"fitted", state.picture != nullptr && state.picture->fitted},
          {"rank", state.rank ? Json(*state.rank) : Json()},
          {"collective", state.collective == KernelWait::kAlone ? Json() : Json(state.collective)},
          {"begin_ns", view.begin_ns},
          {"ns_per_px", view.ns_per_px},
          {"row_height", state.row_height},
          {"figure", state.figure},
          {"order", state.order},
          {"shown", state.shown},
          {"steps", state.picture != nullptr ? state.picture->steps.size() : 0},
          {"labels", {labels.left, labels.top, labels.right, labels.bottom}},
          {"lanes", {lanes.left, lanes.top, lanes.right, lanes.bottom}},
          {"drawer_open", state.drawer.open}};
  state.pages.tell(json);
}

}  // namespace kino
