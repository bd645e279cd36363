#include "core/flops_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <unordered_map>

#include "core/ascii.hpp"
#include "core/parallel.hpp"
#include "core/saturating.hpp"

namespace kino {
namespace {

using Shape = std::vector<std::int64_t>;

double product(const Shape& shape, std::size_t from = 0) {
  double result = 1;
  for (std::size_t i = from; i < shape.size(); ++i) result *= static_cast<double>(shape[i]);
  return result;
}

std::optional<double> matrix_flops(const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return std::nullopt;
  return 2 * product(a) * static_cast<double>(b[1]);
}

std::optional<double> batched_flops(const Shape& a, const Shape& b) {
  if (a.size() != 3 || b.size() != 3 || a[2] != b[1]) return std::nullopt;
  return 2 * product(a) * static_cast<double>(b[2]);
}

/// The pieces of a list as written: ["", "[1, 1]", "False"].
std::vector<std::string> concrete_list(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    out.emplace_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

Shape numbers_in(std::string_view text) {
  Shape out;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) {
      ++at;
      continue;
    }
    out.push_back(value);
    at = static_cast<std::size_t>(end - text.data());
  }
  return out;
}

/// aten::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups).
std::optional<double> convolution_flops(const std::vector<Shape>& shapes, std::string_view concrete) {
  if (shapes.size() < 2 || shapes[0].size() < 3 || shapes[1].size() != shapes[0].size()) return std::nullopt;
  const std::vector<std::string> values = concrete_list(concrete);
  if (values.size() < 7) return std::nullopt;
  const Shape stride = numbers_in(values[3]);
  const Shape padding = numbers_in(values[4]);
  const Shape dilation = numbers_in(values[5]);
  const std::size_t dimensions = shapes[0].size() - 2;
  const auto at = [](const Shape& list, std::size_t i) { return list.size() == 1 ? list[0] : list[i]; };
  for (const Shape* list : {&stride, &padding, &dilation}) {
    if (list->size() != 1 && list->size() != dimensions) return std::nullopt;
  }
  const bool transposed = values[6] == "True" || values[6] == "true" || values[6] == "1";
  // A transposed one multiplies each input with the weights of its channel.
  if (transposed) return 2 * product(shapes[0]) * product(shapes[1], 1);
  double outputs = static_cast<double>(shapes[0][0]) * static_cast<double>(shapes[1][0]);
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t step = at(stride, i);
    const std::int64_t reach = at(dilation, i) * (shapes[1][i + 2] - 1) + 1;
    if (step <= 0) return std::nullopt;
    const std::int64_t along = (shapes[0][i + 2] + 2 * at(padding, i) - reach) / step + 1;  // rounds down
    outputs *= static_cast<double>(along);
  }
  return 2 * outputs * product(shapes[1], 1);
}

/// aten::convolution_backward(grad_output, input, weight, ...): both gradients.
std::optional<double> convolution_backward_flops(const std::vector<Shape>& shapes) {
  if (shapes.size() < 3 || shapes[0].size() < 3 || shapes[2].size() != shapes[0].size()) return std::nullopt;
  return 2 * 2 * product(shapes[0]) * product(shapes[2], 1);
}

bool says_causal(std::string_view concrete) {
  const std::vector<std::string> values = concrete_list(concrete);
  return std::any_of(values.begin(), values.end(),
                     [](const std::string& value) { return value == "True" || value == "true"; });
}

std::optional<double> attention_flops(const std::vector<Shape>& shapes, std::size_t first, double factor) {
  if (shapes.size() < first + 2 || shapes[first].size() != 4 || shapes[first + 1].size() != 4)
    return std::nullopt;
  const Shape& query = shapes[first];
  const Shape& key = shapes[first + 1];
  return factor * 4 * product(query) * static_cast<double>(key[2]);
}

