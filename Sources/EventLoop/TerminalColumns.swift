internal import CUV
internal import Glibc

/// How many columns a terminal gives a character: 0 for a mark that joins the one before and for
/// control characters, 2 for a wide one, else 1.
///
/// The first call sets the process's `LC_CTYPE` to `C.UTF-8`, on which the answer depends. The
/// corresponding C function is `wcwidth`.
package func terminalColumns(of scalar: UnicodeScalar) -> Int {
  _ = localeIsSet
  return Int(max(0, wcwidth(wchar_t(bitPattern: scalar.value))))
}

/// glibc brings that locale with it, so that it is there on every system.
private let localeIsSet = setlocale(LC_CTYPE, "C.UTF-8") != nil
