#include "core/tables/serving/mark_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// Reads a name from left to right. A failed read leaves the position unspecified.
class NameReader {
 public:
  explicit NameReader(std::string_view name) : rest_(name) {}

  bool text(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool number(std::int64_t& value) {
    constexpr std::size_t kMostDigits = 15;  // products with 16 do not overflow
    std::size_t digits = 0;
    value = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      if (digits == kMostDigits) return false;
      value = value * 10 + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    return digits > 0;
  }
  bool number(std::optional<std::int64_t>& value) {
    std::int64_t read = 0;
    if (!number(read)) return false;
    value = read;
    return true;
  }
  /// Skips the longest prefix of these characters.
  template <class Predicate>
  std::string_view skip(const Predicate& accepted) {
    const auto end = std::ranges::find_if_not(rest_, accepted);
    const std::string_view skipped = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(skipped.size());
    return skipped;
  }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

MarkName batch_mark(std::string_view family, IterationPhase phase, BatchSizes sizes) {
  return {MarkSource::batch, family, phase, sizes};
}

/// Returns a mark whose phase follows from its sizes.
MarkName sized_mark(std::string_view family, BatchSizes sizes) {
  const IterationPhase phase =
      phase_of(sizes.context.value_or(0), sizes.generation.value_or(0), sizes.generation_tokens.value_or(0));
  return batch_mark(family, phase, sizes);
}

/// Reads "(sq5sk8sqsq25sqsk40)": tokens of the batch, tokens in the cache, and sums of products.
bool read_detail(NameReader& reader, std::optional<std::int64_t>& tokens, std::int64_t& kv_tokens) {
  if (!reader.text("(sq") || !reader.number(tokens)) return false;
  if (reader.text("sk") && !reader.number(kv_tokens)) return false;
  reader.skip([](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
  return reader.text(")");
}

/// execute_N_context_C(sqTskK..)_generation_G(sqUskK..)
std::optional<MarkName> detailed_vllm(std::string_view name) {
  NameReader reader(name);
  std::int64_t all = 0;
  std::int64_t context_kv = 0;
  std::int64_t generation_kv = 0;
  BatchSizes sizes;
  const bool read = reader.text("execute_") && reader.number(all) && reader.text("_context_") &&
                    reader.number(sizes.context) && read_detail(reader, sizes.context_tokens, context_kv) &&
                    reader.text("_generation_") && reader.number(sizes.generation) &&
                    read_detail(reader, sizes.generation_tokens, generation_kv) && reader.at_end();
  if (!read) return std::nullopt;
  sizes.kv_tokens = context_kv + generation_kv;
  return sized_mark("vllm-detailed", sizes);
}

/// Reads "(T)" or "(T_x)".
bool read_tokens(NameReader& reader, std::optional<std::int64_t>& tokens) {
  std::int64_t second = 0;
  if (!reader.text("(") || !reader.number(tokens)) return false;
  if (reader.text("_") && !reader.number(second)) return false;
  return reader.text(")");
}

/// execute_context_C(T)_generation_G(U)
std::optional<MarkName> vllm(std::string_view name) {
  NameReader reader(name);
  BatchSizes sizes;
  const bool read = reader.text("execute_context_") && reader.number(sizes.context) &&
                    read_tokens(reader, sizes.context_tokens) && reader.text("_generation_") &&
                    reader.number(sizes.generation) && read_tokens(reader, sizes.generation_tokens) &&
                    reader.at_end();
  return read ? std::optional(sized_mark("vllm", sizes)) : std::nullopt;
}

/// Fields "key=number", separated by anything else.
class NumberFields {
 public:
  explicit NumberFields(std::string_view text) : text_(text) {}

  std::optional<std::int64_t> find(std::string_view key) const {
    for (std::size_t at = text_.find(key); at != std::string_view::npos; at = text_.find(key, at + 1)) {
      if (at > 0 && is_word(text_[at - 1])) continue;
      NameReader reader(text_.substr(at + key.size()));
      std::int64_t value = 0;
      if (reader.text("=") && reader.number(value)) return value;
    }
    return std::nullopt;
  }
  std::optional<std::int64_t> find(std::string_view key, std::string_view other) const {
    const std::optional<std::int64_t> value = find(key);
    return value ? value : find(other);
  }

 private:
  std::string_view text_;
};

std::optional<MarkName> sglang_mode(std::string_view mode, std::int64_t requests,
                                    const NumberFields& fields) {
  constexpr std::string_view kFamily = "sglang";
  BatchSizes sizes{0, 0, 0, 0, std::nullopt};
  if (mode == "EXTEND" || mode == "SPLIT_PREFILL") {
    sizes.context = requests;
    sizes.context_tokens = fields.find("toks", "c_sq");
    return batch_mark(kFamily, IterationPhase::prefill, sizes);
  }
  if (mode == "MIXED") {
    sizes = {fields.find("c"), fields.find("c_sq"), fields.find("g"), fields.find("g_sq"), std::nullopt};
    return batch_mark(kFamily, IterationPhase::mixed, sizes);
  }
  if (mode == "IDLE") return batch_mark(kFamily, IterationPhase::idle, sizes);
  sizes.generation = requests;
  sizes.generation_tokens = fields.find("g_sq", "toks").value_or(requests);
  if (mode == "DECODE") {
    const bool several = *sizes.generation_tokens > requests;
    return batch_mark(kFamily, several ? IterationPhase::verify : IterationPhase::decode, sizes);
  }
  if (mode == "TARGET_VERIFY") return batch_mark(kFamily, IterationPhase::verify, sizes);
  if (mode == "DRAFT_EXTEND" || mode == "DRAFT_EXTEND_V2")
    return batch_mark(kFamily, IterationPhase::draft, sizes);
  return std::nullopt;
}

/// step[MODE bs=B toks=T c= g= c_sq= g_sq=]
std::optional<MarkName> sglang(std::string_view name) {
  NameReader reader(name);
  if (!reader.text("step[") || !name.ends_with(']')) return std::nullopt;
  reader.skip(is_space);
  const std::string_view mode =
      reader.skip([](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
  std::int64_t requests = 0;
  if (!reader.text(" bs=") || !reader.number(requests)) return std::nullopt;
  return sglang_mode(mode, requests, NumberFields(reader.rest()));
}

/// prefill[bs=..], decode[bs=.. tok=.. d= spec=]
std::optional<MarkName> atom(std::string_view name) {
  NameReader reader(name);
  const bool prefill = reader.text("prefill");
  std::int64_t requests = 0;
  if (!prefill && !reader.text("decode")) return std::nullopt;
  if (!reader.text("[bs=") || !reader.number(requests) || !name.ends_with(']')) return std::nullopt;
  const std::optional<std::int64_t> tokens = NumberFields(reader.rest()).find("tok");
  if (prefill) return batch_mark("atom", IterationPhase::prefill, {requests, tokens, 0, 0, std::nullopt});
  const std::int64_t generated = tokens.value_or(requests);
  const bool several = generated > requests;
  return batch_mark("atom", several ? IterationPhase::verify : IterationPhase::decode,
                    {0, 0, requests, generated, std::nullopt});
}

/// [Executor] _forward_step N: C ctx reqs, T ctx tokens, G gen reqs
std::optional<MarkName> tensorrt(std::string_view name) {
  NameReader reader(name);
  std::int64_t number = 0;
  BatchSizes sizes;
  if (!reader.text("[Executor] _forward_step")) return std::nullopt;
  if (reader.text(" ") && !reader.number(number)) return std::nullopt;
  if (!reader.text(": ") || !reader.number(sizes.context) || !reader.text(" ctx reqs, ")) return std::nullopt;
  std::optional<std::int64_t> second;
  if (!reader.number(second)) return std::nullopt;
  if (reader.text(" ctx tokens, ")) {
    sizes.context_tokens = second;
    if (!reader.number(second)) return std::nullopt;
  }
  sizes.generation = second;
  sizes.generation_tokens = second;
  if (!reader.text(" gen reqs") || !reader.at_end()) return std::nullopt;
  return sized_mark("tensorrt-llm", sizes);
}

MarkName forward_mark(std::string_view family, IterationPhase phase = IterationPhase::unknown) {
  return {MarkSource::forward, family, phase, {}};
}

/// Returns whether the rest is empty, "step" or "step 3", or a number.
bool ends_as_step(NameReader reader) {
  const auto separates = [](char c) { return c == ' ' || c == '_' || c == ':' || c == '#'; };
  if (reader.at_end()) return true;
  if (reader.skip(separates).empty()) return false;
  if (reader.text("step")) {
    reader.skip(separates);
    if (reader.at_end()) return true;
  }
  std::int64_t number = 0;
  return reader.number(number) && reader.at_end();
}

std::optional<MarkName> forward(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWhole{
      {{"gpu_model_runner: forward", "vllm-forward"},
       {"v2_gpu_model_runner: forward", "vllm-forward"},
       {"execute_model", "vllm-forward"},
       {"run_batch", "sglang-forward"},
       {"scheduler.run_batch", "sglang-forward"},
       {"forward_batch", "sglang-forward"},
       {"_forward_step", "tensorrt-llm-forward"}}};
  for (const auto& [whole, family] : kWhole) {
    if (name == whole) return forward_mark(family);
  }
  NameReader reader(name);
  std::int64_t number = 0;
  if (reader.text("token_")) {
    const bool read = reader.number(number) && reader.at_end();
    return read ? std::optional(forward_mark("token-step")) : std::nullopt;
  }
  for (const auto& [word, phase] :
       {std::pair<std::string_view, IterationPhase>{"prefill", IterationPhase::prefill},
        {"decode", IterationPhase::decode}}) {
    NameReader marked(name);
    if (marked.text(word) && ends_as_step(marked)) return forward_mark("decode-step", phase);
  }
  return std::nullopt;
}

/// [word ]step / iter / iteration / batch N
std::optional<MarkName> step(std::string_view name) {
  std::string_view digits = name;
  while (!digits.empty() && is_digit(digits.back())) digits.remove_suffix(1);
  if (digits.size() == name.size()) return std::nullopt;
  std::string_view words = digits;
  while (!words.empty() && contains(" _:#", words.substr(words.size() - 1))) words.remove_suffix(1);
  const std::string low = lowered(words);
  const std::size_t space = low.find(' ');
  const std::string_view word = std::string_view(low).substr(space == std::string::npos ? 0 : space + 1);
  const bool named = word == "step" || word == "iter" || word == "iteration" || word == "batch";
  const bool one_word =
      space == std::string::npos || (space > 0 && std::ranges::all_of(low.substr(0, space), is_word));
  if (!named || !one_word) return std::nullopt;
  return MarkName{MarkSource::step, "step", IterationPhase::unknown, {}};
}

}  // namespace

std::string_view text_of(IterationPhase phase) {
  constexpr std::array<std::string_view, 7> kNames{"",       "prefill", "decode", "mixed",
                                                   "verify", "draft",   "idle"};
  return kNames[static_cast<std::size_t>(phase)];
}

IterationPhase phase_of(std::int64_t context, std::int64_t generation, std::int64_t generation_tokens) {
  constexpr std::int64_t kMostTokens = 16;  // generated per request, even with speculation
  if (generation > 0 && generation_tokens / kMostTokens >= generation &&
      generation_tokens > kMostTokens * generation) {
    return context > 0 || generation > 1 ? IterationPhase::mixed : IterationPhase::prefill;
  }
  if (context > 0) return generation > 0 ? IterationPhase::mixed : IterationPhase::prefill;
  if (generation == 0) return IterationPhase::idle;
  return generation_tokens > generation ? IterationPhase::verify : IterationPhase::decode;
}

std::optional<MarkName> parse_mark_name(std::string_view name) {
  for (const auto& family : {detailed_vllm, vllm, sglang, atom, tensorrt, forward, step}) {
    if (std::optional<MarkName> mark = family(name)) return mark;
  }
  return std::nullopt;
}

bool is_request_name(std::string_view name) {
  if (name == "generate" || name == "LLM.generate" || name == "model_inference") return true;
  if (name.ends_with("GenerationMixin.generate")) return true;
  NameReader reader(name);
  std::int64_t number = 0;
  return reader.text("execute_diffusion_") && reader.number(number) && reader.text("_") &&
         reader.number(number) && reader.text("x") && reader.number(number) && reader.at_end();
}

}  // namespace kino
