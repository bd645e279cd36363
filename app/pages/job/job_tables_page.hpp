// The drawer page with the tables of a job.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "app/pages/job/job_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

class JobTablesPage final : public DrawerPage {
 public:
  /// `state` must outlive the page. Exports are written beside `file`.
  JobTablesPage(JobState& state, const std::filesystem::path& file, WorkerPool& pool,
                const std::function<void()>& wake);

  /// Shows a table. `kind` is the name of one of job_table_kinds().
  void choose(std::string_view kind) { tab_.choose(kind); }

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override;
  std::optional<CommandId> command() const override { return CommandId::show_tables; }
  std::vector<DrawerTab> tabs(bool shown) const override { return tab_.drawer_tabs(shown, id()); }
  void open_tab(std::string_view tab) override { tab_.open_drawer_tab(tab); }
  std::string_view open_tab() const override { return tab_.drawer_tab(); }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  void follow(std::uint32_t row);

  JobState& state_;
  TableTab tab_;
  std::shared_ptr<const JobAnalysis> job_;  // job from which the tab's tables are computed
};

}  // namespace kino
