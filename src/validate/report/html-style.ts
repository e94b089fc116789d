/** How the page looks, in light and in dark. No script, no font and no picture from elsewhere. */

export const STYLE: string = `
:root{--ink:#1a222c;--soft:#5a6673;--paper:#fff;--panel:#f5f7f9;--line:#dfe5ea;--pass:#2b9a54;--skip:#d5dce3;--must:#cf3b30;--should:#dd9a00;--derived:#3a7fc2;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ee;--soft:#96a3b0;--paper:#12161b;--panel:#1a2027;--line:#2c353f;--skip:#37414c;--pass:#35ab63;--must:#e5574c;--should:#e3aa2c;--derived:#5b9bd9}}
*{box-sizing:border-box}
body{font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;margin:0 auto;max-width:76rem;padding:2rem 1.25rem 5rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2.75rem 0 .9rem}
a{color:var(--derived)}
code,pre{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;margin:.25rem 0 0;padding:.6rem .75rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;max-height:20rem}
.soft{color:var(--soft)}
.head{display:flex;gap:1.75rem;align-items:center;flex-wrap:wrap}
.word{font-weight:600}
.word.complete,.word.compliant{color:var(--pass)}.word.partial{color:var(--should)}.word.failing{color:var(--must)}
.revisions{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));margin-top:1.5rem}
.revision{border:1px solid var(--line);border-radius:8px;padding:.75rem .9rem}
.revision b{font-size:1.5rem;font-weight:600}
.bar{display:flex;height:8px;border-radius:4px;overflow:hidden;margin:.5rem 0 .4rem;background:var(--skip)}
.bar i{display:block}
.pass{background:var(--pass)}.skip{background:var(--skip)}.must{background:var(--must)}.should{background:var(--should)}.derived{background:var(--derived)}.may{background:var(--pass);opacity:.45}
.small{font-size:.85rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;font-size:.85rem;color:var(--soft);white-space:nowrap}
.squares{display:flex;flex-wrap:wrap;gap:3px;min-width:5rem}
.squares a,.key i{width:12px;height:12px;border-radius:2px;display:inline-block}
.squares a[href]:hover{outline:2px solid var(--ink)}
.key{display:flex;gap:1.2rem;flex-wrap:wrap;margin:.75rem 0}
.key i{margin-right:.4rem}
.finding{border:1px solid var(--line);border-left:5px solid;border-radius:8px;padding:.9rem 1.1rem;margin:1rem 0;background:none}
.finding.must{border-left-color:var(--must);background:none}.finding.should{border-left-color:var(--should);background:none}.finding.derived{border-left-color:var(--derived);background:none}
.finding:target{box-shadow:0 0 0 3px var(--skip)}
.finding h3{font-size:1rem;margin:0}
.tag{color:#fff;border-radius:4px;padding:.05rem .4rem;font-size:.75rem;font-weight:600;margin-right:.5rem;vertical-align:1px}
.evidence{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));margin:.7rem 0}
.evidence span{font-size:.8rem;color:var(--soft)}
.finding p{margin:.5rem 0}
details{margin:.5rem 0}summary{cursor:pointer}
.said{display:grid;grid-template-columns:4.5rem 2.5rem 1.2rem 1fr;gap:.5rem;border-bottom:1px solid var(--line);padding:.2rem 0;font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
.said>span{color:var(--soft);text-align:right}
.said code{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
.said.sent em{color:var(--derived)}.said.received em{color:var(--pass)}
.said em{font-style:normal;font-weight:700}
.good{font-size:1.05rem}
@media print{details{display:none}}
`.trim();
