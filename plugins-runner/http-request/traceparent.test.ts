import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRequest } from "./request.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("a request carries where its run stands in a trace, unless the action says something else", async () => {
	const headersOf = async (headers: object, given?: string) => {
		const runnerParameters = { url: "http://127.0.0.1/", headers } as never;
		return (await createRequest({ runnerParameters, actionParameters: {}, actionRef: "a.b", fileRoots: [], traceparent: given })).headers;
	};
	assert.equal((await headersOf({}, traceparent))["traceparent"], traceparent);
	assert.equal((await headersOf({ TraceParent: "own" }, traceparent))["traceparent"], "own");
	assert.equal((await headersOf({}))["traceparent"], undefined);
});

test.run();
