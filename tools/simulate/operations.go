package simulate

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// do does an operation.
func (c *client) do(op Op) {
	switch op.Kind {
	case Load:
		c.load(op, 0, problemOf(op.Problem))
	case ListPriorities:
		c.listPriorities(op)
	case Create, CreatePlain:
		c.create(op)
	case Retitle:
		c.retitle(op)
	case RetitleTwo:
		c.retitleTwo(op)
	case Comment:
		c.comment(op)
	case SetKeyword, DropKeyword:
		c.keyword(op)
	case Relate, Unrelate:
		c.relate(op)
	case Watch:
		c.watch(op)
	case MakePriority:
		c.make(op, "/priorities")
	case MakeComponent:
		c.make(op, "/components")
	case Reorder:
		c.reorder(op)
	case TokenLife:
		c.token(op)
	}
}

// problemOf returns the number of one of the first problems.
func problemOf(i int) int64 { return int64(i) + 1 }

// load reads a problem. It returns false when there is no answer.
func (c *client) load(op Op, server int, id int64) (read, response, bool) {
	highest, losses := c.ledger.highest(id), c.cluster.lossesSoFar()
	out := c.exchange(op, 0, request{method: http.MethodGet, path: fmt.Sprintf("/problems/%d", id), server: server})
	if out.fate != answered {
		return read{}, out, false
	}
	if !out.ok() {
		c.ledger.breaks(Lost, "problem %d is there from the start, and to load it is answered with %d %s", id, out.status, out.kind)
		return read{}, out, false
	}
	shown := decode[struct {
		Title    string `json:"title"`
		Revision int64  `json:"revision"`
	}](c, out)
	r := read{id, shown.Revision, shown.Title, out.header.Get("ETag"), losses}
	if losses == c.cluster.lossesSoFar() {
		c.ledger.saw(r, highest)
	}
	return r, out, true
}

// reload reads a problem until it gets it.
func (c *client) reload(op Op, id int64) (read, response, bool) {
	for attempt := range tries {
		r, out, ok := c.load(op, 1+attempt, id)
		if ok {
			return r, out, true
		}
		c.sleep(time.Second + c.between(0, 100*time.Millisecond))
	}
	return read{}, response{}, false
}

func (c *client) listPriorities(op Op) {
	losses := c.cluster.lossesSoFar()
	if !c.options.Recall && losses != c.listed {
		c.tag = ""
	}
	made := len(c.made)
	out := c.exchange(op, 0, request{method: http.MethodGet, path: "/priorities", known: c.tag})
	switch {
	case out.fate != answered:
		return
	case out.status == http.StatusOK:
		c.list, c.tag, c.listed = string(out.body), out.header.Get("ETag"), losses
	case out.status != http.StatusNotModified:
		c.ledger.breaks(Defect, "the priorities are answered with %d %s", out.status, out.kind)
		return
	}
	for _, name := range c.made[:made] {
		if !strings.Contains(c.list, name) {
			c.ledger.breaks(ReadBack, "priority %q was acknowledged, and is not listed by an answer with %d", name, out.status)
		}
	}
}

func (c *client) create(op Op) {
	claim := c.ledger.claim(op)
	r := request{method: http.MethodPost, path: "/problems", body: fmt.Sprintf(`{"title":%q,"priority":{"name":"Priority of %d"}}`, op.text(), op.Client)}
	var out response
	done := false
	if op.Kind == CreatePlain {
		// Without a key, nothing is repeated.
		out = c.exchange(op, 0, r)
		done = out.fate == answered
		if out.fate == broken {
			claim.unknowns++
		}
	} else {
		r.key = op.text()
		out, claim.unknowns, done = c.persist(op, r)
	}
	c.conclude(claim, out, done)
	if claim.result == acked {
		claim.number = decode[struct {
			Identifier int64 `json:"identifier"`
		}](c, out).Identifier
	}
}

// conclude notes the result of a write, by its last answer.
func (c *client) conclude(claim *claim, out response, done bool) {
	claim.answered = time.Now()
	switch {
	case done && out.ok():
		claim.result = acked
		c.ledger.acknowledge()
	case claim.unknowns > 0:
		claim.result = unclear
	case done:
		claim.result = refused
	default:
		claim.result = notDone
	}
}

