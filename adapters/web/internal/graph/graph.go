// Package graph lays out small directed graphs in layers, for drawings in SVG.
//
// The steps are those of Sugiyama: break the cycles, give each node a layer by its longest
// path, order the layers by the mean of the neighbours, and give coordinates. The result
// depends on the order of the nodes alone. The order of the edges makes no difference.
package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sizes in pixels.
const (
	nodeWidth  = 196
	nodeHeight = 54
	gapAcross  = 24
	gapDown    = 66
	margin     = 12
	// bend is the width of a long edge between the nodes of a layer.
	bend = 16
)

// Edge leads from one node to another, by their indices. An edge between a node and itself
// is not drawn.
type Edge struct {
	From, To int
	Label    string
	// Plain is true for an edge without a direction.
	Plain bool
}

// Point is a place in pixels, from the upper left corner.
type Point struct{ X, Y int }

// Line is a drawn edge.
type Line struct {
	Edge
	Path string // the attribute d of a path of SVG, from From to To
	At   Point  // the middle of the label
}

// Drawing is a graph with coordinates.
type Drawing struct {
	Width, Height int
	// Nodes are the upper left corners of the nodes, by index.
	Nodes []Point
	Lines []Line
}

// sweeps is how often each layer is ordered by its neighbours.
const sweeps = 12

// lay gives a graph with this number of nodes its coordinates. The edges are drawn in the order of their
// ends and labels.
func lay(nodes int, edges []Edge) Drawing {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return e.From == e.To })
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Label, b.Label))
	})
	l := &layout{edges: edges, nodes: nodes}
	l.rank()
	l.split()
	l.order()
	l.place()
	return l.draw()
}

// layout is the work on one graph. Behind the nodes, it has a bend for each layer
// crossed by an edge.
type layout struct {
	nodes  int
	edges  []Edge
	layer  []int   // of each node and bend
	routes [][]int // the nodes and bends of each edge, from the upper layer to the lower one
	up     [][]int // the neighbours in the layer above, and below
	down   [][]int
	layers [][]int
	x      []int // the middle of each node and bend
}

// rank gives each node a layer: one below the lowest node that leads to it. An edge
// back to an earlier node counts the other way round.
func (l *layout) rank() {
	next := make([][]int, l.nodes)
	for _, e := range l.edges {
		next[e.From] = append(next[e.From], e.To)
	}
	const unseen, open, done = 0, 1, 2
	state := make([]int, l.nodes)
	ahead := make([][]int, l.nodes) // without circles
	var last []int                  // the nodes in the order of their end
	var visit func(n int)
	visit = func(n int) {
		state[n] = open
		for _, to := range next[n] {
			switch state[to] {
			case open:
				ahead[to] = append(ahead[to], n)
				continue
			case unseen:
				visit(to)
			}
			ahead[n] = append(ahead[n], to)
		}
		state[n] = done
		last = append(last, n)
	}
	for n := range l.nodes {
		if state[n] == unseen {
			visit(n)
		}
	}
	l.layer = make([]int, l.nodes)
	for _, n := range slices.Backward(last) {
		for _, to := range ahead[n] {
			l.layer[to] = max(l.layer[to], l.layer[n]+1)
		}
	}
}

// split adds a bend to each edge for each layer between its ends.
func (l *layout) split() {
	for _, e := range l.edges {
		upper, lower := e.From, e.To
		if l.layer[upper] > l.layer[lower] {
			upper, lower = lower, upper
		}
		route := []int{upper}
		for at := l.layer[upper] + 1; at < l.layer[lower]; at++ {
			l.layer = append(l.layer, at)
			route = append(route, len(l.layer)-1)
		}
		l.routes = append(l.routes, append(route, lower))
	}
	l.up, l.down = make([][]int, len(l.layer)), make([][]int, len(l.layer))
	for _, route := range l.routes {
		for i := 1; i < len(route); i++ {
			l.down[route[i-1]] = append(l.down[route[i-1]], route[i])
			l.up[route[i]] = append(l.up[route[i]], route[i-1])
		}
	}
	for n, at := range l.layer {
		for len(l.layers) <= at {
			l.layers = append(l.layers, nil)
		}
		l.layers[at] = append(l.layers[at], n)
	}
}

