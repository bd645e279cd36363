// How far two ranks' lists of the same communications are apart, when the ranks did not begin to record at
// the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/job/job_kernels.hpp"

namespace kino {

/// Communications of one rank in one group, in order of time.
struct CommunicationList {
  std::vector<std::int64_t> end_ns;      ///< by the rank's own clock
  std::vector<std::uint32_t> signature;  ///< as the SignatureConflicts number them
  std::vector<std::int32_t> step;        ///< -1: unknown

  std::size_t size() const { return end_ns.size(); }
};

/// Which signatures of a group cannot be one collective. Of few of them it is looked up.
class SignatureConflicts {
 public:
  /// Numbers are indices of `signatures`.
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
  double median_ns = 0;      ///< of the ends of `list` minus those of `reference`
  double deviation_ns = 0;   ///< median of what they are away from it
  bool steps_agree = false;  ///< in at least 90 % of those where both have one
};

struct ShiftChoice {
  ListShift best;
  bool certain = false;      ///< the runner-up is far less likely, or there is none
  bool long_enough = false;  ///< the overlap has at least 3 items and a quarter of the shorter list
};

/// The likeliest shift: ends of one collective agree among ranks, those of different ones do not (RANKS 1.3;
/// the README has the formula). `expected_ns` is what a fit of the clocks says of the median. Nothing where
/// no shift is without a conflict. O(shifts * n) up to 512 items; above that all shifts are sifted by 5
/// items, the steadiest of them by 16, or those within 50 ms of what is expected if one of them is certain.
std::optional<ShiftChoice> best_shift(const CommunicationList& reference, const CommunicationList& list,
                                      const SignatureConflicts& conflict,
                                      std::optional<double> expected_ns = {});

}  // namespace kino
