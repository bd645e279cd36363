// Communication kernels of all ranks for matching, clocks and waits, with signatures numbered across ranks.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/string_table.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// Properties that kernels of one collective share. Texts are indices into JobKernels::texts; 0 and -1:
/// unknown.
struct CommunicationSignature {
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::uint32_t family = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t dtype = 0;
  CollectiveKind kind = CollectiveKind::other;
  bool told = false;  ///< whether sizes and types are from metadata

  bool operator==(const CommunicationSignature&) const = default;
};

/// Returns whether two kernels cannot belong to one collective, by operation, size or type, or by algorithm
/// if neither has metadata. For all-to-all, sizes are ignored, because each rank may send any amount.
bool signatures_conflict(const CommunicationSignature& a, const CommunicationSignature& b);

/// Returns whether operation, sizes and type of two kernels are equal, so they do the same work.
bool signatures_equal(const CommunicationSignature& a, const CommunicationSignature& b);

/// Kernels of one rank, by index of RankDigest::kernels. The digest must outlive the columns.
class KernelColumns {
 public:
  KernelColumns() = default;
  /// `signatures`: indices into JobKernels::signatures, by call of `kernels`.
  KernelColumns(const CommunicationKernels& kernels, std::vector<std::uint32_t> signatures)
      : kernels_(&kernels), signatures_(std::move(signatures)) {}

  std::size_t size() const { return kernels_ == nullptr ? 0 : kernels_->size(); }
  std::int64_t start_ns(std::size_t i) const { return kernels_->start_ns(i); }  ///< by the rank's own clock
  std::int64_t end_ns(std::size_t i) const { return kernels_->end_ns(i); }
  /// Returns an index into JobKernels::signatures.
  std::uint32_t signature(std::size_t i) const { return signatures_[kernels_->call(i)]; }
  /// Returns the number of the step that launched the kernel; -1: unknown.
  std::int32_t step(std::size_t i) const {
    const std::int64_t step = kernels_->step(i);
    return step >= 0 && step <= INT32_MAX ? static_cast<std::int32_t>(step) : -1;
  }

 private:
  const CommunicationKernels* kernels_ = nullptr;
  std::vector<std::uint32_t> signatures_;
};

struct JobKernels {
  StringTable texts;  ///< text 0 is empty
  std::vector<CommunicationSignature> signatures;
  std::vector<KernelColumns> ranks;  ///< by index of the digests

  const CommunicationSignature& signature_of(std::uint32_t rank, std::uint32_t kernel) const {
    return signatures[ranks[rank].signature(kernel)];
  }
  bool is_message(std::uint32_t rank, std::uint32_t kernel) const {
    return kino::is_message(signature_of(rank, kernel).kind);
  }
};

/// Reads the kernels of all ranks. `ranks` must outlive the result. O(distinct calls).
JobKernels job_kernels(std::span<const RankDigest* const> ranks, const std::stop_token& stop = {});

}  // namespace kino
