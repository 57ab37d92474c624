import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRouteDeclarations } from "./route.ts";

test("a route belongs to the API unless it names another component", () => {
	const { defineRoute } = createRouteDeclarations<unknown>();
	const route = { method: "GET", path: "/zz", summary: "", answers: {}, permission: "admin", handler: () => ({}) as never } as const;
	assert.equal(defineRoute(route).component, "api");
	assert.equal(defineRoute({ ...route, component: "stream" }).component, "stream");
});

test.run();
