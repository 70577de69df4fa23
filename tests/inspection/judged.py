"""Pages to look into, and reports on them."""

from pathlib import Path
from typing import Any

from scrapy_justext.core.options import make_options
from scrapy_justext.core.parsing import Parsed, parse_html
from scrapy_justext.crawl.settings import configure, from_mapping
from scrapy_justext.inspection import view
from scrapy_justext.inspection.pages import InspectedPage

#: Every way that we know for a page to run or fetch something; braces for the address of a server that counts.
HOSTILE = """<!doctype html>
<html onclick="parent.ran=1" manifest="{0}/manifest"><head>
<title>bad </title><base href="{0}/base/" target="_top">
<meta http-equiv="refresh" content="0;url={0}/refresh">
<link rel="preload" as="image" href="{0}/preload"><link rel="stylesheet" href="{0}/style.css">
<link rel="dns-prefetch prefetch prerender" href="{0}/prefetch"><link rel="icon" href="{0}/icon">
<style>@import url({0}/import.css); body {{ background: url({0}/body.png) }} p::before {{ content: url({0}/p.png) }}
@font-face {{ font-family: x; src: url({0}/font) }}</style>
<script>parent.ran = window.ran = 1; fetch("{0}/script")</script><script src="{0}/script.js"></script>
<script type="module">import "{0}/module.js"</script>
</head><body onload="parent.ran=1" background="{0}/background" style="background:url({0}/style-attribute)">
<h1 onmouseover="parent.ran=1">The oldest tricks of the trade</h1>
<p>A page that is <a href="javascript:parent.ran=1" ping="{0}/ping">up to no good</a> would have
<a href="{0}/link" target="_top">links</a> and <a href="data:text/html,<script>parent.ran=1</script>">data</a>.</p>
<img src="{0}/image" srcset="{0}/image-2 2x" onerror="parent.ran=1" alt="a &quot;&lt;script&gt; image">
<picture><source srcset="{0}/source"><img src="{0}/picture" alt="a picture"></picture>
<form action="{0}/form" target="_top"><input name="a" value="v" autofocus onfocus="parent.ran=1">
<input type="image" src="{0}/input"><button formaction="{0}/button">Send it</button></form>
<svg onload="parent.ran=1"><script>parent.ran=1</script><image href="{0}/svg-image" xlink:href="{0}/svg-xlink"/>
<use href="{0}/use#a"/><a xlink:href="javascript:parent.ran=1"><text>click</text></a>
<animate attributeName="href" values="javascript:parent.ran=1"/>
<foreignObject><img src="{0}/foreign"></foreignObject></svg>
<math><mtext><img src="{0}/math" onerror="parent.ran=1"></mtext></math>
<object data="{0}/object"><embed src="{0}/embed"></object><applet code="{0}/applet"></applet>
<video src="{0}/video" poster="{0}/poster" autoplay><track src="{0}/track"></video><audio src="{0}/audio"></audio>
<iframe src="{0}/frame"></iframe>
<iframe srcdoc="<script>top.ran=1</script><img src={0}/srcdoc>"></iframe>
<details ontoggle="parent.ran=1" open><summary>More</summary>of the same</details>
<noscript><p title="</noscript><img src={0}/noscript onerror=parent.ran=1>">nothing runs</noscript>
<template><img src="{0}/template"></template><marquee onstart="parent.ran=1">moving</marquee>
<table background="{0}/table"><tr><td background="{0}/cell">a cell</td></tr></table>
<p>&lt;/script&gt;&lt;script&gt;parent.ran=1&lt;/script&gt; &lt;!-- &lt;script&gt;
&#8232; &#8233; ]]&gt; &lt;/style&gt;</p>
<textarea>&lt;/textarea&gt;&lt;script&gt;parent.ran=1&lt;/script&gt;</textarea><xmp><script>parent.ran=1</script></xmp>
<p style="background-image:url({0}/p-style)" id="jt-reason" class="jt-list" data-block="0"
data-index="3">The last one.</p>
</body></html>
"""


def view_of(page: str | bytes | Parsed, **options: Any) -> dict[str, Any]:
    """Return the view of a page."""
    parsed = page if isinstance(page, Parsed) else parse_html(page)
    return view.page_view(InspectedPage("", None, parsed).inspect(make_options(**options)))


def report_on(path: Path, *pages: str, names: tuple[str, ...] = (), **options: Any) -> str:
    """Write a report on some pages, and return its address."""
    configuration = configure(from_mapping(options, "justext"))
    names = names or tuple(f"page {i}" for i in range(len(pages)))
    inspected = [
        InspectedPage(name, None, parse_html(html), (), configuration) for name, html in zip(names, pages, strict=True)
    ]
    path.write_text(view.report_on([page.inspect() for page in inspected]), "utf-8")
    return path.as_uri()
