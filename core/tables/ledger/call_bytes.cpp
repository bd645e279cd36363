#include "core/tables/ledger/call_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/gpu/input_shapes.hpp"
#include "core/tables/operators/flop_formulas.hpp"

namespace kino {
namespace {

/// Shape and type of one argument; arguments that are not tensors have no dimensions.
struct Operand {
  Shape shape;
  double element_bytes = 0;

  bool is_tensor() const { return !shape.empty(); }
  double bytes() const { return product(shape) * element_bytes; }
  bool known() const { return element_bytes > 0; }
};

std::vector<Operand> operands_of(const EventFacts& facts) {
  const std::vector<std::string_view> types = listed_texts(facts.input_types);
  std::vector<Operand> operands;
  std::vector<Shape> shapes = shapes_of(facts.input_dims);
  operands.reserve(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    operands.push_back({std::move(shapes[i]), i < types.size() ? bytes_of_element(types[i]) : 0});
  return operands;
}

/// Returns the name without "aten::" and without the final "_" of operators that work in place. Empty if the
/// name does not begin with "aten::".
std::string_view plain_name(std::string_view op) {
  constexpr std::string_view kOwn = "aten::";
  if (!op.starts_with(kOwn)) return {};
  op.remove_prefix(kOwn.size());
  if (op.ends_with('_')) op.remove_suffix(1);
  return op;
}

bool is_any(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the sum of `factor` times each operand in [first, last), or nullopt if one is not a known tensor.
std::optional<double> bytes_of(std::span<const Operand> operands, std::size_t first, std::size_t last,
                               double factor) {
  if (operands.size() < last) return std::nullopt;
  double bytes = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (!operands[i].is_tensor() || !operands[i].known()) return std::nullopt;
    bytes += factor * operands[i].bytes();
  }
  return bytes;
}

/// Returns the bytes of all tensors among the operands. nullopt if they have no bytes, or if a type is
/// unknown.
std::optional<double> bytes_of_tensors(std::span<const Operand> operands) {
  double bytes = 0;
  for (const Operand& operand : operands) {
    if (!operand.is_tensor()) continue;
    if (!operand.known()) return std::nullopt;
    bytes += operand.bytes();
  }
  if (bytes <= 0) return std::nullopt;
  return bytes;
}

// ---- Products and convolutions

/// Returns the shape of the result of a matrix product, with or without a batch or groups. Empty if the
/// operands have too few dimensions.
Shape result_shape(const Shape& a, const Shape& b) {
  if (b.size() == 1 && a.size() == 2) return {a[0]};
  if (a.size() < 2 || b.size() < 2) return {};
  Shape shape = a;
  shape.back() = b.back();
  if (a.size() == 2 && b.size() == 2) return shape;
  if (a.size() == 3 && b.size() == 2) return {a[1], b[1]};  // groups divide the columns of the right side
  return shape;
}

std::optional<double> product_bytes(std::string_view op, std::span<const Operand> operands) {
  const std::string_view name = plain_name(op);
  const std::size_t first = name.starts_with("add") || name.starts_with("_addmm") || name.starts_with("badd");
  const auto inputs = bytes_of(operands, first, first + 2, 1);
  if (!inputs) return std::nullopt;
  const Operand& a = operands[first];
  Operand result{result_shape(a.shape, operands[first + 1].shape), a.element_bytes};
  if (!result.is_tensor()) return std::nullopt;
  // 8-bit and 4-bit floating-point operands have 16-bit results, and 8-bit integers have 32-bit results.
  if (a.element_bytes < 2) result.element_bytes = name == "_int_mm" ? 4 : 2;
  for (std::size_t i = first + 2; i < operands.size(); ++i) {
    if (operands[i].shape == result.shape && operands[i].known())
      result.element_bytes = operands[i].element_bytes;
  }
  return *inputs + result.bytes();
}

/// Returns the bytes of a convolution. The number of outputs follows from the FLOPs, which are 2 * outputs *
/// weights of one output channel. nullopt for operators that are always transposed, or if shapes or types are
/// unknown.
std::optional<double> convolution_bytes(std::string_view op, const EventFacts& facts,
                                        std::span<const Operand> operands) {
  const auto count = flops_of(op, facts);
  if (op == "aten::convolution_backward") {
    const auto one_gradient = bytes_of(operands, 0, 3, 1);
    if (!one_gradient || !count) return std::nullopt;
    // If the FLOPs are those of one gradient, only one was computed, otherwise both.
    const double gradient_flop = 2 * product(operands[2].shape, 1) * product(operands[0].shape);
    return count->hardware == gradient_flop ? *one_gradient : 2 * *one_gradient;
  }
  const auto inputs = bytes_of(operands, 0, 2, 1);
  if (!inputs || !count || contains(op, "transpose")) return std::nullopt;
  const double per_output = 2 * product(operands[1].shape, 1);
  if (per_output <= 0) return std::nullopt;
  return *inputs + count->hardware / per_output * operands[0].element_bytes;
}

/// Returns the bytes of queries, keys, values and the result. The backward pass has twice the bytes.
std::optional<double> attention_bytes(std::string_view op, std::span<const Operand> operands) {
  const bool backward = contains(op, "backward") || contains(op, "bwd");
  const std::size_t query = backward ? 1 : 0;
  const auto inputs = bytes_of(operands, query, query + 3, 1);
  if (!inputs) return std::nullopt;
  return (*inputs + operands[query].bytes()) * (backward ? 2 : 1);
}

// ---- The rest

constexpr auto kComparisons = std::to_array<std::string_view>(
    {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not", "logical_xor", "isnan",
     "isinf", "isfinite", "isneginf", "isposinf", "isin"});
constexpr auto kReductions =
    std::to_array<std::string_view>({"sum",          "mean",   "norm",      "linalg_vector_norm",
                                     "max",          "min",    "amax",      "amin",
                                     "argmax",       "argmin", "all",       "any",
                                     "prod",         "std",    "var",       "var_mean",
                                     "std_mean",     "nansum", "logsumexp", "aminmax",
                                     "count_nonzero"});
constexpr auto kTwice = std::to_array<std::string_view>(
    {"native_layer_norm", "native_group_norm", "native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm",
     "_fused_rms_norm", "_softmax", "_log_softmax", "softmax", "log_softmax", "native_dropout", "dropout",
     "_fused_dropout", "batch_norm", "layer_norm", "group_norm", "_native_batch_norm_legit"});
constexpr auto kThrice = std::to_array<std::string_view>(
    {"_softmax_backward_data", "_log_softmax_backward_data", "native_dropout_backward"});
/// Operators whose memory accesses do not follow from the shapes of their tensors.
constexpr auto kUnknown = std::to_array<std::string_view>(
    {"arange", "uniform", "normal", "random", "bernoulli", "linspace", "cumsum", "cumprod", "masked_select",
     "repeat_interleave", "tril", "triu", "roll", "flip", "masked_fill"});

bool has_unknown_access(std::string_view name) {
  constexpr auto kParts =
      std::to_array<std::string_view>({"index", "gather", "scatter", "embedding", "sort", "topk", "pool",
                                       "_foreach", "view", "unique", "nonzero", "upsample", "multinomial"});
  return is_any(name, kUnknown) ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return contains(name, part); });
}

/// Returns the bytes of the inputs and of a result with the shape to which they are broadcast.
std::optional<double> elementwise_bytes(std::string_view name, std::span<const Operand> operands) {
  const auto inputs = bytes_of_tensors(operands);
  if (!inputs) return std::nullopt;
  Shape shape;
  double widest = 0;
  for (const Operand& operand : operands) {
    if (!operand.is_tensor() || product(operand.shape) == 0) continue;
    if (operand.shape.size() > shape.size())
      shape.insert(shape.begin(), operand.shape.size() - shape.size(), 1);
    const std::size_t shift = shape.size() - operand.shape.size();
    for (std::size_t i = 0; i < operand.shape.size(); ++i)
      shape[i + shift] = std::max(shape[i + shift], operand.shape[i]);
    widest = std::max(widest, operand.element_bytes);
  }
  return *inputs + product(shape) * (is_any(name, kComparisons) ? 1 : widest);
}

/// Returns the shapes in the list of tensors that is the first argument, as for aten::cat: [[[2, 3], [2,
/// 4]], []].
std::vector<Shape> first_list(std::string_view input_dims) {
  std::vector<Shape> shapes;
  if (!input_dims.starts_with("[[[")) return shapes;
  const std::string_view list = input_dims.substr(2, input_dims.find("]]") - 1);
  for (std::size_t at = list.find('['); at != std::string_view::npos; at = list.find('[', at + 1))
    shapes.push_back(numbers_in(list.substr(at, list.find(']', at) - at)));
  return shapes;
}

std::optional<double> cat_bytes(const EventFacts& facts) {
  const double element = bytes_of_element(first_type(facts.input_types));
  double elements = 0;
  for (const Shape& shape : first_list(facts.input_dims)) elements += shape.empty() ? 0 : product(shape);
  if (element <= 0 || elements <= 0) return std::nullopt;
  return 2 * elements * element;
}

}  // namespace

