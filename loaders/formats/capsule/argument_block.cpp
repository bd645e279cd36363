#include "loaders/formats/capsule/argument_block.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/ascii.hpp"
#include "core/base/string_table.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

// Markers of slots in skeletons. An argument text that contains such a byte is stored as one text.
constexpr char kNumber = '\x01';
constexpr char kText = '\x02';

constexpr std::size_t kMostDigits = 18;

bool is_slot(char c) { return c == kNumber || c == kText; }

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(static_cast<unsigned char>(value | 0x80U));
    value >>= 7U;
  }
  out += static_cast<char>(static_cast<unsigned char>(value));
}

std::uint64_t folded(std::uint64_t value) { return value << 1U ^ (std::uint64_t{0} - (value >> 63U)); }
std::uint64_t unfolded(std::uint64_t value) { return value >> 1U ^ (std::uint64_t{0} - (value & 1U)); }

/// Parses an integer of at most kMostDigits digits; nullopt unless printing it gives the same text.
std::optional<std::int64_t> whole_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  const std::string_view digits = word.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > kMostDigits || (digits[0] == '0' && (digits.size() > 1 || negative)))
    return std::nullopt;
  if (!std::ranges::all_of(digits, is_digit)) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

bool in_number(char c) { return is_digit(c) || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E'; }

void put_texts(std::string& out, const StringTable& table) {
  put_varint(out, table.size());
  for (const std::string_view text : table) put_varint(out, text.size());
  for (const std::string_view text : table) out += text;
}

/// Estimates the compressed size from the byte frequencies.
double entropy_bytes(std::string_view bytes) {
  std::array<double, 256> counts{};
  for (const char c : bytes) counts[static_cast<unsigned char>(c)] += 1;
  double bits = 0;
  const auto all = static_cast<double>(bytes.size());
  for (const double count : counts) {
    if (count > 0) bits += count * std::log2(all / count);
  }
  // The last term favors the shorter text if the entropies are about equal.
  return bits / 8 + static_cast<double>(bytes.size()) / 256;
}

class Packer {
 public:
  void add(std::string_view text) {
    if (text.empty()) return put_varint(events_, 0);
    skeleton_.clear();
    values_.clear();
    if (!split(text)) {
      skeleton_ = kText;
      values_.assign(1, texts_.intern(text));
    }
    const std::uint32_t skeleton = skeletons_.intern(skeleton_);
    if (skeleton == columns_.size()) columns_.emplace_back(values_.size());
    put_varint(events_, std::uint64_t{skeleton} + 1);
    for (std::size_t i = 0; i < values_.size(); ++i) columns_[skeleton][i].push_back(values_[i]);
  }

  std::string finish(std::size_t events) {
    std::string out;
    put_varint(out, events);
    put_texts(out, skeletons_);
    put_texts(out, texts_);
    out += events_;
    for (const auto& slots : columns_) {
      for (const std::vector<std::int64_t>& values : slots) write(values, out);
    }
    return out;
  }

 private:
  bool split(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (is_slot(c)) return false;
      if (c == '"') {
        const std::size_t end = string_end(text, at);
        if (end == kIncomplete) return false;
        const std::string_view content = text.substr(at + 1, end - at - 2);
        if (std::ranges::any_of(content, is_slot)) return false;
        const std::size_t next = skip_space(text, end);
        if (next < text.size() && text[next] == ':') {
          skeleton_ += text.substr(at, end - at);
        } else {
          skeleton_ += {'"', kText, '"'};
          values_.push_back(texts_.intern(content));
        }
        at = end;
      } else if (c == '-' || is_digit(c)) {
        std::size_t end = at + 1;
        while (end < text.size() && in_number(text[end])) ++end;
        const std::string_view word = text.substr(at, end - at);
        const std::optional<std::int64_t> number = whole_number(word);
        skeleton_ += number ? kNumber : kText;
        values_.push_back(number ? *number : texts_.intern(word));
        at = end;
      } else {
        skeleton_ += c;
        ++at;
      }
    }
    return true;
  }

  static void write(const std::vector<std::int64_t>& values, std::string& out) {
    std::string plain;
    std::string deltas;
    std::uint64_t before = 0;
    for (const std::int64_t value : values) {
      const auto bits = static_cast<std::uint64_t>(value);
      put_varint(plain, folded(bits));
      put_varint(deltas, folded(bits - before));
      before = bits;
    }
    const bool by_deltas = entropy_bytes(deltas) < entropy_bytes(plain);
    out += by_deltas ? '\x01' : '\x00';
    out += by_deltas ? deltas : plain;
  }

  StringTable skeletons_;
  StringTable texts_;
  std::string events_;
  std::vector<std::vector<std::vector<std::int64_t>>> columns_;  // indexed by skeleton and slot

  std::string skeleton_;
  std::vector<std::int64_t> values_;
};

