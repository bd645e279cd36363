#include "render/gpu.hpp"

#include <cassert>

namespace kino {
namespace {

thread_local Gpu* current = nullptr;

}  // namespace

Gpu& current_gpu() {
  assert(current != nullptr);
  return *current;
}

CurrentGpu::CurrentGpu(Gpu& gpu) : before_(std::exchange(current, &gpu)) {}
CurrentGpu::~CurrentGpu() { current = before_; }

std::array<float, 4> color_channels(std::uint32_t packed) {
  const auto channel = [packed](int shift) { return static_cast<float>((packed >> shift) & 255U) / 255.0F; };
  return {channel(0), channel(8), channel(16), channel(24)};
}

}  // namespace kino
