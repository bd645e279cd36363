#include "app/pages/job/job_lines.hpp"

#include <algorithm>

namespace kino {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
constexpr float kTrackGapPx = 2;

/// Returns the title under which equal tracks of all ranks are grouped. Launching threads share one group
/// with an empty title, because thread ids differ between ranks.
std::string stream_title(const RankTrackLine& line) { return line.launches ? std::string() : line.title; }

float height_of(const RankTrackLine& line, float lane_px) {
  return static_cast<float>(line.shown_lanes()) * lane_px + kTrackGapPx;
}

}  // namespace

JobLines::JobLines(const JobLineParts& parts) {
  if (!parts.named.empty()) {
    add({.kind = JobLine::Kind::group, .index = kNone, .height = parts.header_px});
    for (const std::uint32_t rank : parts.named)
      add({.kind = JobLine::Kind::rank, .index = rank, .height = parts.named_px, .named = true});
  }
  std::size_t group = 0;
  for (std::size_t i = 0; i < parts.ranks.size(); ++i) {
    while (group < parts.groups.size() && parts.groups[group].first + parts.groups[group].count <= i) ++group;
    if (group < parts.groups.size() && parts.groups[group].first == i) {
      add({.kind = JobLine::Kind::group,
           .index = static_cast<std::uint32_t>(group),
           .height = parts.header_px});
    }
    add({.kind = JobLine::Kind::rank, .index = parts.ranks[i], .height = parts.rank_px});
    if (!parts.by_stream) add_tracks(parts, parts.ranks[i]);
  }
  if (parts.by_stream) add_streams(parts);
  for (const std::uint32_t file : parts.files)
    add({.kind = JobLine::Kind::file, .index = file, .height = std::max(parts.rank_px, parts.lane_px)});
}

void JobLines::add(JobLine line) {
  line.top = height();
  if (line.kind == JobLine::Kind::rank && !line.named) {
    if (line_of_rank_.size() <= line.index) line_of_rank_.resize(line.index + 1, kNone);
    line_of_rank_[line.index] = static_cast<std::uint32_t>(lines_.size());
  }
  lines_.push_back(line);
}

void JobLines::add_tracks(const JobLineParts& parts, std::uint32_t rank) {
  if (parts.tracks == nullptr) return;
  const auto found = parts.tracks->find(rank);
  if (found == parts.tracks->end()) return;
  const RankTrackList& list = found->second;
  for (std::uint32_t i = 0; i < list.lines.size(); ++i) {
    add({.kind = JobLine::Kind::track,
         .index = rank,
         .track = i,
         .height = height_of(list.lines[i], parts.lane_px)});
  }
  if (list.trace == nullptr || list.more > 0 || list.lines.empty())
    add({.kind = JobLine::Kind::note, .index = rank, .height = parts.lane_px + kTrackGapPx});
}

void JobLines::add_streams(const JobLineParts& parts) {
  if (parts.tracks == nullptr) return;
  struct Place {
    std::uint32_t rank = 0;
    std::uint32_t track = 0;
  };
  std::map<std::string, std::vector<Place>> places;
  for (const std::uint32_t rank : parts.ranks) {
    const auto found = parts.tracks->find(rank);
    if (found == parts.tracks->end()) continue;
    for (std::uint32_t i = 0; i < found->second.lines.size(); ++i) {
      const std::string title = stream_title(found->second.lines[i]);
      std::vector<Place>& of_title = places[title];
      if (of_title.empty()) titles_.push_back(title);
      of_title.push_back({rank, i});
    }
  }
  // Launching threads are listed last, as they are below a rank.
  std::stable_partition(titles_.begin(), titles_.end(),
                        [](const std::string& title) { return !title.empty(); });
  for (std::uint32_t t = 0; t < titles_.size(); ++t) {
    add({.kind = JobLine::Kind::stream, .index = t, .height = parts.header_px});
    for (const Place& place : places[titles_[t]]) {
      const RankTrackLine& line = parts.tracks->at(place.rank).lines[place.track];
      add({.kind = JobLine::Kind::track,
           .index = place.rank,
           .track = place.track,
           .height = height_of(line, parts.lane_px)});
    }
  }
  for (const std::uint32_t rank : parts.ranks) {
    const auto found = parts.tracks->find(rank);
    if (found != parts.tracks->end() && found->second.trace == nullptr)
      add({.kind = JobLine::Kind::note, .index = rank, .height = parts.lane_px + kTrackGapPx});
  }
}

std::span<const JobLine> JobLines::between(double top, double bottom) const {
  const auto first =
      std::ranges::upper_bound(lines_, top, {}, [](const JobLine& line) { return double{line.bottom()}; });
  const auto last = std::ranges::lower_bound(lines_, bottom, {},
                                             [](const JobLine& job_line) { return double{job_line.top}; });
  if (first >= last) return {};
  return {first, last};
}

const JobLine* JobLines::at(double y) const {
  if (y < 0) return nullptr;
  const auto found =
      std::ranges::upper_bound(lines_, y, {}, [](const JobLine& line) { return double{line.bottom()}; });
  return found != lines_.end() ? &*found : nullptr;
}

const JobLine* JobLines::of_rank(std::uint32_t rank) const {
  if (rank >= line_of_rank_.size() || line_of_rank_[rank] == kNone) return nullptr;
  return &lines_[line_of_rank_[rank]];
}

}  // namespace kino