// order puts the nodes of each layer into the order of their neighbours' means, downwards
// and upwards in turn, and keeps the order with the fewest crossings.
func (l *layout) order() {
	best, fewest := clone(l.layers), l.crossings()
	for sweep := range sweeps {
		place := make([]float64, len(l.layer))
		for _, layer := range l.layers {
			for i, n := range layer {
				place[n] = float64(i)
			}
		}
		neighbours := l.up
		if sweep%2 == 1 {
			neighbours = l.down
		}
		for i := range l.layers {
			layer := l.layers[i]
			if sweep%2 == 1 {
				layer = l.layers[len(l.layers)-1-i]
			}
			means := map[int]float64{}
			for _, n := range layer {
				means[n] = mean(place, neighbours[n], place[n])
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(means[a], means[b]) })
			for i, n := range layer {
				place[n] = float64(i)
			}
		}
		if n := l.crossings(); n < fewest {
			best, fewest = clone(l.layers), n
		}
	}
	l.layers = best
}

func clone(layers [][]int) (copied [][]int) {
	for _, layer := range layers {
		copied = append(copied, slices.Clone(layer))
	}
	return copied
}

func mean(place []float64, of []int, otherwise float64) float64 {
	if len(of) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, n := range of {
		sum += place[n]
	}
	return sum / float64(len(of))
}

// crossings returns how many edges cross between the layers.
func (l *layout) crossings() (n int) {
	place := make([]int, len(l.layer))
	for _, layer := range l.layers {
		for i, n := range layer {
			place[n] = i
		}
	}
	for _, layer := range l.layers {
		var ends [][2]int
		for _, from := range layer {
			for _, to := range l.down[from] {
				ends = append(ends, [2]int{place[from], place[to]})
			}
		}
		for i, a := range ends {
			for _, b := range ends[:i] {
				if (a[0]-b[0])*(a[1]-b[1]) < 0 {
					n++
				}
			}
		}
	}
	return n
}

// width returns how much room a node or a bend takes.
func (l *layout) width(n int) int {
	if n < l.nodes {
		return nodeWidth
	}
	return bend
}

// place gives each node and bend the middle of its neighbours, as far as its layer has
// room.
func (l *layout) place() {
	l.x = make([]int, len(l.layer))
	for _, layer := range l.layers {
		at := 0
		for _, n := range layer {
			l.x[n] = at + l.width(n)/2
			at += l.width(n) + gapAcross
		}
	}
	for sweep := range sweeps {
		for i := range l.layers {
			at, neighbours := i, l.up
			if sweep%2 == 1 {
				at, neighbours = len(l.layers)-1-i, l.down
			}
			l.settle(l.layers[at], neighbours)
		}
	}
	left := math.MaxInt
	for n := range l.layer {
		left = min(left, l.x[n]-l.width(n)/2)
	}
	for n := range l.x {
		l.x[n] += margin - left
	}
}

