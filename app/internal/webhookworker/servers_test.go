package webhookworker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// The work moves within ten seconds when a server loses the store, and no message is lost.
func TestLossOfAServer(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(10 * time.Second)
		w.create("first")
		time.Sleep(3 * time.Second)
		got := w.sent(one)
		if len(got) != 1 {
			t.Fatalf("%d messages, want 1", len(got))
		}
		holder := got[0].server
		w.servers[holder].connect(refused)
		w.servers[0], w.servers[1] = w.servers[1-holder], w.servers[holder] // the first is the living one
		died := time.Now()
		w.create("second")
		time.Sleep(30 * time.Second)
		w.servers[1].connect(up)
		got = w.sent(one)
		want := w.happened()
		if last := got[len(got)-1]; last.id != want[1] || last.server == holder && last.at.Sub(died) > 5*time.Second {
			t.Fatalf("the last message is %+v, want the second event", last)
		}
		var moved time.Time
		for _, r := range got {
			if r.server != holder && moved.IsZero() {
				moved = r.at
			}
			if r.server == holder && !moved.IsZero() {
				t.Errorf("the dead server delivers after the other has begun: %+v", r)
			}
		}
		if moved.IsZero() || moved.Sub(died) > 10*time.Second {
			t.Errorf("the work has moved after %s", moved.Sub(died))
		}
		if slices.Compact(ids(got))[0] != want[0] || !slices.Equal(slices.Compact(slices.Sorted(slices.Values(ids(got)))), slices.Sorted(slices.Values(want))) {
			t.Errorf("the messages are %v, want %v", ids(got), want)
		}
	})
}

// A server that stops in order gives the work to another one at once.
func TestStopOfAServer(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(10 * time.Second)
		w.create("first")
		time.Sleep(3 * time.Second)
		holder := w.sent(one)[0].server
		w.servers[holder].stop()
		stopped := time.Now()
		w.create("second")
		time.Sleep(10 * time.Second)
		got := w.sent(one)
		if last := got[len(got)-1]; len(got) != 2 || last.server == holder || last.at.Sub(stopped) > 3*time.Second {
			t.Errorf("the messages are %+v", got)
		}
	})
}

// Servers die one after the other, begin anew, and die again. A receiver that fails now and
// then gets each event at least once and in their order: after a death, some come again.
func TestServersDieAgainAndAgain(t *testing.T) {
	t.Parallel()
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
				w.answer = func(ctx context.Context, _ string, n int) webhook.Attempt {
					select {
					case <-time.After(time.Duration(n*(seed+3)%7) * 30 * time.Millisecond):
					case <-ctx.Done():
						return webhook.Attempt{Err: "the connection was closed"}
					}
					if n%40 == 0 {
						return webhook.Attempt{Status: 503}
					}
					return webhook.Attempt{Status: 200}
				}
				killed := 0
				for i := range 600 { // a minute, and a death every five seconds
					w.create(fmt.Sprint(i))
					time.Sleep(100 * time.Millisecond)
					if i%50 == 10*seed {
						dies := killed % 2
						w.servers[dies].kill()
						w.servers[dies] = w.serve(dies)
						killed++
					}
				}
				time.Sleep(time.Hour)
				w.inOrder(one)
			})
		})
	}
}

// inOrder fails unless the receiver has taken all events of problems in their order, but for
// events that came again, and unless one message was under way at a time.
func (w *world) inOrder(url string) {
	w.t.Helper()
	place := map[string]int{}
	for i, id := range w.happened() {
		place[id] = i
	}
	next := 0
	var end time.Time
	for i, r := range w.sent(url) {
		at, known := place[r.id]
		if !known || at > next {
			w.t.Fatalf("message %d is about event %d of %d, before event %d was taken", i, at, len(place), next)
		}
		if r.at.Before(end) {
			w.t.Fatalf("message %d began before the one in front of it had ended", i)
		}
		if end = r.end; r.taken && at == next {
			next++
		}
	}
	if next != len(place) {
		w.t.Fatalf("%d events were taken, want %d", next, len(place))
	}
}

// holder returns the delivering server, and another one.
func (w *world) holder() (holder, other *server) {
	w.t.Helper()
	for i, s := range w.servers {
		if len(s.worker.Stats()) > 0 {
			return s, w.servers[(i+1)%len(w.servers)]
		}
	}
	w.t.Fatal("no server delivers")
	return nil, nil
}

