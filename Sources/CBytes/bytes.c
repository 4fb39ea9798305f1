#include "watchline_bytes.h"
