extension String {
  /// In quotation marks, as a JSON string: how logfmt has values with blanks, marks or line ends.
  package var quoted: String {
    var bytes: [UInt8] = []
    bytes.append(jsonString: self)
    return String(decoding: bytes, as: UTF8.self)
  }
}
