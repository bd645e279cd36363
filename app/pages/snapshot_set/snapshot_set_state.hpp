// The view of many snapshots, shared by the page's curves, list of differences and tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/snapshot_set/snapshot_set_loader.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "app/ui/view/byte_view.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/navigation.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns a text with three significant digits, such as "1.20 GB".
std::string shown_bytes_text(std::uint64_t bytes);

/// Returns a text with the numbers of files and members, and the member with which the others are compared:
/// the one with the median peak. If this member is not typical, the text calls it the reference.
std::string set_facts_text(const SnapshotSet& set, std::size_t files_read, std::size_t files);

/// Alignment of the curves.
enum class SetAxis : std::uint8_t {
  clock,   ///< by Unix time
  begins,  ///< by time since the first event of each member
  events,
};
inline constexpr std::size_t kSetAxisCount = 3;

/// Positions of the members along an axis, in units of the camera: ns, or kUnitsPerEvent per event.
struct SetPositions {
  static constexpr std::int64_t kUnitsPerEvent = 1'000;

  SetAxis axis = SetAxis::events;
  std::int64_t origin_unix_ns = 0;            ///< time of position 0 on SetAxis::clock
  std::vector<std::vector<double>> of_point;  ///< positions by member and point, ascending
  std::vector<double> end;                    ///< end of each member
  TimeRange content;

  /// Returns the point whose value applies at the position `units`; nullopt before the first point and after
  /// the end. O(log points).
  std::optional<std::size_t> point_at(std::uint32_t member, double units) const;
};
bool has_axis(const SnapshotSet& set, SetAxis axis);
SetAxis first_axis(const SnapshotSet& set);
/// Returns the positions of all members along an axis. O(points).
SetPositions places_along(const SnapshotSet& set, SetAxis axis);

/// The set of the files read so far, and texts on the set. Computed by a worker.
struct SetResult {
  SnapshotSet set;
  Message verdict;
  std::vector<Message> notes;
  bool of_all = false;  ///< whether it is computed from all files, not only from those ready so far
};

struct SetBoxes {
  Box all;
  Box corner;  ///< above the bytes
  Box ruler;
  Box bytes;
  Box plot;
  Box side;  ///< differences of the selected member from the median
  Box drawer;
};

struct SetState {
  std::vector<SnapshotFile> files;
  std::shared_ptr<const SetResult> picture;  ///< result for the files read so far; null at first
  bool read = false;                         ///< whether all files are ready or have failed
  /// whether a picture of all files was shown; from then on, no outlier is selected automatically
  bool was_read = false;

  Theme theme;
  float scale = 1;
  Navigation navigation;
  ByteView bytes;
  DrawerChoice drawer;
  SetBoxes boxes;
  float corner_px = 0;  ///< width that the button above the bytes needs, in ImGui units

  SetPositions places;
  SumsBy by = SumsBy::line;
  std::optional<std::uint32_t> selected;  ///< index of the selected member
  std::optional<std::uint32_t> hovered;
  std::vector<SumDifference> differences;  ///< differences between the selected member and the median
  std::uint64_t selections = 0;            ///< increases with each change of the selection
  BatchQuery batch;                        ///< sizes by file, as typed by the user
  std::vector<PageRequest> requests;       ///< requests that the window has not taken yet
  std::int64_t requested_rank = -1;        ///< rank to select once it is read; -1: none

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  /// Returns the set; null until it has members.
  const SnapshotSet* set() const {
    return picture != nullptr && !picture->set.members.empty() ? &picture->set : nullptr;
  }
  /// Shows another result and keeps the selected member, identified by file and GPU.
  void take(std::shared_ptr<const SetResult> made);
  void place(float left, float top, float width, float height);
  void select(std::optional<std::uint32_t> member);
  /// Selects the next (+1) or previous (-1) member in the order of SnapshotSet::order, outliers first. Stops
  /// at the ends.
  void step(int direction);
  void next_axis();
  void group_by(SumsBy wanted);
  void request_open(std::uint32_t member);
  /// Selects the member of a rank of the job, once it is read. Only the last call counts.
  void select_rank(std::int64_t rank);
};

}  // namespace kino
