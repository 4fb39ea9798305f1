extension Planter {
  /// Plants the fault that `WATCHLINE_PLANT` names, in a build that has some.
  ///
  /// - Returns: whether there is one of that name, or none was asked for.
  static func plantWhatIsAsked() -> Bool {
    guard let fault = environment("WATCHLINE_PLANT"), !plant(fault) else { return true }
    complain("this build has no fault \(fault) planted")
    return false
  }
}