func (c *client) comment(op Op) {
	claim := c.ledger.claim(op)
	var out response
	var done bool
	out, claim.unknowns, done = c.persist(op, request{method: http.MethodPost, path: fmt.Sprintf("/problems/%d/comments", problemOf(op.Problem)), body: fmt.Sprintf(`{"text":%q}`, op.text()), key: op.text()})
	c.conclude(claim, out, done)
	if claim.result == refused {
		c.ledger.breaks(WrongRefusal, "a comment is refused: %d %s", out.status, out.kind)
	}
}

// retitle changes a title read before, and reads again when it is outdated.
func (c *client) retitle(op Op) {
	claim := c.ledger.claim(op)
	id := problemOf(op.Problem)
	r, _, ok := c.load(op, 0, id)
	for attempt := 0; ok && attempt < tries; attempt++ {
		claim.base(r)
		if c.rng.IntN(3) == 0 {
			c.sleep(c.between(0, 1500*time.Millisecond)) // somebody types
		}
		for try := range tries {
			if !c.options.Recall && c.cluster.lossesSoFar() != r.losses {
				break // a lost read may never have been true
			}
			out := c.exchange(op, attempt+try, request{method: http.MethodPatch, path: fmt.Sprintf("/problems/%d", id), body: fmt.Sprintf(`{"title":%q}`, op.text()), match: r.tag})
			if !c.options.Recall {
				claim.blind = claim.blind || c.cluster.lossesSoFar() != r.losses
				if out.left != nil {
					claim.left = append(claim.left, r.losses)
				}
			}
			if out.fate == broken {
				claim.unknowns++
			} else if out.fate == answered && out.ok() {
				c.conclude(claim, out, true)
				if got := out.header.Get("Problem-Revision"); got != strconv.FormatInt(r.revision+1, 10) {
					c.ledger.breaks(LostUpdate, "a change of problem %d at revision %d makes revision %s", id, r.revision, got)
				}
				return
			} else if out.fate == answered && out.kind != "stale-revision" {
				c.ledger.breaks(WrongRefusal, "a title is refused: %d %s", out.status, out.kind)
				return
			}
			if out.fate == answered {
				break
			}
			c.sleep(c.between(0, time.Second))
		}
		var out response
		if r, out, ok = c.reload(op, id); ok && strings.Contains(string(out.body), op.text()) {
			break // it is there; whether for good, nobody has said
		}
	}
	if claim.unknowns > 0 {
		claim.result = unclear
	}
}

// retitleTwo changes two titles at once.
func (c *client) retitleTwo(op Op) {
	claim := c.ledger.claim(op)
	ids := []int64{problemOf(op.Problem), problemOf(op.Other)}
	slices.Sort(ids)
	path := fmt.Sprintf("/problems?predicate=identifier%%20IN%%20%%7B%d,%d%%7D", ids[0], ids[1])
	body := fmt.Sprintf(`{"title":%q}`, op.text())
	for attempt := range tries {
		losses := c.cluster.lossesSoFar()
		preview, _, done := c.persist(Op{ID: op.ID, Server: op.Server}, request{method: http.MethodPatch, path: path + "&dryRun=true", body: body})
		if !done {
			break
		}
		if !preview.ok() {
			c.ledger.breaks(WrongRefusal, "a preview is refused: %d %s", preview.status, preview.kind)
			break
		}
		r := request{method: http.MethodPatch, path: path + "&preview=" + decode[struct {
			Preview string `json:"preview"`
		}](c, preview).Preview, body: body}
		for try := range tries {
			if !c.options.Recall && c.cluster.lossesSoFar() != losses {
				break
			}
			out := c.exchange(op, attempt+try, r)
			if out.fate == broken {
				claim.unknowns++
			} else if out.fate == answered && out.ok() {
				changes := decode[struct {
					Changes []struct {
						Identifier int64 `json:"identifier"`
					} `json:"changes"`
				}](c, out)
				for _, change := range changes.Changes {
					claim.problems = append(claim.problems, change.Identifier)
				}
				c.conclude(claim, out, true)
				return
			}
			if out.fate == answered {
				break
			}
			c.sleep(c.between(0, time.Second))
		}
		if _, out, ok := c.reload(op, ids[0]); !ok || strings.Contains(string(out.body), op.text()) {
			break
		}
	}
	if claim.unknowns > 0 {
		claim.result = unclear
	}
}

