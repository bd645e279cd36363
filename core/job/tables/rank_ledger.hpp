// The ledger of one rank's steps, with the parts whose row depends on the other ranks.
#pragma once

#include <stop_token>

#include "core/job/rank_digest.hpp"

namespace kino {

class RangeParts;

/// Returns the ledger of a whole trace. Waiting is not split from its collectives. `digest` is that of the
/// trace, without ledger; names of GPUs are added to its texts. The cost is that of gpu_ledgers().
RankLedger rank_ledger(const RangeParts& whole, RankDigest& digest, const std::stop_token& stop = {});

}  // namespace kino
