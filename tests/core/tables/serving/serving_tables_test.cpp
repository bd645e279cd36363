// Covers: serving_tables
#include "core/tables/serving/serving_tables.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/range_tables.hpp"
#include "tests/fixtures/table_cells.hpp"
