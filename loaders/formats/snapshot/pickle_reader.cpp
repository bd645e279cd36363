#include "loaders/formats/snapshot/pickle_reader.hpp"

#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "loaders/formats/snapshot/pickle_repair.hpp"
#include "loaders/formats/snapshot/pickle_values.hpp"

namespace kino {
namespace {

using Tag = PlainValue::Tag;

constexpr std::size_t kMostMarks = 4096;
constexpr std::size_t kLongestOpcode = 16;  // including its fixed argument

/// Containers that Python writes as calls, which are not executed here.
enum Callable : std::uint32_t { ordered_dict, default_dict, torch_size, plain_factory };

constexpr PlainValue kNone{};

std::uint32_t u32(const std::uint8_t* bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return std::endian::native == std::endian::little ? value : __builtin_bswap32(value);
}

template <class Into>
class Machine {
 public:
  Machine(ByteWindow& in, Into& into, const std::function<bool()>& refilled)
      : in_(in), into_(into), refilled_(refilled) {}

  Result<PickleEnd> run() {
    while (!stopped_ && !failed_) step();
    if (failed_ && (refused_ || failed_->kind == Error::Kind::cancelled)) return *failed_;
    if (failed_) OpenContainers<Into>(into_, stack_, marks_, at_).close();
    PickleEnd end;
    end.damage = failed_;
    end.truncated = truncated_;
    if (!stack_.empty()) end.root = stack_.front();
    if (stopped_) {
      end.root = stack_.back();
    } else if (!into_.is_list(end.root) && !into_.is_dict(end.root)) {
      return *failed_;
    }
    return end;
  }

 private:
  // ---- reading

  bool need(std::uint64_t count) {
    if (in_.ensure(count)) return true;
    if (in_.error()) {
      fail(in_.error()->kind, in_.error()->what.str());
    } else {
      at_ = in_.offset() + in_.size();
      fail(Error::Kind::corrupt, "The pickle ends before its STOP opcode");
      truncated_ = true;
    }
    return false;
  }

  void fail(Error::Kind kind, const std::string& what) {
    if (!failed_) failed_ = Error{kind, what, at_};
  }
  void corrupt(const char* what) { fail(Error::Kind::corrupt, what); }
  void refuse(const std::string& what) {
    fail(Error::Kind::unknown_format, "The pickle contains " + what + ", which would run code; " +
                                          Into::kSubject + " never does, so it is not opened");
    refused_ = true;
  }

  void step() {
    if (in_.size() < kLongestOpcode) {
      in_.ensure(kLongestOpcode);
      if (!need(1)) return;
      if (!refilled_()) {
        fail(Error::Kind::cancelled, "Loading was cancelled");
        return;
      }
    }
    at_ = in_.offset();
    into_.offset = at_;
    const std::uint8_t opcode = *in_.data();
    in_.skip(1);
    execute(opcode);
    if (into_.failed()) failed_ = into_.failed();
  }

  /// Reads the fixed argument of an opcode; null at the end of the input.
  const std::uint8_t* take(std::size_t count) {
    if (!need(count)) return nullptr;
    const std::uint8_t* const bytes = in_.data();
    in_.skip(count);
    return bytes;
  }

  std::optional<std::string_view> take_text(std::uint64_t size) {
    if (size > kMostSnapshotStringBytes) {
      fail(Error::Kind::corrupt, "The pickle has a value of " + std::to_string(size) +
                                     " bytes, which no snapshot of the allocator has");
      return std::nullopt;
    }
    if (!need(size)) return std::nullopt;
    const std::string_view text = in_.text(static_cast<std::size_t>(size));
    in_.skip(static_cast<std::size_t>(size));
    return text;
  }

  /// Reads the text before the next line feed, and skips the line feed.
  std::optional<std::string_view> take_line() {
    std::size_t searched = 0;
    for (;;) {
      const void* const found = std::memchr(in_.data() + searched, '\n', in_.size() - searched);
      if (found != nullptr) {
        const auto size = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - in_.data());
        const std::string_view line = in_.text(size);
        in_.skip(size + 1);
        return line;
      }
      searched = in_.size();
      if (searched > kMostSnapshotStringBytes) {
        corrupt("A line of the pickle is too long");
        return std::nullopt;
      }
      if (!need(searched + 1)) return std::nullopt;
    }
  }

  // ---- stacks

  void push(PlainValue value) {
    if (stack_.size() >= (std::size_t{1} << 16U) + at_ / 8) {
      corrupt("The pickle keeps more values on its stack than its size allows");
      return;
    }
    stack_.push_back(value);
  }

