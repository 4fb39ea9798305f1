package import Wire
extension Schema { package func check(_ operation: Operation) throws(WireError) {} }
