package import Merge

extension Schema.Kind {
  /// Neither listed nor contained, with nothing but plain fields: what can happen to its records can happen to those of
  /// other kinds.
  package var standsAlone: Bool {
    order == nil && container == nil && fixedID == nil
      && registers.allSatisfy { register in
        register.form == .single && register.fields.allSatisfy { $0.reference == nil }
      }
  }
}
