#pragma once
// The one-shot EVP interface hides its state; these keep it in a plain struct, so that a file's
// digest survives a restart half way. OpenSSL 3 marks them deprecated and keeps them.
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/sha.h>
