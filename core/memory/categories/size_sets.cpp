#include "core/memory/categories/size_sets.hpp"

#include <algorithm>
#include <numeric>

namespace kino {
namespace {

constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastRepeated = 4;

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Returns the bytes of the reference in sizes that `sizes` contains at least `copies` times as often.
std::uint64_t bytes_held(const SizeCounts& sizes, const SizeCounts& reference, std::uint64_t copies) {
  std::uint64_t held = 0;
  for (const auto& [size, count] : reference)
    if (count_in(sizes, size) / count >= copies) held += size * count;
  return held;
}

std::uint64_t bytes_exact(const SizeCounts& sizes, const SizeCounts& reference, std::uint64_t copies) {
  std::uint64_t exact = 0;
  for (const auto& [size, count] : reference)
    if (count_in(sizes, size) == copies * count) exact += size * count;
  return exact;
}

}  // namespace

std::uint64_t count_in(const SizeCounts& sizes, std::uint64_t size) {
  const auto found = sizes.find(size);
  return found == sizes.end() ? 0 : found->second;
}

std::uint64_t tensor_sizes_of(const SizeCounts& sizes) {
  std::uint64_t sum = 0;
  for (const auto& [size, count] : sizes) sum += count;
  return sum;
}

std::uint64_t bytes_of(const SizeCounts& sizes) {
  std::uint64_t sum = 0;
  for (const auto& [size, count] : sizes) sum += size * count;
  return sum;
}

std::optional<SizeCounts> half_of(const SizeCounts& sizes) {
  SizeCounts half;
  for (const auto& [size, count] : sizes) {
    if (count % 2 != 0) return std::nullopt;
    half[size] = count / 2;
  }
  return half;
}

SizeCopies copies_in(const SizeCounts& sizes, const SizeCounts& reference) {
  constexpr std::uint64_t kLeastTensors = 8;
  constexpr std::uint64_t kManyTensors = 40;
  constexpr double kHeld = 0.95;
  const std::uint64_t all = bytes_of(reference);
  const std::uint64_t tensors = tensor_sizes_of(reference);
  if (tensors < kLeastTensors || reference.size() < 2 || all == 0) return {};
  // Find the possible number of copies for each size, and use the largest that suffices for 95 % of the
  // bytes.
  SizeCounts allowed;  // bytes by number of copies
  for (const auto& [size, count] : reference) allowed[count_in(sizes, size) / count] += size * count;
  std::uint64_t held = 0;
  const auto enough = std::find_if(allowed.rbegin(), allowed.rend(), [&](const auto& at) {
    held += at.second;
    return share(held, all) >= kHeld;
  });
  const std::uint64_t copies = enough == allowed.rend() ? 0 : enough->first;
  if (copies == 0 || share(bytes_held(sizes, reference, copies), all) < kHeld) return {};
  const double exact = share(bytes_exact(sizes, reference, copies), all);
  if (exact < (tensors >= kManyTensors ? 0.2 : 0.5)) return {};
  return {copies, exact};
}

bool fits_layers(std::uint64_t size, std::uint64_t count, std::uint64_t layers) {
  constexpr std::uint64_t kSmall = std::uint64_t{64} << 10;
  const std::uint64_t rest = count % layers;
  if (count < layers) return false;
  if (rest == 0) return true;
  return count >= 2 * layers && rest <= (size < kSmall ? 2U : 1U);
}

std::uint64_t layers_in(const SizeCounts& sizes) {
  constexpr std::uint64_t kLeastLayers = 4;
  constexpr std::uint64_t kMostLayers = 1000;
  constexpr std::uint64_t kLeastBlocks = 16;
  std::uint64_t repeated = 0;
  std::uint64_t most = 0;
  for (const auto& [size, count] : sizes) {
    if (count < kLeastRepeated) continue;
    repeated += size * count;
    most = std::max(most, count);
  }
  for (std::uint64_t layers = std::min(most, kMostLayers); layers >= kLeastLayers; --layers) {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::uint64_t distinct = 0;
    for (const auto& [size, count] : sizes) {
      if (count < kLeastRepeated || !fits_layers(size, count, layers)) continue;
      bytes += size * count;
      blocks += count;
      ++distinct;
    }
    if (distinct >= 2 && blocks >= kLeastBlocks && share(bytes, repeated) >= 0.9) return layers;
  }
  return 0;
}

std::uint64_t equal_sets_in(const SizeCounts& sizes) {
  std::uint64_t sets = 0;
  std::uint64_t held = 0;
  for (const auto& [size, count] : sizes) {
    if (size < kLarge && count < 2) continue;
    sets = std::gcd(sets, count);
    held += size * count;
  }
  return (sets == 3 || sets == 4) && share(held, bytes_of(sizes)) >= 0.99 ? sets : 0;
}

}  // namespace kino
