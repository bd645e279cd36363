// Rows of whole numbers in as few bits as they need, for lists of millions of which a few are read at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace kino {

/// Blocks of 128 rows have the least number of each column once, and of each row what it is more, in as many
/// bits as the largest of them needs. 16 bytes a column and block beside the bits; a number that does not
/// change within a block takes none. Immutable.
class PackedTable {
 public:
  static constexpr std::size_t kBlockRows = 128;

  PackedTable() = default;
  /// Of `values` row by row, whose number is a multiple of `columns`, which is at least 1.
  PackedTable(std::size_t columns, std::span<const std::int64_t> values);

  std::size_t size() const { return rows_; }
  bool empty() const { return rows_ == 0; }
  std::size_t size_bytes() const;

  std::int64_t at(std::size_t row, std::size_t column) const {
    return number(blocks_[row / kBlockRows * columns_ + column], row % kBlockRows);
  }
  /// The first kColumns of a row.
  template <std::size_t kColumns>
  std::array<std::int64_t, kColumns> row(std::size_t row) const {
    const Column* const block = blocks_.data() + row / kBlockRows * columns_;
    std::array<std::int64_t, kColumns> numbers;
    for (std::size_t i = 0; i < kColumns; ++i) numbers[i] = number(block[i], row % kBlockRows);
    return numbers;
  }

  /// Of a column whose numbers do not fall: the first row whose number is above `value`; size() without one.
  /// O(log(rows between it and `near`)).
  std::size_t first_above(std::size_t column, std::int64_t value, std::size_t near = 0) const;

  /// Whether all numbers of a column are in [least, most]. Mostly O(blocks), at worst O(rows).
  bool within(std::size_t column, std::int64_t least, std::int64_t most) const;

  /// For storing: all there is of it. What was read is only to be used if it is sound().
  auto members() { return std::tie(columns_, rows_, blocks_, words_); }
  auto members() const { return std::tie(columns_, rows_, blocks_, words_); }
  /// Whether each number can be read, and there are as many columns as that. O(blocks).
  bool sound(std::size_t columns) const;

 private:
  /// Of one block.
  struct Column {
    std::int64_t least = 0;
    std::uint64_t place = 0;  // its first word, and in the lowest 8 bits how many bits a number has

    unsigned bits() const { return static_cast<unsigned>(place & 255U); }
  };

  std::int64_t number(const Column& column, std::size_t row_in_block) const {
    const unsigned bits = column.bits();
    if (bits == 0) return column.least;
    const std::size_t at = row_in_block * bits;
    const std::uint64_t* const word = words_.data() + (column.place >> 8U) + at / 64;
    const std::size_t shift = at % 64;
    // The word behind the last one is there, too. Shifted in two, since by 64 is no shift.
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
