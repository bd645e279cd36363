// The least bytes of one operator call: each operand is read once, and each result is written once.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace/event_facts.hpp"

namespace kino {

/// Returns the least bytes of a call, or nullopt if shapes or types were not recorded, or if the operator is
/// not supported. `elementwise`: whether a kernel of the call belongs to the category of elementwise work.
/// Definitions: README.md, "Bytes". O(length of the facts).
std::optional<double> least_bytes(std::string_view op, const EventFacts& facts, bool elementwise);

/// Returns the bytes of one element of a type. The name is the one that PyTorch writes. 0 if the type is
/// unknown. A pair of packed 4-bit numbers counts as one element.
double bytes_of_element(std::string_view dtype);

}  // namespace kino
