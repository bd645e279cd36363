// The view of a job with its critical path through all ranks. Reads the traces of the ranks when it is shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/critical/critical_view.hpp"
#include "app/pages/critical/rank_reading.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "core/base/worker_pool.hpp"
#include "core/job/job_analysis.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// The files of a job's ranks, by index of JobAnalysis::ranks.
struct RankSources {
  std::vector<std::filesystem::path> files;
  std::vector<std::uint64_t> text_bytes;  ///< estimated memory of each trace
  bool operator==(const RankSources&) const = default;
};

/// Limits of the window.
inline constexpr std::size_t kMostPathRanks = 64;
/// Returns a quarter of the memory: the traces stay in memory while the job is open.
std::uint64_t most_path_bytes();
/// Returns the reason why the window does not read the traces, with the command that computes the path; empty
/// if it does.
std::string path_refusal(const RankSources& sources, std::uint64_t most_bytes);

class JobPathPage final : public DrawerPage {
 public:
  static constexpr std::string_view kId = "critical-path";

  /// `requests` and `pool` must outlive the page. `wake` is called from any thread after each file and each
  /// computation.
  JobPathPage(OpenOptions options, WorkerPool& pool, std::function<void()> wake,
              std::vector<PageRequest>& requests);

  /// Sets the job, which may be null while there is none, and its files. Traces are kept while the files are
  /// the same. Call before each update().
  void set_job(std::shared_ptr<const JobAnalysis> job, RankSources sources);

  std::string_view id() const override { return kId; }
  const char* title() const override;
  bool offered() const override { return job_ != nullptr && job_->ranks.size() > 1; }
  bool has_tab() const override { return false; }
  bool has_bar() const override { return false; }
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool complete() const override;
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  /// Whether the path is of the job and its clocks.
  bool current() const { return job_ != nullptr && computed_ == job_; }
  void compute();
  void cancel();
  void draw_state(const DrawContext& look);

  OpenOptions options_;
  std::function<void()> wake_;
  std::vector<PageRequest>& requests_;
  std::shared_ptr<const JobAnalysis> job_;
  RankSources sources_;
  std::string refusal_;
  std::string failure_;                               // why the traces could not be read; empty if they could
  bool canceled_ = false;                             // until the user starts reading again
  std::vector<std::shared_ptr<const Trace>> traces_;  // of `sources_`; empty until all are read
  std::shared_ptr<const JobAnalysis> computed_;       // of the newest computation
  std::unique_ptr<RankReading> reading_;
  CriticalView view_;
};

}  // namespace kino
