#include "loaders/formats/snapshot/pickle_writer.hpp"

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kino {
namespace {

using Tag = PlainValue::Tag;

constexpr std::size_t kDeepest = 4000;      // levels, one mark each; read_pickle() accepts more
constexpr std::size_t kBatchValues = 2000;  // values between two marks; even, for keys and values
constexpr std::size_t kSinkBytes = std::size_t{1} << 20U;

class PickleWriter {
 public:
  PickleWriter(const PlainTree& tree, const PickledText& text_of, const PickleSink& sink)
      : tree_(tree), text_of_(text_of), sink_(sink) {}

  std::optional<Error> write(PlainValue root) {
    bytes_ += "\x80\x04";
    put(root);
    while (!open_.empty() && !error_) put_next();
    bytes_ += '.';
    if (!error_ && !sink_(bytes_)) error_ = cancelled("Writing");
    return error_;
  }

 private:
  /// A container of which the items before `next` have been written.
  struct Open {
    PlainValue value;
    std::size_t next = 0;
    PlainValue dict;  // dict that contains the texts of `value`
    PlainValue key;
  };

  void put_next() {
    if (bytes_.size() >= kSinkBytes) {
      if (!sink_(bytes_)) error_ = cancelled("Writing");
      bytes_.clear();
    }
    Open& top = open_.back();
    const auto items = tree_.items(top.value);
    const bool dict = tree_.is_dict(top.value);
    if (top.next == items.size()) {
      bytes_ += dict ? 'u' : 'e';
      open_.pop_back();
      return;
    }
    if (top.next > 0 && top.next % kBatchValues == 0) {
      bytes_ += dict ? 'u' : 'e';
      bytes_ += '(';
    }
    const std::size_t next = top.next++;
    if (dict) {
      top.dict = top.value;
      top.key = next % 2 == 0 ? PlainValue{} : items[next - 1];
    }
    dict_ = top.dict;
    key_ = top.key;
    put(items[next]);  // invalidates `top`
  }

  void put(PlainValue value) {
    switch (value.tag()) {
      case Tag::boolean:
        bytes_ += value.payload() != 0 ? '\x88' : '\x89';
        return;
      case Tag::integer:
      case Tag::wide:
        return put_integer(tree_.integer_of(value).value_or(0));
      case Tag::too_large:
        bytes_ += std::string_view("\x8a\x09\0\0\0\0\0\0\0\0\x01", 11);
        return;
      case Tag::real:
        return put_real(tree_.real_of(value));
      case Tag::text:
        return put_text(text_of_(dict_, key_, tree_.text_of(value)));
      case Tag::object:
        return put_object(value);
      default:
        bytes_ += 'N';
    }
  }

  void put_little_endian(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> 8U * i & 0xffU);
  }

  void put_integer(std::int64_t value) {
    if (value >= 0 && value <= 0xff) {
      bytes_ += 'K';
      put_little_endian(static_cast<std::uint64_t>(value), 1);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
      bytes_ += 'J';
      put_little_endian(static_cast<std::uint64_t>(value), 4);
    } else {
      bytes_ += "\x8a\x08";  // two's complement, which readers accept for addresses
      put_little_endian(static_cast<std::uint64_t>(value), 8);
    }
  }

  void put_real(double value) {
    bytes_ += 'G';
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 64; shift > 0;) bytes_ += static_cast<char>(bits >> (shift -= 8U) & 0xffU);
  }

  void put_reference(std::uint32_t id) {
    bytes_ += id <= 0xff ? 'h' : 'j';
    put_little_endian(id, id <= 0xff ? 1 : 4);
  }

  void put_text(const std::string& text) {
    const auto [position, fresh] = texts_.try_emplace(text, memo_);
    if (!fresh) return put_reference(position->second);
    bytes_ += text.size() <= 0xff ? '\x8c' : 'X';
    put_little_endian(text.size(), text.size() <= 0xff ? 1 : 4);  // far below 4 GiB
    bytes_ += text;
    memoize();
  }

  void put_object(PlainValue value) {
    const auto [position, fresh] = objects_.try_emplace(value.id(), memo_);
    if (!fresh) return put_reference(position->second);
    if (open_.size() >= kDeepest) {
      error_ = Error{Error::Kind::corrupt, "The snapshot's lists are nested too deeply to be written again"};
      return;
    }
    bytes_ += tree_.is_dict(value) ? '}' : ']';
    memoize();
    if (tree_.items(value).empty()) return;
    bytes_ += '(';
    open_.push_back({value, 0, dict_, key_});
  }

  void memoize() {
    bytes_ += '\x94';
    ++memo_;
  }

  const PlainTree& tree_;
  const PickledText& text_of_;
  const PickleSink& sink_;
  std::string bytes_;
  std::vector<Open> open_;
  PlainValue dict_;
  PlainValue key_;
  std::unordered_map<std::uint32_t, std::uint32_t> objects_;  // memo ids
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::uint32_t memo_ = 0;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> write_pickle(const PlainTree& tree, PlainValue root, const PickledText& text_of,
                                  const PickleSink& sink) {
  return PickleWriter(tree, text_of, sink).write(root);
}

}  // namespace kino
