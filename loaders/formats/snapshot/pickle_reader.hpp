// Reads a Python pickle of plain containers, protocols 0 to 5. No code in the pickle is executed.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/bytes/byte_window.hpp"
#include "loaders/formats/snapshot/plain_tree.hpp"
#include "loaders/formats/snapshot/snapshot_assembler.hpp"

namespace kino {

struct PickleEnd {
  PlainValue root;
  /// Reason and offset if the pickle ends before its STOP. In this case, `root` contains the values before
  /// that offset.
  std::optional<Error> damage;
  bool truncated = false;  ///< whether the file ends at that offset
};

/// Reads `in` in one pass, with a value stack, a stack of marks and a memo, like Python's reader. Refuses
/// imports and calls; the error has the name and offset. Only OrderedDict, defaultdict (with a builtin type
/// as its factory) and torch.Size are accepted, and read as containers. No recursion; stacks and memo are
/// bounded by the bytes read.
///
/// Returns an Error if the pickle is refused or nothing is readable. If the pickle is truncated or damaged,
/// open containers are closed with the items read so far. Incomplete dicts for which is_useless_incomplete()
/// is true, such as entries and frames, are dropped. `refilled` is called about once per megabyte; it returns
/// false to cancel. `into.offset` is set to the offset in `in`.
Result<PickleEnd> read_pickle(ByteWindow& in, SnapshotAssembler& into, const std::function<bool()>& refilled);
/// Like the function above, but reads into a tree of values.
Result<PickleEnd> read_pickle(ByteWindow& in, PlainTree& into, const std::function<bool()>& refilled);

/// Returns whether a file with this head may be a pickle.
bool looks_like_pickle(std::string_view head);

}  // namespace kino
