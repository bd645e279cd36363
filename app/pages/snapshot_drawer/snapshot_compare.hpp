// The choice of a comparison: another open document, its device, and the moment of each.
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
  /// Updates the choice. Call once per frame, before the other functions. `others` need not outlive the
  /// frame.
  void update(const SnapshotState& state, std::span<const OtherSnapshot> others);
  /// Adds the comparison to `question`. Does nothing if there is no other snapshot.
  void ask(const SnapshotState& state, TableResultQuery& question) const;
  /// Draws a line of choices. Draws nothing if there is no other snapshot. Returns whether a choice changed.
  bool draw(TableTab& tab, const SnapshotState& state, const Theme& theme);
  /// Highlights an allocation of the other snapshot.
  void select(AllocationId allocation) const;

  const std::string& title() const { return title_; }
  ComparedMoment here() const { return here_; }
  ComparedMoment there() const { return there_; }

 private:
  const OtherSnapshot* other() const;

  std::vector<OtherSnapshot> others_;  // of this frame
  std::uint64_t document_ = 0;         // the selected one
  std::size_t device_ = 0;             // of document_
  ComparedMoment here_ = ComparedMoment::peak;
  ComparedMoment there_ = ComparedMoment::peak;
  std::string title_;
};

}  // namespace kino
