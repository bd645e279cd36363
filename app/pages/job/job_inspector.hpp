// The inspector of the job page: sums of the visible time, or the selected collective, cell, rank or group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/inspector/view_rest.hpp"
#include "app/pages/job/job_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/inspector_content.hpp"
#include "app/ui/drawer/inspector_frame.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// Sums of the collectives in a range of time; see job_view_sums().
struct JobViewSums {
  std::size_t collectives = 0;
  std::int64_t waiting_ns = 0;       ///< of all members, also outside of the range
  std::int64_t transfer_sum_ns = 0;  ///< of all members, also outside of the range
  std::int64_t excluded_ns = 0;      ///< part of waiting_ns in collectives with CollectiveWait::outside
  /// Ranks that arrived last, with the waiting of the others for them; at most three, most waiting first.
  std::vector<std::pair<std::uint32_t, std::int64_t>> last;
  std::vector<std::uint32_t> worst;  ///< at most five collectives, most waiting first
};

/// Returns the sums for `range`, in page ns. A collective counts if the kernel of the rank that arrived last
/// overlaps the range. O(collectives log ranks).
JobViewSums job_view_sums(const JobPicture& picture, TimeRange range, const std::stop_token& stop = {});

/// UI thread only.
class JobInspector {
 public:
  /// `pool` must outlive the object.
  JobInspector(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Handles the key that shows and hides the panel, and sets JobState::inspector_px. Call before
  /// JobState::place(). `sizes` may be null.
  void handle_keys(JobState& state, Splitters* sizes, bool keyboard, float page_px);
  /// Called once per frame, after JobState::place().
  void update(const JobState& state, double delta_seconds);
  /// Draws the panel, and carries out its clicks. `sizes` may be null.
  void draw(JobState& state, Splitters* sizes, const DrawContext& look);
  bool wants_frames() const { return sums_view_ && rest_.waiting(); }
  bool complete() const { return !sums_.running() && !wants_frames(); }
  void write_test_state(const JobState& state, nlohmann::ordered_json& json) const;

 private:
  struct Sums {
    std::shared_ptr<const JobPicture> picture;  // picture from which the sums were computed
    JobViewSums sums;
  };

  WorkerPool& pool_;
  std::function<void()> wake_;
  InspectorFrame frame_;
  InspectorSections sections_;
  ViewRest rest_;
  bool sums_view_ = false;                    // whether the panel shows the sums in this frame
  std::shared_ptr<const JobPicture> summed_;  // picture of the newest computation
  BackgroundResult<Sums> sums_;
};

/// Returns sentences on a collective in the language in use: the operation, who arrived last, and why.
std::string collective_sentences(const JobAnalysis& job, std::uint32_t collective);
/// Returns sentences on one of JobState::groups in the language in use: its waiting, and its worst rank.
/// O(ranks).
std::string group_sentences(const JobState& state, std::size_t group);
/// Returns sentences on a rank in the language in use: its lateness, the causes, and its GPU. May be empty.
std::string rank_sentences(const JobAnalysis& job, std::uint32_t rank);

}  // namespace kino
