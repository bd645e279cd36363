// Parsers for the recorded inputs of operators: shapes, types and values of arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kino {

using Shape = std::vector<std::int64_t>;

/// Product of the dimensions starting at `from`; 1 for a scalar. Exact up to 2^53.
double product(const Shape& shape, std::size_t from = 0);

/// Parses [[8, 3], []], or Ascend's form "8,3;;". An empty shape is not a tensor. A list of tensors counts as
/// one without dimensions. Stops at the first syntax error. O(length).
std::vector<Shape> shapes_of(std::string_view input_dims);

/// Elements of a list as written, without quotes: ["", "[1, 1]", "False"]. Views. O(length).
std::vector<std::string_view> listed_texts(std::string_view list);

/// All integers in a text, in order: "[1, 1]". O(length).
Shape numbers_in(std::string_view text);

/// First non-empty type of a list: ["", "float"]. O(length).
std::string_view first_type(std::string_view types);

}  // namespace kino
