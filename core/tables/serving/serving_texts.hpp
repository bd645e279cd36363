// Titles and sentences about iterations, in every language: phases, parts, sources and reasons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/messages/message.hpp"
#include "core/tables/serving/iteration.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns "Matrix products", "Idle: launch", ...
Message title_of(IterationPart part);
/// Returns "prefill", "decode", ...; empty for `unknown`.
Message title_of(IterationPhase phase);

/// Returns the sentence on the source of `listed` iterations or, without a source, on the reason why there are
/// no iterations.
Message source_text(const Iterations& found, std::size_t listed);

/// Returns the reason why statistics leave the iteration out; empty if they contain it.
Message left_out_text(const Trace& trace, const Iteration& iteration);

/// Returns the requests of the batch in prefill and in generation; nullopt if not recorded.
std::optional<std::int64_t> all_requests(const BatchSizes& sizes);

}  // namespace kino
