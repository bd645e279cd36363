// Reads a Python pickle of plain containers, protocols 0 to 5, into a SnapshotAssembler. Executes nothing.
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
  /// Why it ended before its STOP, and where; what was read before that is in `root`.
  std::optional<Error> damage;
  bool truncated = false;  ///< that is because the bytes end there
};

/// One pass over `in`. A value stack, a stack of marks and the memo, as in Python's own reader; what would
/// import or call something is refused by name and offset, but OrderedDict, defaultdict and torch.Size, which
/// are read as the containers they are. No recursion; the stacks and the memo are bounded by the bytes read.
///
/// An Error when it is refused or nothing could be read; else, when it breaks off, what is open is closed as
/// if its end stood there, without the dict that would be incomplete. `refilled` is called about every
/// megabyte and ends the reading by returning false. The numbers of `into` count bytes of `in`.
Result<PickleEnd> read_pickle(ByteWindow& in, SnapshotAssembler& into, const std::function<bool()>& refilled);
/// The same into a tree of values.
Result<PickleEnd> read_pickle(ByteWindow& in, PlainTree& into, const std::function<bool()>& refilled);

/// Whether a file that begins like this may be a pickle.
bool looks_like_pickle(std::string_view head);

}  // namespace kino
