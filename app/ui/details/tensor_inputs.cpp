#include "app/ui/details/tensor_inputs.hpp"

#include <algorithm>
#include <string_view>

#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostInputs = 200;
constexpr std::size_t kMostBytes = 2000;          // of one cell
constexpr std::size_t kMostTotalBytes = 256'000;  // of all cells, since they are laid out in every frame
constexpr std::size_t kInputColumns = 4;

// Appends the text of a node to `out`, with each value shortened to `limit` bytes. Once `out` exceeds `limit`
// bytes, appends only closing brackets.
void append(const ArgNode& node, std::size_t limit, std::string& out) {
  if (out.size() > limit) return;
  if (node.kind != ArgNode::Kind::array) {
    out += node.text.size() <= limit ? node.text : head_of(node.text, limit);
    return;
  }
  out += '[';
  for (const ArgNode& child : node.children) {
    if (out.size() > limit) break;
    if (&child != node.children.data()) out += ", ";
    append(child, limit, out);
  }
  out += ']';
}

/// Returns element `i` of a list as text; empty if there is none.
std::string element(const ArgNode* list, std::size_t i, std::size_t limit) {
  std::string text;
  if (list == nullptr || i >= list->children.size()) return text;
  append(list->children[i], limit, text);
  return text;
}

}  // namespace

std::vector<TensorInput> tensor_inputs(const ArgNode& event) {
  const ArgNode* args = event.find("args");
  if (args == nullptr) return {};
  const auto list = [&](std::string_view key) {
    const ArgNode* found = args->find(key);
    return found != nullptr && found->kind == ArgNode::Kind::array ? found : nullptr;
  };
  const ArgNode* dims = list("Input Dims") != nullptr ? list("Input Dims") : list("Input dims");
  if (dims == nullptr) return {};
  const ArgNode* types = list("Input type");
  const ArgNode* strides = list("Input Strides");
  const ArgNode* values = list("Concrete Inputs");
  std::size_t count = 0;
  for (const ArgNode* column : {dims, types, strides, values}) {
    if (column != nullptr) count = std::max(count, column->children.size());
  }
  std::vector<TensorInput> inputs(std::min(count, kMostInputs));
  const std::size_t limit =
      std::min(kMostBytes, kMostTotalBytes / (kInputColumns * std::max<std::size_t>(1, inputs.size())));
  const auto cell = [&](const ArgNode* column, std::size_t i) { return element(column, i, limit); };
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = {cell(dims, i), cell(types, i), cell(strides, i), cell(values, i)};
  return inputs;
}

}  // namespace kino
