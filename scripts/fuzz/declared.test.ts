import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Route } from "../../core/http/route.ts";
import { createRandom } from "../../core/testing/guarantees/random.test-support.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { bodySchemaOf, DeclaredJudge } from "./declared.ts";
import { fillSchema } from "./fill-schema.ts";
import { toText } from "./json-tree.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { Answer } from "./send.ts";

const judge = new DeclaredJudge();
const json = { "content-type": "application/json" };
const fault = '{"faultstring":"no"}';

function problemOf(request: Partial<FuzzRequest>, answer: Partial<Answer>): string {
	const asked: FuzzRequest = { caller: "admin", method: "GET", path: "/v1/rules/a.b", headers: [], ...request };
	const answered: Answer = { status: 200, type: "", headers: json, text: fault, from: 0, to: 0, ...answer };
	return judge.judge(asked, answered)?.detail ?? "";
}

test("what is not declared is found: status, content type, body, method, and a credential that nobody asked for", () => {
	const invalid = { status: 400 };
	assert.equal(problemOf({}, invalid), "");
	assert.match(problemOf({}, { status: 418 }), /the status is not declared/);
	assert.match(problemOf({}, { ...invalid, headers: { "content-type": "text/html" } }), /content type text\/html is not declared/);
	assert.match(problemOf({}, { ...invalid, text: '{"faultstring":7}' }), /must be string/);
	assert.match(problemOf({}, { status: 200 }), /must have required property/);
	assert.match(problemOf({ method: "PATCH" }, { status: 404 }), /has to be 405/);
	assert.equal(problemOf({ method: "PATCH" }, { status: 405 }), "");
	const head = { method: "HEAD", path: "/v1/webhooks/a/b" };
	assert.equal(problemOf(head, { status: 404, text: "" }), "");
	assert.match(problemOf(head, { status: 418, text: "" }), /the status is not declared/);
	const version = { status: 200, text: '{"version":"1","docs_url":""}' };
	assert.equal(problemOf({ path: "/" }, version), "");
	assert.match(problemOf({ path: "/", caller: "nobody" }, version), /asks for no credential/);
});

test("paths are told apart as the router does", () => {
	const views = { status: 200, text: "[]", headers: { ...json, "x-total-count": "0" } };
	assert.equal(problemOf({ path: "/v1/rules/views?limit=1" }, views), "");
	assert.match(problemOf({ path: "/v1/rules/other" }, views), /must be object/);
	// A key may be called as another route is.
	assert.equal(problemOf({ method: "DELETE", path: "/v1/keys/rotate" }, { status: 404 }), "");
	assert.match(problemOf({ method: "PATCH", path: "/v1/keys/rotate" }, { status: 404 }), /has to be 405/);
	for (const path of ["/v1/nothing", "/v1/rules/%ff", "/v1//rules", "/v1/rules/../x"])
		assert.equal(problemOf({ path }, { status: 418 }), "");
});

test("bodies are made of what the description says of them", () => {
	const route = routes.find(({ method, path }) => method === "POST" && path === "/executions") as Route;
	const schema = bodySchemaOf(route);
	assert.deepEqual(schema["required"], ["action"]);
	for (let seed = 1; seed < 40; seed += 1) assert.match(toText(fillSchema(createRandom(seed), schema)), /^\{.*"action":"/);
});

test.run();
