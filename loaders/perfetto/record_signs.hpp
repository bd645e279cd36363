// By what Kineto's kinds of records are known where a trace has no categories: names of their arguments, and
// their own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/step_words.hpp"

namespace kino {

/// Bits of what one argument, or all of an event, say.
namespace argument_sign {
constexpr std::uint16_t kKernel = 1;
constexpr std::uint16_t kBandwidth = 2;
constexpr std::uint16_t kBytes = 4;
constexpr std::uint16_t kStream = 8;
constexpr std::uint16_t kSync = 16;
constexpr std::uint16_t kCall = 32;
constexpr std::uint16_t kPython = 64;
constexpr std::uint16_t kExternalId = 128;
constexpr std::uint16_t kOperator = 256;
}  // namespace argument_sign

/// Bits of what the name of an event says.
namespace name_sign {
constexpr std::uint16_t kRuntimeCall = 1;
constexpr std::uint16_t kDriverCall = 2;
constexpr std::uint16_t kMemset = 4;
constexpr std::uint16_t kOperator = 8;
constexpr std::uint16_t kStep = 16;
}  // namespace name_sign

inline std::uint16_t sign_of_argument(std::string_view name) {
  using namespace argument_sign;
  constexpr std::array<std::pair<std::string_view, std::uint16_t>, 13> kSigns{
      {{"grid", kKernel},
       {"registers per thread", kKernel},
       {"memory bandwidth (GB/s)", kBandwidth},
       {"bytes", kBytes},
       {"stream", kStream},
       {"cuda_sync_kind", kSync},
       {"wait_on_stream", kSync},
       {"cbid", kCall},
       {"Python id", kPython},
       {"Python parent id", kPython},
       {"External id", kExternalId},
       {"Input Dims", kOperator},
       {"Sequence number", kOperator}}};
  for (const auto& [argument, sign] : kSigns) {
    if (argument == name) return sign;
  }
  return 0;
}

inline std::uint16_t signs_of_name(std::string_view name) {
  const bool driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  std::uint16_t signs = 0;
  if (name.starts_with("cuda") || name.starts_with("hip")) signs |= name_sign::kRuntimeCall;
  if (driver) signs |= name_sign::kDriverCall;
  if (name.starts_with("Memset")) signs |= name_sign::kMemset;
  if (contains(name, "::")) signs |= name_sign::kOperator;
  if (is_step_name(name)) signs |= name_sign::kStep;
  return signs;
}

/// Whether an event with these signs is an operator for sure.
inline bool is_operator(std::uint16_t arguments, std::uint16_t name) {
  return (name & name_sign::kStep) == 0 &&
         ((arguments & argument_sign::kOperator) != 0 || (name & name_sign::kOperator) != 0);
}

/// The category that Kineto gives to such an event; empty where nothing says it. An external id belongs to an
/// operator where `of_operators`, else to a range of the program.
inline std::string_view category_of_signs(std::uint16_t arguments, std::uint16_t name, bool of_operators) {
  using namespace argument_sign;
  if ((arguments & kKernel) != 0) return "kernel";
  if ((arguments & kBandwidth) != 0 || (arguments & (kBytes | kStream)) == (kBytes | kStream))
    return (name & name_sign::kMemset) != 0 ? "gpu_memset" : "gpu_memcpy";
  if ((arguments & kSync) != 0) return "cuda_sync";
  if ((arguments & kCall) != 0 || (name & name_sign::kRuntimeCall) != 0)
    return (name & name_sign::kDriverCall) != 0 ? "cuda_driver" : "cuda_runtime";
  if ((arguments & kPython) != 0) return "python_function";
  if ((arguments & kExternalId) != 0) return of_operators ? "cpu_op" : "user_annotation";
  return {};
}

}  // namespace kino
