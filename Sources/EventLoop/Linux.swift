import CUV

/// Gives the system back the pages in which nothing is allocated any more. By itself the C library
/// does so at the end of the heap only, where something that lives on nearly always lies.
///
/// The corresponding C function is `malloc_trim`. It holds other threads' allocations up meanwhile, the
/// longer the more there is to give back.
package func returnFreedMemory() { _ = malloc_trim(0) }

/// Has the C library keep up to `bytes` of freed memory for the next allocation rather than give it
/// back at once: output and batches grow and go with every turn, and each page that comes back has to
/// be filled with zeros first.
///
/// The corresponding C function is `mallopt`.
package func keepFreedMemory(bytes: Int) {
  _ = mallopt(M_TRIM_THRESHOLD, Int32(bytes))
  _ = mallopt(M_MMAP_THRESHOLD, Int32(min(bytes, 32 << 20)))
}
