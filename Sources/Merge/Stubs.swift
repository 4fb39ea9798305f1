extension OldView { func offset(of e: Element) -> Int? { nil } }
