// Parsers for the recorded inputs of operators: shapes, types and values of arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kino {

using Shape = std::vector<std::int64_t>;

/// Returns the product of the dimensions from index `from` on; 1 for a scalar. Exact up to 2^53.
double product(const Shape& shape, std::size_t from = 0);

/// Parses [[8, 3], []], or Ascend's form "8,3;;". An argument that is not a tensor has an empty shape, and so
/// does a list of tensors. In the first form, stops at a number that cannot be parsed. O(length).
std::vector<Shape> shapes_of(std::string_view input_dims);

/// Returns the quoted texts in a list such as ["", "[1, 1]", "False"] as views, without the quotes.
/// O(length).
std::vector<std::string_view> listed_texts(std::string_view list);

/// Returns all integers in a text such as "[1, 1]", in order. Stops at a number beyond 64 bits. O(length).
Shape numbers_in(std::string_view text);

/// Returns the first non-empty type of a list such as ["", "float"]. O(length).
std::string_view first_type(std::string_view types);

}  // namespace kino
