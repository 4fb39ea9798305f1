extension Page {
  /// What the slider and the copy buttons do. Everything else is there without it.
  static let script = #"""
    (function () {
      "use strict";
      var data = JSON.parse(document.getElementById("data").textContent);
      var find = function (selector) { return Array.from(document.querySelectorAll(selector)); };
      document.documentElement.classList.add("js");

      find(".copy").forEach(function (button) {
        var source = document.getElementById(button.dataset.copy);
        button.hidden = false;
        button.addEventListener("click", function () {
          var done = function () {
            button.textContent = "Copied";
            setTimeout(function () { button.textContent = "Copy"; }, 1500);
          };
          var range = document.createRange();
          range.selectNodeContents(source);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          if (navigator.clipboard && isSecureContext) {
            navigator.clipboard.writeText(source.textContent).then(done, function () {
              if (document.execCommand("copy")) done();
            });
          } else if (document.execCommand("copy")) {
            done();
          }
        });
      });

      var slider = document.getElementById("step");
      if (!slider) return;
      var make = function (name, parent, text, kind) {
        var element = document.createElement(name);
        if (text !== undefined) element.textContent = text;
        if (kind) element.className = kind;
        parent.appendChild(element);
        return element;
      };
      var isFocus = function (record) {
        return record[0] === data.focus[0];
      };

      // What each place holds after a step, with the records that the step changed.
      var statesAfter = function (last) {
        var places = data.places.map(function () { return []; });
        for (var at = 0; at <= last; at += 1) {
          var step = data.steps[at];
          var held = places[step.place];
          step.records.forEach(function (record) {
            var index = held.findIndex(function (other) {
              return other[0] === record[0];
            });
            var before = index < 0 ? null : held[index];
            var entry = [record[0], record[1], at === last ? before || ["", []] : null];
            if (index < 0) held.push(entry); else held[index] = entry;
          });
        }
        return places;
      };

      var showRecord = function (record, parent) {
        make("bdi", make("h4", parent), record[0]);
        if (record[1].length === 0) { make("p", parent, "not there"); return; }
        var list = make("dl", parent);
        record[1].forEach(function (field) {
          var before = record[2] && record[2][1].find(function (old) { return old[0] === field[0]; });
          var isFresh = record[2] && (!before || before[1] !== field[1]);
          var isInFocus = isFocus(record) && field[0] === data.focus[1];
          make("bdi", make("dt", list, undefined, isInFocus ? "focus" : ""), field[0]);
          var value = make("dd", list, undefined, isInFocus ? "focus" : "");
          make("bdi", value, field[1], isFresh ? "v fresh" : "v");
        });
      };

      var show = function (number, isChosen) {
        var step = data.steps[number];
        slider.value = number;
        slider.setAttribute("aria-valuetext", "step " + (number + 1) + ", " + step.at);
        document.getElementById("caption").textContent = "Step " + (number + 1) + " of "
          + data.steps.length + " · " + step.at + " · " + data.places[step.place][0] + ": " + step.text;
        var states = document.getElementById("states");
        states.textContent = "";
        statesAfter(number).forEach(function (records, place) {
          if (records.length === 0 && !hasRecords[place]) return;
          var card = make("div", states, undefined, "place " + data.places[place][1]);
          make("bdi", make("h3", card), data.places[place][0]);
          if (records.length === 0) make("p", card, "nothing yet");
          var first = records.filter(function (record) { return isFocus(record) || record[2]; });
          if (first.length === 0) first = records.slice(0, 2);
          first.sort(function (a, b) { return isFocus(b) - isFocus(a); });
          first.forEach(function (record) { showRecord(record, card); });
          var others = records.filter(function (record) { return first.indexOf(record) < 0; });
          if (others.length === 0) return;
          var more = make("details", card);
          make("summary", more, others.length + " more record" + (others.length > 1 ? "s" : ""));
          more.open = isOpen[place];
          more.addEventListener("toggle", function () { isOpen[place] = more.open; });
          others.forEach(function (record) { showRecord(record, more); });
        });
        find(".diagram li").forEach(function (row) {
          var isNow = +row.dataset.from <= number && number <= +row.dataset.to;
          row.classList.toggle("now", isNow);
          if (isNow && isChosen && row.offsetParent) reveal(row);
        });
      };

      // Moves the row into sight within its own diagram, and leaves the page where it is.
      var reveal = function (row) {
        var box = row.closest(".diagram");
        if (box.scrollHeight <= box.clientHeight) return;
        var calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
        box.scrollTo({
          top: row.offsetTop - box.offsetTop - box.clientHeight / 2, behavior: calm ? "auto" : "smooth"
        });
      };

      var isOpen = {};
      var hasRecords = data.places.map(function (_, place) {
        return data.steps.some(function (step) { return step.place === place && step.records.length > 0; });
      });
      var last = data.steps.length - 1;
      var move = function (by) { show(Math.max(0, Math.min(last, +slider.value + by)), true); };
      slider.addEventListener("input", function () { show(+slider.value, true); });
      document.getElementById("back").addEventListener("click", function () { move(-1); });
      document.getElementById("on").addEventListener("click", function () { move(1); });
      find(".diagram li").forEach(function (row) {
        row.addEventListener("click", function () { show(+row.dataset.from, false); });
      });
      find(".panel").forEach(function (panel) { panel.hidden = false; });
      show(last, false);
    })();
    """#
}