/// Reads values from the front of a text; good() is false once the text was too short or malformed.
class Taker {
 public:
  explicit Taker(std::string_view rest) : rest_(rest) {}
  bool good() const { return good_; }
  bool empty() const { return rest_.empty(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  /// Reads a count of elements, each of which takes at least one byte of the rest; a higher count is an
  /// error.
  std::size_t count() {
    const std::uint64_t count = varint();
    if (count > rest_.size()) good_ = false;
    return good_ ? static_cast<std::size_t>(count) : 0;
  }
  std::string_view bytes(std::uint64_t size) {
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::vector<std::string> texts() {
    std::vector<std::uint64_t> sizes(count());
    for (std::uint64_t& size : sizes) size = varint();
    std::vector<std::string> texts;
    for (const std::uint64_t size : sizes) {
      texts.emplace_back(bytes(size));
      if (!good_) break;
    }
    return texts;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::string packed_arguments(std::span<const std::string> texts) {
  Packer packer;
  for (const std::string& text : texts) packer.add(text);
  return packer.finish(texts.size());
}

std::optional<ArgumentBlock> ArgumentBlock::read(std::string_view packed) {
  Taker taker(packed);
  ArgumentBlock block;
  const std::size_t events = taker.count();
  if (events > kBlockEvents) return std::nullopt;
  block.skeletons_ = taker.texts();
  block.texts_ = taker.texts();
  std::vector<std::uint32_t> event_counts(block.skeletons_.size());
  block.events_.resize(events);
  for (Event& event : block.events_) {
    const std::uint64_t number = taker.varint();
    if (!taker.good() || number > event_counts.size()) return std::nullopt;
    if (number == 0) continue;
    event.skeleton = static_cast<std::uint32_t>(number - 1);
    event.index = event_counts[event.skeleton]++;
  }
  for (std::size_t i = 0; i < block.skeletons_.size(); ++i) {
    std::vector<std::vector<std::int64_t>>& slots = block.slots_.emplace_back();
    for (const char c : block.skeletons_[i]) {
      if (!is_slot(c)) continue;
      const std::string_view by_deltas = taker.bytes(1);
      if (!taker.good()) return std::nullopt;
      std::vector<std::int64_t>& values = slots.emplace_back();
      std::uint64_t before = 0;
      for (std::uint32_t k = 0; k < event_counts[i]; ++k) {
        const std::uint64_t value = unfolded(taker.varint()) + (by_deltas[0] == '\x01' ? before : 0);
        if (!taker.good() || (c == kText && value >= block.texts_.size())) return std::nullopt;
        before = value;
        values.push_back(static_cast<std::int64_t>(value));
      }
    }
  }
  if (!taker.good() || !taker.empty()) return std::nullopt;
  return block;
}

std::string ArgumentBlock::text(std::size_t event, std::size_t most_bytes) const {
  const auto [skeleton, index] = events_[event];
  std::string out;
  if (skeleton == kNone) return out;
  std::size_t slot = 0;
  for (const char c : skeletons_[skeleton]) {
    if (!is_slot(c)) {
      out += c;
    } else {
      const std::int64_t value = slots_[skeleton][slot++][index];
      out += c == kNumber ? std::to_string(value) : texts_[static_cast<std::size_t>(value)];
    }
    if (out.size() > most_bytes) return {};
  }
  return out;
}

}  // namespace kino
