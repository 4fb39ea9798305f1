import Testing
import Wire

@Suite struct CalendarDayTests {
  /// Each day of 9,999 years has the number after that of the day before.
  @Test func daysFollowEachOther() {
    var number: Int64 = -719_528
    var missing = 0
    for year in 0...9998 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        .enumerated()
      {
        for day in 1...length {
          let date = CalendarDay(year: year, month: month + 1, day: day)
          if date?.number != number || date != CalendarDay(number: number) { missing += 1 }
          number += 1
        }
        #expect(CalendarDay(year: year, month: month + 1, day: length + 1) == nil)
      }
    }
    #expect(missing == 0)
  }

  @Test func knownDays() {
    #expect(CalendarDay(year: 1970, month: 1, day: 1)?.number == 0)
    #expect(CalendarDay(year: 2001, month: 1, day: 1)?.number == 11_323)
    #expect(CalendarDay(year: 2000, month: 2, day: 29)?.number == 11_016)
    let early = CalendarDay(number: -719_529)
    #expect((early.year, early.month, early.day) == (-1, 12, 31))
    for (month, day) in [(0, 1), (13, 1), (1, 0), (1, 32)] {
      #expect(CalendarDay(year: 2026, month: month, day: day) == nil)
    }
    #expect(CalendarDay(year: 10_000, month: 1, day: 1) == nil)
  }
}
