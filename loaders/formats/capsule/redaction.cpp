#include "loaders/formats/capsule/redaction.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/library_frames.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

/// Extensions of files whose names can identify their author.
constexpr std::array<std::string_view, 58> kExtensions{
    "bin",  "c",      "cc",     "cfg",   "ckpt", "conf", "cpp", "csv",  "cu",   "cubin", "cuh", "cxx",
    "db",   "dll",    "go",     "gz",    "h",    "hh",   "hip", "hpp",  "html", "inc",   "ini", "ipynb",
    "java", "js",     "json",   "jsonl", "kino", "kt",   "log", "npy",  "npz",  "onnx",  "out", "parquet",
    "pb",   "pickle", "pkl",    "pt",    "pth",  "ptx",  "py",  "pyc",  "pyi",  "pyx",   "rs",  "safetensors",
    "sh",   "so",     "sqlite", "tar",   "toml", "txt",  "xml", "yaml", "yml",  "zst"};
/// Last labels of host names.
constexpr std::array<std::string_view, 34> kDomains{
    "ai",          "arpa",      "at",       "au",       "ca",  "ch",  "cloud", "cluster", "cn",
    "co",          "com",       "corp",     "de",       "dev", "edu", "eu",    "fr",      "gov",
    "home",        "in",        "internal", "intranet", "io",  "jp",  "kr",    "lan",     "local",
    "localdomain", "localhost", "net",      "org",      "svc", "uk",  "us"};
/// Words with a slash that are not paths.
constexpr std::array<std::string_view, 12> kUnits{"B/s",   "kB/s",  "KB/s",  "MB/s", "GB/s", "TB/s",
                                                  "KiB/s", "MiB/s", "GiB/s", "I/O",  "n/a",  "N/A"};

/// Prefix of PyTorch's frames for nn.Module calls.
constexpr std::string_view kModule = "nn.Module: ";
/// PyTorch's name for unknown files and functions.
constexpr std::string_view kUnknownFrame = "??";

std::uint64_t sip_hash(const RedactionKey& key, std::string_view text) {
  std::uint64_t v0 = key[0] ^ 0x736f6d6570736575ULL;
  std::uint64_t v1 = key[1] ^ 0x646f72616e646f6dULL;
  std::uint64_t v2 = key[0] ^ 0x6c7967656e657261ULL;
  std::uint64_t v3 = key[1] ^ 0x7465646279746573ULL;
  const auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  const auto take = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (i % 8 * 8);
    if (i % 8 != 7) continue;
    take(word);
    word = 0;
  }
  take(word | std::uint64_t{text.size()} << 56U);
  v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

bool in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& all, std::string_view text) {
  return std::ranges::find(all, text) != all.end();
}

std::vector<std::string_view> labels(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

bool is_path(std::string_view word) {
  if (word.find_first_of("/\\") == std::string_view::npos || is_one_of(kUnits, word)) return false;
  return std::ranges::any_of(word,
                             [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; });
}

bool is_file(std::string_view word) {
  const std::vector<std::string_view> parts = labels(word);
  return parts.size() > 1 && std::ranges::any_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
           return is_one_of(kExtensions, lowered(part));
         });
}

bool is_host(std::string_view word) {
  if (word.find('@') != std::string_view::npos && word.size() > 1) return true;
  const std::vector<std::string_view> parts = labels(word);
  if (parts.size() < 2 || std::ranges::find(parts, std::string_view()) != parts.end()) return false;
  const auto is_number = [](std::string_view part) { return std::ranges::all_of(part, is_digit); };
  if (std::ranges::all_of(parts, is_number)) return parts.size() == 4;
  return is_one_of(kDomains, lowered(parts.back()));
}

/// Parts of a frame: "file.py", "(12): " and "step".
struct FrameParts {
  std::string_view file;
  std::string_view line;
  std::string_view function;
};
std::optional<FrameParts> frame_parts(std::string_view text) {
  const std::size_t colon = text.find("): ");
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::size_t open = text.rfind('(', colon);
  if (open == std::string_view::npos || open == 0 || open + 1 == colon) return std::nullopt;
  if (!std::ranges::all_of(text.substr(open + 1, colon - open - 1), is_digit)) return std::nullopt;
  return FrameParts{text.substr(0, open), text.substr(open, colon + 3 - open), text.substr(colon + 3)};
}

