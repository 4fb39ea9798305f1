#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether simdjson accepts `length` bytes at `bytes` as one strict JSON document.
/// Returns 0 when it does, else simdjson's error code.
int watchline_simdjson_validate(const char *bytes, size_t length);

/// What `Envelope.scan` does, done by simdjson: one copy into a padded buffer, the DOM parser for
/// the validation, and the on-demand parser for the members' raw text.
/// `start` and `count` receive the raw text of `payload` as offsets in the line, where there is one.
/// Returns 0, or simdjson's error code.
int watchline_simdjson_envelope(
  const char *bytes, size_t length, size_t *start, size_t *count);

#ifdef __cplusplus
}
#endif
