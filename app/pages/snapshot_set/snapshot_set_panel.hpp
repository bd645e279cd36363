// The page of many snapshots: outliers, all curves on one scale, differences from the median, and tables.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"
#include "core/memory/tables/snapshot_categories.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

struct SetState;

/// The page. It starts to read the snapshots when it is constructed.
class SnapshotSetPanel final : public Page {
 public:
  /// Exports are saved beside `container`, which contains the files. `pool` must outlive the page.
  SnapshotSetPanel(const std::filesystem::path& container, const ContainedTraces& files,
                   const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake);
  ~SnapshotSetPanel() override;

  static constexpr PageKind kKind = PageKind::snapshots;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  bool wants_frames() const override;
  bool complete() const override;
  std::vector<PageView> views() const override;
  void show_view(std::string_view id) override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  std::optional<TimePane> time_pane() const override;
  std::string headline() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

  /// Selects the snapshot of a rank once it is read.
  void select_rank(std::int64_t rank);
  /// Adds a new file. If a file with an equal path is known, reads it again. Selection and view do not
  /// change.
  void add(const ContainedTrace& file);
  const SetState& shown() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  DrawerChoice* drawer_choice() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
