// Makes pages faster, and shows changes of others. Everything works without it. XMLHttpRequest
// parses documents: that needs no Trusted Types.
"use strict";
(() => {
const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// dirty tells whether somebody has changed a field. Buttons have no default.
const dirty = e =>
  e.options ? e.value !== ([...e.options].find(o => o.defaultSelected) || e.options[0] || e).value :
  e.type === "checkbox" ? e.checked !== e.defaultChecked : (e.defaultValue ?? e.value) !== e.value;

// plain forms change nothing that anybody has typed.
const plain = f => /\/(sign-(in|out)|language)$/.test(f.action);

// unsent are the other forms that have unsaved text, typed or refused.
const unsent = root => all("form[method=post]", root).filter(f => !plain(f) && !("light" in f.dataset) && ("unsent" in f.dataset || [...f.elements].some(dirty)));
const edited = root => unsent(root)[0];

// load gets a page of this site and calls then with it, and progress while it sends.
const load = (method, url, body, then, failed, progress) => {
  const r = new XMLHttpRequest();
  r.open(method, url);
  r.responseType = "document";
  r.setRequestHeader("Accept", "text/html");
  r.onload = () => r.response && one(r.status === 413 && !(body instanceof FormData) ? "main form" : "main", r.response) ? then(r.response, r.responseURL) : failed();
  r.onerror = failed;
  r.upload.onprogress = progress; // a browser looks for it when it begins to send
  r.send(body);
  return r;
};

// busy shows that an answer is on its way.
const busy = on => document.documentElement.classList.toggle("busy", on);

// Each page of the history has a number, and how far it was scrolled is kept under it, for the
// way back. Only an event later than that of the way back tells of the scrolling by the browser.
let number = history.state || Date.now(), top = 0;
history.replaceState(number, "");
const leave = () => sessionStorage[number] = top;
addEventListener("scroll", () => top = scrollY);

// bare is an address without the place on the page, and shown that of this page. going asks
// for the next one.
const bare = url => url.pathname + url.search;
let shown, going;

// outside are the inputs of a form that stand elsewhere on the page: the fields of a problem.
const outside = f => [...f.elements].filter(e => !f.contains(e));

// mark shows which fields are changed. The button to save them is there when one is.
const mark = () => {
  const f = one("#edit");
  if (!f) return;
  const fields = outside(f);
  for (const e of fields) e.closest(".field")?.classList.toggle("edited", dirty(e));
  one("#save").hidden = !("unsent" in f.dataset || fields.some(dirty));
};

// show replaces the page. The answer to a button (by) of a problem keeps the place on it. Other
// forms with unsaved text (left) come back with their page.
let left = [];
const show = (page, at, push, by, back) => {
  const url = new URL(at, location), here = scrollY, from = shown;
  busy(false);
  const stay = by && url.pathname === location.pathname && one("[data-swap], #bulk, .board") && one("[data-swap], #bulk, .board", page);
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  left.push(...unsent().filter(f => f !== by?.form).map(f => [f, outside(f)]));
  document.body.replaceWith(document.adoptNode(page.body));
  left = left.filter(([f, rest]) => {
    const fresh = all("form").findLast(g => g.action === f.action);
    fresh?.replaceWith(f);
    if (fresh) for (const e of rest) {
      if (e.name) f.elements[e.name]?.replaceWith(e);
      if (dirty(e)) e.closest("details")?.setAttribute("open", "");
    }
    f.closest("details")?.setAttribute("open", "");
    return !fresh;
  });
  if (push && bare(url) !== shown) {
    leave();
    history.pushState(number = Date.now(), "", url);
  }
  const target = url.hash && document.getElementById(url.hash.slice(1));
  if (target && !(back >= 0)) target.scrollIntoView(); else scrollTo(0, stay ? here : back || 0);
  const next = stay && (one("main .notice") || document.getElementById(by.closest("[id]").id)) || back >= 0 && all("main a").find(a => bare(a) === from) || one("[autofocus]") || one("main");
  if (next.tabIndex < 0) next.tabIndex = -1;
  next.focus({preventScroll: true});
  begin();
};

const visit = (url, push, back) => {
  going?.abort();
  busy(true);
  going = load("GET", url, null, (page, at) => show(page, at + new URL(url, location).hash, push, null, back), () => location.assign(url));
};

const own = url => url.origin === location.origin && !/\/(docs|errors|api|open(api.json|id)|assets)(\/|$)/.test(url.pathname);

addEventListener("click", e => {
  const a = e.target.closest("a[href]");
  if (a?.dataset.dialog) { e.preventDefault(); return dialog(a); }
  if (!a || a.classList.contains("file") || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.target || edited()) return;
  if (!own(a) || a.hash && bare(a) === shown) return;
  e.preventDefault();
  visit(a.href, true);
});

// dialog shows the page of a link in front of this one.
const dialog = a => load("GET", a.href, null, page => {
  const d = document.createElement("dialog"), within = document.createElement("div"), end = document.createElement("button");
  end.textContent = a.dataset.dialog;
  end.onclick = () => d.close();
  d.onclose = () => d.remove();
  within.append(...document.adoptNode(one("main", page)).childNodes);
  d.append(within, end);
  document.body.append(d);
  d.showModal();
}, () => location.assign(a.href));

// Keys press their control, or go to it, where nobody types. Some are two, one after the other.
// data-key has them, and the list has those for its rows: down, up, select, select up to here.
// What a key types never gets into the field that it leads to.
let before = "", picked = 0, pressed;
addEventListener("keypress", e => { if (pressed) e.preventDefault(); });
addEventListener("keydown", e => {
  pressed = false;
  const at = e.target, form = at.form, typing = at.matches("input:not([type=checkbox]), select, textarea");
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && form) return form.requestSubmit(form.contains(at) ? one(".primary", form) : null);
  const ways = all("dialog .found a, .offer a"), step = {ArrowDown: 1, ArrowUp: -1}[e.key];
  if (step && ways.length) { e.preventDefault(); return (ways[ways.indexOf(at) + step] || at).focus(); }
  if (e.key === "Escape" && unoffer()) return;
  if (e.key === "Enter" && !e.isComposing && at.dataset.people && ways[0]) { e.preventDefault(); return ways[0].click(); }
  if (e.altKey || e.isComposing || document.body.dataset.keys || one("dialog")) return;
  const find = one('[data-key="Control+k"]');
  if (e.ctrlKey || e.metaKey) {
    if (find && e.key === "k") { e.preventDefault(); find.click(); }
    return;
  }
  if (e.key === "Escape") {
    all("details.drop[open]").forEach(d => d.open = false);
    if (typing) at.blur(); else all(".pick :checked").forEach(box => box.checked = false);
  }
  if (typing) return;
  const list = one("[data-moves]"), rows = list ? all("tbody tr", list) : [], here = rows.findIndex(r => r.contains(at));
  const boxes = (from, to) => rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(r => one(".pick input", r)).filter(Boolean);
  const move = rows.length ? list.dataset.moves.split(" ").indexOf(e.key) : -1;
  if (move === 0 || move === 1) one("th a", rows[move ? Math.max(here - 1, 0) : Math.min(here + 1, rows.length - 1)]).focus();
  if (move > 1 && here >= 0) {
    boxes(move === 3 ? picked : here, here).forEach(box => box.checked = move === 3 || !box.checked);
    picked = here;
  }
  const key = before + e.key, keyed = all("[data-key]"), control = keyed.find(c => c.dataset.key === key) || key === "/" && find;
  before = keyed.some(c => c.dataset.key.startsWith(key + " ")) ? key + " " : "";
  if (!control) return;
  e.preventDefault();
  pressed = true;
  if (control.form?.id === "bulk" && here >= 0 && !one(".pick :checked")) boxes(here, here)[0].checked = true;
  const fold = control.closest("details");
  if (control.matches("summary")) { fold.open = true; one("input", fold).focus(); return; }
  if (fold) fold.open = true;
  if (control.matches("input, select, textarea")) control.focus(); else control.click();
});

// ask looks up what somebody types, and forgets what was typed before.
let asking;
const ask = (url, words, then) => {
  asking?.abort();
  asking = load("GET", url + "?words=" + encodeURIComponent(words), null, then, () => {});
};

// unoffer takes the offered names away, also those that are still looked up. Who is among them goes
// back to the text.
const unoffer = () => {
  const list = one(".offer");
  asking?.abort();
  if (list?.contains(document.activeElement)) list.previousElementSibling.focus();
  list?.remove();
  return list;
};
addEventListener("focusin", e => e.target.closest(".offer") || e.target.dataset.people || one(".offer")?.remove());

// The way to anything, the titles of other problems and the people behind "@" are looked up while
// somebody types.
addEventListener("input", e => {
  const box = e.target, form = box.form, titles = box.list;
  if (form?.matches("dialog .find")) return ask(form.action, box.value, page => one(".found").replaceWith(document.adoptNode(one(".found", page))));
  if (titles && box.dataset.find) return ask(box.dataset.find, box.value, page =>
    titles.replaceChildren(...all(".found a", page).map(a => a.textContent).filter(text => text[0] === "#").map(text => new Option(text))));
  if (!box.dataset.people) return;
  unoffer();
  const typed = /(?:^|[\s(])@([^\s@(]+)$/.exec(box.value.slice(0, box.selectionStart)), end = box.selectionStart;
  if (typed) ask(box.dataset.people, typed[1], page => {
    const list = document.adoptNode(one(".found", page));
    if (document.activeElement !== box || box.selectionStart !== end || !one("[data-name]", list)) return;
    list.classList.add("offer");
    list.onclick = e => {
      e.preventDefault();
      const name = e.target.dataset.name;
      if (!name) return;
      box.setRangeText(name + " ", end - typed[1].length, end, "end");
      unoffer();
      pressed = true;
    };
    box.after(list);
  });
});

// Queries have the number of their problems beside the list. It is asked for once a minute, after
// each own change, and some seconds after one of others.
let numbers = [], counted, recount;
const count = () => {
  const side = one("[data-counts]"), put = () => numbers.forEach(n => all("a", side).forEach(a => a.search === n.parentNode.search && !one("small", a) && a.append(" ", n.cloneNode(true))));
  if (!side) return;
  put();
  if (counted > Date.now() - 60000) return;
  counted = Date.now();
  load("GET", side.dataset.counts, null, page => {
    numbers = all("main small", page);
    all("small", side).forEach(n => n.remove());
    put();
  }, () => {});
};

// sending is true while a form that changes something is on its way.
let sending;
addEventListener("submit", e => {
  const form = e.target, button = e.submitter;
  const url = new URL(form.action);
  if (e.defaultPrevented || form.target || !own(url) || plain(form)) return;
  e.preventDefault();
  const files = one("input[type=file]", form);
  if (files && [...files.files].some(f => f.size > form.dataset.most)) return one(".too-large", form).hidden = false;
  const data = files ? new FormData(form, button) : new URLSearchParams(new FormData(form, button));
  if (form.matches("dialog .find")) data.set("go", "first");
  if ((button?.formMethod || form.method) === "get") { url.search = data; return visit(url.href, true); }
  const send = on => { busy(sending = on); if (button) button.disabled = on; };
  send(true);
  let stopped;
  const r = load("POST", url.href, data, (page, at) => { send(false); counted = 0; if (files) files.value = ""; show(page, at, true, button || one("button", form)); }, () => {
    send(false);
    if (files) one(".upload", form).hidden = true;
    one("#offline").hidden = !!stopped;
  }, files && (e => one(".upload progress", form).value = e.loaded / e.total));
  if (files) upload(form, r, () => stopped = true);
});

// upload shows how far files have come, and lets their sender cancel.
const upload = (form, r, stop) => {
  const shown = one(".upload", form);
  shown.hidden = false;
  r.onabort = r.onerror;
  one("button", shown).onclick = () => { stop(); r.abort(); };
};

// Files that are dropped or pasted are sent as if they were chosen.
const attach = (e, files) => {
  const form = one("#attach");
  if (!form || !files.length || sending) return;
  e.preventDefault();
  one("input[type=file]", form).files = files;
  form.requestSubmit();
};
addEventListener("dragover", e => one("#attach") && e.dataTransfer.types.includes("Files") && e.preventDefault());
addEventListener("drop", e => attach(e, e.dataTransfer.files));

// A card that is dropped in another column of the board is moved by its form. The service says
// whether it may go there.
let card;
const lane = e => card && e.target.closest(".lane");
addEventListener("dragstart", e => card = e.target.closest?.(".ticket"));
addEventListener("dragend", () => card = null);
addEventListener("dragover", e => lane(e) && e.preventDefault());
addEventListener("drop", e => {
  const to = lane(e), button = card && one("button", card);
  if (!to || !button || to.contains(card)) return;
  e.preventDefault();
  const states = button.form.elements.state, state = to.dataset.state;
  states.value = state;
  if (!states.value) states.add(new Option(state, state, true, true));
  button.form.requestSubmit(button);
});
addEventListener("paste", e => e.clipboardData.types.includes("text/plain") || attach(e, e.clipboardData.files));

// A link to a place on the page comes here too. With unsaved text, the browser itself leaves
// the page: it asks before.
addEventListener("popstate", () => {
  going?.abort();
  busy(false);
  const to = bare(location);
  if (to === shown) return;
  leave();
  number = history.state || Date.now();
  if (!edited()) return visit(location, false, +sessionStorage[number]);
  history.pushState(number, "", shown);
  location.replace(to);
});
addEventListener("beforeunload", e => { if (edited()) e.preventDefault(); });

// Changes of others arrive by a stream, while the page is visible: browsers allow few
// connections to one site.
let stream, seen;
const begin = () => {
  shown = bare(location);
  dates();
  mark();
  hints();
  count();
  all(".ticket").forEach(c => c.draggable = true);
  one(".node.current")?.scrollIntoView({block: "nearest", inline: "center"});
  stream?.close();
  seen = 0;
  const main = one("main[data-live]");
  if (!main || document.hidden) return;
  read();
  stream = new EventSource(main.dataset.live);
  stream.onmessage = e => {
    if (main.dataset.swap) refresh(main); else announce(one(".live", main), JSON.parse(e.data).changes);
    recount ||= setTimeout(() => { recount = counted = 0; count(); }, 15000);
  };
};
addEventListener("visibilitychange", begin);

// read marks a problem as read, once for each visit, while somebody sees it. Changes that came
// after its revision stay unread.
let opened;
const read = () => {
  const mark = one("[data-seen]");
  if (opened !== shown && mark) load("POST", mark.action, new URLSearchParams({read: "yes", revision: mark.dataset.seen}), page => {
    const fresh = one("#mark", page), old = one("#mark");
    if (fresh && old && !sending) old.form.replaceWith(document.adoptNode(fresh.form));
  }, () => {});
  opened = shown;
};

// announce says how many changes there are. It moves nothing under the reader.
const announce = (bar, changes) => {
  seen += changes;
  bar.hidden = false;
  one("span", bar).textContent = seen === 1 ? bar.dataset.single : bar.dataset.several.replace("#", seen);
};

// refresh replaces the parts of a page that nobody edits or is in. The answer to a form
// replaces all of them. behind is true when a part was left out.
// The fields stay together: they belong to one revision.
let behind;
const refresh = main => load("GET", location.href, null, page => {
  if (sending) return;
  behind = false;
  const within = part => part.contains(document.activeElement);
  const bound = all("[data-part]", main).filter(part => one("[form]", part));
  const held = bound.some(part => within(part) || all("[form]", part).some(dirty));
  for (const part of all("[data-part]", main)) {
    const fresh = one(`[data-part="${part.dataset.part}"]`, page);
    if (!fresh || edited(part)) continue;
    if (within(part) || held && bound.includes(part)) { behind = true; continue; }
    all("details", fresh).forEach((d, i) => d.open ||= all("details", part)[i]?.open);
    part.replaceWith(document.adoptNode(fresh));
  }
  document.title = page.title;
  dates();
  mark();
  hints();
}, () => {});
addEventListener("focusout", () => behind && setTimeout(refresh, 0, one("main")));

// hints tells readers of the keys.
const hints = () => document.body.dataset.keys || all("[data-key]").forEach(c => c.dataset.key.includes(" ") || c.setAttribute("aria-keyshortcuts", c.dataset.key));

// dates gives times in the zone of the reader, on the page and for the pointer.
const day = {day: "numeric", month: "short", year: "numeric"};
const forms = {day, moment: {...day, hour: "2-digit", minute: "2-digit"}};
const dates = () => all("time").forEach(t => {
  const say = form => new Date(t.dateTime).toLocaleString(document.documentElement.lang.replace("en", "en-GB"), {...form, timeZone: document.body.dataset.zone});
  t.title = say({dateStyle: "long", timeStyle: "long"});
  if (t.dataset.as) t.textContent = say(forms[t.dataset.as]);
});

// The field for a time zone offers all of them.
addEventListener("focusin", e => e.target.list?.id === "zones" && !e.target.list.options.length &&
  e.target.list.append(...Intl.supportedValuesOf("timeZone").map(zone => new Option(zone))));

// Who unfolds a form goes to its first field.
addEventListener("toggle", e => e.target.open && e.target.matches(".add") && document.activeElement === one("summary", e.target) && one("select, input:not([type=hidden])", e.target)?.focus(), true);

// A slider shows its value, and a form whether its fields are changed.
addEventListener("input", e => {
  const form = e.target.form, o = form && one("output", form);
  if (o) o.value = e.target.value;
  mark();
});

begin();
})();
