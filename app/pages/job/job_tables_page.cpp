#include "app/pages/job/job_tables_page.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/tables/table_state.hpp"
#include "app/ui/text/texts.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/job/tables/rank_table.hpp"

namespace kino {
namespace {

constexpr std::array kTabs{TabbedTable{"ranks"}, TabbedTable{"collectives"}, TabbedTable{"steps"}};

TableResults::Compute tables_of(std::shared_ptr<const JobAnalysis> job, std::vector<std::string> files) {
  return [job = std::move(job), files = std::move(files)](const TableResultQuery& question,
                                                          const std::stop_token& stop) -> Result<Table> {
    return job_table(*question.kind, {*job, files}, {.group = question.group}, stop);
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

JobTablesPage::JobTablesPage(JobState& state, const std::filesystem::path& file, WorkerPool& pool,
                             const std::function<void()>& wake)
    : state_(state), tab_(job_table_kinds(), {}, file, pool, wake) {
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
  if (job != nullptr && job != job_) {
    std::vector<std::string> files;
    for (const std::filesystem::path& file : state_.picture->files) files.push_back(file.filename().string());
    tab_.set_compute(tables_of(job, std::move(files)));
  }
  job_ = job;
  tab_.update(shown, job != nullptr ? std::optional<TableResultQuery>(TableResultQuery()) : std::nullopt);
}

void JobTablesPage::draw(ImVec2 size, const DrawContext& look) {
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
