package main

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func parsed(args ...string) (options, error) {
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return parse(flags, args)
}

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parsed()
	if err != nil || len(o.attacks) != len(attacks) || len(o.stores) != 3 || o.duration != 10*time.Second || o.sizes() != full {
		t.Errorf("without flags: %d attacks, %v, %v, %+v, %v; want all of them for 10 s", len(o.attacks), o.stores, o.duration, o.sizes(), err)
	}
	o, err = parsed("-short", "-attacks", "http2,keywords-load", "-memory", "640")
	if err != nil || o.duration != shortDuration || o.sizes() != small || o.limit != 640<<20 {
		t.Errorf("-short: %v, %+v, limit %d, %v", o.duration, o.sizes(), o.limit, err)
	}
	if names := []string{o.attacks[0].name, o.attacks[1].name}; !slices.Equal(names, []string{"keywords-load", "http2"}) {
		t.Errorf("the attacks are %v; want those of the names, in their own order", names)
	}
	if o, err := parsed("-short"); err != nil || len(o.attacks) == 0 || len(o.attacks) == len(attacks) {
		t.Errorf("-short makes %d attacks, %v; want some of the %d", len(o.attacks), err, len(attacks))
	}
	o, err = parsed("-short")
	for _, name := range []string{"keywords-load", "rewritten-load", "comments-load", "list-large", "bodies-fast", "bodies-arrays", "bodies-held", "http2"} {
		if !slices.ContainsFunc(o.attacks, func(a attack) bool { return a.name == name }) || err != nil {
			t.Errorf("-short does not make %s, %v", name, err)
		}
	}
	if o, err := parsed("-duration", "2s", "-short"); err != nil || o.duration != 2*time.Second {
		t.Errorf("-short with -duration 2s takes %v, %v", o.duration, err)
	}
	for _, args := range [][]string{
		{"word"}, {"-stores", "oracle"}, {"-attacks", "nothing"}, {"-duration", "0s"}, {"-rate", "0"},
		{"-memory", "-1"}, {"-memory", "6000"}, {"-guard", "0"},
	} {
		if _, err := parsed(args...); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestAttackNames(t *testing.T) {
	t.Parallel()
	names := attackNames()
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
		t.Errorf("two attacks have the same name: %v", names)
	}
	for _, a := range attacks {
		if a.title == "" || a.run == nil {
			t.Errorf("%q has no title, or does nothing", a.name)
		}
		if title := full.fill(a.title); strings.ContainsAny(title, "{}") {
			t.Errorf("the title of %q names no size: %s", a.name, title)
		}
	}
}
