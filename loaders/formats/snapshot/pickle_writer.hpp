// Writes plain values as a Python pickle.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"

namespace kino {

/// Returns the replacement for a text. The text is in `dict` (none at the top level) under `key`, possibly
/// within lists. If the text itself is a key, `key` is none.
using PickledText = std::function<std::string(PlainValue dict, PlainValue key, std::string_view text)>;
/// Receives the bytes in order; returns false to cancel.
using PickleSink = std::function<bool(std::string_view bytes)>;

/// Writes protocol 4. Shared lists, dicts and texts are written only once, so that the pickle cannot become
/// many times larger than its source. Fails with `corrupt` if the values nest too deeply for read_pickle(),
/// and with `cancelled` if `sink` returns false. O(values), no recursion.
std::optional<Error> write_pickle(const PlainTree& tree, PlainValue root, const PickledText& text_of,
                                  const PickleSink& sink);

}  // namespace kino
