// Uses the types that openapi-typescript generates, in ways that compile only while
// they say what the API does.
import type { components, operations, paths } from "./problems";

type Problem = components["schemas"]["Problem"];
type Created = paths["/problems"]["post"]["responses"][201]["content"]["application/json"];
type Search = NonNullable<operations["searchProblems"]["parameters"]["query"]>;

export const request: components["schemas"]["NewProblem"] = { title: "Generated", priority: { name: "High" } };

export const search: Search = { predicate: "state.resolved = NO", sort: "-modificationDate", limit: 10 };

export const path: operations["setKeyword"]["parameters"]["path"] = { identifier: 12, keyword: "room" };

// What can be null has to be checked.
export function priority(problem: Problem): string {
	return problem.priority === null ? "none" : problem.priority.name;
}

export function title(created: Created): string {
	return created.title;
}

// Enumerations are closed.
export const scope: components["schemas"]["NewToken"]["scope"] = "read";
// @ts-expect-error: no such type of relationship
export const relationship: components["schemas"]["Link"]["type"] = "Unrelated";

// @ts-expect-error: a problem needs a title
export const untitled: components["schemas"]["NewProblem"] = {};

// @ts-expect-error: a request has no member that is not in the document
export const unknown: components["schemas"]["NewProblem"] = { title: "Generated", titel: "Generated" };

export function explain(failure: operations["loadProblem"]["responses"][404]["content"]["application/problem+json"]): string {
	return `${failure.status} ${failure.type}`;
}
