package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

func userEndpoints() []endpoint {
	example := func(e *encoder) { e.user(sampleAnn) }
	inactive := sampleAnn
	inactive.Inactive = true
	kinds := []fault.Kind{fault.UnknownField, fault.ValidationFailed, fault.AlreadyExists}
	return []endpoint{
		{
			id: "listUsers", method: http.MethodGet, path: "/users", tag: "Users",
			summary: "List all users",
			scope:   access.Read,
			headers: []string{"If-None-Match"},
			answers: []result{
				{status: 200, description: "The users, by name.", of: []User{}, headers: []string{"ETag"},
					example: func(e *encoder) { list(e, []user.User{sampleAnn, sampleBob}, e.user) }},
				{status: 304, description: "The client's copy is still right.", headers: []string{"ETag"}},
			},
			do: (*call).listUsers,
		},
		{
			id: "createUser", method: http.MethodPost, path: "/users", tag: "Users",
			summary: "Create a user",
			scope:   access.Admin,
			bodies:  jsonBody(`{"name":"Ann","email":"ann@example.org"}`, NewUser{}),
			answers: []result{{status: 201, description: "The user that was created.", of: CreatedUser{}, example: example, headers: []string{"Location", "Dry-Run"}}},
			faults:  append(kinds, fault.RequiredField),
			do:      (*call).createUser,
		},
		{
			id: "loadUser", method: http.MethodGet, path: "/users/{identifier}", tag: "Users",
			summary: "Load a user",
			scope:   access.Read,
			headers: []string{"If-None-Match"},
			answers: []result{
				{status: 200, description: "The user.", of: User{}, example: example, headers: []string{"ETag"}},
				{status: 304, description: "The client's copy is still right.", headers: []string{"ETag"}},
			},
			faults: []fault.Kind{fault.NotFound},
			do:     (*call).loadUser,
		},
		{
			id: "updateUser", method: http.MethodPatch, path: "/users/{identifier}", tag: "Users",
			summary:     "Update fields of a user",
			description: "Making a user inactive revokes the user's tokens for good. Users are never deleted.",
			scope:       access.Admin,
			bodies:      jsonBody(`{"inactive":true}`, UserPatch{}, User{}),
			answers: []result{{status: 200, description: "The user as it is now.", of: User{}, headers: []string{"Dry-Run"},
				example: func(e *encoder) { e.user(inactive) }}},
			faults: append(kinds, fault.NotFound, fault.ReadOnlyField),
			do:     (*call).updateUser,
		},
		{
			id: "me", method: http.MethodGet, path: "/me", tag: "Users",
			summary: "Show whom the token stands for",
			scope:   access.Read,
			answers: []result{{status: 200, description: "The user, and the token's scope and expiry.", of: Me{},
				example: func(e *encoder) { e.me(tracker.Caller{Scope: access.Write}, sampleAnn) }}},
			do: (*call).me,
		},
	}
}

func (c *call) listUsers() (answer, error) {
	a, err := c.Service.Users(c.r.Context())
	if err != nil {
		return answer{}, err
	}
	return c.unlessKnown(catalogueTag(a.Catalogue), http.Header{}, func() []byte {
		var e encoder
		list(&e, a.Value, e.user)
		return e.buf
	}), nil
}

func (c *call) loadUser() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.User(c.r.Context(), id)
	if err != nil {
		return answer{}, err
	}
	return c.unlessKnown(catalogueTag(a.Catalogue), http.Header{}, func() []byte {
		var e encoder
		e.user(a.Value)
		return e.buf
	}), nil
}

func userMembers(p *tracker.UserPatch, identifier any) []member {
	return []member{
		{"identifier", identifier},
		{"name", &p.Name},
		{"email", &p.Email},
		{"inactive", &p.Inactive},
	}
}

func (c *call) createUser() (answer, error) {
	cmd := tracker.CreateUser{Write: tracker.Write{DryRun: c.dryRun}}
	if err := c.decode(&cmd.Faults, userMembers(&cmd.UserPatch, nil)...); err != nil {
		return answer{}, err
	}
	a, err := c.Service.CreateUser(c.r.Context(), c.caller, cmd)
	return answered(a, err, func(a tracker.Answer[user.User]) answer {
		header := http.Header{}
		if !c.dryRun {
			header.Set("Location", c.BasePath+prefix+"/users/"+a.Value.ID.String())
		}
		return userAnswer(http.StatusCreated, header, a.Value)
	})
}

func (c *call) updateUser() (answer, error) {
	cmd := tracker.UpdateUser{Write: tracker.Write{DryRun: c.dryRun}}
	var sent patch.Field[metadata.Partial]
	if err := c.decode(&cmd.Faults, userMembers(&cmd.UserPatch, &sent)...); err != nil {
		return answer{}, err
	}
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	if sent.Sent && sent.Value != metadata.Partial(id.String()) {
		cmd.Faults.Add(fault.ReadOnlyField, "/identifier", "identifier is written by the service: leave it out, or send it as it is")
	}
	a, err := c.Service.UpdateUser(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[user.User]) answer {
		return userAnswer(http.StatusOK, http.Header{}, a.Value)
	})
}

// me answers with the user of the token (D33).
func (c *call) me() (answer, error) {
	a, err := c.Service.User(c.r.Context(), c.caller.User)
	return answered(a, err, func(a tracker.Answer[user.User]) answer {
		var e encoder
		e.me(c.caller, a.Value)
		return answer{http.StatusOK, http.Header{}, e.buf}
	})
}

func userAnswer(status int, header http.Header, u user.User) answer {
	var e encoder
	e.user(u)
	return answer{status, header, e.buf}
}
