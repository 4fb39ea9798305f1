#include "ccurl.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

struct answer {
  char *bytes;
  size_t count, limit;
};

static size_t take(char *bytes, size_t one, size_t count, void *context) {
  struct answer *answer = context;
  size_t length = one * count;
  if (length > answer->limit - answer->count) return 0;
  char *longer = realloc(answer->bytes, answer->count + length + 1);
  if (longer == NULL) return 0;
  memcpy(longer + answer->count, bytes, length);
  answer->bytes = longer;
  answer->count += length;
  return length;
}

long watchline_http_get(
  const char *url, long milliseconds, size_t limit, char **body, size_t *count, char *error) {
  struct answer answer = {NULL, 0, limit};
  long status = 0;
  strcpy(error, "there is no memory");
  CURL *curl = curl_easy_init();
  if (curl != NULL) {
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    else if (error[0] == 0) strcpy(error, curl_easy_strerror(code));
    curl_easy_cleanup(curl);
  }
  *body = answer.bytes;
  *count = answer.count;
  return status;
}
