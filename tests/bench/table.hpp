// A table on stdout: aligned for people, or comma-separated for machines.
#pragma once

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
  /// All rows as lines of text. `csv`: commas instead of alignment, cells with commas quoted.
  std::string text(bool csv) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "1 234 567" for people, "1234567" for machines.
std::string grouped_number(unsigned long long number, bool csv);
/// With so many decimals.
std::string fixed(double number, int decimals);
/// The middle one, or the mean of both; 0 of nothing.
double median(std::vector<double> numbers);
/// The smallest number that `share` of all are not above; 0 of nothing.
double percentile(std::vector<double> numbers, double share);

}  // namespace kino_test
