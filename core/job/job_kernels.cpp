#include "core/job/job_kernels.hpp"

#include <unordered_map>

namespace kino {
namespace {

struct SignatureHash {
  std::size_t operator()(const CommunicationSignature& signature) const {
    auto hash = static_cast<std::uint64_t>(signature.in_elements);
    const auto mix = [&](std::uint64_t value) {
      hash = (hash ^ (hash >> 29U) ^ value) * 0x9E3779B97F4A7C15ULL;
    };
    mix(static_cast<std::uint64_t>(signature.out_elements));
    mix(std::uint64_t{signature.family} << 32U | signature.algorithm);
    mix(std::uint64_t{signature.dtype} << 16U | static_cast<std::uint64_t>(signature.kind) << 1U |
        (signature.told ? 1U : 0U));
    return hash ^ (hash >> 32U);
  }
};

using Numbers = std::unordered_map<CommunicationSignature, std::uint32_t, SignatureHash>;

/// Returns a signature without sizes. `texts` are those of the rank, `into` those of the job.
CommunicationSignature signature_of(const CommunicationOperation& operation, const StringTable& texts,
                                    StringTable& into) {
  CommunicationSignature signature;
  signature.family = into.intern(texts[operation.family]);
  signature.algorithm = into.intern(texts[operation.algorithm]);
  signature.dtype = into.intern(texts[operation.dtype]);
  signature.kind = operation.kind;
  signature.told =
      operation.evidence == GroupEvidence::kernel || operation.evidence == GroupEvidence::annotation;
  return signature;
}

}  // namespace

bool signatures_conflict(const CommunicationSignature& a, const CommunicationSignature& b) {
  const auto differ = [](auto x, auto y, auto unknown) { return x != unknown && y != unknown && x != y; };
  const auto either = [&](CollectiveKind x, CollectiveKind y) {
    return (a.kind == x && b.kind == y) || (a.kind == y && b.kind == x);
  };
  // Kernels whose names contain send/receive may be an all-to-all.
  const bool same_kind = (is_message(a.kind) && is_message(b.kind)) ||
                         either(CollectiveKind::send_receive, CollectiveKind::all_to_all) ||
                         a.family == b.family;
  if (!same_kind) return true;
  if (!a.told && !b.told && a.algorithm != b.algorithm) return true;
  if (differ(a.dtype, b.dtype, 0U)) return true;
  if (a.kind == CollectiveKind::all_to_all || b.kind == CollectiveKind::all_to_all) return false;
  return differ(a.in_elements, b.in_elements, std::int64_t{-1}) ||
         differ(a.out_elements, b.out_elements, std::int64_t{-1});
}

bool signatures_equal(const CommunicationSignature& a, const CommunicationSignature& b) {
  return a.family == b.family && a.in_elements == b.in_elements && a.out_elements == b.out_elements &&
         a.dtype == b.dtype;
}

JobKernels job_kernels(std::span<const RankDigest* const> ranks, const std::stop_token& stop) {
  JobKernels job;
  job.texts.intern("");
  Numbers numbers;
  for (const RankDigest* const rank : ranks) {
    if (stop.stop_requested()) return {};
    const CommunicationKernels& kernels = rank->kernels;
    std::vector<CommunicationSignature> by_operation;
    by_operation.reserve(kernels.operations().size());
    for (const CommunicationOperation& operation : kernels.operations())
      by_operation.push_back(signature_of(operation, rank->texts, job.texts));
    std::vector<std::uint32_t> by_call;
    by_call.reserve(kernels.calls().size());
    for (const CommunicationCall& call : kernels.calls()) {
      CommunicationSignature signature = by_operation[call.operation];
      signature.in_elements = call.in_elements;
      signature.out_elements = call.out_elements;
      const auto [known, fresh] =
          numbers.try_emplace(signature, static_cast<std::uint32_t>(job.signatures.size()));
      if (fresh) job.signatures.push_back(signature);
      by_call.push_back(known->second);
    }
    job.ranks.emplace_back(kernels, std::move(by_call));
  }
  return job;
}

}  // namespace kino