/// The type of the first matrix: ['float', 'float'].
std::string_view first_type(std::string_view types) {
  const std::size_t begin = types.find('"');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = types.find('"', begin + 1);
  return end == std::string_view::npos ? std::string_view() : types.substr(begin + 1, end - begin - 1);
}

std::string_view device_name(const Trace& trace) {
  for (const std::string& name : trace.job.device_names) {
    if (!name.empty()) return name;
  }
  return {};
}

/// Calls of one name and facts are a row.
std::uint64_t flops_key(const Trace& trace, SliceId slice) {
  return std::uint64_t{index_of(trace.slices.name[index_of(slice)])} << 32 | facts_number(trace, slice);
}

/// Calls visit(slice, flops_key(), operations, device total) for every call that counts.
template <class Visit>
void for_each_counted(const Trace& trace, const OperatorTreePart& part, const std::vector<EventFacts>& facts,
                      const std::stop_token& stop, const Visit& visit) {
  std::vector<std::uint8_t> counts(trace.names.size());  // names that may have operations
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    counts[i] = name == "aten::mm" || name == "aten::_scaled_mm" || name == "aten::addmm" ||
                        name == "aten::bmm" || name == "aten::baddbmm" || name == "aten::convolution" ||
                        name == "aten::convolution_backward" || name.starts_with("aten::_scaled_dot_product_")
                    ? 1
                    : 0;
  }
  std::unordered_map<std::uint64_t, double> known;       // operations of one call; below 0: none
  std::vector<std::uint8_t> counted(part.whole_size());  // itself or something around it
  for (const OperatorTreePart::Piece& piece : part.pieces()) {
    if (stop.stop_requested()) return;
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      const OperatorNode& node = piece.nodes[i];
      if (node.merged) continue;
      const std::uint32_t parent = part.parent_of(node);
      if (parent != OperatorNode::kNone && counted[parent] != 0) {
        counted[piece.first + i] = 1;
        continue;
      }
      const std::uint32_t name = index_of(trace.slices.name[index_of(node.slice)]);
      if (counts[name] == 0) continue;
      const std::uint64_t key = flops_key(trace, node.slice);
      const auto [place, fresh] = known.try_emplace(key);
      if (fresh)
        place->second = flops_of(trace.names[name], facts[facts_number(trace, node.slice)]).value_or(-1);
      if (place->second < 0) continue;
      counted[piece.first + i] = 1;
      visit(node.slice, key, place->second, piece.device_total_ns[i]);
    }
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> shapes_of(std::string_view input_dims) {
  std::vector<Shape> shapes;
  int depth = 0;
  for (std::size_t at = 0; at < input_dims.size();) {
    const char c = input_dims[at];
    if (c == '[') {
      if (++depth == 2) shapes.emplace_back();
    } else if (c == ']') {
      --depth;
    } else if (depth >= 2 && (c == '-' || (c >= '0' && c <= '9'))) {
      std::int64_t value = 0;
      const auto [end, error] =
          std::from_chars(input_dims.data() + at, input_dims.data() + input_dims.size(), value);
      if (error != std::errc{}) return shapes;
      if (depth == 2) shapes.back().push_back(value);  // deeper: a list of tensors
      at = static_cast<std::size_t>(end - input_dims.data());
      continue;
    }
    ++at;
  }
  return shapes;
}

std::optional<double> flops_of(std::string_view op, const EventFacts& facts, bool causal_halves) {
  const std::vector<Shape> shapes = shapes_of(facts.input_dims);
  const auto shape = [&](std::size_t i) { return i < shapes.size() ? shapes[i] : Shape(); };
  if (op == "aten::mm" || op == "aten::_scaled_mm") return matrix_flops(shape(0), shape(1));
  if (op == "aten::addmm") return matrix_flops(shape(1), shape(2));
  if (op == "aten::bmm") return batched_flops(shape(0), shape(1));
  if (op == "aten::baddbmm") return batched_flops(shape(1), shape(2));
  if (op == "aten::convolution") return convolution_flops(shapes, facts.concrete_inputs);
  if (op == "aten::convolution_backward") return convolution_backward_flops(shapes);
  if (!op.starts_with("aten::_scaled_dot_product_")) return std::nullopt;
  const bool backward = contains(op, "backward");
  constexpr double kBackward = 2.5;  // five products instead of two
  const double causal = causal_halves && says_causal(facts.concrete_inputs) ? 0.5 : 1;
  return attention_flops(shapes, backward ? 1 : 0, causal * (backward ? kBackward : 1));
}