// D40: another server deletes the webhook, or stops it, amid its deliveries.
func TestDeletionByAnotherServer(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context, *server, *world, webhook.Webhook) error{
		"deleted": func(ctx context.Context, s *server, w *world, hook webhook.Webhook) error {
			_, err := s.Webhooks.Delete(ctx, w.admin, hook.ID, tracker.Write{})
			return err
		},
		"stopped": func(ctx context.Context, s *server, w *world, hook webhook.Webhook) error {
			_, err := s.Webhooks.Update(ctx, w.admin, hook.ID, webhooks.Update{Active: patch.Set(false)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
				hung := w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
				w.answer = func(ctx context.Context, url string, _ int) webhook.Attempt {
					if url == other {
						<-ctx.Done()
						return webhook.Attempt{Err: "the connection was closed"}
					}
					time.Sleep(20 * time.Millisecond)
					return webhook.Attempt{Status: 200}
				}
				time.Sleep(3 * time.Second)
				_, deletes := w.holder()
				var ended time.Time
				for i := range 200 {
					w.create(fmt.Sprint(i))
					if time.Sleep(50 * time.Millisecond); i == 100 {
						for _, hook := range []webhook.Webhook{hook, hung} {
							if err := end(t.Context(), deletes, w, hook); err != nil {
								t.Fatal(err)
							}
						}
						ended = time.Now()
					}
				}
				got := w.sent(one)
				if last := got[len(got)-1]; len(got) < 90 || last.at.Sub(ended) > 2*time.Second {
					t.Errorf("%d messages, the last one %s after the end", len(got), last.at.Sub(ended))
				}
				if got := w.sent(other); len(got) != 1 || got[0].end.IsZero() || got[0].end.Sub(ended) > 2*time.Second {
					t.Errorf("the message under way has not ended: %+v", got)
				}
			})
		})
	}
}

// D40: the delivering server learns from the feed that a webhook was deleted, or that its owner
// was deactivated, and the list of webhooks cannot be read at that moment. The events on the
// same page are for the webhook no longer.
func TestEndWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context, *server, *world, webhook.Webhook) error{
		"deleted": func(ctx context.Context, s *server, w *world, hook webhook.Webhook) error {
			_, err := s.Webhooks.Delete(ctx, w.admin, hook.ID, tracker.Write{})
			return err
		},
		"owner inactive": func(ctx context.Context, s *server, w *world, hook webhook.Webhook) error {
			_, err := s.Users().Update(ctx, w.admin, hook.Owner, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				hook := w.hookOf(w.user("Bo"), webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
				w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
				w.answer = func(context.Context, string, int) webhook.Attempt {
					time.Sleep(20 * time.Millisecond)
					return webhook.Attempt{Status: 200}
				}
				time.Sleep(3 * time.Second)
				delivers, ends := w.holder()
				delivers.blind.Store(true)
				w.create("before")
				if err := end(t.Context(), ends, w, hook); err != nil {
					t.Fatal(err)
				}
				for i := range 20 {
					w.create(fmt.Sprint(i))
				}
				time.Sleep(3 * time.Second)
				delivers.blind.Store(false)
				time.Sleep(10 * time.Second)
				known := delivers.missed.Load()
				if known == nil {
					t.Fatal("the list of webhooks was not read")
				}
				for _, r := range w.sent(one) {
					if r.at.After(*known) {
						t.Errorf("a message began %s after the end was known", r.at.Sub(*known))
					}
				}
				w.inOrder(other)
			})
		})
	}
}

// The store goes away in the middle of deliveries, for all servers, and comes back.
func TestStoreGoesAway(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]link{"refused": refused, "hanging": hanging} {
		for _, servers := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, %d servers", name, servers), func(t *testing.T) {
				t.Parallel()
				inTime(t, servers, func(t *testing.T, w *world) {
					w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
					w.answer = func(context.Context, string, int) webhook.Attempt {
						time.Sleep(300 * time.Millisecond) // so that some events still wait
						return webhook.Attempt{Status: 200}
					}
					for i := range 40 {
						w.create(fmt.Sprint(i))
						time.Sleep(100 * time.Millisecond)
					}
					away := time.Now()
					for _, s := range w.servers {
						s.connect(how)
					}
					time.Sleep(time.Minute)
					for _, s := range w.servers {
						s.connect(up)
					}
					back := time.Now()
					time.Sleep(time.Minute)
					w.inOrder(one)
					var first time.Duration
					for _, r := range w.sent(one) {
						if gone := r.at.Sub(away); gone > 5*time.Second && r.at.Before(back) {
							t.Errorf("a message was sent %s after the store went away: by then, another server may deliver", gone)
						}
						if after := r.at.Sub(back); after > 0 && first == 0 {
							first = after
						}
					}
					if first > 5*time.Second && servers == 1 || first > 10*time.Second {
						t.Errorf("the first message came %s after the return of the store", first)
					}
				})
			})
		}
	}
}

