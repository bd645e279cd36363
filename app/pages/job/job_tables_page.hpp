// The drawer page with the tables of a job.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "app/pages/job/job_loader.hpp"
#include "app/pages/job/job_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

class JobTablesPage final : public DrawerPage {
 public:
  /// `state` must outlive the page. Exports are written beside `file`. `options` are for reading ledgers and
  /// layers when a table that needs them is shown.
  JobTablesPage(JobState& state, const OpenOptions& options, const std::filesystem::path& file,
                WorkerPool& pool, const std::function<void()>& wake);

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
  bool complete() const override { return tab_.complete() && !details_.reading(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  void follow(std::uint32_t row);
  /// Reads the ledgers and layers if the shown table needs them.
  void update_details(bool shown);

  JobState& state_;
  TableTab tab_;
  RankDetailReader details_;
  std::shared_ptr<const JobAnalysis> job_;  // job from which the tab's tables are computed
};

}  // namespace kino
