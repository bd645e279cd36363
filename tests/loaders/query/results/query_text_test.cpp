// Covers: query_text
#include <doctest/doctest.h>

#include "tests/fixtures/query_fixture.hpp"

TEST_CASE("prints results in five formats, and always closes JSON") {
  const auto printed = [](kino::QueryFormat format, int rows) {
    std::string text;
    kino::QueryPrinter printer(format, [&](std::string_view piece) { text += piece; });
    const std::string names[] = {"name", "n"};
    printer.columns(names);
    const kino::QueryValue first[] = {std::string_view("a|\"b\""), std::int64_t{12}};
    const kino::QueryValue second[] = {std::monostate{}, 0.5};
    if (rows > 0) printer.row(first);
    if (rows > 1) printer.row(second);
    printer.finish();
    return text;
  };
  CHECK(printed(kino::QueryFormat::table, 2) == "name     n\na|\"b\"   12\nNULL   0.5\n");
  CHECK(printed(kino::QueryFormat::csv, 2) == "\"name\",\"n\"\r\n\"a|\"\"b\"\"\",12\r\n,0.5\r\n");
  CHECK(printed(kino::QueryFormat::json, 2) ==
        "[\n{\"name\": \"a|\\\"b\\\"\", \"n\": 12},\n{\"name\": null, \"n\": 0.5}\n]\n");
  CHECK(printed(kino::QueryFormat::json, 0) == "[]\n");
  CHECK(printed(kino::QueryFormat::jsonl, 1) == "{\"name\": \"a|\\\"b\\\"\", \"n\": 12}\n");
  CHECK(printed(kino::QueryFormat::markdown, 1) == "| name | n |\n|---|---|\n| a\\|\"b\" | 12 |\n");
}
