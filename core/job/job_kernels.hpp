// The communication kernels of all ranks in columns of 24 bytes a kernel: what matching, clocks and waiting
// read of them, so that a thousand ranks fit and their digests need not stay in memory.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/huge_memory.hpp"
#include "core/base/string_table.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// What two kernels of one collective have in common. Texts are of JobKernels::texts; 0 and -1: unknown.
struct CommunicationSignature {
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::uint32_t family = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t dtype = 0;
  CollectiveKind kind = CollectiveKind::other;
  bool told = false;  ///< sizes and types are of metadata

  bool operator==(const CommunicationSignature&) const = default;
};

/// Whether two kernels cannot be of one collective: another operation, size or type. Of an all-to-all only
/// the type counts, since each rank may send as much as it wants.
bool signatures_conflict(const CommunicationSignature& a, const CommunicationSignature& b);

/// Whether two kernels are the same work: operation, sizes and type.
bool signatures_equal(const CommunicationSignature& a, const CommunicationSignature& b);

/// Of one rank, by index of RankDigest::kernels.
struct KernelColumns {
  Column<std::int64_t> start_ns;  ///< Unix time by the rank's own clock
  Column<std::int64_t> end_ns;
  Column<std::uint32_t> signature;  ///< of JobKernels::signatures
  Column<std::int32_t> step;        ///< -1: unknown

  std::size_t size() const { return start_ns.size(); }
};

struct JobKernels {
  StringTable texts;  ///< 0 is empty
  std::vector<CommunicationSignature> signatures;
  std::vector<KernelColumns> ranks;  ///< by index of the digests

  const CommunicationSignature& signature_of(std::uint32_t rank, std::uint32_t kernel) const {
    return signatures[ranks[rank].signature[kernel]];
  }
  bool is_message(std::uint32_t rank, std::uint32_t kernel) const {
    const CollectiveKind kind = signature_of(rank, kernel).kind;
    return kind == CollectiveKind::send || kind == CollectiveKind::receive;
  }
};

/// Of no use when stopped. O(kernels).
JobKernels job_kernels(std::span<const RankDigest* const> ranks, const std::stop_token& stop = {});

}  // namespace kino
