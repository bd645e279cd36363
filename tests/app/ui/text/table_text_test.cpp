// Covers: table_text
#include "app/ui/text/table_text.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("ids and times beyond 2^53 are shown to the last digit") {
  Table table;
  table.add_integers("ts", "ts", Unit::id, "") = {1'700'000'000'000'350'001, -3, kNoInteger};
  const TableColumn& ts = *table.find("ts");
  CHECK(cell_text(ts, 0) == "1700000000000350001");
  CHECK(cell_text(ts, 1) == "-3");
  CHECK(cell_text(ts, 2).empty());
}

TEST_CASE("only exact shares are shown as 0 and 100 %, and files contain the exact value") {
  Table table;
  table.add_numbers("share", "Share", Unit::share, "") = {
      0, 0.0002, 0.5, 70.93 / 70.95, 1, 0.1 + 0.2 + 0.3 + 0.4 - 1e-16, 1.234, -0.25, kNoNumber};
  const TableColumn& share = *table.find("share");
  const std::vector<std::string> expected{"0.0 %", "< 0.1 %", "50.0 %",  "99.9 %", "100 %",
                                          "100 %", "123.4 %", "-25.0 %", ""};
  for (std::uint32_t row = 0; row < expected.size(); ++row) CHECK(cell_text(share, row) == expected[row]);
  CHECK(number_text(Unit::percent, 99.97) == "99.9 %");
  CHECK(number_text(Unit::percent, 0.02) == "< 0.1 %");
  CHECK(number_text(Unit::flop, 0) == "0 FLOP");
  CHECK(number_text(Unit::flop, 5.623e11) == "562.3 GFLOP");
  CHECK(number_text(Unit::flop, 999.96e9) == "1 TFLOP");
  CHECK(number_text(Unit::flop, 1e24) == "1e+06 EFLOP");
  const std::vector<std::uint32_t> rows{1};
  CHECK(table_csv(table, rows).find("2e-04") != std::string::npos);
}

TEST_CASE("a long sentence wraps with all its figures, and a long name is shortened") {
  Table table;
  const std::string name = "void gemm<" + std::string(60, 'x') + ">(int)";
  table.add_texts("of", "Of", "") = {name, "short"};
  table.add_texts("text", "Text", "") = {
      "The GPU waits for work that is launched too late: at most 6.537 ms of 14.46 ms a step (45.2 %). There "
      "are 245 launches.",
      "7 ns"};
  table.add_texts("fix", "Fix", "") = {"Fewer launches.", ""};
  const std::vector<std::uint32_t> rows{0, 1};
  const std::string text = table_text(table, rows);
  CHECK(text.find(name) == std::string::npos);
  const std::string gap(58, ' ');
  CHECK(text.find("The GPU waits for work that is launched too late: at      Fewer launches.\n") !=
        std::string::npos);
  CHECK(text.find("\n" + gap + "most 6.537 ms of 14.46 ms a step (45.2 %). There are 245\n" + gap +
                  "launches.\nshort") != std::string::npos);
  CHECK(text.find(" \n") == std::string::npos);
}

TEST_CASE("prose in a cell wraps and is not truncated") {
  Table table;
  table.add_texts("text", "Text", "") = {"unknown: 12 collectives on CPU threads, beside other work",
                                         "the GPU's window, from the first GPU work to the last, 101.3 ms"};
  table.add_texts("fix", "Fix", "") = {"a", "b"};
  const std::vector<std::uint32_t> rows{0, 1};
  const std::string text = table_text(table, rows);
  CHECK(text.find("...") == std::string::npos);
  CHECK_MESSAGE(text.find("CPU threads, beside other    a\nwork\n") != std::string::npos, text);
}
