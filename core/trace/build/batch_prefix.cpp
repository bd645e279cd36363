#include "core/trace/build/batch_prefix.hpp"

#include "core/base/saturating.hpp"

namespace kino {
namespace {

std::vector<std::string_view> first_texts(const StringTable& table, std::uint32_t count) {
  return {table.begin(), table.begin() + count};
}

template <class T>
void append_all(const std::vector<std::span<const T>>& spans, RecordList<T>& out,
                const std::stop_token& stop) {
  for (const std::span<const T> span : spans) {
    if (stop.stop_requested()) return;
    out.append(span);
  }
}

/// Shifts the times of the records of a list from index `from` on.
template <class T>
void shift_from(RecordList<T>& list, std::size_t from, std::int64_t T::*time, std::int64_t shift_ns) {
  std::size_t first = 0;
  for (auto& block : list.blocks()) {
    const std::span<T> records = block.span();
    for (std::size_t i = from > first ? from - first : 0; i < records.size(); ++i)
      add_saturating(records[i].*time, shift_ns);
    first += records.size();
  }
}

}  // namespace

void shift_times(EventBatch& batch, const BatchMark& from, std::int64_t shift_ns) {
  shift_from(batch.slices, from.slices, &SliceRecord::start_ns, shift_ns);
  shift_from(batch.spans, from.spans, &PointRecord::time_ns, shift_ns);
  shift_from(batch.instants, from.instants, &PointRecord::time_ns, shift_ns);
  shift_from(batch.samples, from.samples, &SampleRecord::time_ns, shift_ns);
  shift_from(batch.memory, from.memory, &MemoryRecord::time_ns, shift_ns);
  shift_from(batch.flows, from.flows, &FlowPoint::time_ns, shift_ns);
}

BatchMark mark_of(const EventBatch& batch) {
  return {.slices = batch.slices.size(),
          .spans = batch.spans.size(),
          .instants = batch.instants.size(),
          .samples = batch.samples.size(),
          .memory = batch.memory.size(),
          .flows = batch.flows.size(),
          .metadata = batch.metadata.size(),
          .names = batch.names.size(),
          .categories = batch.categories.size(),
          .facts = batch.facts.size(),
          .tracks = batch.tracks.size()};
}

BatchPrefix::BatchPrefix(const EventBatch& batch, const BatchMark& mark)
    : names_(first_texts(batch.names, mark.names)),
      categories_(first_texts(batch.categories, mark.categories)),
      facts_(first_texts(batch.facts, mark.facts)),
      slices_(batch.slices.first(mark.slices)),
      spans_(batch.spans.first(mark.spans)),
      instants_(batch.instants.first(mark.instants)),
      samples_(batch.samples.first(mark.samples)),
      memory_(batch.memory.first(mark.memory)),
      flows_(batch.flows.first(mark.flows)),
      metadata_(batch.metadata.begin(), batch.metadata.begin() + static_cast<std::ptrdiff_t>(mark.metadata)) {
  tracks_.reserve(mark.tracks);
  for (std::uint32_t i = 0; i < mark.tracks; ++i) tracks_.push_back(batch.tracks[i]);
}

EventBatch BatchPrefix::copy(const std::stop_token& stop) const {
  constexpr std::size_t kStride = 1 << 14;
  EventBatch batch;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (i % kStride == 0 && stop.stop_requested()) return {};
    batch.names.intern(names_[i]);
  }
  for (const std::string_view category : categories_) batch.categories.intern(category);
  for (const std::string_view facts : facts_) batch.facts.intern(facts);
  for (const TrackTable::Key& key : tracks_) batch.tracks.intern(key.track_class, key.pid, key.tid);
  append_all(slices_, batch.slices, stop);
  append_all(spans_, batch.spans, stop);
  append_all(instants_, batch.instants, stop);
  append_all(samples_, batch.samples, stop);
  append_all(memory_, batch.memory, stop);
  append_all(flows_, batch.flows, stop);
  batch.metadata = metadata_;
  return stop.stop_requested() ? EventBatch{} : std::move(batch);
}

}  // namespace kino