  /// Number of values above the last mark, which an opcode may use.
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  bool has(std::size_t count) {
    if (available() >= count) return true;
    corrupt("The pickle takes more values from its stack than there are");
    return false;
  }

  PlainValue pop() {
    const PlainValue value = stack_.back();
    stack_.pop_back();
    return value;
  }

  /// Returns the values above the last mark; drop_mark() removes them.
  std::optional<std::span<const PlainValue>> above_mark() {
    if (marks_.empty()) {
      corrupt("The pickle ends a container that it did not begin");
      return std::nullopt;
    }
    return std::span<const PlainValue>(stack_).subspan(marks_.back());
  }
  void drop_mark() {
    stack_.resize(marks_.back());
    marks_.pop_back();
  }

  void put(std::uint64_t index) {
    if (!has(1)) return;
    // Limits ids of the memo, which Python numbers consecutively from 0 or 1.
    if (index > 2 * puts_ + (1 << 12U) || memo_.size() > (std::size_t{1} << 16U) + at_ / 2) {
      corrupt("The pickle uses a memo index that is too large");
      return;
    }
    ++puts_;
    if (index >= memo_.size()) memo_.resize(static_cast<std::size_t>(index) + 1);
    memo_[static_cast<std::size_t>(index)] = stack_.back();
  }

  void get(std::uint64_t index) {
    if (index >= memo_.size()) {
      corrupt("The pickle refers to an object that does not exist");
      return;
    }
    push(memo_[static_cast<std::size_t>(index)]);
  }

  // ---- opcodes

  void execute(std::uint8_t opcode) {
    switch (opcode) {
      case 'h':
        if (const auto* bytes = take(1)) get(*bytes);
        return;
      case 'j':
        if (const auto* bytes = take(4)) get(u32(bytes));
        return;
      case 0x94:  // MEMOIZE
        put(memo_.size());
        return;
      case 'K':
        if (const auto* bytes = take(1)) push(into_.integer(*bytes));
        return;
      case 'M':
        if (const auto* bytes = take(2)) push(into_.integer(bytes[0] | bytes[1] << 8U));
        return;
      case 'J':
        if (const auto* bytes = take(4)) push(into_.integer(static_cast<std::int32_t>(u32(bytes))));
        return;
      case 0x8a:  // LONG1
        if (const auto* bytes = take(1)) long_integer(*bytes);
        return;
      case '}':
        push(into_.new_dict());
        return;
      case ']':
        push(into_.new_list());
        return;
      case '(':
        mark();
        return;
      case 'u':
        set_items();
        return;
      case 'e':
      case 0x90:  // ADDITEMS
        append_items();
        return;
      case 0x86:  // TUPLE2
        tuple(2);
        return;
      case 0x8c:  // SHORT_BINUNICODE
        if (const auto* bytes = take(1)) text(*bytes);
        return;
      case 'X':
        if (const auto* bytes = take(4)) text(u32(bytes));
        return;
      case '.':
        if (has(1) && available() == stack_.size()) {
          stopped_ = true;
        } else {
          corrupt("The pickle ends within a container");
        }
        return;
      default:
        execute_container(opcode);
    }
  }

  /// Containers and stack operations.
  void execute_container(std::uint8_t opcode) {
    switch (opcode) {
      case 'a':
        return append_one();
      case 's':
        return set_one();
      case ')':
      case 0x8f:  // EMPTY_SET
        return push(into_.new_list());
      case 0x85:  // TUPLE1
        return tuple(1);
      case 0x87:  // TUPLE3
        return tuple(3);
      case 't':
        if (const auto items = above_mark()) replace_marked(into_.tuple(*items));
        return;
      case 'l':
      case 0x91:  // FROZENSET
        if (const auto items = above_mark()) {
          const PlainValue list = into_.new_list();
          into_.append(list, *items);
          replace_marked(list);
        }
        return;
      case 'd':
        if (const auto items = above_mark()) {
          if (items->size() % 2 != 0) return corrupt("A dict of the pickle has a key without a value");
          const PlainValue dict = into_.new_dict();
          into_.set_items(dict, *items);
          replace_marked(dict);
        }
        return;
      case '0':
        // If a mark is on top, removes the mark, as Python does.
        if (!marks_.empty() && available() == 0) {
          marks_.pop_back();
        } else if (has(1)) {
          pop();
        }
        return;
      case '1':
        if (above_mark()) drop_mark();
        return;
      case '2':
        if (has(1)) push(stack_.back());
        return;
      default:
        execute_number(opcode);
    }
  }

