// The least bytes of one operator call: every operand is read once, and every result is written once.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace/event_facts.hpp"

namespace kino {

/// Returns the least bytes of a call, or nullopt if shapes or types were not recorded or the operator is not known.
/// `elementwise`: the kernels of the call belong to the category of elementwise work. Definitions: README.md,
/// "Bytes". O(length of the facts).
std::optional<double> least_bytes(std::string_view op, const EventFacts& facts, bool elementwise);

/// Returns the bytes of one element of a type as PyTorch writes it; 0 if the type is not known. Numbers that are
/// packed in pairs count as one element.
double bytes_of_element(std::string_view dtype);

}  // namespace kino
