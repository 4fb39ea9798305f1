import CUV

/// Gives the system back the pages in which nothing is allocated any more. By itself the C library
/// does so at the end of the heap only, where something that lives on nearly always lies.
///
/// The corresponding C function is `malloc_trim`. It holds other threads' allocations up meanwhile, the
/// longer the more there is to give back.
package func returnFreedMemory() { _ = malloc_trim(0) }
