// Names with which inference engines mark one pass over a batch, read into phase and batch sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

enum class IterationPhase : std::uint8_t {
  unknown,
  prefill,
  decode,
  mixed,   ///< prefill of some requests and generation of others
  verify,  ///< generation that checks several drafted tokens per request
  draft,
  idle,  ///< a pass without requests
};
/// Returns "prefill", "decode", ...; empty for `unknown`.
std::string_view text_of(IterationPhase phase);

/// Sources of iterations that marks of the program provide, the first one preferred.
enum class MarkSource : std::uint8_t { batch, forward, step };

/// Sizes of a batch as written in a name: requests and tokens in prefill (context) and in generation.
struct BatchSizes {
  std::optional<std::int64_t> context;
  std::optional<std::int64_t> context_tokens;
  std::optional<std::int64_t> generation;
  std::optional<std::int64_t> generation_tokens;
  std::optional<std::int64_t> kv_tokens;  ///< tokens in the caches of all requests

  bool operator==(const BatchSizes&) const = default;
};

/// A name that marks an iteration.
struct MarkName {
  MarkSource source = MarkSource::step;
  std::string_view family;  ///< static text: "vllm", "sglang", "step", ...
  IterationPhase phase = IterationPhase::unknown;
  BatchSizes sizes;
};

/// Reads the whole name of an annotation; nullopt if it does not mark an iteration, or has a number of more
/// than 15 digits. Families and patterns: README.md. O(length).
std::optional<MarkName> parse_mark_name(std::string_view name);

/// Whether an annotation of this name contains all iterations of a request: generate, LLM.generate, ...
bool is_request_name(std::string_view name);

/// Returns the phase of a batch with known sizes. Some engines count a chunk of a long prefill as generation.
/// Therefore, more than 16 generated tokens per request count as prefill.
IterationPhase phase_of(std::int64_t context, std::int64_t generation, std::int64_t generation_tokens);

}  // namespace kino
