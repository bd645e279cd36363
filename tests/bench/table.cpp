#include "tests/bench/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kino_test {
namespace {

std::string csv_cell(const std::string& cell) {
  return cell.find_first_of(",\"") == std::string::npos ? cell : "\"" + cell + "\"";
}

// Counts characters as a terminal shows them: continuation bytes of UTF-8 have no width.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string Table::text(bool csv) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (csv) {
        text += (i > 0 ? "," : "") + csv_cell(row[i]);
        continue;
      }
      const std::string padding(widths[i] - columns_of(row[i]), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string grouped_number(unsigned long long number, bool csv) {
  std::string text = std::to_string(number);
  if (csv) return text;
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ' ');
  }
  return text;
}

std::string fixed(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

double percentile(std::vector<double> numbers, double share) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(numbers.size())));
  return numbers[std::clamp<std::size_t>(rank, 1, numbers.size()) - 1];
}

}  // namespace kino_test
