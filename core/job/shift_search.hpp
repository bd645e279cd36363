// Finds the shift between two ranks' lists of the same communications if they began to record at different
// ones.
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
  std::vector<std::uint32_t> signature;  ///< numbers of SignatureConflicts
  std::vector<std::int32_t> step;        ///< -1: unknown

  std::size_t size() const { return end_ns.size(); }
};

/// Signatures of a group that cannot be one collective. Uses a lookup table if there are few.
class SignatureConflicts {
 public:
  /// The operator takes indices of `signatures`.
  explicit SignatureConflicts(std::vector<CommunicationSignature> signatures);

  bool operator()(std::uint32_t a, std::uint32_t b) const {
    if (table_.empty()) return signatures_conflict(signatures_[a], signatures_[b]);
    return table_[a * signatures_.size() + b] != 0;
  }

 private:
  std::vector<CommunicationSignature> signatures_;
  std::vector<std::uint8_t> table_;
};

/// list[k] is of the same collective as reference[k + shift].
struct ListShift {
  std::int64_t shift = 0;
  std::size_t overlap = 0;
  double median_ns = 0;      ///< of end times of `list` minus those of `reference`
  double deviation_ns = 0;   ///< median absolute deviation from median_ns
  bool steps_agree = false;  ///< in at least 90 % of the pairs in which both have a step
};

struct ShiftChoice {
  ListShift best;
  bool certain = false;      ///< the runner-up is far less likely, or there is none
  bool long_enough = false;  ///< the overlap has at least 3 items and a quarter of the shorter list
};

/// Returns the likeliest shift: ends of one collective agree among ranks, those of different ones do not
/// (RANKS 1.3; formula: README). `expected_ns` is the median by a clock fit. nullopt if every shift has a
/// conflict. O(shifts * n) up to 512 items. Above that all shifts are sampled at 5 items and the steadiest
/// at 16. With `expected_ns`, shifts within 50 ms of it are tried first.
std::optional<ShiftChoice> best_shift(const CommunicationList& reference, const CommunicationList& list,
                                      const SignatureConflicts& conflict,
                                      std::optional<double> expected_ns = {});

}  // namespace kino
