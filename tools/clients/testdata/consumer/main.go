// Consumer uses a client that oapi-codegen has generated, and prints a line about
// each answer. The test puts the client in place. The address and the token of a
// server are in PROBLEMS_URL and PROBLEMS_TOKEN.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/problemtracking/problems/tools/clients/testdata/client"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	authorize := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", os.Getenv("PROBLEMS_TOKEN"))
		return nil
	}
	c, err := client.NewClientWithResponses(os.Getenv("PROBLEMS_URL")+"/api/20151105", client.WithRequestEditorFn(authorize))
	check(err)

	me, err := c.MeWithResponse(ctx)
	check(err)
	expect(me.HTTPResponse, me.Body, http.StatusOK)
	fmt.Println("me:", me.JSON200.User.Email, me.JSON200.Scope == client.MeScopeAdmin)

	high := client.Partial{AdditionalProperties: map[string]any{"name": "High"}}
	var body client.CreateProblemJSONRequestBody
	check(body.FromNewProblem(client.NewProblem{Title: "Generated", Priority: &high}))
	created, err := c.CreateProblemWithResponse(ctx, nil, body)
	check(err)
	expect(created.HTTPResponse, created.Body, http.StatusCreated)
	id := *created.JSON201.Identifier
	fmt.Println("created:", id, created.JSON201.Title, created.JSON201.Priority.Name, created.JSON201.Milestone == nil)

	comment, err := c.AddCommentWithResponse(ctx, id, nil, client.NewComment{Text: "By a generated client."})
	check(err)
	expect(comment.HTTPResponse, comment.Body, http.StatusCreated)
	fmt.Println("comment:", comment.JSON201.Text)

	keyword, err := c.SetKeywordWithResponse(ctx, id, "room/1", nil, "kitchen")
	check(err)
	expect(keyword.HTTPResponse, keyword.Body, http.StatusCreated)
	fmt.Println("keyword:", keyword.JSON201.Name, *keyword.JSON201.Value)

	loaded, err := c.LoadProblemWithResponse(ctx, id, nil)
	check(err)
	expect(loaded.HTTPResponse, loaded.Body, http.StatusOK)
	fmt.Println("loaded:", loaded.JSON200.Title, loaded.JSON200.State.Name, *loaded.JSON200.Revision)
	for _, entry := range *loaded.JSON200.Logs {
		fmt.Println("log:", entry.Type)
	}

	edited := *loaded.JSON200
	edited.Title = "Generated and edited"
	var change client.UpdateProblemJSONRequestBody
	check(change.FromProblem(edited))
	updated, err := c.UpdateProblemWithResponse(ctx, id, nil, change)
	check(err)
	expect(updated.HTTPResponse, updated.Body, http.StatusOK)
	fmt.Println("updated:", updated.JSON200.Title, updated.JSON200.Priority.Name, len(updated.JSON200.Keywords))

	limit := 10
	predicate := "title BEGINSWITH 'Generated' AND ANY keywords.value = 'kitchen'"
	found, err := c.SearchProblemsWithResponse(ctx, &client.SearchProblemsParams{Predicate: &predicate, Limit: &limit})
	check(err)
	expect(found.HTTPResponse, found.Body, http.StatusOK)
	fmt.Println("found:", len(*found.JSON200), *(*found.JSON200)[0].Identifier)

	missing, err := c.LoadProblemWithResponse(ctx, id+1, nil)
	check(err)
	expect(missing.HTTPResponse, missing.Body, http.StatusNotFound)
	fmt.Println("missing:", missing.ApplicationproblemJSON404.Type)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// expect ends the program when the status is another one.
func expect(r *http.Response, body []byte, status int) {
	if r.StatusCode != status {
		log.Fatalf("%s %s: status %d, not %d: %s", r.Request.Method, r.Request.URL, r.StatusCode, status, strings.TrimSpace(string(body)))
	}
}
