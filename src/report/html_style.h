#pragma once
#include <string_view>

namespace assay {

// The look of the HTML report: dark and light as the reader's system says, no fonts or pictures to fetch.
inline constexpr std::string_view kHtmlStyle = R"(
:root { color-scheme: light dark; --bg: #fff; --fg: #1c2024; --dim: #60656c; --line: #d9dde1; --box: #f5f6f8;
  --passed: #18794e; --failed: #c62a2f; --error: #c62a2f; --timeout: #ad5700; --skipped: #60656c; }
@media (prefers-color-scheme: dark) { :root { --bg: #111315; --fg: #e6e8ea; --dim: #9ba1a6; --line: #2f3438; --box: #1b1e21;
  --passed: #4cc38a; --failed: #ff6369; --error: #ff6369; --timeout: #ff8b3e; --skipped: #9ba1a6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 75rem; background: var(--bg); color: var(--fg);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .75rem; }
h2, h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
dl.facts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.25rem; }
dl.facts > div { border: 1px solid var(--line); border-radius: 6px; padding: .25rem .75rem; }
dl.facts dt { color: var(--dim); font-size: .8rem; }
dl.facts dd { margin: 0; font-weight: 600; }
.row { display: grid; grid-template-columns: 5.5rem minmax(0, 3fr) minmax(0, 3fr) 6rem; gap: .75rem; padding: .35rem .5rem; }
.row > * { overflow-wrap: anywhere; }
.row > :last-child { text-align: right; font-variant-numeric: tabular-nums; }
.head { color: var(--dim); font-size: .8rem; border-bottom: 1px solid var(--line); }
.result { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.3rem; }
.result > summary { cursor: pointer; list-style: none; }
.result > summary:hover, .result[open] > summary { background: var(--box); }
.body { padding: .25rem .5rem 1.25rem 1rem; }
.passed > summary > :first-child, .ok { color: var(--passed); font-weight: 600; }
.failed > summary > :first-child, .no { color: var(--failed); font-weight: 600; }
.error > summary > :first-child { color: var(--error); font-weight: 600; }
.timeout > summary > :first-child { color: var(--timeout); font-weight: 600; }
.skipped > summary > :first-child { color: var(--skipped); font-weight: 600; }
.dim { color: var(--dim); }
pre { margin: .25rem 0; padding: .5rem .75rem; background: var(--box); border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; }
pre.why { border-left: 3px solid var(--failed); }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { border-top: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--dim); font-size: .8rem; font-weight: 500; }
.checks th:nth-child(1) { width: 7rem; }
.checks th:nth-child(2) { width: 40%; }
.checks th:nth-child(3) { width: 3.5rem; }
.calls th:nth-child(1) { width: 22%; }
.calls th:nth-child(4) { width: 5.5rem; }
td pre { margin: 0; padding: .2rem .4rem; }
.turn { border-left: 3px solid var(--line); padding-left: .9rem; }
@media print { body { max-width: none; } .result { content-visibility: visible; } }
)";

}  // namespace assay
