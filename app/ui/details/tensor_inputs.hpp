// The inputs of an operator side by side: shape, type, strides and value of each, from the arguments Kineto
// writes as separate lists.
#pragma once

#include <string>
#include <vector>

#include "core/trace/args.hpp"

namespace kino {

/// One input. Fields are empty when the file does not say.
struct TensorInput {
  std::string dims;     ///< "[8, 512, 4096]"; lists of tensors "[[8, 512], [8]]"
  std::string type;     ///< "c10::BFloat16", "Scalar"
  std::string strides;  ///< "[2097152, 4096, 1]"
  std::string value;    ///< of scalars and lists: "Concrete Inputs"
};

/// In the order of the operator's parameters; empty when `event` has no "Input Dims". At most 200 inputs.
/// Names of torch 1.8 to today: "Input Dims" / "Input dims", "Input type", "Input Strides", "Concrete
/// Inputs".
std::vector<TensorInput> tensor_inputs(const ArgNode& event);

}  // namespace kino
