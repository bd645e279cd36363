// Covers: argument_fields
// Names of arguments, and suggestions for misspelled ones.
#include "core/trace/argument_fields.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using kino::ArgumentFields;

TEST_CASE("all spellings of an argument's name are one field") {
  ArgumentFields fields;
  for (const char* name : {"External id", "external_id", "correlation", "Input Dims", "", "()"}) {
    fields.add(name);
  }
  std::vector<std::string> keys;
  for (const ArgumentFields::Field& field : fields.all()) keys.push_back(field.key);
  CHECK(keys == std::vector<std::string>{"correlation", "externalid", "inputdims"});
  CHECK(fields.all()[1].name == "External id");
  CHECK(fields.has("inputdims"));
  CHECK_FALSE(fields.has("inputdim"));
  CHECK(fields.nearest("corelation") == "correlation");
  CHECK(fields.nearest("inptdim") == "inputdims");
  CHECK(fields.nearest("zzzzzz").empty());
  CHECK(ArgumentFields().nearest("x").empty());
}