// A store that takes a second for each call delays the messages. It does not keep a server
// from the lease, by whatever the server reads before its first message.
func TestSlowStore(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		for _, s := range w.servers {
			s.stop()
		}
		for i := range 10 {
			w.create(fmt.Sprint(i))
		}
		for i := range w.servers {
			w.servers[i] = w.serve(i)
			w.servers[i].latency.Store(int64(time.Second))
		}
		time.Sleep(time.Minute)
		for _, s := range w.servers {
			s.latency.Store(0)
		}
		if n := len(w.sent(one)); n < 10 {
			t.Errorf("%d messages in a minute, want 10", n)
		}
		time.Sleep(time.Minute)
		w.inOrder(one)
		for _, s := range w.servers {
			s.stop()
		}
		for i, s := range w.servers {
			if log := s.log.String(); strings.Count(log, "no longer") > 0 {
				t.Errorf("server %d has lost the lease:\n%s", i, log)
			}
		}
	})
}

// While a slow store takes the progress, the next messages go out.
func TestSlowStoreDelaysNoQueue(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.answer = func(context.Context, string, int) webhook.Attempt {
			time.Sleep(100 * time.Millisecond)
			return webhook.Attempt{Status: 200}
		}
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(3 * time.Second)
		for i := range mostQueued {
			w.create(fmt.Sprint(i))
		}
		time.Sleep(time.Second) // they are in the queue
		w.servers[0].latency.Store(int64(time.Second))
		time.Sleep(mostQueued * 100 * time.Millisecond)
		w.servers[0].latency.Store(0)
		if n := len(w.sent(one)); n < mostQueued {
			t.Errorf("%d messages have gone out, want %d", n, mostQueued)
		}
		time.Sleep(time.Minute)
		w.inOrder(one)
	})
}

// Successes are stored once a second, and a failure at once.
func TestProgressIsStoredInPortions(t *testing.T) {
	t.Parallel()
	aloneInTime(t, func(t *testing.T, w *world) {
		w.answer = func(_ context.Context, _ string, n int) webhook.Attempt {
			if n == 201 {
				return webhook.Attempt{Status: 500}
			}
			return webhook.Attempt{Status: 200}
		}
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(3 * time.Second)
		before := w.servers[0].commits.Load()
		for i := range 200 {
			w.create(fmt.Sprint(i))
			time.Sleep(50 * time.Millisecond)
		}
		if n := w.servers[0].commits.Load() - before - 200; n < 9 || n > 11 {
			t.Errorf("the progress was stored %d times in ten seconds", n)
		}
		w.create("fails")
		time.Sleep(tick + webhooks.Pace)
		if p := w.webhook(hook.ID).Current(); p.Failures != 1 {
			t.Errorf("soon after a failure, the progress is %+v", p)
		}
	})
}

// After the start of a server, many webhooks together have the same events behind them. They
// read the feed together: one after the other would take longer than all deliveries.
func TestManyWebhooksCatchUp(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		const hooks, problems = 50, 1000
		url := func(i int) string { return fmt.Sprintf("https://%d.example.org/", i) }
		for i := range hooks {
			w.hook(webhooks.Patch{URL: patch.Set(url(i)), Types: aboutProblems, Predicate: patch.Set(fmt.Sprintf("title ENDSWITH ' %d.'", i))})
		}
		w.servers[0].stop()
		for i := range problems {
			w.create(fmt.Sprintf("number %d.", i%hooks))
		}
		w.servers[0] = w.serve(0)
		w.servers[0].latency.Store(int64(10 * time.Millisecond))
		time.Sleep(10 * time.Second)
		w.servers[0].latency.Store(0)
		for i := range hooks {
			if got, want := len(w.sent(url(i))), problems/hooks; got != want {
				t.Fatalf("webhook %d got %d messages, want %d", i, got, want)
			}
		}
	})
}