std::optional<DevicePeak> device_peak(std::string_view device, std::string_view dtype) {
  struct Known {
    const char* name;
    double single;  // float32: TF32 Tensor Cores where the device has them
    double half;    // float16 and bfloat16
    const char* source;
  };
  // Dense figures of the vendors' data sheets; the longer names first.
  constexpr std::array<Known, 14> kKnown{{{"B200", 1125, 2250, "NVIDIA DGX B200 data sheet, per GPU"},
                                          {"H200", 494.5, 989, "NVIDIA H200 data sheet"},
                                          {"H100 PCIe", 378, 756, "NVIDIA H100 data sheet"},
                                          {"H100", 494.5, 989, "NVIDIA H100 data sheet, SXM"},
                                          {"A100", 156, 312, "NVIDIA A100 data sheet"},
                                          {"A10G", 35, 70, "NVIDIA A10G data sheet"},
                                          {"L40S", 183, 362, "NVIDIA L40S data sheet"},
                                          {"L4", 60, 121, "NVIDIA L4 data sheet"},
                                          {"V100-SXM2", 15.7, 125, "NVIDIA V100 data sheet, SXM2"},
                                          {"V100", 14, 112, "NVIDIA V100 data sheet, PCIe"},
                                          {"T4", 8.1, 65, "NVIDIA T4 data sheet"},
                                          {"MI300X", 653.7, 1307.4, "AMD Instinct MI300X data sheet"},
                                          {"MI250X", 47.9, 191.5, "AMD Instinct MI250X data sheet, per die"},
                                          {"MI250", 45.3, 181, "AMD Instinct MI250 data sheet, per die"}}};
  const bool half =
      contains(dtype, "Half") || contains(dtype, "BFloat16") || dtype == "half" || dtype == "bfloat16";
  const bool single = dtype == "float" || dtype == "Float";
  if (!half && !single) return std::nullopt;
  for (const Known& known : kKnown) {
    if (contains(device, known.name)) return DevicePeak{half ? known.half : known.single, known.source};
  }
  return std::nullopt;
}

std::vector<FlopsRow> flops_rows(const Trace& trace, const OperatorTreePart& part,
                                 const std::stop_token& stop) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::vector<FlopsRow> rows;
  std::vector<std::int64_t> longest;
  std::unordered_map<std::uint64_t, std::size_t> by_key;
  for_each_counted(
      trace, part, facts, stop, [&](SliceId slice, std::uint64_t key, double flop, std::int64_t device_ns) {
        const auto [place, fresh] = by_key.try_emplace(key, rows.size());
        if (fresh) {
          rows.push_back({NameId{static_cast<std::uint32_t>(key >> 32)}, static_cast<std::uint32_t>(key)});
          longest.push_back(-1);
        }
        FlopsRow& row = rows[place->second];
        ++row.calls;
        row.flop += flop;
        add_saturating(row.device_ns, device_ns);
        if (device_ns > longest[place->second]) {
          longest[place->second] = device_ns;
          row.longest = slice;
        }
      });
  if (stop.stop_requested()) return {};
  for (FlopsRow& row : rows) {
    if (row.device_ns <= 0) continue;
    constexpr double kPerTera = 1000;  // FLOP a ns are 10^9 a second
    row.tflop_per_s = row.flop / static_cast<double>(row.device_ns) / kPerTera;
    const auto peak = device_peak(device_name(trace), first_type(facts[row.facts].input_types));
    if (peak) row.peak_share = row.tflop_per_s / peak->tflop_per_s;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const FlopsRow& a, const FlopsRow& b) { return a.flop > b.flop; });
  return rows;
}

