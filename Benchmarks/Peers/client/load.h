// What a load has shown.
#pragma once
#include "histogram.h"

/// From the time at which a message was sent, or was to be sent, to its delivery.
extern struct histogram latency;