// The clock of the servers steps while an event waits for its next attempt. No step delays
// the attempt beyond the schedule, nor a second time after the move to another server.
func TestClockSteps(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{-365 * 24 * time.Hour, -time.Hour, -time.Second, time.Second, time.Hour, 365 * 24 * time.Hour} {
		for _, moves := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, moves %t", step, moves), func(t *testing.T) {
				t.Parallel()
				inTime(t, 2, func(t *testing.T, w *world) {
					hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
					w.answer = func(_ context.Context, _ string, n int) webhook.Attempt {
						if n <= 2 {
							return webhook.Attempt{Status: 500}
						}
						return webhook.Attempt{Status: 200}
					}
					w.create("first")
					time.Sleep(time.Minute) // the third attempt is due five minutes after the second one
					w.step.Store(int64(step))
					w.create("second")
					moved := time.Now()
					if moves {
						holder, _ := w.holder()
						holder.stop()
					}
					time.Sleep(time.Hour)
					w.inOrder(one)
					got := w.sent(one)
					if len(got) != 4 {
						t.Fatalf("%d messages, want 4", len(got))
					}
					latest := got[1].at.Add(5 * time.Minute)
					if moves && step < 0 {
						latest = moved.Add(5*time.Minute + 2*time.Second) // nobody can know how long it has waited
					}
					if late := got[2].at.Sub(latest); late > time.Second {
						t.Errorf("the third attempt came %s late", late)
					}
					if !moves && got[2].at.Sub(got[1].at) < 5*time.Minute {
						t.Errorf("the third attempt came %s after the second one", got[2].at.Sub(got[1].at))
					}
					if p := w.webhook(hook.ID).Current(); p.Failures != 0 || p.State != webhook.Active {
						t.Errorf("in the end: %+v", p)
					}
				})
			})
		}
	}
}

// A clock that steps every second neither repeats nor loses a message.
func TestClockStepsAgainAndAgain(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		for i := range 100 {
			w.step.Store(int64(time.Duration(i*i%17-8) * time.Hour))
			w.create(fmt.Sprint(i))
			time.Sleep(time.Second)
		}
		w.inOrder(one)
		if n := len(w.sent(one)); n != 100 {
			t.Errorf("%d messages, want 100", n)
		}
	})
}

// A server without webhooks writes nothing. Alone on its store, it writes nothing either
// while nothing happens.
func TestIdleServerWritesNothing(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		count := func() int64 { return w.servers[0].commits.Load() + w.servers[1].commits.Load() }
		idle := func(when string) {
			t.Helper()
			before := count()
			time.Sleep(time.Hour)
			if n := count() - before; n != 0 {
				t.Errorf("%s: %d writes in an hour", when, n)
			}
		}
		idle("before the first webhook")
		hook := w.hook(webhooks.Patch{URL: patch.Set(one)})
		time.Sleep(10 * time.Second)
		if _, err := w.servers[1].Webhooks.Delete(t.Context(), w.admin, hook.ID, tracker.Write{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		idle("after the last webhook")
	})
	aloneInTime(t, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		w.create("first")
		time.Sleep(2 * time.Minute)
		before := w.servers[0].commits.Load()
		time.Sleep(time.Hour)
		if n := w.servers[0].commits.Load() - before; n != 0 {
			t.Errorf("alone: %d writes in an hour", n)
		}
		w.create("second")
		time.Sleep(3 * time.Second)
		w.servers[0].kill()
		w.servers[0] = w.serve(0)
		w.create("third")
		time.Sleep(2 * time.Second)
		if w.inOrder(one); len(w.sent(one)) > 4 {
			t.Errorf("%d messages about three events", len(w.sent(one)))
		}
	})
}

// The progress of all webhooks is stored, also when all of them have some all the time: so
// little comes again after a death.
func TestProgressOfManyIsStored(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		var hooks []webhook.Webhook
		for i := range mostStored + 50 {
			hooks = append(hooks, w.hook(webhooks.Patch{URL: patch.Set(fmt.Sprintf("https://%d.example.org/", i)), Types: aboutProblems}))
		}
		time.Sleep(3 * time.Second)
		for i := range 20 {
			w.create(fmt.Sprint(i))
			time.Sleep(200 * time.Millisecond)
		}
		before := w.happened()[10] // two seconds ago
		at, err := event.ParseCursor(before)
		if err != nil {
			t.Fatal(err)
		}
		for i, hook := range hooks {
			if p := w.webhook(hook.ID).Current(); behind(p.Cursor, at) {
				t.Fatalf("webhook %d has stored nothing since %v, want %v", i, p.Cursor, at)
			}
		}
	})
}
