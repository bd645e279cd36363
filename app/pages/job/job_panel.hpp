// The page of a job of many ranks: stragglers, one row per rank on a common clock, and tables.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

struct JobState;

/// The parts of a job that a comparison needs.
struct JobTraces {
  std::vector<std::filesystem::path> files;  ///< traces of its ranks
  std::string verdict;                       ///< verdict on the job, which names the straggler
  std::string reasons;                       ///< reasons for the verdict; may be empty
  OpenOptions options;
};

/// The page of a job. It starts to read the recordings when it is constructed.
class JobPanel final : public Page {
 public:
  /// Exports are written beside `container`, which contains the files. `pool` must outlive the page. `wake`
  /// is called from any thread when a result is ready.
  JobPanel(const std::filesystem::path& container, const std::vector<ContainedTrace>& files,
           const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake);
  ~JobPanel() override;

  static constexpr PageKind kKind = PageKind::job;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  void poll() override;
  bool wants_frames() const override;
  bool complete() const override;
  std::vector<PageView> views() const override;
  void show_view(std::string_view id) override;
  std::vector<PageFact> facts() const override;
  bool marks(CommandId command) const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  std::string device_word() const override;
  std::optional<TimePane> time_pane() const override;
  std::string headline() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

  /// Returns whether recordings are still being read.
  bool reading() const;
  /// Whether recordings are still being read, or their analysis is not shown yet. Until then, an analysis of
  /// fewer ranks may be shown. headline() and traces() are empty.
  bool analyzing() const;
  /// Returns the allocator snapshots among the files; may be empty.
  const std::vector<ContainedTrace>& snapshots() const;
  /// Selects a rank by its number. Does nothing if the job does not contain the rank.
  void select_rank(std::int64_t rank);
  const JobState& shown() const;
  /// Returns the traces and the verdict of the shown job; empty while analyzing(), and without an analysis.
  JobTraces traces() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  DrawerChoice* drawer_choice() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
