#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether simdjson accepts `length` bytes at `bytes` as one strict JSON document.
/// Returns 0 when it does, else simdjson's error code.
int watchline_simdjson_validate(const char *bytes, size_t length);

#ifdef __cplusplus
}
#endif
