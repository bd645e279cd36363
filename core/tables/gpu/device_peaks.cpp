#include "core/tables/gpu/device_peaks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/base/ascii.hpp"
#include "core/trace/trace.hpp"

namespace kino {
namespace {

enum class NumberType : std::uint8_t { single, half, bfloat, fp8, fp4 };

struct Figures {
  double single = 0;  // 0 in a member: the device does not multiply the type, or no figure is published
  double half = 0;
  double bfloat = 0;
  double fp8 = 0;
  double fp4 = 0;

  /// Whether `single` is the rate of TF32, which is half that of BF16. The float32 rates of devices without
  /// TF32 are at most a quarter of the rate of BF16 or FP16.
  bool has_tf32() const { return bfloat > 0 && single > bfloat * 0.4; }
  double of(NumberType type) const {
    const std::array<double, 5> all{single, half, bfloat, fp8, fp4};
    return all[static_cast<std::size_t>(type)];
  }
};

/// Document that contains the figures of a product.
struct Source {
  msg::Id form;
  std::string_view product;

  Message message() const { return {form, product}; }
};

struct Known {
  std::string_view name;  // device name, with "NVIDIA " at its start removed
  Figures tflop_per_s;
  Source source;
};

// Data sheets list figures for sparse matrices (marked by an asterisk), or for sparse and dense matrices. The
// figures here are for dense matrices: half of the sparse figures. H100 SXM: TF32 989 sparse, BF16 and FP16
// 1,979 sparse, FP8 3,958 sparse.
constexpr Figures kHopperSxm{494.7, 989.4, 989.4, 1978.9, 0};
// H100 PCIe: TF32 756, BF16 and FP16 1,513, FP8 3,026, all sparse.
constexpr Figures kHopperPcie{378, 756.5, 756.5, 1513, 0};
// H100 NVL and H200 NVL: TF32 835, BF16 and FP16 1,671, FP8 3,341, all sparse.
constexpr Figures kHopperNvl{417.5, 835.5, 835.5, 1670.5, 0};
// All A100 models (any memory size and socket): TF32 156, BF16 and FP16 312 dense.
constexpr Figures kA100{156, 312, 312, 0, 0};
// V100 supports neither TF32 nor BF16, so float runs on CUDA cores.
constexpr Figures kV100Sxm{15.7, 125, 0, 0, 0};
constexpr Figures kV100Pcie{14, 112, 0, 0, 0};
// MI300X and MI325X: TF32 653.7, FP16 and BF16 1,307.4, FP8 2,614.9 dense.
constexpr Figures kMi300x{653.7, 1307.4, 1307.4, 2614.9, 0};
// One of the two dies of MI250X (both together: FP16 383.0, float 95.7) and of MI250 (362.1 and 90.5).
constexpr Figures kMi250x{47.9, 191.5, 191.5, 0, 0};
constexpr Figures kMi250{45.3, 181.0, 181.0, 0, 0};
// MI350X: FP16 and BF16 2,306.9, FP8 4,613.7, MXFP4 9,227.5. Float32 is 144.2, since CDNA 4 has no TF32.
constexpr Figures kMi350x{144.2, 2306.9, 2306.9, 4613.7, 9227.5};
constexpr Figures kMi355x{157.3, 2516.6, 2516.6, 5033.2, 10066.3};

constexpr Source kV100Sheet{msg::data_sheet, "NVIDIA V100"};
constexpr Source kA100Sheet{msg::data_sheet, "NVIDIA A100"};
constexpr Source kA800Sheet{msg::data_sheet, "NVIDIA A800"};
constexpr Source kH100Sheet{msg::data_sheet, "NVIDIA H100"};
constexpr Source kH200Sheet{msg::data_sheet, "NVIDIA H200"};

constexpr auto kListed = std::to_array<Known>({
    // NVIDIA V100 data sheet: SXM2 125 and 15.7, PCIe 112 and 14, V100S 130 and 16.4 TFLOPS.
    {"Tesla V100-SXM2-16GB", kV100Sxm, kV100Sheet},
    {"Tesla V100-SXM2-32GB", kV100Sxm, kV100Sheet},
    // NVIDIA DGX-2 data sheet: 2 PFLOPS for 16 GPUs; DGX Station data sheet: 500 TFLOPS for 4 GPUs.
    {"Tesla V100-SXM3-32GB", kV100Sxm, {msg::data_sheet_per_gpu, "NVIDIA DGX-2"}},
    {"Tesla V100-DGXS-16GB", kV100Sxm, {msg::data_sheet_per_gpu, "NVIDIA DGX Station"}},
    {"Tesla V100-DGXS-32GB", kV100Sxm, {msg::data_sheet_per_gpu, "NVIDIA DGX Station"}},
    {"Tesla V100-PCIE-16GB", kV100Pcie, kV100Sheet},
    {"Tesla V100-PCIE-32GB", kV100Pcie, kV100Sheet},
    {"Tesla V100S-PCIE-32GB", {16.4, 130, 0, 0, 0}, {msg::data_sheet, "NVIDIA V100S"}},
    // NVIDIA T4 data sheet: FP16 with mixed precision 65, FP32 8.1 TFLOPS.
    {"Tesla T4", {8.1, 65, 0, 0, 0}, {msg::data_sheet, "NVIDIA T4"}},
    {"T4", {8.1, 65, 0, 0, 0}, {msg::data_sheet, "NVIDIA T4"}},
    // NVIDIA A100 data sheet.
    {"A100-SXM4-40GB", kA100, kA100Sheet},
    {"A100-SXM4-80GB", kA100, kA100Sheet},
    {"A100-SXM-80GB", kA100, kA100Sheet},
    {"A100-PCIE-40GB", kA100, kA100Sheet},
    {"A100-PCIE-80GB", kA100, kA100Sheet},
    {"A100 80GB PCIe", kA100, kA100Sheet},
    // PG509 is the board of the A100 SXM4: 108 multiprocessors, 40 GB.
    {"A100-PG509-200", kA100, kA100Sheet},
    // NVIDIA A800 data sheet: compute rates of A100, with a slower NVLink.
    {"A800-SXM4-40GB", kA100, kA800Sheet},
    {"A800-SXM4-80GB", kA100, kA800Sheet},
    {"A800 80GB PCIe", kA100, kA800Sheet},
    {"A800 40GB PCIe", kA100, kA800Sheet},
    // NVIDIA A10 data sheet: TF32 62.5, BF16 and FP16 125 TFLOPS.
    {"A10", {62.5, 125, 125, 0, 0}, {msg::data_sheet, "NVIDIA A10"}},
    // NVIDIA A10G data sheet (as in AWS G5): TF32 35, BF16 and FP16 70 TFLOPS.
    {"A10G", {35, 70, 70, 0, 0}, {msg::data_sheet, "NVIDIA A10G"}},
    // NVIDIA A30 data sheet: TF32 82, BF16 and FP16 165 TFLOPS.
    {"A30", {82, 165, 165, 0, 0}, {msg::data_sheet, "NVIDIA A30"}},
    // NVIDIA A40 data sheet: TF32 74.8, BF16 and FP16 149.7 TFLOPS.
    {"A40", {74.8, 149.7, 149.7, 0, 0}, {msg::data_sheet, "NVIDIA A40"}},
    // NVIDIA L4 data sheet: TF32 120, BF16 and FP16 242, FP8 485 TFLOPS, all sparse.
    {"L4", {60, 121, 121, 242.5, 0}, {msg::data_sheet, "NVIDIA L4"}},
    // NVIDIA L40 data sheet: TF32 90.5, BF16 and FP16 181.05, FP8 362 TFLOPS dense.
    {"L40", {90.5, 181.05, 181.05, 362, 0}, {msg::data_sheet, "NVIDIA L40"}},
    // NVIDIA L40S data sheet: TF32 183, BF16 and FP16 362.05, FP8 733 TFLOPS dense.
    {"L40S", {183, 362.05, 362.05, 733, 0}, {msg::data_sheet, "NVIDIA L40S"}},
    // NVIDIA H100 data sheet.
    {"H100 80GB HBM3", kHopperSxm, kH100Sheet},
    {"H100 SXM5 80GB", kHopperSxm, kH100Sheet},
    {"H100 PCIe", kHopperPcie, kH100Sheet},
    {"H100 NVL", kHopperNvl, kH100Sheet},
    // NVIDIA H800 data sheet: compute rates of H100, with slower FP64 and NVLink.
    {"H800", kHopperSxm, {msg::data_sheet, "NVIDIA H800"}},
    {"H800 PCIe", kHopperPcie, {msg::data_sheet, "NVIDIA H800"}},
    // NVIDIA H20 data sheet: TF32 74, BF16 and FP16 148, FP8 296 TFLOPS dense.
    {"H20", {74, 148, 148, 296, 0}, {msg::data_sheet, "NVIDIA H20"}},
    {"H20-3e", {74, 148, 148, 296, 0}, {msg::data_sheet, "NVIDIA H20"}},
    // NVIDIA H200 data sheet; GH200 has the same GPU (NVIDIA GH200 data sheet).
    {"H200", kHopperSxm, kH200Sheet},
    {"H200 NVL", kHopperNvl, kH200Sheet},
    {"GH200 480GB", kHopperSxm, {msg::data_sheet, "NVIDIA GH200"}},
    {"GH200 120GB", kHopperSxm, {msg::data_sheet, "NVIDIA GH200"}},
    // NVIDIA HGX data sheet, for a board of 8 GPUs: B200 TF32 18, BF16 and FP16 36, FP8 72, FP4 144 PFLOPS
    // sparse. B300: FP4 108 PFLOPS dense, otherwise equal to B200.
    {"B200", {1125, 2250, 2250, 4500, 9000}, {msg::data_sheet_per_gpu, "NVIDIA HGX B200"}},
    {"B300 SXM6 AC", {1125, 2250, 2250, 4500, 13500}, {msg::data_sheet_per_gpu, "NVIDIA HGX B300"}},
    // NVIDIA GB200 NVL72 data sheet, 72 GPUs: TF32 180, BF16 and FP16 360, FP8 720, FP4 1,440 PFLOPS sparse.
    {"GB200", {1250, 2500, 2500, 5000, 10000}, {msg::data_sheet_per_gpu, "NVIDIA GB200 NVL72"}},
    // NVIDIA GB300 NVL72 data sheet, 72 GPUs: FP4 1,080 PFLOPS dense, otherwise equal to GB200.
    {"GB300", {1250, 2500, 2500, 5000, 15000}, {msg::data_sheet_per_gpu, "NVIDIA GB300 NVL72"}},
    // AMD Instinct data sheet of each model. There is no public data sheet for MI308X.
    {"AMD Instinct MI210", {45.3, 181.0, 181.0, 0, 0}, {msg::data_sheet, "AMD Instinct MI210"}},
    {"AMD Instinct MI250", kMi250, {msg::data_sheet_per_die, "AMD Instinct MI250"}},
    {"AMD Instinct MI250X", kMi250x, {msg::data_sheet_per_die, "AMD Instinct MI250X"}},
    {"AMD Instinct MI300A", {490.3, 980.6, 980.6, 1961.2, 0}, {msg::data_sheet, "AMD Instinct MI300A"}},
    {"AMD Instinct MI300X", kMi300x, {msg::data_sheet, "AMD Instinct MI300X"}},
    {"AMD Instinct MI300X OAM", kMi300x, {msg::data_sheet, "AMD Instinct MI300X"}},
    {"AMD Instinct MI300X VF", kMi300x, {msg::data_sheet, "AMD Instinct MI300X"}},
    {"AMD Instinct MI325X", kMi300x, {msg::data_sheet, "AMD Instinct MI325X"}},
    {"AMD Instinct MI325X OAM", kMi300x, {msg::data_sheet, "AMD Instinct MI325X"}},
    {"AMD Instinct MI325X VF", kMi300x, {msg::data_sheet, "AMD Instinct MI325X"}},
    {"AMD Instinct MI350X", kMi350x, {msg::data_sheet, "AMD Instinct MI350X"}},
    {"AMD Instinct MI350X VF", kMi350x, {msg::data_sheet, "AMD Instinct MI350X"}},
    {"AMD Instinct MI355X", kMi355x, {msg::data_sheet, "AMD Instinct MI355X"}},
    {"AMD Instinct MI355X VF", kMi355x, {msg::data_sheet, "AMD Instinct MI355X"}},
});

/// GPU generation. The peak of a GeForce device is a product of three figures. The product page states the
/// number of multiprocessors and the boost clock. The white paper states the operations per multiprocessor
/// and clock. FP16 with float32 accumulation runs at half of the advertised rate.
enum class Generation : std::uint8_t { turing, ampere, ada, blackwell };

struct GeForce {
  std::string_view name;
  int multiprocessors;
  int boost_mhz;
  Generation generation;
};

constexpr auto kGeForce = std::to_array<GeForce>({
    // NVIDIA Turing white paper, table of the RTX 2080 Ti, reference clock.
    {"GeForce RTX 2080 Ti", 68, 1545, Generation::turing},
    // NVIDIA Ampere GA102 white paper and the product pages of RTX 30.
    {"GeForce RTX 3060", 28, 1777, Generation::ampere},
    {"GeForce RTX 3060 Ti", 38, 1665, Generation::ampere},
    {"GeForce RTX 3070", 46, 1725, Generation::ampere},
    {"GeForce RTX 3070 Ti", 48, 1770, Generation::ampere},
    {"GeForce RTX 3080", 68, 1710, Generation::ampere},
    {"GeForce RTX 3080 Ti", 80, 1665, Generation::ampere},
    {"GeForce RTX 3090", 82, 1695, Generation::ampere},
    {"GeForce RTX 3090 Ti", 84, 1860, Generation::ampere},
    // NVIDIA Ada white paper and the product pages of RTX 40.
    {"GeForce RTX 4060", 24, 2460, Generation::ada},
    {"GeForce RTX 4060 Ti", 34, 2535, Generation::ada},
    {"GeForce RTX 4070", 46, 2475, Generation::ada},
    {"GeForce RTX 4070 SUPER", 56, 2475, Generation::ada},
    {"GeForce RTX 4070 Ti", 60, 2610, Generation::ada},
    {"GeForce RTX 4070 Ti SUPER", 66, 2610, Generation::ada},
    {"GeForce RTX 4080", 76, 2505, Generation::ada},
    {"GeForce RTX 4080 SUPER", 80, 2550, Generation::ada},
    {"GeForce RTX 4090", 128, 2520, Generation::ada},
    {"GeForce RTX 4090 D", 114, 2520, Generation::ada},
    // NVIDIA RTX Blackwell white paper and the product pages of RTX 50.
    {"GeForce RTX 5050", 20, 2572, Generation::blackwell},
    {"GeForce RTX 5060", 30, 2497, Generation::blackwell},
    {"GeForce RTX 5060 Ti", 36, 2572, Generation::blackwell},
    {"GeForce RTX 5070", 48, 2512, Generation::blackwell},
    {"GeForce RTX 5070 Ti", 70, 2452, Generation::blackwell},
    {"GeForce RTX 5080", 84, 2617, Generation::blackwell},
    {"GeForce RTX 5090", 170, 2407, Generation::blackwell},
});

/// Returns the fused multiply-adds per multiprocessor and clock.
Figures rates_of(Generation generation) {
  switch (generation) {
    case Generation::turing:
      return {64, 256, 0, 0, 0};  // float runs on CUDA cores; half: RTX 2080 Ti 56.9 TFLOPS at 1,635 MHz
    case Generation::ampere:
      return {128, 256, 256, 0, 0};  // RTX 3090: 35.6, 71, 71 TFLOPS
    case Generation::ada:
      return {128, 256, 256, 512, 0};  // RTX 4090: 82.6, 165.2, 165.2, 330.3 TFLOPS
    case Generation::blackwell:
      return {128, 256, 256, 512, 2048};  // RTX 5090: 104.8, 209.5, 209.5, 419, 1,676 TFLOPS
  }
  return {};
}

Source source_of(Generation generation) {
  switch (generation) {
    case Generation::turing:
      return {msg::white_paper, "NVIDIA Turing"};
    case Generation::ampere:
      return {msg::white_paper, "NVIDIA Ampere GA102"};
    case Generation::ada:
      return {msg::white_paper, "NVIDIA Ada"};
    case Generation::blackwell:
      return {msg::white_paper, "NVIDIA RTX Blackwell"};
  }
  return {};
}

std::string_view without_vendor(std::string_view device) {
  constexpr std::string_view kVendor = "NVIDIA ";
  device = trimmed(device);
  if (device.starts_with(kVendor)) device.remove_prefix(kVendor.size());
  return device;
}

std::optional<NumberType> type_of(std::string_view dtype) {
  if (dtype == "float" || dtype == "Float" || dtype == "c10::Float") return NumberType::single;
  if (dtype == "half" || dtype == "Half" || dtype == "c10::Half") return NumberType::half;
  if (dtype == "bfloat16" || dtype == "BFloat16" || dtype == "c10::BFloat16") return NumberType::bfloat;
  if (dtype.starts_with("c10::Float8_") || dtype.starts_with("Float8_")) return NumberType::fp8;
  if (dtype.starts_with("c10::Float4_") || dtype.starts_with("Float4_")) return NumberType::fp4;
  return std::nullopt;
}

}  // namespace

std::optional<DevicePeak> device_peak(std::string_view device, std::string_view dtype) {
  const std::optional<NumberType> type = type_of(dtype);
  if (!type) return std::nullopt;
  const std::string_view name = without_vendor(device);
  const auto peak_of = [&](const Figures& figures, double tera_per_figure, const Source& source) {
    const double peak = figures.of(*type) * tera_per_figure;
    const bool tf32 = *type == NumberType::single && figures.has_tf32();
    return peak > 0 ? std::optional(DevicePeak{peak, source.message(), tf32}) : std::nullopt;
  };
  const auto listed = std::ranges::find(kListed, name, &Known::name);
  if (listed != kListed.end()) return peak_of(listed->tflop_per_s, 1, listed->source);
  const auto geforce = std::ranges::find(kGeForce, name, &GeForce::name);
  if (geforce == kGeForce.end()) return std::nullopt;
  constexpr double kFlopAndMhzToTera = 2e-6;  // 2 FLOP per multiply-add, 10^6 Hz per MHz, 10^-12 T
  return peak_of(rates_of(geforce->generation),
                 geforce->multiprocessors * geforce->boost_mhz * kFlopAndMhzToTera,
                 source_of(geforce->generation));
}

std::string_view only_device_name(const Trace& trace) {
  std::string_view found;
  for (const std::string& name : trace.job.device_names) {
    if (name.empty()) continue;
    if (!found.empty() && found != name) return {};
    found = name;
  }
  return found;
}

bool has_tensor_cores(std::string_view device) {
  return !device.starts_with("AMD ") && device_peak(device, "c10::Half").has_value();
}

}  // namespace kino
