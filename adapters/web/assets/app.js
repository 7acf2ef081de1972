// Makes links, forms and pages faster, and shows changes of others. Everything works
// without it. Documents are parsed by XMLHttpRequest: that needs no Trusted Types.
"use strict";
(() => {
const all = (selector, root) => [...(root || document).querySelectorAll(selector)];

// dirty tells whether somebody has changed a field of a form.
const dirty = form => [...form.elements].some(e =>
  e.type === "hidden" || e.tagName === "BUTTON" ? false :
  e.tagName === "SELECT" ? [...e.options].some(o => o.selected !== o.defaultSelected) && e.value !== first(e) :
  e.type === "checkbox" ? e.checked !== e.defaultChecked : e.value !== e.defaultValue);
const first = select => { const o = [...select.options].find(o => o.defaultSelected) || select.options[0]; return o ? o.value : ""; };

// edited tells whether a form that changes something has unsaved text.
const edited = root => all("form[method=post]", root).some(f => !/\/(sign-|language)/.test(f.action) && dirty(f));

// load gets a page of this site and calls then with it.
const load = (method, url, body, then, failed) => {
  const r = new XMLHttpRequest();
  r.open(method, url);
  r.responseType = "document";
  r.setRequestHeader("Accept", "text/html");
  if (body !== null) r.setRequestHeader("Content-Type", "application/x-www-form-urlencoded");
  r.onload = () => r.response && r.response.querySelector(r.status === 413 ? "main form" : "main") ? then(r.response, r.responseURL) : failed();
  r.onerror = failed;
  r.send(body);
};

// show replaces the page.
const show = (page, url, push) => {
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  const old = document.body;
  const next = document.adoptNode(page.body);
  old.replaceWith(next);
  if (push && new URL(url, location).pathname + new URL(url, location).search !== location.pathname + location.search) history.pushState(null, "", url);
  const hash = new URL(url, location).hash.slice(1);
  const target = hash && document.getElementById(hash);
  if (target) target.scrollIntoView(); else scrollTo(0, 0);
  const focus = document.querySelector("[autofocus]") || document.querySelector("main");
  focus.focus({preventScroll: true});
  begin();
};

const visit = (url, push) => load("GET", url, null, (page, at) => show(page, at + new URL(url, location).hash, push), () => location.assign(url));

const own = url => url.origin === location.origin && !/\/(docs|errors|api|openapi\.json|assets)(\/|$)/.test(url.pathname);

addEventListener("click", e => {
  const a = e.target.closest && e.target.closest("a[href]");
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.target || edited()) return;
  const url = new URL(a.href);
  if (!own(url) || url.hash && url.pathname === location.pathname && url.search === location.search) return;
  e.preventDefault();
  visit(url.href, true);
});

let sending = false; // a form that changes something
addEventListener("submit", e => {
  const form = e.target, button = e.submitter;
  const url = new URL(form.action);
  if (e.defaultPrevented || form.target || !own(url) || /\/(sign-(in|out)|language)$/.test(url.pathname)) return;
  e.preventDefault();
  const data = new URLSearchParams(new FormData(form, button));
  if (form.method === "get") { url.search = data; visit(url.href, true); return; }
  if (button) button.disabled = true;
  sending = true;
  load("POST", url.href, data.toString(), (page, at) => { sending = false; show(page, at, true); }, () => {
    sending = false;
    if (button) button.disabled = false;
    document.querySelector("#offline").hidden = false;
  });
});

addEventListener("popstate", () => visit(location.href, false));
addEventListener("beforeunload", e => { if (edited()) e.preventDefault(); });

// Changes of others arrive by a stream, while the page is visible: browsers allow few
// connections to one site.
let stream, seen = 0;
const end = () => { if (stream) stream.close(); stream = null; };
const begin = () => {
  end();
  seen = 0;
  const main = document.querySelector("main[data-live]");
  if (!main || document.hidden) return;
  stream = new EventSource(main.dataset.live);
  stream.onmessage = () => main.dataset.swap ? refresh(main) : announce(main);
};
addEventListener("visibilitychange", () => document.hidden ? end() : begin());

// announce says how many changes there are. It moves nothing under the reader.
const announce = main => {
  const bar = main.querySelector(".live");
  seen++;
  bar.hidden = false;
  bar.querySelector("b").textContent = seen;
};

// refresh replaces the parts of a page that nobody edits. The answer to a form replaces all
// of them.
const refresh = main => load("GET", location.href, null, page => {
  if (sending) return;
  for (const part of all("[data-part]", main)) {
    const fresh = page.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!fresh || part.contains(document.activeElement) || edited(part)) continue;
    part.replaceWith(document.adoptNode(fresh));
  }
  document.title = page.title;
}, () => {});

begin();
})();
