#include "core/tables/operators/flop_formulas.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/tables/gpu/input_shapes.hpp"

namespace kino {
namespace {

using Texts = std::vector<std::string_view>;

constexpr std::size_t kNowhere = ~std::size_t{0};

double at(const Shape& shape, std::size_t i) { return static_cast<double>(shape[i]); }

bool is_true(std::string_view text) { return text == "True" || text == "true" || text == "1"; }
bool is_flag(std::string_view text) {
  return text == "True" || text == "False" || text == "true" || text == "false";
}
std::string_view text_at(const Texts& values, std::size_t i) {
  return i < values.size() ? values[i] : std::string_view();
}
/// Parses the value at index i as an integer. Returns `otherwise` if it is not an integer.
double number_at(const Texts& values, std::size_t i, double otherwise) {
  const std::string_view text = text_at(values, i);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? static_cast<double>(value) : otherwise;
}

std::optional<double> matrix_flops(const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return std::nullopt;
  return 2 * product(a) * at(b, 1);
}

std::optional<double> vector_flops(const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 1 || a[1] != b[0]) return std::nullopt;
  return 2 * product(a);
}

std::optional<double> batched_flops(const Shape& a, const Shape& b) {
  if (a.size() != 3 || b.size() != 3 || a[2] != b[1] || a[0] != b[0]) return std::nullopt;
  return 2 * product(a) * at(b, 2);
}

/// Returns the FLOPs of a grouped product. Groups split the rows of a two-dimensional left input, the columns
/// of a two-dimensional right input or, if both are two-dimensional, the summed dimension.
std::optional<double> grouped_flops(const Shape& a, const Shape& b) {
  if (a.size() == 3 && b.size() == 3) return batched_flops(a, b);
  if (a.size() == 2 && b.size() == 2) return matrix_flops(a, b);
  if (a.size() == 2 && b.size() == 3 && a[1] == b[1]) return 2 * product(a) * at(b, 2);
  if (a.size() == 3 && b.size() == 2 && a[2] == b[0]) return 2 * at(a, 1) * at(a, 2) * at(b, 1);
  return std::nullopt;
}

double numbers_per_element(std::string_view type) { return type.ends_with("_x2") ? 2 : 1; }

struct Product {
  std::string_view name;
  std::size_t first;  // index of the first multiplied input
  std::optional<double> (*flops)(const Shape&, const Shape&);
};

constexpr auto kProducts = std::to_array<Product>({{"aten::mm", 0, matrix_flops},
                                                   {"aten::_int_mm", 0, matrix_flops},
                                                   {"aten::_scaled_mm", 0, matrix_flops},
                                                   {"aten::_scaled_mm_v2", 0, matrix_flops},
                                                   {"aten::addmm", 1, matrix_flops},
                                                   {"aten::addmm_", 1, matrix_flops},
                                                   {"aten::_addmm_activation", 1, matrix_flops},
                                                   {"aten::mv", 0, vector_flops},
                                                   {"aten::addmv", 1, vector_flops},
                                                   {"aten::addmv_", 1, vector_flops},
                                                   {"aten::bmm", 0, batched_flops},
                                                   {"aten::baddbmm", 1, batched_flops},
                                                   {"aten::baddbmm_", 1, batched_flops},
                                                   {"aten::addbmm", 1, batched_flops},
                                                   {"aten::_grouped_mm", 0, grouped_flops},
                                                   {"aten::_scaled_grouped_mm", 0, grouped_flops},
                                                   {"aten::_scaled_grouped_mm_v2", 0, grouped_flops}});

/// Argument positions of a forward convolution. `transposed` is kNowhere if the operator is always or never
/// transposed.
struct Convolution {
  std::string_view name;
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
  std::size_t transposed;
  bool always_transposed;
};

constexpr auto kConvolutions = std::to_array<Convolution>(
    {{"aten::convolution", 3, 4, 5, 6, false},
     {"aten::_convolution", 3, 4, 5, 6, false},
     {"aten::cudnn_convolution", 3, 2, 4, kNowhere, false},
     {"aten::cudnn_convolution_relu", 3, 4, 5, kNowhere, false},
     {"aten::miopen_convolution", 4, 3, 5, kNowhere, false},
     {"aten::miopen_convolution_relu", 3, 4, 5, kNowhere, false},
     {"aten::mkldnn_convolution", 4, 3, 5, kNowhere, false},
     {"aten::cudnn_convolution_transpose", kNowhere, kNowhere, kNowhere, kNowhere, true},
     {"aten::miopen_convolution_transpose", kNowhere, kNowhere, kNowhere, kNowhere, true}});

std::optional<double> convolution_flops(const Convolution& op, const std::vector<Shape>& shapes,
                                        const Texts& values) {
  if (shapes.size() < 2 || shapes[0].size() < 3 || shapes[1].size() != shapes[0].size()) return std::nullopt;
  const Shape& input = shapes[0];
  const Shape& weight = shapes[1];
  // A transposed convolution multiplies each input by the weights of its channel.
  const double as_transposed = 2 * product(input) * product(weight, 1);
  if (op.always_transposed) return as_transposed;
  if (op.transposed != kNowhere) {
    if (text_at(values, op.transposed).empty()) return std::nullopt;
    if (is_true(values[op.transposed])) return as_transposed;
  }
  const Shape stride = numbers_in(text_at(values, op.stride));
  const Shape padding = numbers_in(text_at(values, op.padding));
  const Shape dilation = numbers_in(text_at(values, op.dilation));
  const std::size_t dimensions = input.size() - 2;
  for (const Shape* list : {&stride, &padding, &dilation}) {
    if (list->size() != 1 && list->size() != dimensions) return std::nullopt;
  }
  const auto along = [](const Shape& list, std::size_t i) { return list.size() == 1 ? list[0] : list[i]; };
  double outputs = at(input, 0) * at(weight, 0);
  for (std::size_t i = 0; i < dimensions; ++i) {
    const auto step = static_cast<double>(along(stride, i));
    const double reach = static_cast<double>(along(dilation, i)) * (at(weight, i + 2) - 1) + 1;
    const double room = at(input, i + 2) + 2 * static_cast<double>(along(padding, i)) - reach;
    if (step < 1 || room < 0) return std::nullopt;
    outputs *= static_cast<double>(static_cast<std::int64_t>(std::min(room / step, 1e15))) + 1;
  }
  return 2 * outputs * product(weight, 1);
}

/// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
/// output_padding, groups, output_mask).
std::optional<double> convolution_backward_flops(const std::vector<Shape>& shapes, const Texts& values) {
  constexpr std::size_t kTransposed = 7;
  constexpr std::size_t kMask = 10;
  if (shapes.size() < 3 || shapes[0].size() < 3 || shapes[2].size() != shapes[0].size()) return std::nullopt;
  const bool transposed = is_true(text_at(values, kTransposed));
  const double one = 2 * product(shapes[transposed ? 1 : 0]) * product(shapes[2], 1);
  std::string_view mask = text_at(values, kMask);
  if (mask.find("rue") == std::string_view::npos && mask.find("alse") == std::string_view::npos)
    return 2 * one;
  double gradients = 0;  // number of gradients for input and weight; the bias gradient is only a sum
  for (int i = 0; i < 2; ++i) {
    const std::size_t comma = std::min(mask.find(','), mask.size());
    if (mask.substr(0, comma).find("rue") != std::string_view::npos) ++gradients;
    mask.remove_prefix(std::min(comma + 1, mask.size()));
  }
  return gradients * one;
}

/// Returns the FLOPs of a convolution gradient in torch 1.8 to 1.10, which have one operator per gradient.
/// Its inputs are the size of the result, grad_output, and weight or input. The operator of the weight
/// gradient has no weight among its inputs; its caller has the weight as third input.
std::optional<double> one_gradient_flops(std::string_view op, const std::vector<Shape>& shapes,
                                         const EventFacts* around) {
  const bool of_weight = op.find("_weight") != std::string_view::npos;
  if (of_weight && around == nullptr) return std::nullopt;
  const std::vector<Shape> outer = of_weight ? shapes_of(around->input_dims) : std::vector<Shape>();
  const std::vector<Shape>& from = of_weight ? outer : shapes;
  if (shapes.size() < 2 || from.size() < 3 || shapes[1].size() < 3 || from[2].size() != shapes[1].size())
    return std::nullopt;
  return 2 * product(shapes[1]) * product(from[2], 1);
}

bool is_one_gradient(std::string_view op) {
  constexpr std::array<std::string_view, 6> kNames{
      "aten::cudnn_convolution_backward_input",  "aten::cudnn_convolution_backward_weight",
      "aten::miopen_convolution_backward_input", "aten::miopen_convolution_backward_weight",
      "aten::mkldnn_convolution_backward_input", "aten::mkldnn_convolution_backward_weights"};
  return std::ranges::find(kNames, op) != kNames.end();
}

enum class Layout : std::uint8_t { heads_first, queries_first };
/// Kind of argument that makes attention causal.
enum class Causality : std::uint8_t {
  flag,         // separate boolean argument
  mask_before,  // kind of mask, directly before the first boolean: 0 none, 1 from the first query, 2 from the
                // last
  mask_after,
  mask,
};

struct Attention {
  std::string_view name;
  Layout layout;
  std::size_t query;  // index of the query among the inputs; key and value follow
  bool backward;
  Causality causality;
  std::size_t causal;
  std::size_t window;   // position of the two window sizes, left and right; negative sizes mean no limit
  std::size_t longest;  // position of the maximum length of a key sequence, if sequences are packed; that of
                        // a query sequence precedes it
  bool from_last;       // whether the last query sees all keys if the numbers of queries and keys differ
  std::size_t packed = kNowhere;  // position of cu_seqlens of the keys: start of each packed sequence, then
                                  // the end
  std::size_t used = kNowhere;    // position of the numbers of used keys per sequence, in a cache that is not
                                  // full
};

constexpr Layout kHeads = Layout::heads_first;
constexpr Layout kQueries = Layout::queries_first;
constexpr Causality kFlag = Causality::flag;

constexpr auto kAttentions = std::to_array<Attention>({
    // From native_functions.yaml of PyTorch 2.9; for older versions see causal_index().
    {"aten::_scaled_dot_product_flash_attention", kHeads, 0, false, kFlag, 4, kNowhere, kNowhere, false},
    {"aten::_scaled_dot_product_flash_attention_backward", kHeads, 1, true, kFlag, 11, kNowhere, kNowhere,
     false},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", kHeads, 0, false, kFlag, 4, kNowhere, kNowhere,
     false},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", kHeads, 1, true, kFlag, 7, kNowhere,
     kNowhere, false},
    {"aten::_scaled_dot_product_efficient_attention", kHeads, 0, false, kFlag, 6, kNowhere, kNowhere, false},
    {"aten::_scaled_dot_product_efficient_attention_backward", kHeads, 1, true, kFlag, 11, kNowhere, kNowhere,
     false},
    {"aten::_scaled_dot_product_cudnn_attention", kHeads, 0, false, kFlag, 6, kNowhere, kNowhere, false},
    {"aten::_scaled_dot_product_cudnn_attention_backward", kHeads, 1, true, kFlag, 14, kNowhere, kNowhere,
     false},
    {"aten::_scaled_dot_product_fused_attention_overrideable", kHeads, 0, false, kFlag, 5, kNowhere, kNowhere,
     false},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward", kHeads, 1, true, kFlag, 13, kNowhere,
     kNowhere, false},
    {"aten::_flash_attention_forward", kQueries, 0, false, kFlag, 8, kNowhere, 6, true, 4, 13},
    {"aten::_flash_attention_backward", kQueries, 1, true, kFlag, 11, kNowhere, 9, true, 7},
    {"aten::_efficient_attention_forward", kQueries, 0, false, Causality::mask_before, 0, kNowhere, 7, false,
     5},
    {"aten::_efficient_attention_backward", kQueries, 1, true, Causality::mask_before, 0, kNowhere, 9, false,
     7},
    // From flash_attn 2: flash_attn/flash_attn_interface.py.
    {"flash_attn::_flash_attn_forward", kQueries, 0, false, kFlag, 5, 6, kNowhere, true},
    {"flash_attn::_flash_attn_backward", kQueries, 1, true, kFlag, 11, 12, kNowhere, true},
    {"flash_attn::_flash_attn_varlen_forward", kQueries, 0, false, kFlag, 9, 10, 6, true, 4},
    {"flash_attn::_flash_attn_varlen_backward", kQueries, 1, true, kFlag, 15, 16, 12, true, 10},
    // From flash_attn 3: hopper/flash_attn_interface.py, hopper/flash_api.cpp.
    {"flash_attn_3::_flash_attn_forward", kQueries, 0, false, kFlag, 24, 25, 13, true, 8, 11},
    {"flash_attn_3::fwd", kQueries, 0, false, kFlag, 24, 25, 13, true, 8, 11},
    {"flash_attn_3::_flash_attn_backward", kQueries, 1, true, kFlag, 13, 14, 11, true, 7, 9},
    {"flash_attn_3::bwd", kQueries, 1, true, kFlag, 16, 17, 14, true, 10, 12},
    // From xformers/csrc/attention/attention.cpp and xformers/ops/fmha/flash.py.
    {"xformers::efficient_attention_forward_cutlass", kQueries, 0, false, Causality::mask_after, 0, kNowhere,
     kNowhere, false, 5},
    {"xformers::efficient_attention_backward_cutlass", kQueries, 1, true, Causality::mask, 14, kNowhere, 8,
     false, 6},
    {"xformers_flash::flash_fwd", kQueries, 0, false, kFlag, 10, 11, 7, true, 4, 5},
    {"xformers_flash::flash_bwd", kQueries, 1, true, kFlag, 12, 13, 9, true, 7},
});

