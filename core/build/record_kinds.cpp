#include "core/build/record_kinds.hpp"

#include <cstddef>

namespace kino {

RecordKinds::RecordKinds(const Trace& trace, const MergedIds& ids)
    : names_(&trace.names), tracks_(&ids.tracks()) {
  is_collective_.resize(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i)
    is_collective_[i] = slice_kind("kernel", trace.names[i]) == SliceKind::communication ? 1 : 0;
  on_xla_device_.reserve(tracks_->size());
  for (std::uint32_t i = 0; i < tracks_->size(); ++i) {
    const TrackTable::Key key = (*tracks_)[i];
    on_xla_device_.push_back(key.track_class != TrackClass::cpu && ids.xla_devices().holds(key.pid) ? 1 : 0);
  }
  for (std::uint32_t i = 0; i < trace.categories.size(); ++i)
    of_category_.push_back(slice_kind(trace.categories[i], ""));
  if (of_category_.empty()) of_category_.push_back(SliceKind::other);
}

NameKinds::NameKinds(std::uint32_t names) : lowest_(names) {
  for (auto& kind : lowest_) kind.store(kSliceKindCount, std::memory_order_relaxed);
}

std::vector<SliceKind> NameKinds::kinds() const {
  std::vector<SliceKind> kinds(lowest_.size());
  for (std::size_t i = 0; i < lowest_.size(); ++i) {
    const std::uint8_t kind = lowest_[i].load(std::memory_order_relaxed);
    kinds[i] = kind < kSliceKindCount ? static_cast<SliceKind>(kind) : SliceKind::other;
  }
  return kinds;
}

}  // namespace kino
