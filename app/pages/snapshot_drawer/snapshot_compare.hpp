// Selection for a comparison: another open document, a device of it, and a moment of each snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/pages/snapshot_drawer/other_snapshot.hpp"
#include "app/ui/tables/table_tab.hpp"

namespace kino {

enum class ComparedMoment : std::uint8_t { peak, end, cursor };

class SnapshotCompare {
 public:
  /// Updates the selection if the selected document is no longer open. Call once per frame, before the other
  /// functions. `others` must be valid only until the end of the frame.
  void update(const SnapshotState& state, std::span<const OtherSnapshot> others);
  /// Sets the compared snapshot and both moments of `question`. Does nothing if there is no other snapshot.
  void ask(const SnapshotState& state, TableResultQuery& question) const;
  /// Draws a line of menus. Draws nothing if there is no other snapshot. Returns whether the user selected an
  /// item.
  bool draw(TableTab& tab, const SnapshotState& state, const Theme& theme);
  /// Highlights an allocation of the other snapshot.
  void select(AllocationId allocation) const;

  const std::string& title() const { return title_; }
  ComparedMoment here() const { return here_; }
  ComparedMoment there() const { return there_; }

 private:
  const OtherSnapshot* other() const;

  std::vector<OtherSnapshot> others_;  // valid in this frame only
  std::uint64_t document_ = 0;         // serial of the selected document; 0: none
  std::size_t device_ = 0;             // selected device of this document
  ComparedMoment here_ = ComparedMoment::peak;
  ComparedMoment there_ = ComparedMoment::peak;
  std::string title_;
};

}  // namespace kino
