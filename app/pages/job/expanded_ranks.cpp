#include "app/pages/job/expanded_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

namespace kino {

ExpandedRanks::ExpandedRanks(OpenOptions options, WorkerPool& pool, std::function<void()> wake)
    : options_(std::move(options)), pool_(pool), wake_(std::move(wake)) {}

void ExpandedRanks::update(JobState& state) {
  if (state.picture == nullptr) return;
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : state.shown) {
    const bool wanted =
        state.by_stream ? ranks.size() < kMostByStream : state.expanded.contains(state.picture->files[rank]);
    if (wanted) ranks.push_back(rank);
  }
  if (ranks.empty() && traces_ == nullptr) return;
  if (traces_ == nullptr) traces_ = std::make_unique<RankTraces>(options_, wake_);
  // Sorted by distance to the middle of the view, because the traces are read in this order.
  const double middle = state.scroll.position() + static_cast<double>(state.boxes.lanes.height()) / 2;
  std::vector<std::uint32_t> by_distance = ranks;
  std::ranges::stable_sort(by_distance, {}, [&](std::uint32_t rank) {
    const JobLine* const line = state.lines.of_rank(rank);
    return line != nullptr ? std::abs(static_cast<double>(line->top) - middle) : 1e12;
  });
  std::vector<std::filesystem::path> files;
  files.reserve(by_distance.size());
  for (const std::uint32_t rank : by_distance) files.push_back(state.picture->files[rank]);
  traces_->want(std::move(files));
  const bool same = std::exchange(seen_, traces_->generation()) == seen_;
  const auto listed = [&](std::uint32_t rank) { return state.tracks.contains(rank); };
  if (same && state.tracks.size() == ranks.size() && std::ranges::all_of(ranks, listed)) return;
  missing_ = false;
  std::map<std::uint32_t, RankTrackList> tracks;
  for (const std::uint32_t rank : ranks) {
    const WantedTrace now = traces_->of(state.picture->files[rank]);
    missing_ = missing_ || now.state == WantedTrace::State::reading;
    const auto known = state.tracks.find(rank);
    if (known != state.tracks.end() && known->second.state == now.state && known->second.trace == now.trace) {
      tracks.emplace(rank, std::move(known->second));
    } else {
      tracks.emplace(rank, track_list_of(now));
    }
  }
  state.tracks = std::move(tracks);
  state.lines_stale = true;
  std::erase_if(drawn_, [&](const auto& entry) {
    const auto found = state.tracks.find(entry.first);
    return found == state.tracks.end() || found->second.trace.get() != &entry.second->trace();
  });
}

void ExpandedRanks::draw(ImDrawList& list, const JobState& state, const ColorOptions& look) {
  const double top = state.scroll.position();
  std::vector<std::uint32_t> ranks;
  for (const JobLine& line :
       state.lines.between(top, top + static_cast<double>(state.boxes.lanes.height()))) {
    if (line.kind == JobLine::Kind::track) ranks.push_back(line.index);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (const std::uint32_t rank : ranks) {
    const auto found = state.tracks.find(rank);
    if (found == state.tracks.end() || found->second.trace == nullptr) continue;
    std::unique_ptr<RankTracks>& tracks = drawn_[rank];
    if (tracks == nullptr) tracks = std::make_unique<RankTracks>(found->second.trace, pool_, wake_);
    tracks->draw(list, state, rank, look);
  }
  // Drops the tiles of ranks whose tracks are not visible, since recreating the tiles is fast.
  std::erase_if(drawn_, [&](const auto& entry) { return !std::ranges::binary_search(ranks, entry.first); });
}

const RankTracks* ExpandedRanks::of(std::uint32_t rank) const {
  const auto found = drawn_.find(rank);
  return found != drawn_.end() ? found->second.get() : nullptr;
}

bool ExpandedRanks::complete() const {
  return !missing_ && std::ranges::all_of(drawn_, [](const auto& entry) { return entry.second->complete(); });
}

bool ExpandedRanks::wants_frames() const {
  return std::ranges::any_of(drawn_, [](const auto& entry) { return !entry.second->labels_fresh(); });
}

}  // namespace kino