/// Returns whether a number, word or unquoted text starts with the character, which is outside of strings.
bool begins_bare_text(char c) {
  return !is_space(c) && std::string_view(",:{}[]\"").find(c) == std::string_view::npos;
}

std::string escaped_json(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Redactor::Redactor(RedactionKey key, const std::vector<std::string>& words, LibraryList libraries)
    : key_(key), libraries_(std::move(libraries)) {
  for (const std::string& word : words) names_.add(Redacted::hosts, word);
}

void Redactor::set_learning(bool learning) {
  learning_ = learning;
  seen_.clear();
  host_like_.clear();
}

std::string Redactor::hash(std::string_view text) const {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr int kDigits = 12;
  std::uint64_t bits = sip_hash(key_, text);
  std::string out;
  for (int i = 0; i < kDigits; ++i, bits >>= 4U) out += kHex[bits & 0xfU];
  return out;
}

std::string Redactor::replaced(Redacted what, std::string_view text) {
  constexpr std::array<std::string_view, kRedactedCount> kPrefixes{"", "path_", "file_", "host_"};
  // Functions are replaced only in frames, not in other texts, since a name such as "alloc" is also a common
  // word.
  if (learning_ && what != Redacted::frames) {
    const bool by_form =
        std::ranges::all_of(text, in_word) && (is_path(text) || is_file(text) || is_host(text));
    if (!by_form) names_.add(what, text);
    names_.add_parts(what, text);
  }
  seen_.emplace(text, what);
  return std::string(kPrefixes[static_cast<std::size_t>(what)]) + hash(text);
}

std::string Redactor::without_names(std::string_view text) {
  std::string out;
  for (auto match = names_.find(text); match; match = names_.find(text)) {
    out += text.substr(0, match->at);
    out += replaced(match->name->what, match->name->text);
    text.remove_prefix(match->at + match->size);
  }
  return out.empty() ? out : out.append(text);
}

std::string Redactor::word(std::string_view text) {
  // Trailing punctuation such as a dot belongs to the sentence, not to the word.
  const std::size_t last = text.find_last_not_of(".-+%$");
  if (last == std::string_view::npos) return std::string(text);
  const std::string_view core = text.substr(0, last + 1);
  const std::string rest(text.substr(last + 1));
  if (is_path(core)) return replaced(Redacted::paths, core) + rest;
  if (is_file(core)) return replaced(Redacted::files, core) + rest;
  if (is_host(core)) return replaced(Redacted::hosts, core) + rest;
  if (learning_) return std::string(text);
  std::string without = without_names(core);
  if (!without.empty()) return without + rest;
  if (looks_like_host(core)) host_like_.emplace(core);
  return std::string(text);
}

std::string Redactor::text(std::string_view text) {
  const auto known = seen_.find(text);
  const bool is_known = known != seen_.end() && known->second == Redacted::frames;
  if (is_known || frame_parts(text) || text.starts_with(kModule) || text.starts_with("<built-in "))
    return frame(text);
  return words(text);
}

std::string Redactor::words(std::string_view text) {
  std::string out;
  // Names of several words, such as "Alice Smith" or a path with a space, are replaced first.
  for (auto match = names_.find_spaced(text); match && !learning_; match = names_.find_spaced(text)) {
    out += words(text.substr(0, match->at));
    out += replaced(match->name->what, match->name->text);
    text.remove_prefix(match->at + match->size);
  }
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end == at) {
      out += text[at++];
    } else {
      out += word(text.substr(at, end - at));
      at = end;
    }
  }
  return out;
}

