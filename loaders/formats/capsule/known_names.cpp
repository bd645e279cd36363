#include "loaders/formats/capsule/known_names.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kShortest = 3;
constexpr std::size_t kLongest = 1024;

/// Values of keys such as "host" and "user" that identify no user or machine.
constexpr std::array<std::string_view, 40> kCommonWords{
    "aten",    "auto",    "backward", "cpu",   "cuda",  "data", "default", "device",   "false",  "float",
    "float16", "forward", "gpu",      "hip",   "host",  "int",  "kernel",  "linux",    "local",  "localhost",
    "main",    "name",    "nccl",     "node",  "none",  "nul",  "null",    "operator", "python", "root",
    "runtime", "stream",  "tmp",      "torch", "train", "true", "unknown", "user",     "void",   "windows"};

bool joins(char c) { return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }

bool is_whole_word(std::string_view text, std::size_t at, std::size_t size) {
  const std::size_t end = at + size;
  return (at == 0 || !joins(text[at - 1]) || !joins(text[at])) &&
         (end == text.size() || !joins(text[end]) || !joins(text[end - 1]));
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_label(std::string_view label) {
  return !label.empty() && std::ranges::all_of(label, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

void KnownNames::add(Redacted what, std::string_view text) {
  text = trimmed(text);
  std::string small = lowered(text);
  const bool named =
      std::ranges::any_of(text, [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; });
  if (text.size() < kShortest || text.size() > kLongest || !named ||
      std::ranges::find(kCommonWords, small) != kCommonWords.end())
    return;
  Names& names = std::ranges::all_of(text, in_word) ? words_ : spaced_;
  names.sizes.insert(small.size());
  names.by_text.try_emplace(std::move(small), Name{std::string(text), what});
}

void KnownNames::add_parts(Redacted what, std::string_view text) {
  if (what == Redacted::paths || what == Redacted::files) add_user_of(text);
  if (what != Redacted::hosts) return;
  for (const std::string_view part : parts_of(text, " \t@:/,;()[]<>\"'")) {
    add(what, part);
    const std::size_t dot = part.find('.');
    if (dot == std::string_view::npos || part.find('.', dot + 1) == std::string_view::npos) continue;
    const std::string_view first = part.substr(0, dot);
    if (first.find_first_of("0123456789-") != std::string_view::npos) add(what, first);
  }
}

void KnownNames::add_user_of(std::string_view path) {
  constexpr std::string_view kInductor = "torchinductor_";
  const std::vector<std::string_view> parts = parts_of(path, "/\\");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string folder = lowered(parts[i]);
    const bool homes = folder == "home" || folder == "users" || folder == "homes";
    if (homes && i + 1 < parts.size()) add(Redacted::hosts, parts[i + 1]);
    if (folder.starts_with(kInductor)) add(Redacted::hosts, parts[i].substr(kInductor.size()));
  }
}

std::optional<KnownNames::Place> KnownNames::Names::find(std::string_view text) const {
  if (by_text.empty()) return std::nullopt;
  const std::string small = lowered(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && joins(text[at - 1]) && joins(text[at])) continue;
    for (const std::size_t size : sizes) {
      if (size > text.size() - at || !is_whole_word(text, at, size)) continue;
      const auto found = by_text.find(std::string_view(small).substr(at, size));
      if (found != by_text.end()) return Place{at, size, &found->second};
    }
  }
  return std::nullopt;
}

bool in_word(char c) { return joins(c) || std::string_view("_.-~/\\@+%$").find(c) != std::string_view::npos; }

bool looks_like_host(std::string_view word) {
  constexpr std::array<std::string_view, 6> kEnds{"node", "host", "server", "dgx", "hgx", "gpubox"};
  constexpr std::array<std::string_view, 9> kWords{"srv",   "login", "compute", "rack",   "blade",
                                                   "slurm", "hpc",   "cluster", "machine"};
  const std::string small = lowered(word);
  const std::vector<std::string_view> parts = parts_of(small, "-");
  if (parts.empty() || !std::ranges::all_of(parts, is_label) || !is_letter(small.front())) return false;
  if (parts.size() == 5 && (parts[0] == "ip")) return true;
  const bool numbered = is_digit(small.back());
  return numbered && std::ranges::any_of(parts, [&](std::string_view part) {
           while (!part.empty() && is_digit(part.back())) part.remove_suffix(1);
           return std::ranges::find(kWords, part) != kWords.end() ||
                  std::ranges::any_of(kEnds, [&](std::string_view end) { return part.ends_with(end); });
         });
}

}  // namespace kino
