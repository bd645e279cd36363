// The inputs of an operator with shape, type, strides and value, from the separate lists that Kineto writes.
#pragma once

#include <string>
#include <vector>

#include "core/trace/args.hpp"

namespace kino {

/// One input. Fields are empty if the file does not have them.
struct TensorInput {
  std::string dims;     ///< "[8, 512, 4096]"; lists of tensors "[[8, 512], [8]]"
  std::string type;     ///< "c10::BFloat16", "Scalar"
  std::string strides;  ///< "[2097152, 4096, 1]"
  std::string value;    ///< "Concrete Inputs" of scalars and lists
};

/// Returns the inputs in the order of the operator's parameters; empty if `event` has no "Input Dims". At
/// most 200 inputs. Supports names from torch 1.8 on: "Input Dims" / "Input dims", "Input type", "Input
/// Strides", "Concrete Inputs".
std::vector<TensorInput> tensor_inputs(const ArgNode& event);

}  // namespace kino
