// Writes plain values as a Python pickle, which opens as the one that they were read from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"

namespace kino {

/// What is written for a text: it stands in `dict` (none at the top) below `key`, also within lists there; of
/// a text that is a key itself `key` is none.
using PickledText = std::function<std::string(PlainValue dict, PlainValue key, std::string_view text)>;
/// Gets the bytes in their order; returning false ends the writing.
using PickleSink = std::function<bool(std::string_view bytes)>;

/// Protocol 4. Lists and dicts that are shared are written once and referred to, as texts are, so that the
/// pickle is not larger than what was read. `corrupt` where they nest deeper than read_pickle() takes,
/// `cancelled` when the sink ends it. O(values), no recursion.
std::optional<Error> write_pickle(const PlainTree& tree, PlainValue root, const PickledText& text_of,
                                  const PickleSink& sink);

}  // namespace kino
