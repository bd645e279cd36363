#include "core/tables/serving/hand_over.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace kino {
namespace {

constexpr std::size_t kLeastPieces = 200;
constexpr std::size_t kReach = 16;  // pieces between a hand-over and its copy to the host
constexpr std::size_t kLeastStretches = 3;

/// Consecutive pieces [first, last).
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t size() const { return last - first; }
};

/// Returns the work of the device with the most pieces. `launched` reports whether its order is that of the
/// launches; if so, pieces without a launch are left out.
std::vector<WorkPiece> ordered_work(const ServingWork& work, bool& launched) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const WorkPiece& piece : work.pieces) ++counts[piece.device];
  const auto most =
      std::ranges::max_element(counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<WorkPiece> pieces;
  if (most == counts.end()) return pieces;
  pieces.reserve(most->second);
  std::ranges::copy_if(work.pieces, std::back_inserter(pieces),
                       [&](const WorkPiece& piece) { return piece.device == most->first; });
  const auto with_launch = static_cast<std::size_t>(std::ranges::count_if(pieces, &WorkPiece::launched));
  launched = 10 * with_launch >= 9 * pieces.size() && with_launch > 0;
  if (!launched) return pieces;
  std::erase_if(pieces, [](const WorkPiece& piece) { return !piece.launched(); });
  std::ranges::stable_sort(pieces, {}, [](const WorkPiece& piece) {
    return std::tuple(piece.launch_range.begin_ns, index_of(piece.launch), piece.range.begin_ns);
  });
  return pieces;
}

/// Splits work at its hand-overs.
class HandOverSplit {
 public:
  HandOverSplit(const Trace& trace, std::span<const WorkPiece> pieces, bool launched)
      : pieces_(pieces), launched_(launched), kernels_(trace) {}

  /// Returns the stretches that contain a whole model, without cut ones at both ends.
  std::vector<Stretch> stretches(bool WorkPiece::*hand_over) {
    std::vector<Stretch> found;
    std::size_t first = 0;
    for (const std::size_t cut : cuts(hand_over)) {
      if (cut > first && whole_model({first, cut})) found.push_back({first, cut});
      first = std::max(first, cut);
    }
    drop_cut_ends(found);
    return found;
  }

 private:
  /// Returns the ends of stretches, in order: after each hand-over with a whole model since the one before,
  /// and the end of all work.
  std::vector<std::size_t> cuts(bool WorkPiece::*hand_over) {
    std::vector<std::size_t> found;
    kernels_.clear();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      kernels_.add(pieces_[i]);
      if (!(pieces_[i].*hand_over)) continue;
      if (kernels_.whole_model()) found.push_back(end_of_hand_over(i, hand_over));
      kernels_.clear();
    }
    found.push_back(pieces_.size());
    return found;
  }

  /// Returns the end of the hand-over that begins at piece `i`: after the last copy to the host in reach, and
  /// after the replay that it is a part of. Further selecting kernels in reach extend the reach.
  std::size_t end_of_hand_over(std::size_t i, bool WorkPiece::*hand_over) const {
    std::size_t end = i + 1;
    std::size_t reach = i + kReach;
    for (std::size_t at = i + 1; at < pieces_.size() && at <= reach; ++at) {
      if (hand_over == &WorkPiece::selects_tokens && pieces_[at].selects_tokens) {
        reach = at + kReach;
        end = at + 1;
      } else if (pieces_[at].to_host) {
        end = at + 1;
      }
    }
    while (launched_ && end < pieces_.size() && pieces_[end].replayed &&
           pieces_[end].launch == pieces_[end - 1].launch) {
      ++end;
    }
    return end;
  }

  bool whole_model(Stretch stretch) {
    kernels_.clear();
    for (const WorkPiece& piece : pieces_.subspan(stretch.first, stretch.size())) kernels_.add(piece);
    return kernels_.whole_model();
  }

  /// Drops the first and the last stretch if it has less than 0.9 of the pieces of the shortest inner one.
  static void drop_cut_ends(std::vector<Stretch>& stretches) {
    if (stretches.size() < 3) return;
    std::size_t shortest = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 1; i + 1 < stretches.size(); ++i) shortest = std::min(shortest, stretches[i].size());
    if (10 * stretches.back().size() < 9 * shortest) stretches.pop_back();
    if (10 * stretches.front().size() < 9 * shortest) stretches.erase(stretches.begin());
  }

  std::span<const WorkPiece> pieces_;
  bool launched_;
  KernelCounter kernels_;
};