// write writes to a register of the client's own. made is the status of an answer with a
// change, same the status of one without.
func (c *client) write(op Op, name, first, value string, made, same int, r request) {
	register := c.ledger.register(name, first)
	out, unknowns, done := c.persist(op, r)
	if unknowns > 0 {
		register.may(value, out.left)
	}
	switch {
	case !done:
	case out.status == made:
		register.wrote(value)
		c.ledger.acknowledge()
	case out.status == same:
		c.found(op, register, name, value, out)
	default:
		c.refused(op, register, name, out)
	}
}

// found notes that a register already has the value of the write.
func (c *client) found(op Op, register *register, name, value string, out response) {
	c.ledger.acknowledge()
	if possible := slices.Clone(register.possible); !register.is(value) {
		c.ledger.breaks(WrongRefusal, "operation %d: %s is %q already, by an answer with %d, and can only be %q", op.ID, name, value, out.status, possible)
	}
}

// refused notes a refusal.
func (c *client) refused(op Op, register *register, name string, out response) {
	switch out.kind {
	case "relationship-cycle", "keyword-not-found", "relationship-not-found":
		if possible := slices.Clone(register.possible); !register.is("") {
			c.ledger.breaks(WrongRefusal, "operation %d: %s is not there, by an answer with %s, and can only be %q", op.ID, name, out.kind, possible)
		}
	default:
		c.ledger.breaks(WrongRefusal, "operation %d: %s is refused with %d %s", op.ID, name, out.status, out.kind)
	}
}

// keywordOf returns the name of a client's own keyword.
func keywordOf(client int) string { return fmt.Sprintf("keyword-%d", client) }

func (c *client) keyword(op Op) {
	id := problemOf(op.Problem)
	name := fmt.Sprintf("%s of problem %d", keywordOf(op.Client), id)
	r := request{method: http.MethodPut, path: fmt.Sprintf("/problems/%d/keywords/%s", id, keywordOf(op.Client)), body: fmt.Sprintf("%q", op.text())}
	if op.Kind == DropKeyword {
		r.method, r.body = http.MethodDelete, ""
		c.write(op, name, "", "", http.StatusNoContent, 0, r)
		return
	}
	// 200 says the keyword was there with another value, or with this one: no other
	// request writes this one.
	register := c.ledger.register(name, "")
	out, unknowns, done := c.persist(op, r)
	if unknowns > 0 {
		register.may(op.text(), out.left)
	}
	if done && out.ok() {
		register.wrote(op.text())
		c.ledger.acknowledge()
	} else if done {
		c.refused(op, register, name, out)
	}
}

// linked stands for an existing relationship.
const linked = "there"

// edges returns a client's relationships: each from a problem to the next, in a ring.
func (c *client) edges() (own []int) {
	for i := range problems {
		if i%c.plan.Clients == c.number {
			own = append(own, i)
		}
	}
	return own
}

func edgeName(i int) string {
	return fmt.Sprintf("problem %d ParentOf %d", problemOf(i), problemOf((i+1)%problems))
}

