// Finds the shift between two ranks' lists of the same communications, if the ranks began to record at
// different times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/job/job_kernels.hpp"

namespace kino {

/// Communications of one rank in one channel, sorted by time.
struct CommunicationList {
  std::vector<std::int64_t> end_ns;      ///< by the rank's own clock
  std::vector<std::uint32_t> signature;  ///< indices into the list of SignatureConflicts
  std::vector<std::int32_t> step;        ///< -1: unknown

  std::size_t size() const { return end_ns.size(); }
};

/// Pairs of signatures in a group that cannot belong to one collective. Uses a lookup table if there are few
/// signatures.
class SignatureConflicts {
 public:
  /// `signatures`: operator() accepts indices of this list.
  explicit SignatureConflicts(std::vector<CommunicationSignature> signatures);

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    if (table_.empty()) return signatures_conflict(signatures_[a], signatures_[b]);
    return table_[a * signatures_.size() + b] != 0;
  }

 private:
  std::vector<CommunicationSignature> signatures_;
  std::vector<std::uint8_t> table_;
};

/// Shift of a list: list[k] belongs to the same collective as reference[k + shift].
struct ListShift {
  std::int64_t shift = 0;
  std::size_t overlap = 0;
  double median_ns = 0;      ///< median of the end times of `list` minus those of `reference`
  double deviation_ns = 0;   ///< median absolute deviation from median_ns
  bool steps_agree = false;  ///< some pairs have two known steps, which are equal in at least 90 % of them
};

struct ShiftChoice {
  ListShift best;
  bool certain = false;      ///< whether the list is long_enough, and all other shifts are far less likely
  bool long_enough = false;  ///< whether the overlap has 3 items and a quarter of the shorter list, or more
};

/// Returns the most likely shift. Ends of one collective agree among ranks, and ends of different collectives
/// do not (formula: README). `expected_ns`: median that a clock fit predicts; if set, shifts of
/// long lists that are within 50 ms of it are tried first. nullopt if a list is empty, or if every shift has
/// a conflict or a median of more than 10 s. O(shifts * n) up to 512 items. For longer lists, all shifts are
/// sampled at 5 items, and only those with the least deviation at more items.
std::optional<ShiftChoice> best_shift(const CommunicationList& reference, const CommunicationList& list,
                                      const SignatureConflicts& conflict,
                                      std::optional<double> expected_ns = {});

}  // namespace kino
