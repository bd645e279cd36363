// The page of many snapshots: who ran out of memory or is unlike the others,
// all curves to one scale, what differs from the median, tables below.
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

/// Its snapshots are read as soon as it exists.
class SnapshotSetPanel final : public Page {
 public:
  /// `container` is what the files lie in: exports go beside it. `pool`
  /// outlives the page; `wake` is called from any thread when there is news.
  SnapshotSetPanel(const std::filesystem::path& container, const ContainedTraces& files,
                   const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake);
  ~SnapshotSetPanel() override;

  static constexpr PageKind kKind = PageKind::snapshots;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  bool wants_frames() const override;
  bool complete() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  std::optional<TimePane> time_pane() const override;
  void tell(nlohmann::ordered_json& json) const override;

  /// As soon as it is there.
  void select_rank(std::int64_t rank);
  /// A file that has come; one of the same path is read again. What is selected and in view stays.
  void add(const ContainedTrace& file);
  const SetState& shown() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  float* drawer_height() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