func (c *client) relate(op Op) {
	own := c.edges()
	edge := own[op.Problem%len(own)]
	r := request{method: http.MethodPut, path: fmt.Sprintf("/problems/%d/relationships", problemOf(edge)), body: fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d}`, problemOf((edge+1)%problems))}
	if op.Kind == Unrelate {
		r.method = http.MethodDelete
		c.write(op, edgeName(edge), "", "", http.StatusNoContent, 0, r)
		return
	}
	c.write(op, edgeName(edge), "", linked, http.StatusCreated, http.StatusOK, r)
}

func watcherName(client int, id int64) string {
	return fmt.Sprintf("%s watches %d", userOf(client), id)
}

func (c *client) watch(op Op) {
	id := problemOf(op.Problem)
	c.write(op, watcherName(op.Client, id), "", linked, http.StatusCreated, http.StatusOK,
		request{method: http.MethodPut, path: fmt.Sprintf("/problems/%d/watchers", id), body: fmt.Sprintf(`{"email":%q}`, userOf(op.Client))})
}

func orderName(client int) string { return fmt.Sprintf("the order of client %d's priority", client) }

// reorder gives the client's own priority a new order, unique to this request.
func (c *client) reorder(op Op) {
	register := c.ledger.register(orderName(op.Client), "")
	out, unknowns, done := c.persist(op, request{method: http.MethodPatch, path: "/priorities/" + base().priorities[op.Client], body: fmt.Sprintf(`{"order":%d}`, orderOf(op))})
	value := strconv.Itoa(orderOf(op))
	if unknowns > 0 {
		register.may(value, out.left)
	}
	if done && out.ok() {
		register.wrote(value)
		c.ledger.acknowledge()
	} else if done {
		c.refused(op, register, orderName(op.Client), out)
	}
}

func orderOf(op Op) int { return 1000 + op.ID }

// make creates an object. Others want its name, too: a taken name is no failure.
func (c *client) make(op Op, path string) {
	claim := c.ledger.claim(op)
	var out response
	var done bool
	out, claim.unknowns, done = c.persist(op, request{method: http.MethodPost, path: path, body: fmt.Sprintf(`{"name":%q}`, op.shared())})
	c.conclude(claim, out, done)
	switch {
	case claim.result == acked:
		claim.id = decode[struct {
			Identifier string `json:"identifier"`
		}](c, out).Identifier
	case !done:
		return
	case out.kind != "already-exists":
		c.ledger.breaks(WrongRefusal, "operation %d: %s is refused with %d %s", op.ID, op.shared(), out.status, out.kind)
		return
	default:
		claim.taken = true
	}
	if op.Kind == MakePriority {
		c.made = append(c.made, op.shared())
	}
}

// token issues a token, uses it, revokes it, and sees whether it is refused.
func (c *client) token(op Op) {
	claim := c.ledger.claim(op)
	// Without the answer, nobody has the token: it is not asked for again.
	out := c.exchange(op, 0, request{method: http.MethodPost, path: "/tokens", body: fmt.Sprintf(`{"user":{"email":%q},"scope":"read","expires":%q}`, userOf(op.Client), expiryOf(op).Format(time.RFC3339))})
	if out.fate == broken {
		claim.unknowns++
	}
	c.conclude(claim, out, out.fate == answered)
	if claim.result != acked {
		return
	}
	issued := decode[struct {
		Identifier string `json:"identifier"`
		Token      string `json:"token"`
	}](c, out)
	claim.id = issued.Identifier
	use := request{method: http.MethodGet, path: "/problems/1", credential: issued.Token}
	for use.server = range c.plan.Servers {
		if out := c.exchange(op, 0, use); out.fate == answered && !out.ok() {
			c.ledger.breaks(TokenRefused, "operation %d: a token is refused by server %d: %d %s", op.ID, (op.Server+use.server)%c.plan.Servers, out.status, out.kind)
		}
	}
	c.sleep(c.between(0, 1200*time.Millisecond))
	out, _, done := c.persist(op, request{method: http.MethodDelete, path: "/tokens/" + issued.Identifier, server: 1})
	if !done {
		return
	}
	if !out.ok() {
		c.ledger.breaks(WrongRefusal, "operation %d: a token cannot be revoked: %d %s", op.ID, out.status, out.kind)
		return
	}
	claim.revoked = true
	c.ledger.acknowledge()
	c.sleep(2*time.Second + c.between(0, 200*time.Millisecond))
	for use.server = range c.plan.Servers {
		if out := c.exchange(op, 0, use); out.fate == answered && out.ok() {
			c.ledger.breaks(TokenLives, "operation %d: server %d takes a token that was revoked two seconds ago", op.ID, (op.Server+use.server)%c.plan.Servers)
		}
	}
}

// expiryOf returns the expiry time of the operation's token. It is unique to the token.
func expiryOf(op Op) time.Time {
	return time.Date(2100, 1, 1, 0, op.ID, 0, 0, time.UTC)
}
