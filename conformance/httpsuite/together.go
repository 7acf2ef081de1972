package httpsuite

import "sync"

// together runs f n times at once and returns the answers in order of their
// index.
func together(n int, f func(i int) *answer) []*answer {
	answers := make([]*answer, n)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			answers[i] = f(i)
		})
	}
	close(start)
	group.Wait()
	return answers
}

// count returns how many of the answers have the status.
func count(answers []*answer, status int) int {
	n := 0
	for _, a := range answers {
		if a.status == status {
			n++
		}
	}
	return n
}

// many runs something n times, a few at once, and demands 201 for each.
func (s *session) many(n int, do func(i int) *answer) {
	s.Helper()
	const clients = 8
	for _, a := range together(min(n, clients), func(i int) (last *answer) {
		for ; i < n; i += clients {
			if last = do(i); last.status != 201 {
				break
			}
		}
		return last
	}) {
		a.is(201)
	}
}
