// FLOPs of convolutions without recorded strides, derived from the output shapes of backward calls.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {

/// Maps the shapes of input and weight to the shape of the output. The shape is known from backward calls:
/// the gradient that is passed to a backward call has the shape of the output.
class ConvolutionOutputs {
 public:
  /// Whether `op` is a backward call of a convolution, whose inputs show the shape of the output. O(length).
  static bool is_backward(std::string_view op);
  /// Whether `op` is a convolution of the forward pass; false for operators that are always transposed.
  /// O(length).
  static bool is_forward(std::string_view op);

  /// Records the shapes of a backward call.
  void add(std::string_view op, const EventFacts& facts);
  /// Returns the FLOPs of a forward call without recorded arguments: 2 * outputs * weights of one output
  /// channel. Returns nullopt if no backward call has the shapes of its input and weight, or if such calls
  /// have different outputs. Also returns nullopt if arguments are recorded, since these show the output.
  std::optional<double> flops_of(const EventFacts& facts) const;

 private:
  std::map<std::pair<Shape, Shape>, Shape> outputs_;  // output by input and weight; an empty shape if it is
                                                      // ambiguous
};

}  // namespace kino
