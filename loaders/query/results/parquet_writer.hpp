// Writes a result as Apache Parquet: flat columns of int64, double and UTF-8, compressed with zstd.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.hpp"
#include "loaders/query/query_session.hpp"

namespace kino {

/// Writes a file in parquet-format 2.10. Parts: "PAR1", row groups with one chunk per column, the metadata in
/// Thrift's compact protocol, the length of the metadata in 4 bytes, "PAR1". A row group ends after
/// kGroupRows rows, or once its texts exceed kGroupTextBytes. A chunk is one data page; in columns of texts,
/// a dictionary page precedes it. The content of a page is a zstd frame. Every column may contain NULL. The
/// first row group determines the type of a column: text if a value is a text or all values are NULL.
/// Otherwise, the type is double if a value is not an integer, and integer if all are.
class ParquetWriter : public QueryRows {
 public:
  static constexpr std::size_t kGroupRows = 1'000'000;
  static constexpr std::size_t kGroupTextBytes = std::size_t{256} << 20;

  explicit ParquetWriter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void columns(std::span<const std::string> names) override;
  void row(std::span<const QueryValue> values) override;
  /// Ends the file. Fails if a row after the first row group has a double in a column of integers, or a text
  /// in a column of numbers. Also fails if there are no columns.
  std::optional<Error> finish();

 private:
  enum class Type : std::uint8_t { open, integer, real, text };
  struct Cells {
    std::string name;
    Type type = Type::open;
    bool typed = false;                  ///< the type is fixed, because a row group is written
    std::vector<std::uint8_t> there;     ///< by row: whether the value is not NULL
    std::vector<std::int64_t> integers;  ///< values of type integer, excluding NULLs
    std::vector<double> reals;
    StringTable texts;
    std::vector<std::uint32_t> ids;  ///< ids of texts, excluding NULLs
  };
  struct Chunk {
    std::int64_t dictionary_offset = -1;
    std::int64_t data_offset = 0;
    std::int64_t bytes = 0;        ///< stored size including headers
    std::int64_t plain_bytes = 0;  ///< decompressed, with headers
    std::int64_t values = 0;
  };
  struct Group {
    std::vector<Chunk> chunks;
    std::int64_t rows = 0;
  };

  static void widen(Cells& cells, Type type);
  void add(Cells& cells, const QueryValue& value);
  void add_text(Cells& cells, std::string_view text);
  void write_group();
  Chunk write_chunk(Cells& cells);
  void put_page(Chunk& chunk, int type, std::string_view page, std::size_t values, int encoding);
  void put(std::string_view bytes);
  std::string metadata() const;

  std::function<void(std::string_view)> write_;
  std::vector<Cells> cells_;
  std::vector<Group> groups_;
  std::size_t rows_ = 0;        // of the group
  std::size_t text_bytes_ = 0;  // of the group
  std::int64_t written_ = 0;
  std::optional<Error> error_;
};

}  // namespace kino