/// Returns the position of is_causal. Versions with other signatures are recognized by their number of
/// arguments.
std::size_t causal_index(const Attention& op, const Texts& values) {
  const auto is = [&](std::string_view name) { return op.name == name; };
  // PyTorch 2.0: (query, key, value, compute_log_sumexp, is_causal, scale).
  if (is("aten::_scaled_dot_product_efficient_attention") && values.size() <= 6) return 4;
  if (is("aten::_scaled_dot_product_efficient_attention_backward") && values.size() <= 9) return 6;
  // PyTorch 2.2 to 2.4: the arguments attn_bias and compute_log_sumexp do not exist.
  if (is("aten::_scaled_dot_product_cudnn_attention") && values.size() <= 7) return 4;
  if (is("aten::_scaled_dot_product_cudnn_attention_backward") && !is_flag(text_at(values, op.causal)))
    return 11;
  return op.causal;
}

enum class Mask : std::uint8_t { none, from_first, from_last };

Mask mask_of(const Attention& op, const Texts& values) {
  const auto kind_at = [&](std::size_t i) {
    const double kind = number_at(values, i, 0);
    return kind == 1 ? Mask::from_first : kind == 2 ? Mask::from_last : Mask::none;
  };
  const auto flag = std::ranges::find_if(values, is_flag);
  const auto flag_index = static_cast<std::size_t>(flag - values.begin());
  switch (op.causality) {
    case Causality::flag: {
      const std::string_view text = text_at(values, causal_index(op, values));
      if (!is_flag(text) || !is_true(text)) return Mask::none;
      return op.from_last ? Mask::from_last : Mask::from_first;
    }
    case Causality::mask_before:
      return flag_index == 0 || flag == values.end() ? Mask::none : kind_at(flag_index - 1);
    case Causality::mask_after:
      return flag == values.end() ? Mask::none : kind_at(flag_index + 1);
    case Causality::mask:
      return kind_at(op.causal);
  }
  return Mask::none;
}

