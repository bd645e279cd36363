// The tab of categories in a snapshot's drawer: what each has at the cursor, its colour, and the rules.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

/// UI thread only; sums are computed on the pool.
class CategorySheet {
 public:
  struct Actions {
    bool read_again = false;  ///< the rules
    bool edit = false;        ///< show the file with the rules
    std::string find;         ///< the query of a rule that was clicked
  };
  CategorySheet(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  /// Once a frame.
  void update(bool shown, const SnapshotState& state, const std::shared_ptr<SnapshotCategories>& categories);
  /// Into the current window. `color_of` takes a BandPaint byte.
  Actions draw(const SnapshotState& state, const SnapshotCategories& categories,
               const std::function<std::uint32_t(std::uint8_t)>& color_of, const Theme& theme);
  bool complete() const { return !sums_.running(); }

  struct Sum {
    Message name;
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::uint8_t paint = 0;
    std::array<std::uint64_t, kSurenessCount> sure{};  ///< bytes
    Message why;                                       ///< of most of its bytes
  };
  /// For tests; null before the first.
  const std::vector<Sum>* sums() const { return sums_.value() != nullptr ? &sums_.value()->rows : nullptr; }

 private:
  struct Sums {
    std::vector<Sum> rows;  ///< the largest first
    std::array<std::uint64_t, kSurenessCount> sure{};
    std::vector<Message> notes;  ///< about what is older than the recording
    Message problem;
  };
  static Sums sums_of(const Snapshot& snapshot, std::size_t device, EventIndex at,
                      const AllocationCategories& categories);
  void draw_head(const CategoryRules& rules, const Theme& theme, Actions& actions) const;
  void draw_sum(const SnapshotState& state, const Sum& sum, std::uint32_t color, const Theme& theme) const;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<Sums> sums_;
  std::shared_ptr<SnapshotCategories> asked_;
  std::size_t asked_device_ = 0;
  EventIndex asked_at_ = kNoMoment;
};

}  // namespace kino
