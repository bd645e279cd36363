// Tables of a trace for all ranks of a job, one rank after the other: GPU time, metrics, categories, idle
// time, launches, queues, API calls, copies and memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/job/rank_digest.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct JobScope;

/// Returns the tables of this header, which are a part of job_table_kinds().
std::span<const TableKind<JobScope>* const> each_rank_table_kinds();

/// Returns a table that the digest stores, or null.
const Table* kept_table(const RankDigest& digest, std::string_view name);

/// Parts of a digest that only kJobLedgerTable and kJobLayerTable need. Computing them takes as long as
/// opening the trace.
enum class RankDetails : std::uint8_t {
  none,
  ledger_and_layers,
};

/// Returns digest_of() with the trace's tables that each_rank_table_kinds() combine, and with `details`.
/// Tables have at most 1,000 rows, and no links. The cost is that of these tables.
RankDigest digest_with_tables(const Trace& trace, std::shared_ptr<const WorkRules> rules, RankDetails details,
                              const std::stop_token& stop = {});
/// Returns whether a digest contains the ledger and the layers.
bool has_ledger_and_layers(const RankDigest& digest);
/// Returns a note for tables of ledgers or layers if some ranks were read without them; empty otherwise.
Message missing_details_note(std::span<const std::shared_ptr<const RankDigest>> ranks);

}  // namespace kino
