/// What an application's records are made of: kinds, their registers, containment and order.
///
/// A schema is data (`Schemas/*.json`; the form is clause 10 of the specification). It decides what
/// the view shows and what an edit may write, and never how operations merge: whatever merging
/// needs is frozen in them.
package struct Schema: Sendable, Equatable {
  package var name: Name
  /// Sorted by name.
  package var kinds: [Kind]
  /// SHA-256 of the file's canonical form. View digests are compared only between equal ones.
  package var digest: [UInt8]

  package init(name: Name, kinds: [Kind], digest: [UInt8] = []) {
    self.name = name
    self.kinds = kinds.sorted { $0.name < $1.name }
    self.digest = digest
  }

  package subscript(kind: Name) -> Kind? {
    for index in kinds.indices where kinds[index].name == kind { return kinds[index] }
    return nil
  }
}

extension Schema {
  /// A kind of record.
  package struct Kind: Sendable, Equatable {
    private struct Parts: Sendable, Equatable {
      var name: Name
      var registers: [Register]
      var container: Container?
      var order: Name?
      var fixedID: Name?
      var derived: [Derived]
    }

    private var parts: Shared<Parts>

    package init(
      name: Name, registers: [Register], container: Container? = nil, order: Name? = nil,
      fixedID: Name? = nil, derived: [Derived] = []
    ) {
      parts = Shared(
        Parts(
          name: name, registers: registers, container: container, order: order, fixedID: fixedID,
          derived: derived))
    }

    package var name: Name {
      _read { yield parts.value.name }
      _modify { yield &parts.value.name }
    }
    package var registers: [Register] {
      _read { yield parts.value.registers }
      _modify { yield &parts.value.registers }
    }
    /// What owns records of this kind; nil for those that stand by themselves.
    package var container: Container? {
      _read { yield parts.value.container }
      _modify { yield &parts.value.container }
    }
    /// The register that holds a record's place in a movable list: the list of its container, or
    /// the root's. nil where records are not ordered.
    package var order: Name? {
      _read { yield parts.value.order }
      _modify { yield &parts.value.order }
    }
    /// The one id that records of this kind may have; nil where there may be many.
    package var fixedID: Name? {
      _read { yield parts.value.fixedID }
      _modify { yield &parts.value.fixedID }
    }
    package var derived: [Derived] {
      _read { yield parts.value.derived }
      _modify { yield &parts.value.derived }
    }

    package subscript(register: Name) -> Register? {
      for index in registers.indices where registers[index].name == register {
        return registers[index]
      }
      return nil
    }

    /// The register that a field is in, and the field.
    package func field(_ name: Name) -> (register: Register, field: Field)? {
      for index in registers.indices {
        for place in registers[index].fields.indices
        where registers[index].fields[place].name == name {
          return (registers[index], registers[index].fields[place])
        }
      }
      return nil
    }
  }

  /// What is written as one: a field, a group of fields, or a text that merges by character.
  package struct Register: Sendable, Equatable {
    package enum Form: Sendable, Equatable {
      /// The value is the field's.
      case single
      /// The value is an object of all its fields, written whole.
      case group
      /// A sequence of characters.
      case text
    }

    package var name: Name
    package var form: Form
    /// One field of the register's own name, but for a group.
    package var fields: [Field]
    /// Whether writing it keeps its record visible against an older delete.
    package var revives: Bool

    package init(name: Name, form: Form, fields: [Field], revives: Bool = true) {
      self.name = name
      self.form = form
      self.fields = fields
      self.revives = revives
    }
  }

  package struct Field: Sendable, Equatable {
    private struct Parts: Sendable, Equatable {
      var name: Name
      var initial: Datum?
      var rules: [Rule]
      var reference: Name?
    }

    private var parts: Shared<Parts>
    package var type: FieldType
    /// Whether null is a value of it.
    package var isOptional: Bool
    /// A date that is the time of the create where its caller gives nothing.
    package var startsNow: Bool
    /// Written by create alone.
    package var isFixed: Bool
    /// Whether an edit takes blanks off both ends.
    package var isTrimmed: Bool

    package init(
      name: Name, type: FieldType, isOptional: Bool = false, initial: Datum? = nil,
      startsNow: Bool = false, rules: [Rule] = [], reference: Name? = nil, isFixed: Bool = false,
      isTrimmed: Bool = false
    ) {
      parts = Shared(Parts(name: name, initial: initial, rules: rules, reference: reference))
      self.type = type
      self.isOptional = isOptional
      self.startsNow = startsNow
      self.isFixed = isFixed
      self.isTrimmed = isTrimmed
    }

    package var name: Name {
      _read { yield parts.value.name }
      _modify { yield &parts.value.name }
    }
    /// What create writes where its caller gives nothing; nil where the caller must.
    package var initial: Datum? {
      _read { yield parts.value.initial }
      _modify { yield &parts.value.initial }
    }
    package var rules: [Rule] {
      _read { yield parts.value.rules }
      _modify { yield &parts.value.rules }
    }
    /// The kind that a uuid names; the view shows null while that record is hidden or unknown,
    /// unless the field is the container's.
    package var reference: Name? {
      _read { yield parts.value.reference }
      _modify { yield &parts.value.reference }
    }
  }

  package struct Container: Sendable, Equatable {
    package var kind: Name
    /// The register whose value names the container: the kind's `order` (the list that the record
    /// stands in), a single reference, or a group.
    package var register: Name
    /// The field of that register that names it, also the name under which the view shows it.
    package var field: Name
    /// A reference of the same register: while the record that it names is visible, that record's
    /// container is this one's too.
    package var through: Name?

    package init(kind: Name, register: Name, field: Name, through: Name? = nil) {
      self.kind = kind
      self.register = register
      self.field = field
      self.through = through
    }
  }

  /// A field that nobody writes: the view computes it.
  package struct Derived: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
      /// The time of the newest create, restore or content write of the record, as a date.
      case touched
      /// Whole seconds from one date field to another; null while either is.
      case seconds(from: Name, to: Name)
    }

    package var name: Name
    package var source: Source

    package init(name: Name, source: Source) {
      self.name = name
      self.source = source
    }
  }

  /// What a value must be besides being of its type.
  package struct Rule: Sendable, Equatable {
    package enum Test: Sendable, Equatable {
      /// Not empty once blanks are taken off both ends.
      case notBlank
      case above(Datum)
      case atLeast(Datum)
      case atMost(Datum)
      case oneOf([Datum])
      /// Not below another field of the same register, where both are there.
      case notBefore(Name)
      /// Null wherever another field of the same register is.
      case needs(Name)
      /// The record that a reference names is visible.
      case exists
    }

    package var test: Test
    /// The error's number: one of `ErrorCode` from 4020 to 4039.
    package var code: Int
    package var message: Name

    package init(test: Test, code: Int, message: Name) {
      self.test = test
      self.code = code
      self.message = message
    }
  }
}

/// The types of fields. Each has one canonical form, made at the origin.
///
/// | type | canonical form |
/// | --- | --- |
/// | int | string: 64-bit integer in decimal digits |
/// | decimal | string: no exponent, no needless zeros, at most 38 digits |
/// | double | string: the shortest spelling that reads as the same number, as ECMAScript has it |
/// | date | string: seconds since 2001-01-01 UTC, spelled as a double |
/// | uuid | string: upper case |
/// | bool | `true` or `false` |
/// | string, text | string: Unicode scalars, never normalised |
package enum FieldType: String, CaseIterable, Sendable {
  case int, decimal, double, date, uuid, bool, string, text
}