/// Returns the average number of keys visible to a query.
double keys_seen(double queries, double keys, Mask mask) {
  if (mask == Mask::none || queries <= 0) return keys;
  if (mask == Mask::from_first) return queries <= keys ? queries / 2 : keys - keys * keys / (2 * queries);
  return queries <= keys ? keys - queries / 2 : keys * keys / (2 * queries);
}

/// Average number of keys visible to a query.
struct SeenKeys {
  double count = 0;
  bool at_most = false;
};

/// Returns the visible keys for packed sequences. Their lengths are in cu_seqlens, but only its size is
/// recorded.
SeenKeys keys_seen_packed(const Attention& op, const Texts& values, double queries, double keys,
                          double sequences, Mask mask) {
  const double longest = std::min(keys, number_at(values, op.longest, keys));
  // If the number of sequences times the maximum length is the total, all sequences have the maximum length.
  const bool even = sequences > 0 && sequences * longest == keys &&
                    (mask == Mask::none || sequences * number_at(values, op.longest - 1, 0) == queries);
  if (even) return {keys_seen(queries / sequences, longest, mask), false};
  if (mask == Mask::none) return {longest, true};
  // If the totals of queries and keys are equal, each sequence is assumed to have as many queries as keys. A
  // query then sees half of the keys on average. Otherwise, the bound is that it sees all keys of its
  // sequence.
  return {queries == keys ? longest / 2 : longest, true};
}

