package session

import "sync"

// Together runs f n times at once and returns the answers in order of their
// index.
func Together(n int, f func(i int) *Answer) []*Answer {
	answers := make([]*Answer, n)
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

// Count returns how many of the answers have the status.
func Count(answers []*Answer, status int) int {
	n := 0
	for _, a := range answers {
		if a.Status == status {
			n++
		}
	}
	return n
}

// Many runs something n times, a few at once, and demands 201 for each.
func (s *Session) Many(n int, do func(i int) *Answer) {
	s.Helper()
	const clients = 8
	for _, a := range Together(min(n, clients), func(i int) (last *Answer) {
		for ; i < n; i += clients {
			if last = do(i); last.Status != 201 {
				break
			}
		}
		return last
	}) {
		a.Is(201)
	}
}
