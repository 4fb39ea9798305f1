// What the kernel says of a process.
#pragma once
#include <stdint.h>

/// User and system seconds that it has used, all threads; to the hundredth.
double processorSeconds(int process);
/// Bytes of it that are in memory.
uint64_t residentBytes(int process);
/// User and system seconds of this process.
double ownProcessorSeconds(void);