SeenKeys seen_keys(const Attention& op, const std::vector<Shape>& shapes, const Texts& values, double queries,
                   double keys, bool flat) {
  const auto given = [&](std::size_t i) { return i < shapes.size() && !shapes[i].empty(); };
  const Mask mask = mask_of(op, values);
  const double sequences = given(op.packed) ? product(shapes[op.packed]) - 1 : 0;
  const bool packed = sequences > 1 || (flat && sequences != 1);
  SeenKeys seen = packed ? keys_seen_packed(op, values, queries, keys, sequences, mask)
                         : SeenKeys{keys_seen(queries, keys, mask), false};
  const double left = number_at(values, op.window, -1);
  const double right =
      mask == Mask::none ? number_at(values, op.window == kNowhere ? kNowhere : op.window + 1, -1) : 0;
  if (left >= 0 && right >= 0) seen.count = std::min(seen.count, left + right + 1);
  seen.at_most = seen.at_most || given(op.used);
  return seen;
}

std::optional<FlopCount> attention_flops(const Attention& op, const std::vector<Shape>& shapes,
                                         const Texts& values) {
  if (shapes.size() < op.query + 3) return std::nullopt;
  const Shape& query = shapes[op.query];
  const Shape& key = shapes[op.query + 1];
  const Shape& value = shapes[op.query + 2];
  const std::size_t rank = query.size();
  // Packed sequences have no batch dimension; xformers may have groups of heads.
  if (rank < 3 || rank > 5 || key.size() != rank || value.size() != rank) return std::nullopt;
  const bool flat = rank == 3;
  if (flat && op.layout == Layout::heads_first) return std::nullopt;
  const std::size_t along = flat ? 0 : op.layout == Layout::heads_first ? rank - 2 : 1;
  const SeenKeys seen = seen_keys(op, shapes, values, at(query, along), at(key, along), flat);
  const double width = at(query, rank - 1);
  if (width <= 0) return std::nullopt;
  const double scores = 2 * product(query) / width * seen.count;  // operations per element of the head
                                                                  // dimension
  const double values_width = at(value, rank - 1);
  if (!op.backward) {
    const double flop = scores * (width + values_width);
    return FlopCount{flop, flop, seen.at_most};
  }
  return FlopCount{scores * (3 * width + 2 * values_width), scores * (2 * width + 2 * values_width),
                   seen.at_most};
}