  void execute_number(std::uint8_t opcode) {
    switch (opcode) {
      case 'N':
        return push(kNone);
      case 0x88:
      case 0x89:
        return push(Into::boolean(opcode == 0x88));
      case 'G':
        if (const auto* bytes = take(8)) {
          std::uint64_t bits = 0;
          for (int i = 0; i < 8; ++i) bits = bits << 8U | bytes[i];
          push(into_.real(std::bit_cast<double>(bits)));
        }
        return;
      case 0x8b:  // LONG4
        if (const auto* bytes = take(4)) long_integer(u32(bytes));
        return;
      case 'I':
        if (const auto line = take_line()) {
          if (*line == "00" || *line == "01") return push(Into::boolean(*line == "01"));
          push_integer(integer_from_decimal(*line));
        }
        return;
      case 'L':
        if (auto line = take_line()) {
          if (line->ends_with('L')) line->remove_suffix(1);
          push_integer(integer_from_decimal(*line));
        }
        return;
      case 'F':
        if (const auto line = take_line()) {
          double value = 0;
          if (std::from_chars(line->data(), line->data() + line->size(), value).ec != std::errc()) value = 0;
          push(into_.real(value));
        }
        return;
      default:
        execute_text(opcode);
    }
  }

  void execute_text(std::uint8_t opcode) {
    switch (opcode) {
      case 'T':
      case 'B':
        if (const auto* bytes = take(4)) text(u32(bytes));
        return;
      case 'U':
      case 'C':
        if (const auto* bytes = take(1)) text(*bytes);
        return;
      case 0x8d:  // BINUNICODE8
      case 0x8e:  // BINBYTES8
      case 0x96:  // BYTEARRAY8
        if (const auto* bytes = take(8)) text(little_endian({bytes, 8}));
        return;
      case 'S':
        if (const auto line = take_line()) {
          const auto unquoted = unquoted_text(*line);
          if (!unquoted) return corrupt("A string of the pickle has no quotes");
          push(into_.text(*unquoted));
        }
        return;
      case 'V':
        if (const auto line = take_line()) push(into_.text(unescaped_text(*line)));
        return;
      default:
        execute_rare(opcode);
    }
  }

