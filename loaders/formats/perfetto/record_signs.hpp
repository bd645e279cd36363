// Recognizes Kineto's kinds of records in traces that have no categories, by their names and the names of
// their arguments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/step_words.hpp"

namespace kino {

/// Bits set by the arguments of an event.
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
constexpr std::uint16_t kDevice = 512;
constexpr std::uint16_t kHost = 1024;
}  // namespace argument_sign

/// Bits set by the name of an event.
namespace name_sign {
constexpr std::uint16_t kRuntimeCall = 1;
constexpr std::uint16_t kDriverCall = 2;
constexpr std::uint16_t kMemset = 4;
constexpr std::uint16_t kOperator = 8;
constexpr std::uint16_t kStep = 16;
constexpr std::uint16_t kCollective = 32;
constexpr std::uint16_t kMemcpy = 64;
}  // namespace name_sign

inline std::uint16_t sign_of_argument(std::string_view name) {
  using namespace argument_sign;
  constexpr std::pair<std::string_view, std::uint16_t> kSigns[] = {{"grid", kKernel},
                                                                   {"registers per thread", kKernel},
                                                                   {"memory bandwidth (GB/s)", kBandwidth},
                                                                   {"bytes", kBytes},
                                                                   {"stream", kStream},
                                                                   {"device", kDevice},
                                                                   {"Ev Idx", kHost},
                                                                   {"Record function id", kHost},
                                                                   {"cuda_sync_kind", kSync},
                                                                   {"wait_on_stream", kSync},
                                                                   {"cbid", kCall},
                                                                   {"cid", kCall},  // AMD
                                                                   {"Python id", kPython},
                                                                   {"Python parent id", kPython},
                                                                   {"External id", kExternalId},
                                                                   {"Input Dims", kOperator},
                                                                   {"Sequence number", kOperator}};
  const auto* const found =
      std::ranges::find(kSigns, name, &std::pair<std::string_view, std::uint16_t>::first);
  return found == std::end(kSigns) ? 0 : found->second;
}

constexpr bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Returns whether the name is a range of c10d, such as nccl:all_reduce or gloo:broadcast. Such ranges have
/// input shapes.
inline bool is_collective_range(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < name.size() && name[colon + 1] != ':' &&
         std::ranges::all_of(name.substr(0, colon), is_small_letter);
}

/// Returns whether the name is an operator, such as aten::mm or _C::rms_norm. Namespaces of operators start
/// with a lower-case letter or an underscore, unlike those of frameworks' ranges (FSDP::pre_forward).
inline bool is_operator_name(std::string_view name) {
  const std::size_t colons = name.find("::");
  const auto small = [](char c) { return is_small_letter(c) || c == '_'; };
  return colons != std::string_view::npos && colons > 0 && small(name[0]) &&
         std::ranges::all_of(name.substr(0, colons),
                             [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

inline std::uint16_t signs_of_name(std::string_view name) {
  const bool driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  std::uint16_t signs = 0;
  if (name.starts_with("cuda") || name.starts_with("hip")) signs |= name_sign::kRuntimeCall;
  if (driver) signs |= name_sign::kDriverCall;
  if (name.starts_with("Memset")) signs |= name_sign::kMemset;
  if (name.starts_with("Memcpy")) signs |= name_sign::kMemcpy;
  if (is_operator_name(name)) signs |= name_sign::kOperator;
  if (is_step_name(name)) signs |= name_sign::kStep;
  if (is_collective_range(name)) signs |= name_sign::kCollective;
  return signs;
}

/// Returns whether an event with these signs is certainly an operator.
inline bool is_operator(std::uint16_t arguments, std::uint16_t name) {
  return (name & (name_sign::kStep | name_sign::kCollective)) == 0 &&
         ((arguments & argument_sign::kOperator) != 0 || (name & name_sign::kOperator) != 0);
}

/// Returns Kineto's category for an event with these signs; empty if it is unknown. If only an external id is
/// known, the event is an operator if `of_operators`, otherwise a user annotation.
inline std::string_view category_of_signs(std::uint16_t arguments, std::uint16_t name, bool of_operators) {
  using namespace argument_sign;
  const auto any_of = [&](std::uint16_t signs) { return (arguments & signs) != 0; };
  const auto all_of = [&](std::uint16_t signs) { return (arguments & signs) == signs; };
  const std::string_view call = (name & name_sign::kDriverCall) != 0 ? "cuda_driver" : "cuda_runtime";
  if (!any_of(kHost)) {              // operators of Triton have a grid and a stream
    if (any_of(kCall)) return call;  // AMD's calls have the grid of the kernel
    if (any_of(kKernel)) return "kernel";
    if (any_of(kStream) && (name & name_sign::kMemset) != 0) return "gpu_memset";
    if (any_of(kBandwidth) || all_of(kBytes | kStream) ||
        (any_of(kStream) && (name & name_sign::kMemcpy) != 0))
      return "gpu_memcpy";
    if (any_of(kSync)) return "cuda_sync";
    if (all_of(kStream | kDevice)) return "kernel";  // older AMD kernels have no other arguments
    if ((name & name_sign::kRuntimeCall) != 0) return call;
  }
  if (any_of(kPython)) return "python_function";
  if (any_of(kExternalId)) return of_operators ? "cpu_op" : "user_annotation";
  return {};
}

}  // namespace kino