template <class List>
auto named(const List& list, std::string_view name) {
  return std::ranges::find(list, name, &List::value_type::name);
}

std::optional<FlopCount> same(std::optional<double> flops) {
  if (!flops) return std::nullopt;
  return FlopCount{*flops, *flops, false};
}

constexpr std::string_view kConvolutionBackward = "aten::convolution_backward";

}  // namespace

bool has_flop_formula(std::string_view op) {
  return named(kProducts, op) != kProducts.end() || named(kConvolutions, op) != kConvolutions.end() ||
         named(kAttentions, op) != kAttentions.end() || op == kConvolutionBackward || is_one_gradient(op);
}

std::optional<FlopCount> flops_of(std::string_view op, const EventFacts& facts, const EventFacts* around) {
  if (facts.input_dims.empty()) return std::nullopt;
  const std::vector<Shape> shapes = shapes_of(facts.input_dims);
  if (const auto multiply = named(kProducts, op); multiply != kProducts.end()) {
    const std::size_t first = multiply->first;
    if (shapes.size() < first + 2) return std::nullopt;
    const auto flops = multiply->flops(shapes[first], shapes[first + 1]);
    if (!flops) return std::nullopt;
    // Packed elements contain several numbers along the summed dimension, in both inputs.
    const double flop = *flops * numbers_per_element(flop_type(op, facts));
    // If groups are parts of a matrix, their offsets are data that is not recorded. Rows after the last group
    // are not multiplied, so the count is an upper bound.
    const bool at_most =
        multiply->flops == grouped_flops && (shapes[first].size() == 2 || shapes[first + 1].size() == 2);
    return FlopCount{flop, flop, at_most};
  }
  const Texts values = listed_texts(facts.concrete_inputs);
  if (const auto convolution = named(kConvolutions, op); convolution != kConvolutions.end())
    return same(convolution_flops(*convolution, shapes, values));
  if (op == kConvolutionBackward) return same(convolution_backward_flops(shapes, values));
  if (is_one_gradient(op)) return same(one_gradient_flops(op, shapes, around));
  if (const auto attention = named(kAttentions, op); attention != kAttentions.end())
    return attention_flops(*attention, shapes, values);
  return std::nullopt;
}

std::string_view flop_type(std::string_view op, const EventFacts& facts) {
  const std::vector<std::string_view> types = listed_texts(facts.input_types);
  const auto multiply = named(kProducts, op);
  if (multiply != kProducts.end() && multiply->first < types.size() && !types[multiply->first].empty())
    return types[multiply->first];
  // Uses the type of the first tensor. Other inputs have no dimensions, but may have a type ("GenericList").
  const std::vector<Shape> shapes = shapes_of(facts.input_dims);
  for (std::size_t i = 0; i < std::min(types.size(), shapes.size()); ++i) {
    if (!shapes[i].empty() && !types[i].empty()) return types[i];
  }
  return first_type(facts.input_types);
}

}  // namespace kino
