// The texts in which an operator's inputs are recorded, as numbers: shapes, types, values of arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kino {

using Shape = std::vector<std::int64_t>;

/// Of the elements from dimension `from` on; 1 for a scalar. Exact up to 2^53.
double product(const Shape& shape, std::size_t from = 0);

/// [[8, 3], []] as numbers, an empty shape for what is no tensor; Ascend's "8,3;;" is the same. A list of
/// tensors counts as one without dimensions. Stops at what it does not understand. O(length).
std::vector<Shape> shapes_of(std::string_view input_dims);

/// The pieces of a list as written, without their quotes: ["", "[1, 1]", "False"]. Views. O(length).
std::vector<std::string_view> listed_texts(std::string_view list);

/// All whole numbers in a text, in order: "[1, 1]". O(length).
Shape numbers_in(std::string_view text);

/// The first type that is told of a list of them: ["", "float"]. O(length).
std::string_view first_type(std::string_view types);

}  // namespace kino