std::string Redactor::frame(std::string_view text) {
  if (text.empty()) return {};
  seen_.emplace(text, Redacted::frames);
  if (const std::optional<FrameParts> parts = frame_parts(text)) {
    if (learning_) names_.add_parts(Redacted::files, parts->file);
    return "file_" + hash(parts->file) + ".py" + std::string(parts->line) + hash(parts->function);
  }
  if (!text.starts_with(kModule)) return hash(text);
  const std::string_view name = text.substr(kModule.size());
  const std::size_t number = name.find_last_not_of("0123456789");
  const bool numbered = number != std::string_view::npos && number + 1 < name.size() && name[number] == '_';
  const std::string_view suffix = numbered ? name.substr(number) : std::string_view();
  return std::string(kModule) + hash(name.substr(0, name.size() - suffix.size())) + std::string(suffix);
}

std::string Redactor::frame_file(std::string_view text) {
  if (text.empty() || text == kUnknownFrame) return std::string(text);
  const std::string name = replaced(Redacted::files, text);
  if (!is_python_file(text)) return name + ".cpp";
  return (is_library_file(text, libraries_) ? "torch/" : "") + name + ".py";
}

std::string Redactor::frame_function(std::string_view text) {
  if (text.empty() || text == kUnknownFrame) return std::string(text);
  return replaced(Redacted::frames, text);
}

std::string Redactor::stack(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find(';');
    const std::string_view padded = text.substr(0, end);
    const std::size_t begin = std::min(padded.find_first_not_of(' '), padded.size());
    out.append(padded.substr(0, begin));
    out += frame(padded.substr(begin));
    if (end == std::string_view::npos) return out;
    out += ';';
    text.remove_prefix(end + 1);
  }
}

std::string Redactor::modules(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string_view name = text.substr(at, end - at);
    if (end == at) {
      out += text[at++];
      continue;
    }
    at = end;
    const bool number = std::ranges::all_of(name, is_digit);
    if (!number && name != "TOP") seen_.emplace("module " + std::string(name), Redacted::frames);
    out += number || name == "TOP" ? std::string(name) : hash(name);
  }
  return out;
}

std::string Redactor::value(std::string_view key, std::string_view text) {
  const std::string name = lowered(key);
  if (contains(name, "stack")) return stack(text);
  if (contains(name, "module hierarchy")) return modules(text);
  if (text.empty()) return {};
  if (name == "host" || name == "node" || name == "user" || contains(name, "hostname") ||
      contains(name, "host_name") || contains(name, "username") || contains(name, "user_name")) {
    return replaced(Redacted::hosts, text);
  }
  if (contains(name, "path") || name.ends_with("file") || name.ends_with("filename") ||
      name.ends_with("file_name") || name.ends_with("dir") || name.ends_with("directory")) {
    return replaced(Redacted::paths, text);
  }
  return this->text(text);
}

std::string Redactor::json(std::string_view json) {
  std::string out;
  std::string key;
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] != '"' && !begins_bare_text(json[at])) {
      out += json[at++];
      continue;
    }
    if (json[at] != '"') {
      const std::size_t word_end = std::min(member_value_end(json, at), json.size());
      const std::string_view token = json.substr(at, word_end - at);
      out += is_json_word(token) ? std::string(token) : value(key, token);
      at = word_end;
      continue;
    }
    const std::size_t end = string_end(json, at);
    if (end == kIncomplete) return out + '"' + text(json.substr(at + 1));
    const std::string content = unescape(json.substr(at + 1, end - at - 2));
    const std::size_t next = skip_space(json, end);
    const bool is_key = next < json.size() && json[next] == ':';
    if (is_key) key = content;
    const std::string written = is_key ? text(content) : value(key, content);
    out += '"';
    out += written == content ? std::string(json.substr(at + 1, end - at - 2)) : escaped_json(written);
    out += '"';
    at = end;
  }
  return out;
}

std::array<std::uint64_t, kRedactedCount> Redactor::counts() const {
  std::array<std::uint64_t, kRedactedCount> counts{};
  for (const auto& [text, what] : seen_) ++counts[static_cast<std::size_t>(what)];
  return counts;
}

}  // namespace kino
