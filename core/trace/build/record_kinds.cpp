#include "core/trace/build/record_kinds.hpp"

#include <cstddef>

namespace kino {

RecordKinds::RecordKinds(const Trace& trace, const MergedIds& ids) : names_(&trace.names) {
  const TrackTable& tracks = ids.tracks();
  is_collective_.resize(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i)
    is_collective_[i] = slice_kind("kernel", trace.names[i]) == SliceKind::communication ? 1 : 0;
  contents_.reserve(tracks.size());
  for (std::uint32_t i = 0; i < tracks.size(); ++i) {
    const TrackTable::Key key = tracks[i];
    const bool thread = key.track_class == TrackClass::gpu || key.track_class == TrackClass::gpu_annotation ||
                        key.track_class == TrackClass::cpu;
    contents_.push_back(thread ? ids.named_devices().content(key.pid, key.tid) : NamedDevices::Content::none);
  }
  for (const std::string_view category : trace.categories)
    category_kinds_.push_back(slice_kind(category, ""));
  if (category_kinds_.empty()) category_kinds_.push_back(SliceKind::other);
  unitrace_ = trace.categories.find(kUnitraceWork) != StringTable::kAbsent;
  mtia_ = trace.categories.find(kMtiaWork);
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
