// Operations of convolutions whose strides are not recorded, from the gradients of other calls.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {

/// Outputs by the shapes of input and weight: the gradient that a backward call takes has the shape of the
/// output.
class ConvolutionOutputs {
 public:
  /// Whether calls of this name tell an output. O(length).
  static bool is_backward(std::string_view op);
  /// Whether calls of this name are convolutions of the forward pass, not always transposed. O(length).
  static bool is_forward(std::string_view op);

  /// Takes the shapes of a backward call.
  void add(std::string_view op, const EventFacts& facts);
  /// The operations of a forward call without recorded arguments: 2 * outputs * weights of one output channel.
  /// Empty if no backward call has its shapes, or if such calls have several outputs.
  std::optional<double> flops_of(const EventFacts& facts) const;

 private:
  std::map<std::pair<Shape, Shape>, Shape> outputs_;  // by input and weight; empty: several
};

}  // namespace kino
