#include "core/job/job_kernels.hpp"

#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

bool is_message(CollectiveKind kind) {
  return kind == CollectiveKind::send || kind == CollectiveKind::receive;
}

struct SignatureHash {
  std::size_t operator()(const CommunicationSignature& it) const {
    auto hash = static_cast<std::uint64_t>(it.in_elements);
    const auto mix = [&](std::uint64_t value) {
      hash = (hash ^ (hash >> 29U) ^ value) * 0x9E3779B97F4A7C15ULL;
    };
    mix(static_cast<std::uint64_t>(it.out_elements));
    mix(std::uint64_t{it.family} << 32U | it.algorithm);
    mix(std::uint64_t{it.dtype} << 16U | static_cast<std::uint64_t>(it.kind) << 1U | (it.told ? 1U : 0U));
    return hash ^ (hash >> 32U);
  }
};

using Numbers = std::unordered_map<CommunicationSignature, std::uint32_t, SignatureHash>;

/// Texts are still of the rank.
CommunicationSignature signature_of(const CommunicationKernel& kernel) {
  CommunicationSignature signature;
  signature.in_elements = kernel.in_elements;
  signature.out_elements = kernel.out_elements;
  signature.family = kernel.family;
  signature.algorithm = kernel.algorithm;
  signature.dtype = kernel.dtype;
  signature.kind = kernel.kind;
  signature.told = kernel.evidence == GroupEvidence::kernel || kernel.evidence == GroupEvidence::annotation;
  return signature;
}

std::int32_t step_of(const CommunicationKernel& kernel) {
  return kernel.step >= 0 && kernel.step <= std::numeric_limits<std::int32_t>::max()
             ? static_cast<std::int32_t>(kernel.step)
             : -1;
}

/// The columns with signatures numbered by the rank alone, and what these numbers are.
KernelColumns columns_of(const RankDigest& digest, std::vector<CommunicationSignature>& own) {
  const std::size_t count = digest.kernels.size();
  KernelColumns columns{Column<std::int64_t>(count), Column<std::int64_t>(count),
                        Column<std::uint32_t>(count), Column<std::int32_t>(count)};
  Numbers numbers;
  std::uint32_t last = 0;
  std::size_t i = 0;
  for (const CommunicationKernel& kernel : digest.kernels) {
    columns.start_ns[i] = kernel.start_ns;
    columns.end_ns[i] = kernel.end_ns();
    columns.step[i] = step_of(kernel);
    const CommunicationSignature signature = signature_of(kernel);
    if (own.empty() || !(own[last] == signature)) {
      const auto [place, fresh] = numbers.try_emplace(signature, static_cast<std::uint32_t>(own.size()));
      if (fresh) own.push_back(signature);
      last = place->second;
    }
    columns.signature[i++] = last;
  }
  return columns;
}

}  // namespace

bool signatures_conflict(const CommunicationSignature& a, const CommunicationSignature& b) {
  const auto differ = [](auto x, auto y, auto unknown) { return x != unknown && y != unknown && x != y; };
  const auto either = [&](CollectiveKind x, CollectiveKind y) {
    return (a.kind == x && b.kind == y) || (a.kind == y && b.kind == x);
  };
  // What a kernel's name calls sending and receiving may be an all-to-all.
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
  job.ranks.resize(ranks.size());
  std::vector<std::vector<CommunicationSignature>> own(ranks.size());
  parallel_for(thread_count_or_default(0), ranks.size(), stop,
               [&](std::size_t r, unsigned) { job.ranks[r] = columns_of(*ranks[r], own[r]); });
  if (stop.stop_requested()) return {};
  Numbers numbers;
  std::vector<std::vector<std::uint32_t>> number_of(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (CommunicationSignature signature : own[r]) {
      const StringTable& texts = ranks[r]->texts;
      signature.family = job.texts.intern(texts[signature.family]);
      signature.algorithm = job.texts.intern(texts[signature.algorithm]);
      signature.dtype = job.texts.intern(texts[signature.dtype]);
      const auto [place, fresh] =
          numbers.try_emplace(signature, static_cast<std::uint32_t>(job.signatures.size()));
      if (fresh) job.signatures.push_back(signature);
      number_of[r].push_back(place->second);
    }
  }
  parallel_for(thread_count_or_default(0), ranks.size(), stop, [&](std::size_t r, unsigned) {
    for (std::uint32_t& it : job.ranks[r].signature.span()) it = number_of[r][it];
  });
  return job;
}

}  // namespace kino
