// What kind of slice a record becomes, and the kind by which each name is coloured.
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

/// Of records with the trace's ids. The trace and the ids outlive it; names and categories are complete.
class RecordKinds {
 public:
  RecordKinds(const Trace& trace, const MergedIds& ids);

  /// On the track of this number; the record itself may keep its lane there.
  SliceKind kind_of(const SliceRecord& record, std::uint32_t track) const {
    const SliceKind kind = of_category_[record.category];
    if (contents_[track] != NamedDevices::Content::none)
      return kind_of_content(contents_[track], kind, (*names_)[record.name]);
    if (unitrace_) return unitrace_kind(kind, (*names_)[record.name]);
    if (record.category == mtia_) return slice_kind(kMtiaWork, (*names_)[record.name]);
    if (kind == SliceKind::compute && is_collective_[record.name] != 0) return SliceKind::communication;
    if (kind == SliceKind::cpu_op && is_step_name((*names_)[record.name])) return SliceKind::annotation;
    return kind;
  }

  /// A call that others on the GPU may have the correlation id of.
  bool is_launch(const SliceRecord& record) const {
    return record.correlation != 0 && of_category_[record.category] == SliceKind::runtime;
  }

 private:
  const StringTable* names_;
  // Flags by name, as if it were a kernel's: a kind depends on the category, too.
  std::vector<std::uint8_t> is_collective_;
  std::vector<NamedDevices::Content> contents_;  // by track
  std::vector<SliceKind> of_category_;
  // Categories that do not tell work from waits.
  bool unitrace_ = false;
  std::uint32_t mtia_ = StringTable::kAbsent;
};

/// The lowest kind that bears a name, whatever the order of threads.
class NameKinds {
 public:
  explicit NameKinds(std::uint32_t names);

  /// From any thread.
  void note(std::uint32_t name, SliceKind kind) {
    const auto wanted = static_cast<std::uint8_t>(kind);
    std::uint8_t known = lowest_[name].load(std::memory_order_relaxed);
    while (wanted < known && !lowest_[name].compare_exchange_weak(known, wanted, std::memory_order_relaxed)) {
    }
  }
  /// By name; `other` where nothing has it.
  std::vector<SliceKind> kinds() const;

 private:
  std::vector<std::atomic<std::uint8_t>> lowest_;
};

}  // namespace kino
