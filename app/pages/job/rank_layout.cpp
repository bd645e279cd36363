#include "app/pages/job/rank_layout.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/pages/job/job_texts.hpp"
#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostDimensions = 8;

/// Identifies a dimension by the description of its groups; without descriptions, by their stride and size.
struct Key {
  std::string description;
  std::int64_t stride = 0;
  std::size_t size = 0;
  bool operator<(const Key& other) const {
    return std::tie(description, stride, size) < std::tie(other.description, other.stride, other.size);
  }
};

std::optional<std::int64_t> stride_of(const std::vector<std::int64_t>& members) {
  const std::int64_t stride = members[1] - members[0];
  for (std::size_t i = 2; i < members.size(); ++i) {
    if (members[i] - members[i - 1] != stride) return std::nullopt;
  }
  return stride;
}

struct Found {
  RankDimension dimension;
  std::int64_t stride = 0;
  std::size_t ranks = 0;
  bool named = false;
  std::set<std::vector<std::int64_t>> groups;
};

std::map<Key, Found> found_in(const JobAnalysis& job) {
  std::map<Key, Found> found;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const RankDigest& rank = *job.ranks[i];
    for (const RankGroup& group : rank.groups) {
      const std::size_t size = group.members.size();
      if (size < 2 || static_cast<std::int64_t>(size) >= job.world_size) continue;
      const auto place = std::ranges::lower_bound(group.members, rank.rank);
      if (place == group.members.end() || *place != rank.rank) continue;
      Key key{.description = short_description(group.description)};
      const std::optional<std::int64_t> stride = stride_of(group.members);
      if (key.description.empty()) {
        if (!stride) continue;
        key.stride = *stride;
        key.size = size;
      }
      if (found.size() >= kMostDimensions && !found.contains(key)) continue;
      Found& candidate = found[key];
      candidate.named = !key.description.empty();
      candidate.stride = stride.value_or(0);
      candidate.dimension.name = key.description;
      candidate.dimension.size = std::max(candidate.dimension.size, static_cast<std::int64_t>(size));
      candidate.dimension.places.resize(job.ranks.size(), -1);
      if (candidate.dimension.places[i] < 0) {
        candidate.dimension.places[i] = place - group.members.begin();
        ++candidate.ranks;
      }
      candidate.groups.insert(group.members);
    }
  }
  return found;
}

/// Returns whether most pairs of sender and receiver are in a common group of the candidate.
bool carries_messages(const JobAnalysis& job, const Found& candidate) {
  std::size_t pairs = 0;
  std::size_t along = 0;
  for (const MatchedGroup& group : job.matched.groups) {
    if (group.kind != MatchedGroupKind::messages) continue;
    ++pairs;
    along += std::ranges::any_of(candidate.groups, [&](const std::vector<std::int64_t>& members) {
      return std::ranges::binary_search(members, group.source) &&
             std::ranges::binary_search(members, group.target);
    });
  }
  return pairs > 0 && along * 2 > pairs;
}

}  // namespace

std::string RankLayout::words() const {
  std::string words;
  for (const RankDimension& dimension : dimensions)
    words += (words.empty() ? "" : " · ") + dimension.name + " " + std::to_string(dimension.size);
  return words;
}

std::string short_description(std::string_view description) {
  std::string lower = lowered(description);
  if (lower.empty() || lower == "undefined" || lower == "default_pg") return {};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKnown{{{"expert", "ep"},
                                                                                 {"tensor", "tp"},
                                                                                 {"pipeline", "pp"},
                                                                                 {"context", "cp"},
                                                                                 {"data_parallel", "dp"},
                                                                                 {"embedding", ""}}};
  for (const auto& [part, name] : kKnown) {
    if (lower.find(part) != std::string::npos) return std::string(name);
  }
  constexpr std::string_view kMesh = "mesh_";
  constexpr std::size_t kLongest = 16;
  if (lower.starts_with(kMesh)) lower.erase(0, kMesh.size());
  return lower.substr(0, kLongest);
}

RankLayout layout_of(const JobAnalysis& job, std::span<const std::filesystem::path> files) {
  RankLayout layout;
  std::set<std::string> machines;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const std::optional<std::string> host = i < files.size() ? host_of(files[i]) : std::nullopt;
    layout.machines.push_back(host.value_or(""));
    if (host) machines.insert(*host);
  }
  layout.machine_count = machines.size();
  std::vector<Found> found;
  for (auto& of_key : found_in(job)) {
    Found& candidate = of_key.second;
    // A dimension needs groups that contain at least half of the ranks. A second dimension with the same
    // groups is rejected.
    const bool known =
        std::ranges::any_of(found, [&](const Found& other) { return other.groups == candidate.groups; });
    if (candidate.ranks * 2 >= job.ranks.size() && !known) found.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(found, {}, &Found::stride);
  bool first = true;
  for (Found& entry : found) {
    if (!entry.named) entry.dimension.name = carries_messages(job, entry) ? "pp" : first ? "tp" : "dp";
    first = false;
    layout.dimensions.push_back(std::move(entry.dimension));
  }
  return layout;
}

}  // namespace kino
