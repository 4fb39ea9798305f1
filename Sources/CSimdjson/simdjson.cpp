#include "watchline_simdjson.h"

#include <cstring>
#include <simdjson.h>
#include <vector>

extern "C" int watchline_simdjson_validate(const char *bytes, size_t length) {
  static thread_local simdjson::dom::parser parser;
  return static_cast<int>(parser.parse(bytes, length, true).error());
}

extern "C" int watchline_simdjson_envelope(
  const char *bytes, size_t length, size_t *start, size_t *count
) {
  using namespace simdjson;
  static thread_local dom::parser validator;
  static thread_local ondemand::parser reader;
  static thread_local std::vector<char> padded;
  if (padded.size() < length + SIMDJSON_PADDING) padded.resize(2 * length + SIMDJSON_PADDING);
  memcpy(padded.data(), bytes, length);
  memset(padded.data() + length, 0, SIMDJSON_PADDING);

  auto invalid = validator.parse(padded.data(), length, false).error();
  if (invalid) return static_cast<int>(invalid);

  padded_string_view view(padded.data(), length, padded.size());
  ondemand::document document;
  auto error = reader.iterate(view).get(document);
  if (error) return static_cast<int>(error);
  ondemand::object object;
  error = document.get_object().get(object);
  if (error) return static_cast<int>(error);
  for (auto field : object) {
    std::string_view key;
    error = field.unescaped_key().get(key);
    if (error) return static_cast<int>(error);
    ondemand::value value;
    error = field.value().get(value);
    if (error) return static_cast<int>(error);
    if (key == "payload") {
      ondemand::object payload;
      error = value.get_object().get(payload);
      if (error) return static_cast<int>(error);
      std::string_view text;
      error = payload.raw_json().get(text);
      if (error) return static_cast<int>(error);
      *start = static_cast<size_t>(text.data() - padded.data());
      *count = text.size();
    } else {
      std::string_view token = value.raw_json_token();
      if (token.empty()) return -1;
    }
  }
  return 0;
}
