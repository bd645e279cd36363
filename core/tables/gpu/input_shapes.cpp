#include "core/tables/gpu/input_shapes.hpp"

#include <charconv>
#include <system_error>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

/// Parses "8,3;;5": shapes separated by semicolons.
std::vector<Shape> shapes_by_semicolon(std::string_view text) {
  std::vector<Shape> shapes;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    shapes.push_back(numbers_in(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return shapes;
}

}  // namespace

double product(const Shape& shape, std::size_t from) {
  double result = 1;
  for (std::size_t i = from; i < shape.size(); ++i) result *= static_cast<double>(shape[i]);
  return result;
}

std::vector<Shape> shapes_of(std::string_view input_dims) {
  if (input_dims.find('[') == std::string_view::npos) return shapes_by_semicolon(input_dims);
  std::vector<Shape> shapes;
  int depth = 0;
  for (std::size_t at = 0; at < input_dims.size();) {
    const char c = input_dims[at];
    if (c == '[') {
      if (++depth == 2) shapes.emplace_back();
    } else if (c == ']') {
      --depth;
    } else if (depth >= 2 && (c == '-' || is_digit(c))) {
      std::int64_t value = 0;
      const auto [end, error] =
          std::from_chars(input_dims.data() + at, input_dims.data() + input_dims.size(), value);
      if (error != std::errc{}) return shapes;
      if (depth == 2) shapes.back().push_back(value);  // deeper numbers belong to a list of tensors
      at = static_cast<std::size_t>(end - input_dims.data());
      continue;
    }
    ++at;
  }
  return shapes;
}

std::vector<std::string_view> listed_texts(std::string_view list) {
  std::vector<std::string_view> out;
  for (std::size_t at = list.find('"'); at != std::string_view::npos; at = list.find('"', at + 1)) {
    const std::size_t end = list.find('"', at + 1);
    if (end == std::string_view::npos) break;
    out.push_back(list.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

Shape numbers_in(std::string_view text) {
  Shape out;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) break;
    if (error != std::errc{}) {
      ++at;
      continue;
    }
    out.push_back(value);
    at = static_cast<std::size_t>(end - text.data());
  }
  return out;
}

std::string_view first_type(std::string_view types) {
  for (const std::string_view type : listed_texts(types)) {
    if (!type.empty()) return type;
  }
  return {};
}

}  // namespace kino