/// Instances of one name in a stretch.
struct NameCount {
  std::uint32_t name = 0;
  std::size_t count = 0;
};

std::vector<NameCount> name_counts(std::span<const WorkPiece> pieces) {
  std::vector<std::uint32_t> names;
  names.reserve(pieces.size());
  for (const WorkPiece& piece : pieces) names.push_back(index_of(piece.name));
  std::ranges::sort(names);
  std::vector<NameCount> counts;
  for (const std::uint32_t name : names) {
    if (counts.empty() || counts.back().name != name) counts.push_back({name, 0});
    ++counts.back().count;
  }
  return counts;
}

/// Returns whether the common instances of two stretches are at least 0.6 of all of them.
bool similar(const std::vector<NameCount>& a, const std::vector<NameCount>& b) {
  std::size_t common = 0;
  std::size_t all = 0;
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->name < y->name)) {
      all += x++->count;
    } else if (x == a.end() || y->name < x->name) {
      all += y++->count;
    } else {
      common += std::min(x->count, y->count);
      all += std::max(x++->count, y++->count);
    }
  }
  return 5 * common >= 3 * all;
}

/// Returns whether stretches look like iterations: enough of them cover half of the work, nearly all contain
/// a matrix product, and most are similar to the next one.
bool accepted(std::span<const WorkPiece> pieces, const std::vector<Stretch>& stretches) {
  if (stretches.size() < kLeastStretches) return false;
  std::size_t covered = 0;
  std::size_t with_matrix = 0;
  std::size_t alike = 0;
  std::vector<NameCount> before;
  for (const Stretch& stretch : stretches) {
    const auto part = pieces.subspan(stretch.first, stretch.size());
    covered += part.size();
    with_matrix += std::ranges::find(part, IterationPart::matrix, &WorkPiece::part) != part.end() ? 1 : 0;
    std::vector<NameCount> counts = name_counts(part);
    if (!before.empty() && similar(before, counts)) ++alike;
    before = std::move(counts);
  }
  const std::size_t pairs = stretches.size() - 1;
  return 2 * covered >= pieces.size() && 10 * with_matrix >= 9 * stretches.size() &&
         alike >= pairs - pairs / 2;  // the upper median of similarities is at least 0.6
}

}  // namespace

UnmarkedIterations hand_over_marks(const Trace& trace, const ServingWork& work, const std::stop_token& stop) {
  bool launched = false;
  const std::vector<WorkPiece> pieces = ordered_work(work, launched);
  UnmarkedIterations found;
  if (pieces.size() < kLeastPieces) return found;
  HandOverSplit split(trace, pieces, launched);
  for (bool WorkPiece::*const hand_over : {&WorkPiece::selects_tokens, &WorkPiece::to_host}) {
    if (stop.stop_requested()) return found;
    const std::vector<Stretch> stretches = split.stretches(hand_over);
    if (!accepted(pieces, stretches)) continue;
    if (launched) found.process = pieces[stretches.front().first].process;
    found.marks.reserve(stretches.size());
    for (const Stretch& stretch : stretches) {
      const auto part = std::span(pieces).subspan(stretch.first, stretch.size());
      IterationMark mark;
      mark.range = {part.front().range.begin_ns, part.front().range.end_ns};
      if (launched) {
        mark.range = {part.front().launch_range.begin_ns, part.back().launch_range.end_ns};
      } else {
        for (const WorkPiece& piece : part)
          mark.range.end_ns = std::max(mark.range.end_ns, piece.range.end_ns);
      }
      mark.phase = guessed_phase(part);
      found.marks.push_back(mark);
    }
    return found;
  }
  return found;
}

}  // namespace kino
