// How far two ranks' lists of the same communications are apart, when the ranks did not begin to record at
// the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/gpu/collective_facts.hpp"

namespace kino {

/// One communication of one rank, as far as others of the same group are told from it. Texts are numbers that
/// mean the same for all ranks; 0, -1: unknown.
struct CommunicationItem {
  std::int64_t start_ns = 0;  ///< by the rank's own clock
  std::int64_t end_ns = 0;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t sequence = -1;
  std::uint64_t communication = 0;
  std::int64_t step = -1;
  std::uint32_t family = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t dtype = 0;
  std::uint32_t rank = 0;    ///< index of the digest
  std::uint32_t kernel = 0;  ///< index into its kernels
  CollectiveKind kind = CollectiveKind::other;
  bool told = false;  ///< sizes and types are of metadata
};

/// Whether two items cannot be of one collective: another operation, size or type. Of an all-to-all only the
/// type counts, since each rank may send as much as it wants.
bool signatures_conflict(const CommunicationItem& a, const CommunicationItem& b);

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
/// no shift is without a conflict. Both lists are in order of time. O(shifts * n) up to 512 items; above that
/// all shifts are sifted by 16 items, or those within 50 ms of what is expected if one of them is certain.
std::optional<ShiftChoice> best_shift(std::span<const CommunicationItem> reference,
                                      std::span<const CommunicationItem> list,
                                      std::optional<double> expected_ns = {});

}  // namespace kino
