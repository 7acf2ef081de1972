package conformance

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// webhookSaboteurs break webhooks and leases.
func webhookSaboteurs() []saboteur {
	return slices.Concat(endpointSaboteurs(), progressSaboteurs(), leaseSaboteurs(), claimSaboteurs())
}

// endpointSaboteurs break the settings of webhooks.
func endpointSaboteurs() []saboteur {
	return []saboteur{{
		name: "moves a webhook that is put again to the end", caught: "READ-025",
		sabotage: alterEffects(func(e store.PutWebhook) []store.Effect {
			return []store.Effect{store.DropWebhook{ID: e.Endpoint.ID}, e}
		}),
	}, {
		name: "resets the progress of a webhook with its settings", caught: "READ-001/webhook",
		sabotage: alterEffects(func(e store.PutWebhook) []store.Effect {
			return []store.Effect{e, store.PutProgress{Webhook: e.Endpoint.ID}}
		}),
	}}
}

// progressSaboteurs break the progress of webhooks, and reads of one webhook.
func progressSaboteurs() []saboteur {
	return []saboteur{{
		name: "brings a webhook back with its progress", caught: "READ-001/progress",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			known := make(map[ident.ID]webhook.Endpoint)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				var effects []store.Effect
				for _, e := range change.Effects {
					switch e := e.(type) {
					case store.PutWebhook:
						known[e.Endpoint.ID] = e.Endpoint
					case store.PutProgress:
						if old, ok := known[e.Webhook]; ok {
							effects = append(effects, store.PutWebhook{Endpoint: old})
						}
					}
					effects = append(effects, e)
				}
				mu.Unlock()
				change.Effects = effects
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "finds a webhook that was dropped", caught: "READ-026",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			seen := make(map[ident.ID]webhook.Webhook)
			s.reader = func(r *shown) {
				r.webhooks = func(_, _ int, found []webhook.Webhook) []webhook.Webhook {
					mu.Lock()
					defer mu.Unlock()
					for _, w := range found {
						seen[w.ID] = w
					}
					return found
				}
				r.webhook = func(id ident.ID) (webhook.Webhook, bool) {
					mu.Lock()
					defer mu.Unlock()
					for _, w := range s.world().AllWebhooks {
						seen[w.ID] = w
					}
					w, ok := seen[id]
					return w, ok
				}
			}
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				for _, e := range change.Effects {
					if put, ok := e.(store.PutWebhook); ok {
						seen[put.Endpoint.ID] = webhook.Webhook{Endpoint: put.Endpoint}
					}
				}
				mu.Unlock()
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

// leaseSaboteurs break leases.
func leaseSaboteurs() []saboteur {
	return []saboteur{{
		name: "finds a lease by a name in other letters", caught: "READ-027",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.lease = func(name string, found lease.Lease, ok bool) (lease.Lease, bool) {
					for other, l := range s.world().Leases {
						if !ok && strings.EqualFold(name, other) {
							return l, true
						}
					}
					return found, ok
				}
			}
		},
	}}
}

// claimSaboteurs break the expectations of webhooks, leases and claims, and Restore.
func claimSaboteurs() []saboteur {
	return []saboteur{{
		name: "lets anybody change a webhook", caught: "COM-002/webhook-at",
		sabotage: alter(func(change *store.Change) {
			change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { _, ok := e.(store.WebhookAt); return ok })
		}),
	}, {
		name: "gives a claim that was extended meanwhile to somebody else", caught: "COM-002/claim-at",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				change.Expect = slices.Clone(change.Expect)
				for i, e := range change.Expect {
					if at, ok := e.(store.ClaimAt); ok && at.Claim == s.world().Claims[at.Problem].ID {
						at.Expires = s.world().Claims[at.Problem].Expires
						change.Expect[i] = at
					}
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "keeps the token of the claim before", caught: "READ-001/put-claim",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				change.Effects = slices.Clone(change.Effects)
				for i, e := range change.Effects {
					if put, ok := e.(store.PutClaim); ok && put.Claim.Via.IsNone() {
						put.Claim.Via = s.world().Claims[put.Problem].Via
						change.Effects[i] = put
					}
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "has a token used later than it was", caught: "READ-031",
		sabotage: alterEffects(func(e store.MarkUsed) []store.Effect {
			return []store.Effect{store.MarkUsed{Token: e.Token, At: e.At.Add(time.Hour)}}
		}),
	}, {
		name: "lets anybody take a lease", caught: "COM-002/lease-at",
		sabotage: alter(func(change *store.Change) {
			change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { _, ok := e.(store.LeaseAt); return ok })
		}),
	}, {
		name: "gives a lease that nobody has to several at once", caught: "COM-004/lease",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				free := slices.ContainsFunc(change.Expect, func(e store.Expectation) bool {
					at, ok := e.(store.LeaseAt)
					return ok && at.Version.IsNone() && s.world().Leases[at.Name].Version.IsNone()
				})
				if free { // checked before its turn
					change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { _, ok := e.(store.LeaseAt); return ok })
					time.Sleep(time.Millisecond)
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "lets several extend one claim, or take it over, at once", caught: "COM-004/claim",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Expect {
					if at, ok := e.(store.ClaimAt); ok { // checked before its turn
						if err := s.world().Expect(at); err != nil {
							return store.Receipt{}, err
						}
						change.Expect = nil
						time.Sleep(time.Millisecond)
					}
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "ends a claim when its problem is written", caught: "READ-001/put-claim",
		sabotage: alterEffects(func(e store.UpdateProblem) []store.Effect {
			return []store.Effect{e, store.PutClaim{Problem: e.Problem.ID}}
		}),
	}, {
		name: "takes a store with a webhook for empty", caught: "COM-002/store-not-empty/webhook",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				w := s.world()
				if len(w.AllWebhooks) > 0 && len(w.AllProblems)+len(w.Queries)+len(w.AllSessions)+len(w.AuditLog)+len(w.Events) == 0 && w.Counters == (store.Versions{}) {
					change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { return e == store.Expectation(store.StoreEmpty{}) })
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

// alterEffects is the sabotage that replaces each effect of a kind by others.
func alterEffects[E store.Effect](by func(E) []store.Effect) func(*broken) {
	return alter(func(change *store.Change) {
		var effects []store.Effect
		for _, e := range change.Effects {
			if of, ok := e.(E); ok {
				effects = append(effects, by(of)...)
			} else {
				effects = append(effects, e)
			}
		}
		change.Effects = effects
	})
}
