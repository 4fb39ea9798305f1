// What can be done with connections. Each prints one JSON object on standard output.
#pragma once

/// Sends for `warmUp` and `seconds`, measures the latter, and waits for what is under way.
void runForTime(void);
/// Fills while the watches are away, and drains when they are back.
void runBacklog(void);
/// Connects, waits for `seconds`, and compares the server's memory with before.
void runIdle(void);
