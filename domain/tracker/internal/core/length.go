package core

// Length returns the length of a list, by few looks at it: has tells whether there is an
// element behind the first n.
func Length(has func(n int) (bool, error)) (int, error) {
	shortest, beyond := 0, 0 // the list has at least shortest elements, and fewer than beyond
	for step := 64; ; step *= 4 {
		found, err := has(step)
		if err != nil {
			return 0, err
		}
		if !found {
			beyond = step + 1
			break
		}
		shortest = step + 1
	}
	for beyond-shortest > 1 {
		middle := shortest + (beyond-shortest)/2 // has at least middle elements?
		found, err := has(middle - 1)
		if err != nil {
			return 0, err
		}
		if found {
			shortest = middle
		} else {
			beyond = middle
		}
	}
	return shortest, nil
}
