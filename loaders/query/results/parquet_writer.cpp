#include "loaders/query/results/parquet_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/tables/csv_text.hpp"
#include "loaders/bytes/zstd_frame.hpp"

namespace kino {
namespace {

static_assert(std::endian::native == std::endian::little, "plain values are little endian");

// From parquet.thrift.
constexpr int kInt64 = 2;
constexpr int kDouble = 5;
constexpr int kByteArray = 6;
constexpr int kOptional = 1;
constexpr int kUtf8 = 0;
constexpr int kDataPage = 0;
constexpr int kDictionaryPage = 2;
constexpr int kPlain = 0;
constexpr int kRle = 3;
constexpr int kRleDictionary = 8;
constexpr int kZstd = 6;

constexpr int kLevel = 3;
/// An empty zstd frame: readers expect one for an empty page.
constexpr std::string_view kEmptyFrame("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9);

void put_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>((number & 0x7FU) | 0x80U);
  out += static_cast<char>(number);
}

template <class T>
void put_plain(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

/// Writes a struct in Thrift's compact protocol. Fields must be written in ascending order of their ids.
class ThriftStruct {
 public:
  explicit ThriftStruct(std::string& out) : out_(out) {}

  void i32(int field, std::int64_t value) { number(field, 5, value); }
  void i64(int field, std::int64_t value) { number(field, 6, value); }
  void text(int field, std::string_view value) {
    header(field, 8);
    put_text(value);
  }
  ThriftStruct begin(int field) {
    header(field, 12);
    return ThriftStruct(out_);
  }
  void list(int field, int element_type, std::size_t count) {
    header(field, 9);
    if (count < 15) {
      out_ += static_cast<char>((count << 4U) | static_cast<unsigned>(element_type));
    } else {
      out_ += static_cast<char>(0xF0U | static_cast<unsigned>(element_type));
      put_varint(out_, count);
    }
  }
  void put_number(std::int64_t value) {
    put_varint(out_, (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void put_text(std::string_view value) {
    put_varint(out_, value.size());
    out_ += value;
  }
  void end() { out_ += '\0'; }

 private:
  void header(int field, int type) {
    out_ += static_cast<char>((static_cast<unsigned>(field - last_) << 4U) | static_cast<unsigned>(type));
    last_ = field;
  }
  void number(int field, int type, std::int64_t value) {
    header(field, type);
    put_number(value);
  }

  std::string& out_;
  int last_ = 0;
};
constexpr int kThriftI32 = 5;
constexpr int kThriftText = 8;
constexpr int kThriftStruct = 12;

/// Appends numbers in Parquet's hybrid of runs and bit-packing, as a single bit-packed run.
template <class Get>
void put_packed(std::string& out, std::size_t count, int width, Get&& get) {
  const std::size_t groups = (count + 7) / 8;
  put_varint(out, (groups << 1U) | 1U);
  std::uint64_t bits = 0;
  int held = 0;
  for (std::size_t i = 0; i < groups * 8; ++i) {
    bits |= static_cast<std::uint64_t>(i < count ? get(i) : 0) << static_cast<unsigned>(held);
    for (held += width; held >= 8; held -= 8) {
      out += static_cast<char>(bits & 0xFFU);
      bits >>= 8U;
    }
  }
}

std::string page_header(int type, std::size_t bytes, std::size_t stored_bytes, std::size_t values,
                        int encoding) {
  std::string out;
  ThriftStruct header(out);
  header.i32(1, type);
  header.i32(2, static_cast<std::int64_t>(bytes));
  header.i32(3, static_cast<std::int64_t>(stored_bytes));
  ThriftStruct of_page = header.begin(type == kDataPage ? 5 : 7);
  of_page.i32(1, static_cast<std::int64_t>(values));
  of_page.i32(2, encoding);
  if (type == kDataPage) {
    of_page.i32(3, kRle);
    of_page.i32(4, kRle);
  }
  of_page.end();
  header.end();
  return out;
}

}  // namespace

void ParquetWriter::put(std::string_view bytes) {
  write_(bytes);
  written_ += static_cast<std::int64_t>(bytes.size());
}

void ParquetWriter::columns(std::span<const std::string> names) {
  put("PAR1");
  cells_.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Makes names unique: Parquet requires it, but SQL may repeat names.
    std::string name = names[i];
    for (int copy = 2; std::any_of(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Cells& other) { return other.name == name; });
         ++copy)
      name = names[i] + "_" + std::to_string(copy);
    cells_[i].name = std::move(name);
  }
}

void ParquetWriter::add_text(Cells& cells, std::string_view text) {
  const std::uint32_t before = cells.texts.size();
  cells.ids.push_back(cells.texts.intern(text));
  if (cells.texts.size() != before) text_bytes_ += text.size() + 4;
}

/// Converts the values that were already added to the wider type.
void ParquetWriter::widen(Cells& cells, Type type) {
  if (type == Type::real) cells.reals.assign(cells.integers.begin(), cells.integers.end());
  if (type == Type::text) {
    for (const std::int64_t number : cells.integers)
      cells.ids.push_back(cells.texts.intern(std::to_string(number)));
    for (const double number : cells.reals) cells.ids.push_back(cells.texts.intern(exact_digits(number)));
    cells.reals.clear();
  }
  cells.integers.clear();
  cells.type = type;
}

void ParquetWriter::add(Cells& cells, const QueryValue& value) {
  cells.there.push_back(value.index() == 0 ? 0 : 1);
  if (value.index() == 0) return;
  const Type own = value.index() == 1 ? Type::integer : value.index() == 2 ? Type::real : Type::text;
  if (own > cells.type) {
    if (cells.typed) {
      cells.there.back() = 0;
      if (!error_) {
        error_ = Error{Error::Kind::unknown_format,
                       "The column " + cells.name +
                           " has values of another type after its first million rows; CAST the column"};
      }
      return;
    }
    widen(cells, own);
  }
  if (cells.type == Type::text) {
    if (const auto* const text = std::get_if<std::string_view>(&value)) return add_text(cells, *text);
    const auto* const whole = std::get_if<std::int64_t>(&value);
    return add_text(cells, whole != nullptr ? std::to_string(*whole) : exact_digits(std::get<double>(value)));
  }
  const auto* const whole = std::get_if<std::int64_t>(&value);
  if (cells.type == Type::integer) {
    cells.integers.push_back(*whole);
  } else {
    cells.reals.push_back(whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value));
  }
}

void ParquetWriter::row(std::span<const QueryValue> values) {
  for (std::size_t i = 0; i < cells_.size(); ++i) add(cells_[i], values[i]);
  if (++rows_ == kGroupRows || text_bytes_ > kGroupTextBytes) write_group();
}

void ParquetWriter::put_page(Chunk& chunk, int type, std::string_view page, std::size_t values,
                             int encoding) {
  const std::string packed = page.empty() ? std::string(kEmptyFrame) : zstd_packed(page, kLevel);
  const std::string header = page_header(type, page.size(), packed.size(), values, encoding);
  put(header);
  put(packed);
  chunk.plain_bytes += static_cast<std::int64_t>(header.size() + page.size());
}

ParquetWriter::Chunk ParquetWriter::write_chunk(Cells& cells) {
  if (cells.type == Type::open) cells.type = Type::text;
  cells.typed = true;
  Chunk chunk;
  const std::int64_t begin = written_;
  std::string page;
  if (cells.type == Type::text) {
    for (const std::string_view text : cells.texts) {
      put_plain(page, static_cast<std::uint32_t>(text.size()));
      page += text;
    }
    chunk.dictionary_offset = written_;
    put_page(chunk, kDictionaryPage, page, cells.texts.size(), kPlain);
    page.clear();
  }
  std::string levels;
  put_packed(levels, cells.there.size(), 1, [&](std::size_t i) { return cells.there[i]; });
  put_plain(page, static_cast<std::uint32_t>(levels.size()));
  page += levels;
  for (const std::int64_t number : cells.integers) put_plain(page, number);
  for (const double number : cells.reals) put_plain(page, number);
  if (cells.type == Type::text) {
    const int width = std::max(1, static_cast<int>(std::bit_width(cells.texts.size())));
    page += static_cast<char>(width);
    put_packed(page, cells.ids.size(), width, [&](std::size_t i) { return cells.ids[i]; });
  }
  chunk.data_offset = written_;
  put_page(chunk, kDataPage, page, cells.there.size(), cells.type == Type::text ? kRleDictionary : kPlain);
  chunk.bytes = written_ - begin;
  chunk.values = static_cast<std::int64_t>(cells.there.size());
  cells.there.clear();
  cells.integers.clear();
  cells.reals.clear();
  cells.ids.clear();
  cells.texts = {};
  return chunk;
}

void ParquetWriter::write_group() {
  Group group;
  group.rows = static_cast<std::int64_t>(rows_);
  for (Cells& cells : cells_) group.chunks.push_back(write_chunk(cells));
  groups_.push_back(std::move(group));
  rows_ = 0;
  text_bytes_ = 0;
}

std::string ParquetWriter::metadata() const {
  const auto type_of = [](const Cells& cells) {
    return cells.type == Type::integer ? kInt64 : cells.type == Type::real ? kDouble : kByteArray;
  };
  std::string out;
  ThriftStruct file(out);
  file.i32(1, 1);  // version of the format
  file.list(2, kThriftStruct, cells_.size() + 1);
  ThriftStruct root(out);
  root.text(4, "schema");
  root.i32(5, static_cast<std::int64_t>(cells_.size()));
  root.end();
  for (const Cells& cells : cells_) {
    ThriftStruct column(out);
    column.i32(1, type_of(cells));
    column.i32(3, kOptional);
    column.text(4, cells.name);
    if (type_of(cells) == kByteArray) column.i32(6, kUtf8);
    column.end();
  }
  std::int64_t rows = 0;
  for (const Group& group : groups_) rows += group.rows;
  file.i64(3, rows);
  file.list(4, kThriftStruct, groups_.size());
  for (const Group& group : groups_) {
    ThriftStruct of_group(out);
    of_group.list(1, kThriftStruct, group.chunks.size());
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      const Chunk& chunk = group.chunks[i];
      bytes += chunk.plain_bytes;
      const bool dictionary = chunk.dictionary_offset >= 0;
      ThriftStruct of_chunk(out);
      of_chunk.i64(2, chunk.data_offset);
      ThriftStruct facts = of_chunk.begin(3);
      facts.i32(1, type_of(cells_[i]));
      facts.list(2, kThriftI32, dictionary ? 3 : 2);
      facts.put_number(kPlain);
      facts.put_number(kRle);
      if (dictionary) facts.put_number(kRleDictionary);
      facts.list(3, kThriftText, 1);
      facts.put_text(cells_[i].name);
      facts.i32(4, kZstd);
      facts.i64(5, chunk.values);
      facts.i64(6, chunk.plain_bytes);
      facts.i64(7, chunk.bytes);
      facts.i64(9, chunk.data_offset);
      if (dictionary) facts.i64(11, chunk.dictionary_offset);
      facts.end();
      of_chunk.end();
    }
    of_group.i64(2, bytes);
    of_group.i64(3, group.rows);
    of_group.end();
  }
  file.text(6, "kinetoscope");
  file.end();
  return out;
}

std::optional<Error> ParquetWriter::finish() {
  if (cells_.empty()) return Error{Error::Kind::unknown_format, "There is no result to write"};
  if (rows_ > 0) write_group();
  const std::string facts = metadata();
  put(facts);
  std::string end;
  put_plain(end, static_cast<std::uint32_t>(facts.size()));
  put(end + "PAR1");
  return error_;
}

}  // namespace kino
