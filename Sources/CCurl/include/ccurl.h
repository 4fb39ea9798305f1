#pragma once
#include <stddef.h>

/// Asks by GET and waits for the answer.
///
/// - Parameters:
///   - body: what came, for `free`; NULL where nothing did.
///   - limit: more bytes than these are a failure.
///   - error: why there is no answer, of at least 256 bytes.
/// - Returns: the HTTP status, or 0 where there is no answer.
long watchline_http_get(
  const char *url, long milliseconds, size_t limit, char **body, size_t *count, char *error);
