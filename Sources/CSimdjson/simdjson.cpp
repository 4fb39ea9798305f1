#include "watchline_simdjson.h"

#include <simdjson.h>

extern "C" int watchline_simdjson_validate(const char *bytes, size_t length) {
  static thread_local simdjson::dom::parser parser;
  return static_cast<int>(parser.parse(bytes, length, true).error());
}
