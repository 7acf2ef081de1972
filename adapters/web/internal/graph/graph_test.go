package graph

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"testing"
)

// check holds a drawing against what a reader expects of any.
func check(t *testing.T, nodes int, edges []Edge, d Drawing) {
	t.Helper()
	for i, a := range d.Nodes {
		if a.X < 0 || a.Y < 0 || a.X+nodeWidth > d.Width || a.Y+nodeHeight > d.Height {
			t.Fatalf("node %d at %v is outside of %d×%d", i, a, d.Width, d.Height)
		}
		for j, b := range d.Nodes[:i] {
			if a.X < b.X+nodeWidth && b.X < a.X+nodeWidth && a.Y < b.Y+nodeHeight && b.Y < a.Y+nodeHeight {
				t.Fatalf("the nodes %d at %v and %d at %v overlap", i, a, j, b)
			}
		}
	}
	drawn := 0
	for _, e := range edges {
		if e.From != e.To {
			drawn++
		}
	}
	if len(d.Nodes) != nodes || len(d.Lines) != drawn {
		t.Fatalf("%d nodes and %d lines are drawn, want %d and %d", len(d.Nodes), len(d.Lines), nodes, drawn)
	}
	number := regexp.MustCompile(`-?\d+`)
	for _, line := range d.Lines {
		if d.Nodes[line.From].Y == d.Nodes[line.To].Y {
			t.Fatalf("the ends of %v are in one layer", line.Edge)
		}
		all := number.FindAllString(line.Path, -1)
		y := func(i int) int { n, _ := strconv.Atoi(all[i]); return n }
		first, last := y(1), y(len(all)-1)
		from, to := d.Nodes[line.From].Y, d.Nodes[line.To].Y
		if first != from && first != from+nodeHeight || last != to && last != to+nodeHeight {
			t.Fatalf("the line of %v goes from %d to %d, and the nodes are at %d and %d: %s", line.Edge, first, last, from, to, line.Path)
		}
	}
}

func TestLay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		nodes int
		edges []Edge
	}{
		"nothing":  {0, nil},
		"one":      {1, nil},
		"itself":   {1, []Edge{{From: 0, To: 0}}},
		"a chain":  {3, []Edge{{From: 0, To: 1}, {From: 1, To: 2}}},
		"a circle": {3, []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}},
		"twice":    {2, []Edge{{From: 0, To: 1, Label: "a"}, {From: 0, To: 1, Label: "b"}, {From: 1, To: 0, Label: "c"}}},
		"long":     {4, []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, c.nodes, c.edges, lay(c.nodes, c.edges))
		})
	}
}

// Without circles, every edge goes down.
func TestEdgesGoDown(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		nodes := 2 + random.IntN(30)
		var edges []Edge
		for range random.IntN(2 * nodes) {
			from := random.IntN(nodes - 1)
			edges = append(edges, Edge{From: from, To: from + 1 + random.IntN(nodes-from-1)})
		}
		d := lay(nodes, edges)
		check(t, nodes, edges, d)
		for _, e := range edges {
			if d.Nodes[e.From].Y >= d.Nodes[e.To].Y {
				t.Fatalf("seed %d: %v does not go down", seed, e)
			}
		}
	}
}

// Any graph is drawn, the same way whatever the order of its edges.
func TestLayAnyGraph(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 3))
		nodes := 1 + random.IntN(60)
		var edges []Edge
		for range random.IntN(2 * nodes) {
			edges = append(edges, Edge{From: random.IntN(nodes), To: random.IntN(nodes), Label: strconv.Itoa(random.IntN(3))})
		}
		d := lay(nodes, edges)
		check(t, nodes, edges, d)
		random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		if again := lay(nodes, edges); !reflect.DeepEqual(again, d) {
			t.Fatalf("seed %d: the order of the edges makes a difference", seed)
		}
	}
}

func BenchmarkLay(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var edges []Edge
	for range 90 {
		edges = append(edges, Edge{From: random.IntN(60), To: random.IntN(60)})
	}
	for b.Loop() {
		lay(60, edges)
	}
}

// No label covers another one, also among edges of one node.
func TestLabelsArePart(t *testing.T) {
	t.Parallel()
	var edges []Edge
	for to := 1; to < 6; to++ {
		edges = append(edges, Edge{From: 0, To: to, Label: "Parent of"}, Edge{From: to, To: (to + 1) % 6, Label: "Blocks"}, Edge{From: to, To: 0, Label: "Blocks"})
	}
	lines := lay(6, edges).Lines
	for i, a := range lines {
		for _, b := range lines[:i] {
			if abs(a.At.X-b.At.X) < labelWidth && abs(a.At.Y-b.At.Y) < labelHeight {
				t.Errorf("the labels of %v and %v are at %v and %v", a.Edge, b.Edge, a.At, b.At)
			}
		}
	}
}
