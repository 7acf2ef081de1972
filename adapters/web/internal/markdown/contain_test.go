package markdown

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
)

// escapes judges whether a text changes the page around it: it closes elements of the page,
// or leaves its own open. It returns the fault, or "".
func escapes(t testing.TB, safe string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(`<main><ol><li><div id="text">` + safe + `</div><p id="after">after</p></li></ol><p id="end">end</p></main>`))
	if err != nil {
		return err.Error()
	}
	found := 0
	for n := range root.Descendants() {
		id := ""
		for _, a := range n.Attr {
			if a.Key == "id" {
				id = a.Val
			}
		}
		path := ""
		for p := n.Parent; p != nil; p = p.Parent {
			path = p.Data + " " + path
		}
		want, known := map[string]string{"text": " html body main ol li ", "after": " html body main ol li ", "end": " html body main "}[id]
		if !known {
			continue
		}
		found++
		if path != want {
			return "the element " + id + " is in" + path
		}
		if id != "text" && (n.FirstChild == nil || n.FirstChild.Type != html.TextNode || n.FirstChild != n.LastChild) {
			return "the element " + id + " has other contents"
		}
	}
	if found != 3 {
		return "an element of the page is lost or doubled"
	}
	return ""
}

// Stored HTML with elements left open, or closed too often, leaves the page as it is.
func TestContained(t *testing.T) {
	t.Parallel()
	r := New()
	texts := []string{
		`<a href="https://evil.example/">`, `</a>`, `</li></ol>`, `</div></li>`, `<table>`, `<table><tr><td>`, `</td></tr></table>`, `<pre>`, `<h3>`,
		`<b><i><s>`, `<ul><li>`, `<ol>`, `</p>`, `<p>`, `<code>`, `<blockquote>`, `</main>`, `<table><a href="https://evil.example/">x`, `<del><p>x</del>`,
		`<table><b>x`, `<li>`, `<td>`, `<a href="https://evil.example/"><table><a href="https://evil.example/">`, `<!--`, `<p title="`, `<svg>`, `<math>`,
		`<textarea>`, `<title>`, `<script>`, `<style>`, `<plaintext>`, `<xmp>`, `<template>`, `<select>`, `<frameset>`, `<noscript>`, `<form>`, `<button>`, `<nobr>`,
	}
	for _, text := range append(texts, xsstest.Attempts()...) {
		if fault := escapes(t, stored(r, text)); fault != "" {
			t.Errorf("as HTML, %q: %s", text, fault)
		}
		if fault := escapes(t, markdown(r, text)); fault != "" {
			t.Errorf("as Markdown, %q: %s", text, fault)
		}
	}
}

// A link has no link within.
func TestNestedLinks(t *testing.T) {
	t.Parallel()
	r := New()
	for _, text := range []string{
		"[![picture](https://example.org/x.png)](https://example.org/)", "[see #12](https://example.org/)", "[![#12](/x.png)](/y)",
		"![#12](https://example.org/x.png)", "![a [b](/b) c](/x.png)", "[![a](/a) https://example.org/ #12](/b)",
	} {
		got := markdown(r, text)
		open := 0
		for z := html.NewTokenizer(strings.NewReader(got)); z.Next() != html.ErrorToken; {
			switch token := z.Token(); {
			case token.Data == "a" && token.Type == html.StartTagToken:
				open++
			case token.Data == "a" && token.Type == html.EndTagToken:
				open--
			}
			if open > 1 {
				t.Errorf("%s has a link within a link:\n%s", text, got)
				break
			}
		}
	}
}
