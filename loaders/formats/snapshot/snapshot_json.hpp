// Reads allocator snapshots in JSON, and the JSON of torch.profiler's export_memory_timeline().
#pragma once

#include <functional>
#include <string>

#include "core/base/result.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"
#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

struct JsonEnd {
  PlainValue root;
  std::optional<Error> damage;  ///< reason and offset of an early end; `root` has the values before it
};

/// Reads the values of `text`, whose spare capacity must include simdjson's padding. A truncated text is
/// closed after its last complete object or list. Documents and lines after the first document are not read,
/// but recorded as damage. `progressed` is called regularly; it returns false to cancel. `into.offset` is set
/// to the offset in the text.
Result<JsonEnd> read_snapshot_json(std::string& text, SnapshotAssembler& into,
                                   const std::function<bool()>& progressed);

/// Like the function above, but reads into a tree of values.
Result<JsonEnd> read_snapshot_json(std::string& text, PlainTree& into,
                                   const std::function<bool()>& progressed);

/// Reads [[time in ns, action, bytes, category], ...]. Each positive number of bytes becomes an allocation. A
/// negative number frees the oldest allocation with its size and category, since the export contains neither
/// addresses nor tensors. Negative times precede the recording. Also reads [[time in us, ...], [[0, bytes per
/// category, ...], ...]]. In this form, an increase of a category becomes an allocation; a decrease frees the
/// newest allocations of the category.
Result<JsonEnd> read_memory_timeline(std::string& text, SnapshotAssembler& into,
                                     const std::function<bool()>& progressed);

}  // namespace kino
