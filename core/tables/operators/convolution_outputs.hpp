// FLOPs of convolutions without recorded strides, derived from the gradients of other calls.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {

/// Output shapes by the shapes of input and weight: the gradient passed to a backward call has the shape of
/// the output.
class ConvolutionOutputs {
 public:
  /// Whether calls of this name have the shape of an output. O(length).
  static bool is_backward(std::string_view op);
  /// Whether the name is a convolution of the forward pass that is not always transposed. O(length).
  static bool is_forward(std::string_view op);

  /// Records the shapes of a backward call.
  void add(std::string_view op, const EventFacts& facts);
  /// FLOPs of a forward call without recorded arguments: 2 * outputs * weights of one output channel. nullopt
  /// if no backward call has its shapes, or if such calls have different outputs.
  std::optional<double> flops_of(const EventFacts& facts) const;

 private:
  std::map<std::pair<Shape, Shape>, Shape> outputs_;  // by input and weight; empty: ambiguous
};

}  // namespace kino
