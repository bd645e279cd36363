#include "core/trace/build/merged_ids.hpp"

#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace kino {
namespace {

std::string decoded(const MergedIds::Decode& decode, std::string_view text) {
  return decode ? decode(text) : std::string(text);
}

auto track_rank(const TrackTable::Key& key) { return std::tuple(key.track_class, key.pid, key.tid); }

}  // namespace

MergedIds::MergedIds(std::span<EventBatch> batches, std::vector<ByteRange> discarded, const Decode& decode,
                     Trace& trace)
    : discarded_(std::move(discarded)), named_devices_({}) {
  for (const EventBatch& batch : batches) repaired_.push_back(batch.repaired ? 1 : 0);
  gather_metadata(batches, decode);
  named_devices_ = NamedDevices(metadata_);
  trace.arguments.texts.intern("");
  trace.names.intern("");  // the empty name is 0: pair_spans_of relies on it
  for (EventBatch& batch : batches) merge(batch, decode, trace);
  sort_tracks();
}

void MergedIds::gather_metadata(std::span<EventBatch> batches, const Decode& decode) {
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (MetadataRecord& record : batches[b].metadata) {
      if (counts(b, record.source_offset)) metadata_.push_back(std::move(record));
    }
    batches[b].metadata = std::vector<MetadataRecord>();
  }
  std::ranges::sort(metadata_, {}, &MetadataRecord::source_offset);  // the last record in the file wins
  for (MetadataRecord& record : metadata_) {
    for (std::string* text : {&record.text, &record.pid, &record.tid}) *text = decoded(decode, *text);
  }
}

void MergedIds::merge(EventBatch& batch, const Decode& decode, Trace& trace) {
  Maps& maps = maps_.emplace_back();
  maps.names.resize(batch.names.size());
  for (std::uint32_t i = 0; i < batch.names.size(); ++i)
    maps.names[i] = trace.names.intern(decoded(decode, batch.names[i]));
  maps.categories.resize(batch.categories.size());
  for (std::uint32_t i = 0; i < batch.categories.size(); ++i) {
    // Ids are 16 bits wide. If a file has too many categories, the remaining ones become the first category.
    const bool full = trace.categories.size() >= std::numeric_limits<std::uint16_t>::max();
    maps.categories[i] =
        static_cast<std::uint16_t>(full ? trace.categories.intern(trace.categories[0])
                                        : trace.categories.intern(decoded(decode, batch.categories[i])));
  }
  // Test batches may have no facts; id 0 always means no facts.
  maps.facts.resize(std::max(1U, batch.facts.size()));
  for (std::uint32_t i = 1; i < batch.facts.size(); ++i)
    maps.facts[i] = trace.arguments.texts.intern(batch.facts[i]);
  maps.tracks.resize(batch.tracks.size());
  for (std::uint32_t i = 0; i < batch.tracks.size(); ++i) {
    const TrackTable::Key key = batch.tracks[i];
    const std::string pid = decoded(decode, key.pid);
    const std::string tid = decoded(decode, key.tid);
    maps.tracks[i] = tracks_.intern(named_devices_.class_of(key.track_class, pid, tid), pid, tid);
  }
  // Only the trace's ids are used from here on.
  batch.names = {};
  batch.categories = {};
  batch.facts = {};
  batch.tracks = {};
}

void MergedIds::sort_tracks() {
  tracks_.drop_index();
  std::vector<std::uint32_t> order(tracks_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t id) { return track_rank(tracks_[id]); });
  TrackTable sorted;
  sorted.reserve(tracks_.size());
  std::vector<std::uint32_t> renumbered(order.size());
  for (const std::uint32_t id : order) {
    const TrackTable::Key track = tracks_[id];
    renumbered[id] = sorted.intern(track.track_class, track.pid, track.tid);
  }
  for (Maps& maps : maps_) {
    for (std::uint32_t& track : maps.tracks) track = renumbered[track];
  }
  sorted.drop_index();
  tracks_ = std::move(sorted);
}

std::uint32_t MergedIds::track_of(const TrackTable::Key& wanted) const {
  // Binary search by hand, since clang 14 cannot search an iota view of this standard library.
  std::uint32_t first = 0;
  for (std::uint32_t last = tracks_.size(); first < last;) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (track_rank(tracks_[middle]) < track_rank(wanted)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  const bool found = first < tracks_.size() && track_rank(tracks_[first]) == track_rank(wanted);
  return found ? first : tracks_.size();
}

}  // namespace kino
