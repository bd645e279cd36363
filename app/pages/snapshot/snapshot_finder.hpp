// The search of a snapshot: the field in the bar above the plot, its result, and moves between hits.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/tables/snapshot_search.hpp"

namespace kino {

struct SnapshotSearchResult {
  std::string query;
  std::size_t device = 0;
  Message problem;  ///< reason why the query is invalid, as one sentence
  bool of_events = false;
  SnapshotHits hits;
};

class SnapshotFinder {
 public:
  struct Actions {
    int step = 0;            ///< move to the next (1) or previous (-1) hit; 0: none
    bool show_list = false;  ///< whether to show the table of the hits
  };

  SnapshotFinder(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  bool is_open() const { return open_; }
  void show();
  void close();
  /// Opens the search with this query and leaves the keyboard to the plot. Does nothing if the query is too
  /// long.
  void look_for(const std::string& query);
  /// Takes finished results. Call once per frame. Returns whether the answer changed or was removed.
  bool update(std::size_t device);
  /// While the search is open and `keyboard` is true, handles the commands that move to the next or previous
  /// hit.
  Actions handle_keys(bool keyboard) const;
  /// Draws the search in the bar, from `left` to `right`. In its field, Enter moves to the next hit,
  /// Shift+Enter to the previous one, and Esc closes the search.
  Actions draw(const Box& bar, float left, float right, const SnapshotState& state, const Theme& theme);
  /// Returns the hit after (1) or before (-1) the selected allocation, or the cursor if none is selected.
  /// Continues at the other end after the last hit. nullopt if there are no hits.
  std::optional<AllocationId> neighbor(const SnapshotState& state, int step) const;

  /// Returns the last result; null if there is none for the shown device, or if the query is invalid.
  std::shared_ptr<const SnapshotSearchResult> answer() const;
  /// Returns the text in the field, even while the search is closed.
  std::string typed() const { return text_.data(); }
  /// Returns the query of answer(), by which tables are filtered; empty if there is none.
  std::string query() const { return answer() != nullptr ? answer()->query : std::string(); }
  bool complete() const { return !answer_.running(); }
  const SnapshotSearchResult* newest() const {
    return answer_.value() != nullptr ? answer_.value()->get() : nullptr;
  }

 private:
  void draw_status(float left, float right, const Box& bar, const Theme& theme) const;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::shared_ptr<const SnapshotSearchResult>> answer_;
  std::array<char, 1024> text_{};
  std::string requested_;
  std::size_t requested_device_ = 0;
  bool open_ = false;
  bool take_focus_ = false;
  bool took_focus_ = false;
};

}  // namespace kino