std::vector<SliceId> flops_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                     const std::stop_token& stop) {
  const std::uint64_t wanted = flops_key(trace, example);
  std::vector<SliceId> instances;
  for_each_counted(trace, part, decode_facts(trace), stop,
                   [&](SliceId slice, std::uint64_t key, double, std::int64_t) {
                     if (key == wanted) instances.push_back(slice);
                   });
  return instances;
}

Table flops_table(const Trace& trace, const std::vector<FlopsRow>& rows, TimeRange range) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  Table table;
  table.name = "flops";
  table.title = "FLOPs";
  table.definition =
      "A row an operator and its input shapes: matrix products 2 m k n, convolutions 2 outputs times the "
      "weights of a channel, attention 4 b h s t d (half of it when causal); backward passes 2 and 2.5 "
      "times as much.";
  table.texts_of(rows, "name", "Operator", "The operator",
                 [&](const FlopsRow& row) { return std::string(trace.names[index_of(row.name)]); });
  table.texts_of(rows, "input_dims", "Input shapes", "As recorded",
                 [&](const FlopsRow& row) { return std::string(facts[row.facts].input_dims); });
  table.texts_of(rows, "dtype", "Type", "Of the first input",
                 [&](const FlopsRow& row) { return std::string(first_type(facts[row.facts].input_types)); });
  table.integers_of(rows, "calls", "Calls", Unit::count, "How often it was called",
                    [](const FlopsRow& row) { return row.calls; });
  table.numbers_of(rows, "flop", "FLOP", Unit::flop, "Of all calls",
                   [](const FlopsRow& row) { return row.flop; });
  table.integers_of(rows, "device_ns", "Device", Unit::ns, "Summed durations of their GPU work",
                    [](const FlopsRow& row) { return row.device_ns; });
  table.numbers_of(rows, "tflop_per_s", "Achieved", Unit::tflop_per_s, "FLOP divided by device time",
                   [&](const FlopsRow& row) { return absent(row.tflop_per_s); });
  table.numbers_of(rows, "peak_share", "Of the peak", Unit::share,
                   "Of the device's dense peak for that type; float32 as TF32 where the device has it",
                   [&](const FlopsRow& row) { return absent(row.peak_share); });
  for (const FlopsRow& row : rows) table.examples.push_back(row.longest);
  double flop = 0;
  double peak_ns = 0;  // how long the work would take at the peak
  bool all_known = !rows.empty();
  const std::string device(device_name(trace));
  for (const FlopsRow& row : rows) {
    flop += row.flop;
    const auto peak = device_peak(device, first_type(facts[row.facts].input_types));
    if (peak) peak_ns += row.flop / (peak->tflop_per_s * 1000);
    all_known = all_known && peak.has_value();
  }
  char text[200];
  if (rows.empty()) {
    table.notes.emplace_back("No operator with recorded shapes (record_shapes) that this table knows.");
  } else if (!all_known) {
    table.notes.push_back("The peak of the device (" +
                          (device.empty() ? std::string("not named in the trace") : device) +
                          ") for these types is not known, so there is no utilisation.");
  } else if (range.length_ns() > 0) {
    std::snprintf(text, sizeof text, "Model FLOPs utilisation: %.2f %% (%.4g FLOP in %.6f s; peak: %s).",
                  100 * peak_ns / static_cast<double>(range.length_ns()), flop,
                  static_cast<double>(range.length_ns()) / 1e9,
                  device_peak(device, first_type(facts[rows.front().facts].input_types))->source);
    table.notes.emplace_back(text);
  }
  return table;
}

}  // namespace kino
