// What the page of many snapshots shows and where: shared by its curves, its
// list of differences and its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

/// "1.2 GB".
std::string bytes_words(std::uint64_t bytes);

/// Number of files and members, and the member that the others are compared with: the median, or the
/// reference if the median is not typical.
std::string set_facts_text(const SnapshotSet& set, std::size_t files_read, std::size_t files);

/// How the curves lie beside each other.
enum class SetAxis : std::uint8_t {
  clock,   ///< by Unix time
  begins,  ///< by time, each from its first event
  events,
};
inline constexpr std::size_t kSetAxisCount = 3;

/// Members along an axis: units of the camera, ns or kUnitsPerEvent an event.
struct SetPlaces {
  static constexpr std::int64_t kUnitsPerEvent = 1'000;

  SetAxis axis = SetAxis::events;
  std::int64_t origin_unix_ns = 0;            ///< of SetAxis::clock
  std::vector<std::vector<double>> of_point;  ///< by member and point, ascending
  std::vector<double> end;                    ///< by member
  TimeRange content;

  /// The point that holds `units`; nothing before the first and behind the end.
  /// O(log points).
  std::optional<std::size_t> point_at(std::uint32_t member, double units) const;
};
/// Whether the set can be laid so.
bool has_axis(const SnapshotSet& set, SetAxis axis);
/// The one that it begins with.
SetAxis first_axis(const SnapshotSet& set);
/// O(points).
SetPlaces places_along(const SnapshotSet& set, SetAxis axis);

/// What was read, computed by a worker.
struct SetPicture {
  SnapshotSet set;
  Message verdict;
  std::vector<Message> notes;
  bool of_all = false;  ///< of all files, and not of those that had been read by then
};

/// Where the parts of the page are on screen.
struct SetBoxes {
  Box all;
  Box corner;  ///< above the bytes
  Box ruler;
  Box bytes;
  Box plot;
  Box side;  ///< differences of the selected one
  Box drawer;
};

/// UI thread only.
struct SetState {
  std::vector<SnapshotFile> files;
  std::shared_ptr<const SetPicture> picture;  ///< of all that is read, or of a part of it; null until then
  bool read = false;                          ///< nothing more comes
  bool was_read = false;                      ///< once: what comes later steals no view

  Theme theme;
  float scale = 1;
  Navigation navigation;
  ByteView bytes;
  DrawerChoice drawer;
  float drawer_height = 250;
  SetBoxes boxes;

  SetPlaces places;
  SumsBy by = SumsBy::line;
  std::optional<std::uint32_t> selected;  ///< a member
  std::optional<std::uint32_t> hovered;
  std::vector<SumDifference> differences;  ///< of the selected one to the median
  std::uint64_t selections = 0;            ///< counts up with each change of the selected one
  BatchAsked batch;                        ///< sizes by file, as a person typed them
  std::vector<PageRequest> requests;       ///< not taken yet
  std::int64_t rank_wanted = -1;           ///< is selected as soon as it is there

  float px(float at_scale_1) const { return at_scale_1 * scale; }
  /// Null without members.
  const SnapshotSet* set() const {
    return picture != nullptr && !picture->set.members.empty() ? &picture->set : nullptr;
  }
  /// Members keep their place by file and GPU.
  void take(std::shared_ptr<const SetPicture> made);
  void place(float left, float top, float width, float height);
  void select(std::optional<std::uint32_t> member);
  /// To the next one in the order of outliers (+1), or the one before.
  void step(int direction);
  /// The next axis that the set has.
  void next_axis();
  void group_by(SumsBy wanted);
  void want_open(std::uint32_t member);
  /// The member of a rank of the job, when it is there.
  void select_rank(std::int64_t rank);
};

}  // namespace kino
