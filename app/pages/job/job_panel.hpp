// The page of a job of many ranks: who makes the others wait, a row a rank on one clock, tables below.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/shell/settings/color_modes.hpp"
#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

struct JobState;

/// What a comparison needs of a job.
struct JobTraces {
  std::vector<std::filesystem::path> files;  ///< of its ranks
  std::string verdict;                       ///< who makes the others wait
  std::string reasons;                       ///< for that; may be empty
  OpenOptions options;
};

/// The page of a job. Its recordings are read as soon as it exists.
class JobPanel final : public Page {
 public:
  /// `container` is what the files lie in: exports go beside it. `pool` outlives the page; `wake` is called
  /// from any thread when there is news.
  JobPanel(const std::filesystem::path& container, const std::vector<ContainedTrace>& files,
           const OpenOptions& options, WorkerPool& pool, const std::function<void()>& wake);
  ~JobPanel() override;

  void draw(const PageFrame& frame) override;
  bool wants_frames() const override;
  bool complete() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  void show_table(std::string_view name) override;
  float drawer_height() const override;
  void set_drawer_height(float height) override;
  std::optional<TimePane> time_pane() const override;
  void tell(nlohmann::ordered_json& json) const override;

  /// How slices of expanded ranks look.
  void set_look(const LookOptions& look);
  /// Takes over what has been read since, as draw() does, also while another page is shown.
  void poll();
  /// Whether recordings are still being read.
  bool reading() const;
  /// Whether all there is to know of the job is known.
  bool told() const;
  /// A recording that somebody asked to see since the last call; else empty.
  std::filesystem::path take_open_request();
  /// The snapshots of its ranks, when somebody asked to see them since the last call; else none.
  ContainedTraces take_snapshots_request();
  bool asks_for_snapshots() const;
  /// Of the selected one, as the job numbers it; -1 where none is.
  std::int64_t selected_rank() const;
  /// Nothing happens for one that the job has not.
  void select_rank(std::int64_t rank);
  const JobState& shown() const;
  /// The traces of the job that is shown, and who makes the others wait; no traces until told().
  JobTraces traces() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
