// Allocator snapshots as JSON, and the JSON of torch.profiler's export_memory_timeline.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"
#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

struct JsonEnd {
  PlainValue root;
  std::optional<Error> damage;  ///< why it ended early, and where; `root` is what was read before
};

/// The values of `text`, whose capacity must be simdjson's padding larger than its size. A text that breaks
/// off is closed behind its last complete object. Each document and each line of anything else behind the
/// first document is not read, but damage with its byte. `progressed` is called every now and then and ends
/// the reading by returning false. The numbers of `into` count bytes of the text.
Result<JsonEnd> read_snapshot_json(std::string& text, SnapshotAssembler& into,
                                   const std::function<bool()>& progressed);

/// The same into a tree of values.
Result<JsonEnd> read_snapshot_json(std::string& text, PlainTree& into,
                                   const std::function<bool()>& progressed);

/// As the first one for [[time in ns, action, bytes, category], ...]: each positive number of bytes becomes
/// an allocation, each negative one the free of the oldest one with its size and category, as the export
/// names neither addresses nor tensors. Times before the recording are none. And for [[time in us, ...], [[0,
/// bytes of each of the categories], ...]]: what a category gains becomes an allocation, what it loses is
/// freed, the newest first.
Result<JsonEnd> read_memory_timeline(std::string& text, SnapshotAssembler& into,
                                     const std::function<bool()>& progressed);

}  // namespace kino
