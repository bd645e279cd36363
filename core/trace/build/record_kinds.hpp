// The slice kind of a record, and the kind that determines the color of a name.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/base/step_words.hpp"
#include "core/trace/build/event_batch.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/build/named_devices.hpp"
#include "core/trace/slice_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Determines the kinds of records that have the trace's ids. The trace must outlive this object, and its
/// names and categories must be complete.
class RecordKinds {
 public:
  RecordKinds(const Trace& trace, const MergedIds& ids);

  /// Returns the kind of a record on track `track`. The record's own `track` is not used, since it may
  /// contain the lane.
  SliceKind kind_of(const SliceRecord& record, std::uint32_t track) const {
    const SliceKind kind = category_kinds_[record.category];
    if (contents_[track] != NamedDevices::Content::none)
      return kind_of_content(contents_[track], kind, (*names_)[record.name]);
    if (unitrace_) return unitrace_kind(kind, (*names_)[record.name]);
    if (record.category == mtia_) return slice_kind(kMtiaWork, (*names_)[record.name]);
    if (kind == SliceKind::compute && is_collective_[record.name] != 0) return SliceKind::communication;
    if (kind == SliceKind::cpu_op && is_step_name((*names_)[record.name])) return SliceKind::annotation;
    return kind;
  }

  /// Whether the record is a call that may have launched GPU work: a runtime call with a correlation id.
  bool is_launch(const SliceRecord& record) const {
    return record.correlation != 0 && category_kinds_[record.category] == SliceKind::runtime;
  }

 private:
  const StringTable* names_;
  // By name: whether a kernel of this name is a collective. The kind also depends on the category.
  std::vector<std::uint8_t> is_collective_;
  std::vector<NamedDevices::Content> contents_;  // by track
  std::vector<SliceKind> category_kinds_;        // by category
  // Categories that do not distinguish work from waits: whether the trace has unitrace's category, and the id
  // of MTIA's category.
  bool unitrace_ = false;
  std::uint32_t mtia_ = StringTable::kAbsent;
};

/// The smallest SliceKind of each name's slices, which does not depend on the order of threads.
class NameKinds {
 public:
  explicit NameKinds(std::uint32_t names);

  /// May be called from any thread.
  void note(std::uint32_t name, SliceKind kind) {
    const auto wanted = static_cast<std::uint8_t>(kind);
    std::uint8_t known = lowest_[name].load(std::memory_order_relaxed);
    while (wanted < known && !lowest_[name].compare_exchange_weak(known, wanted, std::memory_order_relaxed)) {
    }
  }
  /// Returns the kinds by name; `other` for unused names.
  std::vector<SliceKind> kinds() const;

 private:
  std::vector<std::atomic<std::uint8_t>> lowest_;
};

}  // namespace kino
