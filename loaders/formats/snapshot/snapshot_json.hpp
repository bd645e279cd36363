// Reads allocator snapshots as JSON, and the JSON of torch.profiler's export_memory_timeline().
#pragma once

#include <functional>
#include <string>

#include "core/base/result.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"
#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

struct JsonEnd {
  PlainValue root;
  std::optional<Error> damage;  ///< reason and offset if it ended early; `root` then has the values before
};

/// Reads the values of `text`, which needs simdjson's padding as spare capacity. A truncated text is closed
/// after its last complete object. Documents and lines after the first document are not read, but recorded as
/// damage. `progressed` is called regularly; false cancels. `into.offset` is set to the offset in the text.
Result<JsonEnd> read_snapshot_json(std::string& text, SnapshotAssembler& into,
                                   const std::function<bool()>& progressed);

/// As above, into a tree of values.
Result<JsonEnd> read_snapshot_json(std::string& text, PlainTree& into,
                                   const std::function<bool()>& progressed);

/// Reads [[time in ns, action, bytes, category], ...]. Each positive number of bytes becomes an allocation.
/// Each negative one frees the oldest allocation with its size and category, since the export has neither
/// addresses nor tensors. Negative times precede the recording. Also reads [[time in us, ...], [[0, bytes per
/// category, ...], ...]]: increases of a category become allocations, and decreases free the newest ones.
Result<JsonEnd> read_memory_timeline(std::string& text, SnapshotAssembler& into,
                                     const std::function<bool()>& progressed);

}  // namespace kino
