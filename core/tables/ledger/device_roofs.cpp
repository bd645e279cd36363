#include "core/tables/ledger/device_roofs.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/ascii.hpp"
#include "core/trace/trace.hpp"

namespace kino {
namespace {

constexpr std::string_view kUnnamedH100 = "NVIDIA H100";
constexpr std::string_view kUsualH100 = "NVIDIA H100 80GB HBM3";

struct MemoryRoof {
  std::string_view name;  // without "NVIDIA "
  double gb_per_s;
  double l2_mb;
};

// Bandwidths are from the data sheets of the products, sizes of L2 from the white papers of the
// architectures.
constexpr auto kMemoryRoofs = std::to_array<MemoryRoof>({
    {"Tesla V100-SXM2-16GB", 900, 6},
    {"Tesla V100-SXM2-32GB", 900, 6},
    {"Tesla V100-SXM3-32GB", 900, 6},
    {"Tesla V100-DGXS-16GB", 900, 6},
    {"Tesla V100-DGXS-32GB", 900, 6},
    {"Tesla V100-PCIE-16GB", 900, 6},
    {"Tesla V100-PCIE-32GB", 900, 6},
    {"Tesla V100S-PCIE-32GB", 1134, 6},
    {"Tesla T4", 320, 4},
    {"T4", 320, 4},
    {"A100-SXM4-40GB", 1555, 40},
    {"A100-PCIE-40GB", 1555, 40},
    {"A100-PG509-200", 1555, 40},
    {"A800-SXM4-40GB", 1555, 40},
    {"A800 40GB PCIe", 1555, 40},
    {"A100-SXM4-80GB", 2039, 40},
    {"A100-SXM-80GB", 2039, 40},
    {"A800-SXM4-80GB", 2039, 40},
    {"A100-PCIE-80GB", 1935, 40},
    {"A100 80GB PCIe", 1935, 40},
    {"A800 80GB PCIe", 1935, 40},
    {"A10", 600, 6},
    {"A10G", 600, 6},
    {"A30", 933, 24},
    {"A40", 696, 6},
    {"L4", 300, 48},
    {"L40", 864, 96},
    {"L40S", 864, 96},
    {"H100 80GB HBM3", 3352, 50},
    {"H100 SXM5 80GB", 3352, 50},
    {"H800", 3352, 50},
    {"H100 PCIe", 2039, 50},
    {"H800 PCIe", 2039, 50},
    {"H100 NVL", 3938, 60},
    {"H20", 4000, 60},
    {"H20-3e", 4800, 60},
    {"H200", 4800, 50},
    {"H200 NVL", 4800, 60},
    {"GH200 120GB", 4000, 50},
    {"GH200 480GB", 4000, 50},
    {"B200", 8000, 126},
    {"B300 SXM6 AC", 8000, 126},
    {"GB200", 8000, 126},
    {"GB300", 8000, 126},
    {"AMD Instinct MI210", 1638, 8},
    {"AMD Instinct MI250", 1638, 8},
    {"AMD Instinct MI250X", 1638, 8},
    {"AMD Instinct MI300A", 5300, 256},
    {"AMD Instinct MI300X", 5300, 256},
    {"AMD Instinct MI300X OAM", 5300, 256},
    {"AMD Instinct MI300X VF", 5300, 256},
    {"AMD Instinct MI325X", 6000, 256},
    {"AMD Instinct MI325X OAM", 6000, 256},
    {"AMD Instinct MI325X VF", 6000, 256},
    {"AMD Instinct MI350X", 8000, 256},
    {"AMD Instinct MI350X VF", 8000, 256},
    {"AMD Instinct MI355X", 8000, 256},
    {"AMD Instinct MI355X VF", 8000, 256},
    {"GeForce RTX 2080 Ti", 616, 5.5},
    {"GeForce RTX 3090", 936, 6},
    {"GeForce RTX 4090", 1008, 72},
    {"GeForce RTX 5090", 1792, 96},
});

}  // namespace

std::optional<DevicePeak> DeviceRoofs::peak(std::string_view dtype) const {
  return device_peak(assumed ? kUsualH100 : device, dtype);
}

double DeviceRoofs::flop_per_ns(std::string_view dtype) const {
  constexpr double kPerTera = 1000;  // FLOP per ns of 1 TFLOP/s
  const auto known = peak(dtype);
  return known ? known->tflop_per_s * kPerTera : 0;
}

DeviceRoofs device_roofs(std::string_view device) {
  constexpr std::string_view kVendor = "NVIDIA ";
  constexpr double kMega = 1 << 20;
  DeviceRoofs roofs;
  roofs.device = device;
  std::string_view name = trimmed(device);
  roofs.assumed = name == kUnnamedH100;
  if (name.starts_with(kVendor)) name.remove_prefix(kVendor.size());
  const auto known = std::ranges::find(kMemoryRoofs, name, &MemoryRoof::name);
  if (known == kMemoryRoofs.end()) return roofs;
  roofs.bytes_per_ns = known->gb_per_s;
  roofs.l2_bytes = known->l2_mb * kMega;
  return roofs;
}

DeviceRoofs device_roofs(const Trace& trace) { return device_roofs(only_device_name(trace)); }

}  // namespace kino
