extension Page {
  /// How it looks: on a screen of any width, light and dark, and on paper.
  static let style = """
    :root {
      --back: #fbfbfa; --card: #fff; --ink: #1e2126; --quiet: #666d76; --rule: #e3e5e8;
      --loss: #c4321f; --loss-back: #fdf0ee; --good: #1d7348; --mark: #eef3fb;
      --l0: #2b68ab; --l1: #7f52ab; --l2: #9a6416; --l3: #1f7c76; --l4: #a03f76; --l5: #5f7024;
      --ls: #6b727b;
      --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
      color-scheme: light dark;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --back: #16181b; --card: #1d2024; --ink: #e7e8ea; --quiet: #9ba2ab; --rule: #30343a;
        --loss: #ff8370; --loss-back: #35211f; --good: #66c796; --mark: #232c38;
        --l0: #7db1ea; --l1: #bd98e6; --l2: #dcac65; --l3: #6cc8c1; --l4: #e594c0; --l5: #b3c76d;
        --ls: #9ba2ab;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--back); color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    main { max-width: 70rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
    h1 { font-size: clamp(1.5rem, 1.1rem + 2vw, 2.1rem); line-height: 1.2; margin: 0 0 .8rem;
      letter-spacing: -.015em; text-wrap: balance; }
    h2 { font-size: 1.1rem; line-height: 1.3; margin: 0 0 .9rem; }
    h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
    section { margin-top: 2.75rem; }
    .about { color: var(--quiet); font-size: .875rem; margin: 0 0 .6rem; }
    .story { font-size: 1.125rem; max-width: 46rem; overflow-wrap: anywhere; }
    .story p { margin: 0 0 .35rem; }
    .sep, .or, .quiet { color: var(--quiet); font-weight: normal; }
    .sep { margin: 0 .45rem; }
    p.quiet { font-size: .875rem; margin: .8rem 0 .4rem; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
      white-space: nowrap; }
    .v, code, pre, .ref { font-family: var(--mono); font-size: .92em; }
    .v, code { overflow-wrap: anywhere; }
    .t { font-variant-numeric: tabular-nums; color: var(--quiet); white-space: nowrap; }
    .p { font-weight: 600; }
    .l0 { --c: var(--l0); } .l1 { --c: var(--l1); } .l2 { --c: var(--l2); } .l3 { --c: var(--l3); }
    .l4 { --c: var(--l4); } .l5 { --c: var(--l5); } .ls { --c: var(--ls); }
    .p, .diagram .lanes > span { color: var(--c); }
    :focus-visible { outline: 2px solid var(--l0); outline-offset: 2px; border-radius: 3px; }

    .ends { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1.25rem; }
    .ends > div { flex: 1 1 11rem; background: var(--card); border: 1px solid var(--rule);
      border-radius: .6rem; padding: .65rem .9rem .75rem; min-width: 0; }
    .ends dt { font-size: .875rem; color: var(--quiet); }
    .ends dd { margin: .1rem 0 0; font-size: 1.2rem; overflow-wrap: anywhere; }
    .ends .mark { margin-left: .5rem; font-size: 1rem; }
    .ends .bad { border-color: var(--loss); background: var(--loss-back); }
    .ends .bad .mark { color: var(--loss); } .ends .good .mark { color: var(--good); }
    .ends .open { border-color: var(--loss); }
    .ends .wanted { border: 1px dashed var(--quiet); }

    table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
    th { text-align: left; font-weight: 500; font-size: .8125rem; color: var(--quiet); }
    th, td { padding: .4rem 1rem .4rem 0; vertical-align: baseline; border-bottom: 1px solid var(--rule); }
    th:last-child, td:last-child { padding-right: 0; }
    .ref { display: inline-block; min-width: 1.5em; padding: 0 .3em; margin-right: .25em; text-align: center;
      border-radius: .75em; background: var(--mark); font-size: .8125rem; }
    .writes .n { width: 4rem; }
    .gone .fate, .gone .v { color: var(--loss); font-weight: 600; }
    .past .fate { color: var(--quiet); }
    .difference dt, .origin dt { color: var(--quiet); }
    .difference dd { margin: 0 0 .5rem; }
    .difference code { display: block; background: var(--loss-back); padding: .5rem .75rem; border-radius: .4rem; }

    .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .75rem; font-size: .8125rem;
      color: var(--quiet); }
    .key { display: inline-flex; align-items: center; gap: .4rem; }
    .key i { --c: var(--quiet); width: .8rem; height: .8rem; position: relative; }
    .key > i::before, .dot::before { content: ""; position: absolute; inset: 0; margin: auto; border-radius: 50%;
      border: 2px solid var(--c); background: var(--c); width: .75rem; height: .75rem; }
    .send > i::before, .send .dot::before { width: .4rem; height: .4rem; }
    .receive > i::before, .receive .dot::before { background: var(--card); width: .6rem; height: .6rem; }
    .fault > i::before, .fault .dot::before { border-radius: 1px; transform: rotate(45deg); width: .55rem; height: .55rem; }
    .note .dot::before { width: .15rem; height: .4rem; border-radius: 0; border-width: 1px; }
    .legend .key:not(.edit, .send, .receive, .fault) i { width: 1.6rem; }
    .legend .key:not(.edit, .send, .receive, .fault) i::before { border: 0; border-top: 2.5px dashed var(--loss);
      background: none; border-radius: 0; width: 1.6rem; height: 0; }

    .board { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; align-items: start; }
    .js .board { grid-template-columns: minmax(0, 1fr) 21rem; }
    .diagram { --lane: 4.5rem; background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; overflow: auto;
      max-height: 80vh; }
    .diagram ol { list-style: none; margin: 0; padding: 0 0 .4rem; }
    .row { display: grid; grid-template-columns: max-content max-content minmax(0, 1fr); min-height: 2.1rem;
      padding-right: .75rem; }
    .row > * { align-self: center; }
    .diagram .row { font-size: .9rem; line-height: 1.35; }
    .diagram .row { min-width: calc(5rem + var(--n) * var(--lane) + 11rem); }
    .row .t { padding: 0 .4rem 0 .9rem; min-width: 4.9rem; font-size: .8125rem; }
    .diagram > .head { position: sticky; top: 0; z-index: 2; background: var(--card); border-bottom: 1px solid var(--rule);
      font-size: .8125rem; }
    .lanes { position: relative; align-self: stretch; display: grid;
      width: calc(var(--n) * var(--lane)); min-height: 2.1rem; }
    .head .lanes { grid-auto-flow: column; grid-auto-columns: var(--lane); align-items: center; }
    .head .lanes > span { text-align: center; font-weight: 600; overflow: hidden; line-height: 1.15;
      overflow-wrap: anywhere; max-height: 2.3em; padding: 0 .1rem; }
    .lanes svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: hidden; }
    .lanes line { vector-effect: non-scaling-stroke; }
    .life { stroke: var(--c); stroke-width: 1.5; opacity: .3; }
    .message { stroke: var(--quiet); stroke-width: 1.25; opacity: .75; }
    .losing { stroke: var(--loss); stroke-width: 2.5; stroke-dasharray: 5 4; }
    .dot, .lanes .head { position: absolute; top: 50%; left: calc((var(--i) + .5) * var(--lane)); }
    .dot { width: 0; height: 0; }
    .dot::before { transform: translate(-50%, -50%); inset: 0 auto auto 0; margin: 0; }
    .fault .dot::before { transform: translate(-50%, -50%) rotate(45deg); }
    .lanes .head { width: 0; height: 0; border: .28rem solid transparent; margin-top: -.28rem; }
    .lanes .right { border-left-color: var(--a, var(--quiet)); border-right-width: 0; margin-left: -.65rem;
      border-left-width: .42rem; }
    .lanes .left { border-right-color: var(--a, var(--quiet)); border-left-width: 0; margin-left: .25rem;
      border-right-width: .42rem; }
    .path { --a: var(--loss); }
    .path .dot { --c: var(--loss); }
    .what { padding: .3rem 0 .3rem .75rem; max-width: 34rem; overflow-wrap: anywhere; }
    .what em { color: var(--quiet); font-size: .8125rem; margin-left: .4rem; }
    .send .what, .receive .what, .note .what, .fold .what { color: var(--quiet); }
    .path .what { color: inherit; }
    .fold .what { font-style: italic; }
    .fold .lanes { opacity: .45; }
    .now { background: var(--mark); }
    .js .diagram li { cursor: pointer; }
    .toggle { margin: 0 .4rem .75rem 0; }
    .toggle + label { font-size: .875rem; }
    .toggle:checked ~ .folded, .toggle:not(:checked) ~ .full { display: none; }

    .panel { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; padding: 2px; }
    .stepper { display: flex; gap: .5rem; align-items: center; }
    .stepper input { flex: 1; min-width: 0; accent-color: var(--l0); height: 1.75rem; }
    button { font: inherit; font-size: .875rem; color: inherit; background: var(--card); border: 1px solid var(--rule);
      border-radius: .4rem; padding: .25rem .65rem; cursor: pointer; }
    button:hover { border-color: var(--quiet); }
    #caption { margin: .5rem 0 .9rem; font-size: .875rem; color: var(--quiet); overflow-wrap: anywhere; min-height: 2.6em; }
    #states { display: grid; gap: .6rem; }
    .place { background: var(--card); border: 1px solid var(--rule); border-top: 3px solid var(--c); border-radius: .4rem;
      padding: .5rem .75rem .6rem; font-size: .875rem; min-width: 0; }
    .place h3 { margin: 0 0 .2rem; font-size: .875rem; color: var(--c); }
    .place h4 { margin: .35rem 0 0; font-size: .8125rem; font-weight: 600; overflow-wrap: anywhere; }
    .place dl { margin: 0; display: grid; grid-template-columns: minmax(4.5rem, auto) minmax(0, 1fr); gap: 0 .75rem; }
    .place dt { color: var(--quiet); overflow-wrap: anywhere; } .place dd { margin: 0; overflow-wrap: anywhere; }
    .place .focus { font-weight: 700; color: var(--ink); }
    .place .fresh { background: var(--mark); border-radius: 3px; box-shadow: 0 0 0 3px var(--mark); }
    .place p, .place summary { margin: .2rem 0 0; color: var(--quiet); font-size: .8125rem; }
    .js .states { display: none; }
    .states { margin-top: 1.5rem; font-size: .875rem; }
    .states p { margin: 0; } .states .f { margin-right: .6rem; } .states .f > bdi:first-child { color: var(--quiet); }

    .command { display: flex; gap: .5rem; align-items: start; }
    pre { margin: 0; padding: .65rem .9rem; background: var(--card); border: 1px solid var(--rule); border-radius: .4rem;
      overflow: auto; max-height: 14rem; flex: 1; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    .copy { padding: .6rem .9rem; }
    details { margin-top: .9rem; }
    summary { cursor: pointer; font-size: .9375rem; width: max-content; max-width: 100%; }
    .origin { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1.25rem; font-size: .9375rem;
      margin: .75rem 0; }
    .origin dd { margin: 0; overflow-wrap: anywhere; }

    @media (max-width: 62rem) {
      .js .board { grid-template-columns: minmax(0, 1fr); }
      .panel { order: -1; top: 0; background: var(--back); z-index: 3; max-height: 48vh; padding: .5rem 2px;
        border-bottom: 1px solid var(--rule); }
      #states { grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); }
      .place dl { grid-template-columns: minmax(0, 1fr); }
      .place dd { margin-bottom: .15rem; }
      .diagram { max-height: none; }
    }
    @media (max-width: 36rem) {
      .diagram { --lane: max(1.9rem, min(3.1rem, calc(9.6rem / var(--n)))); }
      main { padding: 1.5rem 1rem 3rem; }
      .diagram .row { min-width: calc(4rem + var(--n) * var(--lane) + 9.5rem); }
      .row .t { min-width: 0; padding: 0 .2rem 0 .5rem; font-size: .75rem; }
      .row { grid-template-columns: 3.9rem max-content minmax(0, 1fr); padding-right: .5rem; }
      .head .lanes > span { font-size: .75rem; }
      .diagram > .head .t { visibility: hidden; }
      .what { padding-left: .5rem; font-size: .8125rem; }
      .writes thead { display: none; }
      .writes tr { display: block; border-bottom: 1px solid var(--rule); padding: .5rem 0; }
      .writes td { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); border: 0; padding: .1rem 0;
        justify-items: start; align-items: baseline; }
      .writes .n { width: auto; }
      .writes td::before { content: attr(data-label); color: var(--quiet); font-size: .8125rem; }
      .origin { grid-template-columns: minmax(0, 1fr); gap: 0; }
      .origin dd { margin-bottom: .5rem; }
    }
    @media print {
      .diagram { --lane: 3.6rem; }
      body { background: none; font-size: 10pt; }
      main { padding: 0; max-width: none; }
      section { margin-top: 1.5rem; }
      .panel, button, .toggle, .toggle + label { display: none !important; }
      .js .board { grid-template-columns: minmax(0, 1fr); }
      .js .states { display: block; }
      .diagram { max-height: none; overflow: visible; }
      .now { background: none; }
      .row, tr, .ends > div, .command { break-inside: avoid; }
      h2, h3 { break-after: avoid; }
      .diagram > .head { position: static; }
      pre { max-height: none; overflow: visible; }
      details::details-content { content-visibility: visible; display: block; height: auto; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }
    """
}
