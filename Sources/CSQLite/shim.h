#pragma once
#include <sqlite3.h>

/// `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int watchline_sqlite3_db_config_flag(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}
