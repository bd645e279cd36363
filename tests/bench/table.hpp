// A table of text: aligned, or as CSV.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace kino_test {

/// Bytes in a megabyte, as the tables print them.
inline constexpr double kMega = 1e6;

class Table {
 public:
  /// The first column is aligned to the left, the others to the right.
  explicit Table(std::vector<std::string> heads) : rows_{std::move(heads)} {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Returns all rows as lines. With `csv`, cells are separated by commas, and cells with commas are quoted.
  std::string text(bool csv) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Returns "1 234 567", or "1234567" with `csv`.
std::string grouped_number(unsigned long long number, bool csv);
/// Prints `number` with this number of decimals.
std::string fixed(double number, int decimals);
/// Returns the time since `begin` in ms.
double ms_since(std::chrono::steady_clock::time_point begin);
/// Returns the median; 0 if empty.
double median(std::vector<double> numbers);
/// Returns the smallest number such that at least `share` of all numbers do not exceed it; 0 if empty.
double percentile(std::vector<double> numbers, double share);

}  // namespace kino_test
