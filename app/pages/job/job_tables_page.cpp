#include "app/pages/job/job_tables_page.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/job/tables/rank_table.hpp"

namespace kino {
namespace {

constexpr std::array kTabs{TabbedTable{"ranks"}, TabbedTable{"collectives"}, TabbedTable{"steps"}};

bool needs_details(const TableInfo& kind) {
  return kind.name == kJobLedgerTable.name || kind.name == kJobLayerTable.name;
}

TableResults::Compute tables_of(std::shared_ptr<const JobAnalysis> job,
                                std::vector<std::filesystem::path> paths,
                                std::shared_ptr<const RankDetailReader::Digests> details) {
  std::vector<std::string> files;
  files.reserve(paths.size());
  for (const std::filesystem::path& path : paths) files.push_back(path.filename().string());
  return [job = std::move(job), paths = std::move(paths), details = std::move(details),
          files = std::move(files)](const TableResultQuery& question,
                                    const std::stop_token& stop) -> Result<Table> {
    const TableQuery query{.group = question.group};
    if (details->empty() || !needs_details(*question.kind))
      return job_table(*question.kind, {*job, files}, query, stop);
    const JobAnalysis detailed = with_details(*job, paths, *details);
    return job_table(*question.kind, {detailed, files}, query, stop);
  };
}

/// Style of the tables of a job: rows have no color. GPU indices that show no difference between ranks are
/// dimmed.
class JobRowLook : public RowStyle {
 public:
  std::optional<std::uint32_t> color_of(const Table&, std::uint32_t) const override { return std::nullopt; }
  std::uint32_t number_color(const Table& table, std::size_t column, std::uint32_t row,
                             const Theme& theme) const override {
    return is_unattributed(table, column, row) ? theme.text_dim : theme.text;
  }
};

}  // namespace

JobTablesPage::JobTablesPage(JobState& state, const OpenOptions& options, const std::filesystem::path& file,
                             WorkerPool& pool, const std::function<void()>& wake)
    : state_(state), tab_(job_table_kinds(), {}, file, pool, wake), details_(options, wake) {
  tab_.set_drawer_tabs(kTabs);
  tab_.count_rows(true);
}

const char* JobTablesPage::title() const { return tr(Text::tab_tables); }

void JobTablesPage::handle_keys(bool shown) {
  const int step =
      (command_pressed(CommandId::next_table) ? 1 : 0) - (command_pressed(CommandId::previous_table) ? 1 : 0);
  if (step != 0) {
    tab_.step_kind(step);
    state_.drawer.show(id());
  }
  if (job_ != nullptr && command_pressed(CommandId::save_all_tables))
    tab_.save_all([](const TableInfo&) { return TableResultQuery(); });
  tab_.handle_keys(shown);
}

void JobTablesPage::update(bool shown) {
  const std::shared_ptr<const JobAnalysis> job = state_.picture != nullptr ? state_.picture->job : nullptr;
  update_details(shown);
  const bool detailed = details_.update();
  if (job != nullptr && (job != job_ || detailed)) {
    tab_.set_compute(tables_of(job, state_.picture->files, details_.digests()),
                     job == job_ ? OldRows::keep : OldRows::drop);
  }
  job_ = job;
  tab_.update(shown, job != nullptr ? std::optional<TableResultQuery>(TableResultQuery()) : std::nullopt);
}

void JobTablesPage::update_details(bool shown) {
  // While the job is being read, its files would be read twice at the same time.
  if (!shown || !state_.read || state_.picture == nullptr || !needs_details(tab_.kind())) return;
  details_.want(state_.picture->job->ranks, state_.picture->files);
}

void JobTablesPage::draw(ImVec2 size, const DrawContext& look) {
  if (details_.reading() && needs_details(tab_.kind())) {
    const auto [read, all] = details_.progress();
    const float top = ImGui::GetCursorPosY();
    colored_text(look.theme.text, filled(Text::job_details_reading, {grouped(read), grouped(all)}));
    size.y -= ImGui::GetCursorPosY() - top;
  }
  const TableGrid::Actions done = tab_.draw_page(size, JobRowLook(), look.theme, look.scale, look.keyboard);
  if (done.go_to) follow(*done.go_to);
}

void JobTablesPage::follow(std::uint32_t row) {
  const Table& table = tab_.matching_rows()->answer->table;
  bool placed = false;
  for (const RowLink& link : table.links_of(row)) {
    if (link.kind() == RowLink::Kind::recording) state_.select_rank(link.recording());
    if (link.kind() != RowLink::Kind::slice) continue;
    const std::uint32_t rank = link.recording();
    const CommunicationKernels& kernels = job_->ranks[rank]->kernels;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (kernels.slice(k) != link.slice()) continue;
      state_.select_collective(job_->waits.kernels[rank].collective(k));
      placed = true;
    }
  }
  // If the table has a column with step numbers, a click shows the row's step.
  const TableColumn* const step = placed ? nullptr : table.find("step");
  const auto* const numbers = step != nullptr ? std::get_if<TableColumn::Integers>(&step->values) : nullptr;
  if (numbers == nullptr || row >= numbers->size()) return;
  if (const std::optional<std::size_t> index = state_.step_of((*numbers)[row])) state_.go_to(*index);
}

void JobTablesPage::write_test_state(nlohmann::ordered_json& panel) const {
  panel["tables"] = table_state(tab_);
}

}  // namespace kino
