#include "core/trace/packed/packed_table.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace kino {
namespace {

std::size_t words_for(std::size_t numbers, unsigned bits) { return (numbers * bits + 63) / 64; }

std::size_t blocks_for(std::size_t rows) {
  return rows / PackedTable::kBlockRows + (rows % PackedTable::kBlockRows == 0 ? 0 : 1);
}

}  // namespace

PackedTable::PackedTable(std::size_t columns, std::span<const std::int64_t> values)
    : columns_(columns), rows_(values.size() / columns) {
  assert(values.size() % columns == 0);
  blocks_.reserve(blocks_for(rows_) * columns);
  std::size_t words = 0;
  for (std::size_t first = 0; first < rows_; first += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, rows_ - first);
    for (std::size_t c = 0; c < columns; ++c) {
      std::int64_t least = values[first * columns + c];
      std::int64_t most = least;
      for (std::size_t r = 1; r < rows; ++r) {
        const std::int64_t value = values[(first + r) * columns + c];
        least = std::min(least, value);
        most = std::max(most, value);
      }
      const auto bits = static_cast<unsigned>(
          std::bit_width(static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least)));
      blocks_.push_back({least, std::uint64_t{words} << 8U | bits});
      words += words_for(rows, bits);
    }
  }
  if (rows_ > 0) words_.resize(words + 1, 0);
  for (std::size_t block = 0; block < blocks_for(rows_); ++block) {
    for (std::size_t c = 0; c < columns; ++c) {
      const Column& column = blocks_[block * columns + c];
      const unsigned bits = column.bits();
      if (bits == 0) continue;
      std::uint64_t* const into = words_.data() + (column.place >> 8U);
      for (std::size_t r = 0; r < rows_of_block(block); ++r) {
        const auto value = static_cast<std::uint64_t>(values[(block * kBlockRows + r) * columns + c]);
        const std::uint64_t more = value - static_cast<std::uint64_t>(column.least);
        const std::size_t at = r * bits;
        into[at / 64] |= more << at % 64;
        if (at % 64 + bits > 64) into[at / 64 + 1] |= more >> (64 - at % 64);
      }
    }
  }
}

std::size_t PackedTable::size_bytes() const {
  return blocks_.size() * sizeof(Column) + words_.size() * sizeof(std::uint64_t);
}

std::size_t PackedTable::rows_of_block(std::size_t block) const {
  return std::min(kBlockRows, rows_ - block * kBlockRows);
}

std::size_t PackedTable::first_above(std::size_t column, std::int64_t value, std::size_t near) const {
  if (rows_ == 0) return 0;
  // Search the blocks by their minimum, which is their first number. The minimum of `low` is not above
  // `value`, or `low` is 0; the minimum of `high` is above `value`, or `high` is the end.
  const auto above = [&](std::size_t block) { return blocks_[block * columns_ + column].least > value; };
  const std::size_t blocks = blocks_for(rows_);
  std::size_t low = std::min(near / kBlockRows, blocks - 1);
  std::size_t high = low + 1;
  if (above(low)) {
    high = low;
    for (std::size_t jump = 1; low > 0 && above(low); jump *= 2) {
      high = low;
      low -= std::min(low, jump);
    }
    if (above(low)) return 0;
  } else {
    for (std::size_t jump = 1; high < blocks && !above(high); jump *= 2) {
      low = high;
      high = std::min(blocks, high + jump);
    }
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (above(middle) ? high : low) = middle;
  }
  const Column& block = blocks_[low * columns_ + column];
  // Search the block's rows by hand, since clang 14 cannot search an iota view of this standard library.
  std::size_t first = 0;
  for (std::size_t remaining = rows_of_block(low); remaining > 0;) {
    const std::size_t half = remaining / 2;
    if (number(block, first + half) > value) {
      remaining = half;
    } else {
      first += half + 1;
      remaining -= half + 1;
    }
  }
  return low * kBlockRows + first;
}

bool PackedTable::within(std::size_t column, std::int64_t least, std::int64_t most) const {
  for (std::size_t block = 0; block * kBlockRows < rows_; ++block) {
    const Column& block_column = blocks_[block * columns_ + column];
    const bool below = block_column.least < least || block_column.least > most;
    const std::uint64_t room =
        static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(block_column.least);
    if (!below && (block_column.bits() == 0 || ~0ULL >> (64 - block_column.bits()) <= room)) continue;
    for (std::size_t row = 0; row < rows_of_block(block); ++row) {
      const std::int64_t value = number(block_column, row);
      if (value < least || value > most) return false;
    }
  }
  return true;
}

bool PackedTable::sound(std::size_t columns) const {
  if (rows_ == 0) return blocks_.empty() && words_.empty();
  // Use the caller's `columns`, since a product with a number from the file could overflow.
  if (columns_ != columns || columns == 0 || blocks_.size() % columns != 0 ||
      blocks_.size() / columns != blocks_for(rows_))
    return false;
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Column& column = blocks_[i];
    if (column.bits() > 64 || column.place >> 8U != words) return false;
    words += words_for(rows_of_block(i / columns), column.bits());
  }
  return words_.size() == words + 1;
}

}  // namespace kino
