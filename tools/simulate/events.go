package simulate

// eventSlot is the first slot of events, after the slots of messages.
const (
	eventSlot  = messageSlot + messagesMost
	eventsMost = 20
)

// cause lets an event happen.
func (w *world) cause(e Event) {
	a := newActor(eventSlot+e.ID, w.plan.Seed, 1<<40|uint64(e.ID))
	a.sleep(e.At)
	w.trace.add(a, "-- %v", e)
	switch e.Kind {
	case Freeze:
		w.during(a, e, w.cluster.setFrozen)
	case FailOver:
		if lost := w.cluster.failOver(e.Part, e.For); lost {
			w.trace.add(a, "-- what was shown is lost")
			w.ledger.forget()
			if !w.options.Survive {
				w.restartAll()
			}
		}
	case Kill:
		w.kill(e.Server)
		a.sleep(e.For)
		w.revive(e.Server)
	case Stop:
		w.cluster.stop(e.Server, e.For)
	case ClockStep:
		w.clocks[e.Server].Add(int64(e.Step))
	case DiskFull:
		w.during(a, e, w.cluster.count(&w.cluster.full))
	case Away:
		w.during(a, e, w.cluster.count(&w.cluster.away))
	case Cuts:
		w.during(a, e, w.cluster.setCut(e.Server))
	}
}

// during lets something be so for as long as the event lasts.
func (w *world) during(a *actor, e Event, set func(bool)) {
	set(true)
	a.sleep(e.For)
	set(false)
	w.trace.add(a, "-- over: %v", e.Kind)
}

// restartAll kills all running servers, and starts them anew.
func (w *world) restartAll() {
	for number := range w.plan.Servers {
		if w.server(number) != nil {
			w.kill(number)
			w.revive(number)
		}
	}
}

// count returns a function to count the active events of a kind.
func (c *cluster) count(events *int) func(bool) {
	return func(on bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if on {
			*events++
		} else {
			*events--
		}
	}
}

// setCut returns a function to cut the connections of a server, or to end the cut.
func (c *cluster) setCut(server int) func(bool) {
	return func(on bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if on {
			c.cuts[server]++
		} else {
			c.cuts[server]--
		}
	}
}
