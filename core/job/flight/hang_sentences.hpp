// Sentences on the parts of a hung job: a rank, a process group, a rank in a group, and an operation.
#pragma once

#include <cstddef>

#include "core/base/messages/message.hpp"
#include "core/job/flight/hang.hpp"

namespace kino {

/// Returns "nccl:all_reduce 7 of default_pg [0, 1 and 2]". Unknown numbers are "?".
Message waiting_operation_text(const WaitingGroup& group);

/// Return sentences on the state of a rank, of a group, of a rank in a group, and of an outstanding
/// operation. Arguments are indices into HangRecording::dumps, HangAnalysis::groups and
/// HangAnalysis::outstanding. Texts of the dumps are not escaped. O(groups + outstanding), and O(entries of
/// the dump) for a cell.
Message rank_sentences(const HangRecording& hang, std::size_t dump);
Message group_sentences(const HangRecording& hang, std::size_t group);
Message cell_sentences(const HangRecording& hang, std::size_t dump, std::size_t group);
Message operation_sentences(const HangRecording& hang, std::size_t outstanding);

}  // namespace kino