double bytes_of_element(std::string_view dtype) {
  if (dtype.starts_with("c10::Float4_") || dtype.starts_with("Float4_")) return 1;
  return static_cast<double>(element_bytes(dtype));
}

std::optional<double> least_bytes(std::string_view op, const EventFacts& facts, bool elementwise) {
  if (facts.input_dims.empty()) return std::nullopt;
  const std::vector<Operand> operands = operands_of(facts);
  if (has_flop_formula(op)) {
    if (contains(op, "conv")) return convolution_bytes(op, facts, operands);
    if (contains(op, "attention") || contains(op, "flash")) return attention_bytes(op, operands);
    return product_bytes(op, operands);
  }
  if (op.starts_with("triton_")) return bytes_of_tensors(operands);
  const std::string_view name = plain_name(op);
  if (name.empty() || has_unknown_access(name)) return std::nullopt;
  if (name == "copy" || name == "_to_copy") return bytes_of(operands, 0, 2, 1);
  if (name == "fill" || name == "zero") return bytes_of(operands, 0, 1, 1);
  if (name == "cat") return cat_bytes(facts);
  if (is_any(name, kTwice)) return bytes_of(operands, 0, 1, 2);
  if (name.ends_with("_backward") || is_any(name, kThrice)) return bytes_of(operands, 0, 1, 3);
  if (is_any(name, kReductions)) return bytes_of_tensors(operands);
  if (!elementwise) return std::nullopt;
  return elementwise_bytes(name, operands);
}

}  // namespace kino