// settle moves the nodes of a layer to the middle of their neighbours. Overlapping
// nodes move together.
func (l *layout) settle(layer []int, neighbours [][]int) {
	type block struct {
		nodes []int
		start int // of the first node
		sum   int // of the wished starts of the nodes
	}
	var blocks []block
	width := func(b block) (w int) {
		for _, n := range b.nodes {
			w += l.width(n) + gapAcross
		}
		return w
	}
	for _, n := range layer {
		wish := l.x[n]
		if of := neighbours[n]; len(of) > 0 {
			wish = 0
			for _, other := range of {
				wish += l.x[other]
			}
			wish /= len(of)
		}
		b := block{nodes: []int{n}, start: wish - l.width(n)/2, sum: wish - l.width(n)/2}
		for len(blocks) > 0 && blocks[len(blocks)-1].start+width(blocks[len(blocks)-1]) > b.start {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			shift := width(last)
			b.sum = last.sum + b.sum - shift*len(b.nodes)
			b.nodes = append(slices.Clone(last.nodes), b.nodes...)
			b.start = int(math.Floor(float64(b.sum) / float64(len(b.nodes))))
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		at := b.start
		for _, n := range b.nodes {
			l.x[n] = at + l.width(n)/2
			at += l.width(n) + gapAcross
		}
	}
}

// top returns the upper end of a layer.
func top(layer int) int { return margin + layer*(nodeHeight+gapDown) }

// draw returns the coordinates of nodes and edges.
func (l *layout) draw() Drawing {
	d := Drawing{Height: margin, Nodes: make([]Point, l.nodes)}
	for n, at := range l.layer {
		d.Width = max(d.Width, l.x[n]+l.width(n)/2+margin)
		d.Height = max(d.Height, top(at)+nodeHeight+margin)
		if n < l.nodes {
			d.Nodes[n] = Point{l.x[n] - nodeWidth/2, top(at)}
		}
	}
	ports := l.ports()
	for i, e := range l.edges {
		d.Lines = append(d.Lines, l.line(e, l.routes[i], ports[i]))
	}
	part(d.Lines)
	return d
}

// labelWidth and labelHeight are how far apart the labels of two edges are at least, in one
// of the directions.
const labelWidth, labelHeight = 64, 14

// part moves labels down that would cover another one.
func part(lines []Line) {
	for i := range lines {
		for j := 0; j < i; j++ {
			a, b := lines[j].At, &lines[i].At
			if lines[i].Label != "" && lines[j].Label != "" && abs(a.X-b.X) < labelWidth && abs(a.Y-b.Y) < labelHeight {
				b.Y = a.Y + labelHeight
				j = -1 // it may cover another one now
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// ports returns for each edge where it meets its upper node, and its lower one. The edges
// of a node stand beside each other, in the order of their other ends.
func (l *layout) ports() [][2]int {
	type end struct{ edge, towards int }
	below, above := make([][]end, l.nodes), make([][]end, l.nodes)
	for i, route := range l.routes {
		last := len(route) - 1
		below[route[0]] = append(below[route[0]], end{i, l.x[route[1]]})
		above[route[last]] = append(above[route[last]], end{i, l.x[route[last-1]]})
	}
	ports := make([][2]int, len(l.routes))
	for side, ends := range [][][]end{below, above} {
		for n, all := range ends {
			slices.SortStableFunc(all, func(a, b end) int { return cmp.Compare(a.towards, b.towards) })
			step := min(34, nodeWidth*3/4/max(1, len(all)))
			for i, e := range all {
				ports[e.edge][side] = l.x[n] + (2*i-len(all)+1)*step/2
			}
		}
	}
	return ports
}

// line returns an edge as a curve through its bends, between its ports.
func (l *layout) line(e Edge, route []int, ports [2]int) Line {
	var points []Point
	for i, n := range route {
		at := Point{l.x[n], top(l.layer[n])}
		switch {
		case i == 0:
			at.X = ports[0]
			at.Y += nodeHeight
		case i == len(route)-1:
			at.X = ports[1]
		case n >= l.nodes: // a bend goes straight through its layer
			points = append(points, at)
			at.Y += nodeHeight
		}
		points = append(points, at)
	}
	line := Line{Edge: e, At: Point{(points[0].X + points[1].X) / 2, (points[0].Y + points[1].Y) / 2}}
	if e.From != route[0] {
		slices.Reverse(points)
	}
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", points[0].X, points[0].Y)
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		middle := (from.Y + to.Y) / 2
		fmt.Fprintf(&path, "C%d %d %d %d %d %d", from.X, middle, to.X, middle, to.X, to.Y)
	}
	line.Path = path.String()
	return line
}
