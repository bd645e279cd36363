#include "core/tables/operators/convolution_outputs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace kino {
namespace {

/// Positions of shapes among the inputs of a backward call.
struct ConvolutionGradient {
  std::string_view name;
  std::size_t output;  // gradient of the output
  std::size_t input;
  std::size_t weight = 2;
};

constexpr auto kConvolutionGradients =
    std::to_array<ConvolutionGradient>({{"aten::convolution_backward", 0, 1},
                                        {"aten::convolution_backward_overrideable", 0, 1},
                                        {"aten::cudnn_convolution_backward", 1, 0},
                                        {"aten::miopen_convolution_backward", 1, 0},
                                        {"aten::mkldnn_convolution_backward", 1, 0}});

constexpr std::array<std::string_view, 7> kForwardConvolutions{
    "aten::convolution",        "aten::_convolution",           "aten::cudnn_convolution",
    "aten::miopen_convolution", "aten::cudnn_convolution_relu", "aten::miopen_convolution_relu",
    "aten::mkldnn_convolution"};

auto gradient_named(std::string_view op) {
  return std::ranges::find(kConvolutionGradients, op, &ConvolutionGradient::name);
}

}  // namespace

bool ConvolutionOutputs::is_backward(std::string_view op) {
  return gradient_named(op) != kConvolutionGradients.end();
}

bool ConvolutionOutputs::is_forward(std::string_view op) {
  return std::ranges::find(kForwardConvolutions, op) != kForwardConvolutions.end();
}

void ConvolutionOutputs::add(std::string_view op, const EventFacts& facts) {
  const auto gradient = gradient_named(op);
  if (gradient == kConvolutionGradients.end()) return;
  const std::vector<Shape> shapes = shapes_of(facts.input_dims);
  if (shapes.size() <= gradient->weight) return;
  const Shape& output = shapes[gradient->output];
  const Shape& input = shapes[gradient->input];
  const Shape& weight = shapes[gradient->weight];
  // Excludes transposed convolutions, whose weights have the output channels in another dimension.
  if (output.size() < 3 || input.size() != output.size() || weight.size() != output.size() ||
      output[0] != input[0] || output[1] != weight[0])
    return;
  const auto [found, added] = outputs_.try_emplace({input, weight}, output);
  if (!added && found->second != output) found->second.clear();
}

std::optional<double> ConvolutionOutputs::flops_of(const EventFacts& facts) const {
  if (!facts.concrete_inputs.empty()) return std::nullopt;
  const std::vector<Shape> shapes = shapes_of(facts.input_dims);
  if (shapes.size() < 2) return std::nullopt;
  const auto found = outputs_.find({shapes[0], shapes[1]});
  if (found == outputs_.end() || found->second.empty()) return std::nullopt;
  return 2 * product(found->second) * product(shapes[1], 1);
}

}  // namespace kino