  /// Executes the remaining opcodes: the memo, framing, names of Python's containers, and refused opcodes.
  void execute_rare(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        if (const auto* bytes = take(1)) {
          if (*bytes > 5) corrupt("The pickle uses a protocol later than 5");
        }
        return;
      case 0x95:  // FRAME: a chunk of the pickle
        take(8);
        return;
      case 'q':
        if (const auto* bytes = take(1)) put(*bytes);
        return;
      case 'r':
        if (const auto* bytes = take(4)) put(u32(bytes));
        return;
      case 'g':
      case 'p':
        if (const auto line = take_line()) {
          std::uint64_t index = 0;
          const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), index);
          if (error != std::errc() || end != line->data() + line->size())
            return corrupt("A memo index of the pickle is not a number");
          opcode == 'g' ? get(index) : put(index);
        }
        return;
      case 'c':
        if (const auto module = take_line()) {
          const std::string from(*module);
          if (const auto name = take_line()) global(from, std::string(*name), "GLOBAL");
        }
        return;
      case 0x93:  // STACK_GLOBAL
        if (has(2)) {
          const PlainValue name = pop();
          const PlainValue from = pop();
          global(into_.plain_text(from), into_.plain_text(name), "STACK_GLOBAL");
        }
        return;
      case 'R':
        return reduce();
      default:
        refuse_opcode(opcode);
    }
  }

  void refuse_opcode(std::uint8_t opcode) {
    if (const char* const name = refused_opcode(opcode)) return refuse(name);
    char number[8];
    std::snprintf(number, sizeof number, "0x%02x", opcode);
    fail(Error::Kind::corrupt, std::string("The pickle contains the unknown opcode ") + number);
  }

  void mark() {
    if (marks_.size() >= kMostMarks) return corrupt("The pickle is nested too deeply");
    marks_.push_back(stack_.size());
  }

  void replace_marked(PlainValue value) {
    drop_mark();
    push(value);
  }

  /// Returns the container below the last mark, to which the values above the mark are added.
  std::optional<PlainValue> below_mark() {
    const std::size_t outer = marks_.size() > 1 ? marks_[marks_.size() - 2] : 0;
    if (marks_.empty() || marks_.back() <= outer) {
      corrupt("The pickle ends a container that it did not begin");
      return std::nullopt;
    }
    return stack_[marks_.back() - 1];
  }

  void set_items() {
    const auto dict = below_mark();
    if (!dict) return;
    const auto items = std::span<const PlainValue>(stack_).subspan(marks_.back());
    if (items.size() % 2 != 0) return corrupt("A dict of the pickle has a key without a value");
    if (!into_.set_items(*dict, items)) return corrupt("The pickle sets items of a value that is not a dict");
    drop_mark();
  }

  void append_items() {
    const auto list = below_mark();
    if (!list) return;
    if (!into_.append(*list, std::span<const PlainValue>(stack_).subspan(marks_.back()))) {
      return corrupt("The pickle appends to a value that is not a list");
    }
    drop_mark();
  }

  void append_one() {
    if (!has(2)) return;
    const PlainValue item = pop();
    if (!into_.append(stack_.back(), {&item, 1})) corrupt("The pickle appends to a value that is not a list");
  }

  void set_one() {
    if (!has(3)) return;
    const PlainValue pair[2] = {stack_[stack_.size() - 2], stack_.back()};
    stack_.resize(stack_.size() - 2);
    if (!into_.set_items(stack_.back(), pair)) corrupt("The pickle sets items of a value that is not a dict");
  }

  void tuple(std::size_t count) {
    if (!has(count)) return;
    const PlainValue value = into_.tuple(std::span<const PlainValue>(stack_).last(count));
    stack_.resize(stack_.size() - count);
    push(value);
  }

  void text(std::uint64_t size) {
    if (const auto bytes = take_text(size)) push(into_.text(*bytes));
  }

  void long_integer(std::uint64_t size) {
    if (const auto bytes = take_text(size)) push_integer(integer_from_bytes(*bytes));
  }

  void push_integer(const PickleInteger& value) {
    switch (value.size) {
      case PickleInteger::Size::fits:
        return push(into_.integer(value.number));
      case PickleInteger::Size::unsigned_only:
        return push(into_.integer_above(static_cast<std::uint64_t>(value.number)));
      case PickleInteger::Size::too_large:
        return push(Into::too_large());
    }
  }

  // ---- names of Python's containers

  void global(const std::string& module, const std::string& name, const char* opcode) {
    const auto known = [&](Callable which) { push({Tag::callable, which}); };
    if (module == "collections" && name == "OrderedDict") return known(ordered_dict);
    if (module == "collections" && name == "defaultdict") return known(default_dict);
    if (module == "torch" && name == "Size") return known(torch_size);
    if (module == "builtins" || module == "__builtin__") {
      for (const char* const factory :
           {"list", "dict", "int", "long", "float", "bool", "str", "set", "tuple"}) {
        if (name == factory) return known(plain_factory);
      }
    }
    constexpr std::size_t kShownBytes = 80;
    refuse(std::string(opcode) + " (" + (module + "." + name).substr(0, kShownBytes) + ")");
  }

  void reduce() {
    if (!has(2)) return;
    const PlainValue arguments = pop();
    const PlainValue callable = pop();
    const auto calls = [&](Callable which) {
      return callable.tag() == Tag::callable && callable.id() == which;
    };
    if (calls(ordered_dict) && into_.is_empty_list(arguments)) return push(into_.new_dict());
    if (calls(default_dict)) {
      // The argument is a function for missing values in Python; it is never called here.
      const auto factory = into_.only_item(arguments);
      if (into_.is_empty_list(arguments) || (factory && factory->tag() == Tag::callable))
        return push(into_.new_dict());
    }
    if (calls(torch_size)) {
      if (const auto sizes = into_.only_item(arguments)) return push(*sizes);
    }
    refuse("REDUCE");
  }

  ByteWindow& in_;
  Into& into_;
  const std::function<bool()>& refilled_;
  std::vector<PlainValue> stack_;
  std::vector<std::size_t> marks_;  // sizes of stack_
  std::vector<PlainValue> memo_;
  std::uint64_t puts_ = 0;
  std::uint64_t at_ = 0;  // offset of the current opcode
  bool stopped_ = false;
  bool refused_ = false;
  bool truncated_ = false;
  std::optional<Error> failed_;
};

}  // namespace

Result<PickleEnd> read_pickle(ByteWindow& in, SnapshotAssembler& into,
                              const std::function<bool()>& refilled) {
  return Machine<SnapshotAssembler>(in, into, refilled).run();
}

Result<PickleEnd> read_pickle(ByteWindow& in, PlainTree& into, const std::function<bool()>& refilled) {
  return Machine<PlainTree>(in, into, refilled).run();
}

bool looks_like_pickle(std::string_view head) {
  if (head.size() < 2) return false;
  if (head[0] == '\x80') return head[1] >= '\x02' && head[1] <= '\x05';
  // Recognizes protocols 0 and 1, which have no magic: they start with a container, mostly followed by its
  // memo id.
  return head.starts_with("(dp") || head.starts_with("(lp") || head.starts_with("}q") ||
         head.starts_with("]q") || head.starts_with("(d(") || head.starts_with("ccollections\n");
}

}  // namespace kino
