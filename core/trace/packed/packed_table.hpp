// Rows of integers in as few bits as needed, for lists of millions of rows of which few are read at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace kino {

/// Table in blocks of 128 rows. A block stores the minimum of each column, and for each row the difference
/// from it, in as many bits as the largest difference needs. Each column of a block takes 16 bytes in
/// addition to the bits; a column that is constant within a block takes no bits. Immutable.
class PackedTable {
 public:
  static constexpr std::size_t kBlockRows = 128;

  PackedTable() = default;
  /// `values` contains the rows one after the other, so its size is a multiple of `columns`. `columns` is at
  /// least 1.
  PackedTable(std::size_t columns, std::span<const std::int64_t> values);

  std::size_t size() const { return rows_; }
  bool empty() const { return rows_ == 0; }
  std::size_t size_bytes() const;

  std::int64_t at(std::size_t row, std::size_t column) const {
    return number(blocks_[row / kBlockRows * columns_ + column], row % kBlockRows);
  }
  /// Returns the first kColumns numbers of a row.
  template <std::size_t kColumns>
  std::array<std::int64_t, kColumns> row(std::size_t row) const {
    const Column* const block = blocks_.data() + row / kBlockRows * columns_;
    std::array<std::int64_t, kColumns> numbers;
    for (std::size_t i = 0; i < kColumns; ++i) numbers[i] = number(block[i], row % kBlockRows);
    return numbers;
  }

  /// Returns the first row whose number in the column is above `value`, or size(). The column must never
  /// descend. `near` is a row near the result. O(log(rows between the result and `near`)).
  std::size_t first_above(std::size_t column, std::int64_t value, std::size_t near = 0) const;

  /// Whether all numbers of a column are in [least, most]. Usually O(blocks), at worst O(rows).
  bool within(std::size_t column, std::int64_t least, std::int64_t most) const;

  /// Returns all members, for serialization. Check data from a file with sound() before use.
  auto members() { return std::tie(columns_, rows_, blocks_, words_); }
  auto members() const { return std::tie(columns_, rows_, blocks_, words_); }
  /// Whether the table has `columns` columns and each number can be read. O(blocks).
  bool sound(std::size_t columns) const;

 private:
  /// One column of one block.
  struct Column {
    std::int64_t least = 0;
    std::uint64_t place = 0;  // index of its first word, shifted left by 8, plus the bits per number

    unsigned bits() const { return static_cast<unsigned>(place & 255U); }
  };

  std::int64_t number(const Column& column, std::size_t row_in_block) const {
    const unsigned bits = column.bits();
    if (bits == 0) return column.least;
    const std::size_t at = row_in_block * bits;
    const std::uint64_t* const word = words_.data() + (column.place >> 8U) + at / 64;
    const std::size_t shift = at % 64;
    // Read two words; there is always one more word after the last number. Shift in two steps, since a shift
    // by 64 is undefined.
    const std::uint64_t more = (word[0] >> shift | word[1] << 1U << (63 - shift)) & ~0ULL >> (64 - bits);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(column.least) + more);
  }
  std::size_t rows_of_block(std::size_t block) const;

  std::uint64_t columns_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<Column> blocks_;  // the columns of the first block, of the second, ...
  std::vector<std::uint64_t> words_;
};

}  // namespace kino
