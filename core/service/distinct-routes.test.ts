import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Route } from "../http/route.ts";
import { assertDistinctRoutes } from "./distinct-routes.ts";

const toFeature = (route: Partial<Route>) => ({ api: {}, routes: [{ method: "GET", component: "api", ...route } as Route] });
const assertDistinct = (nests: Partial<Route>, birds: Partial<Route>) =>
	assertDistinctRoutes({ nests: toFeature(nests), birds: toFeature(birds) });

test("routes that answer the same requests are refused, and their features are named", () => {
	for (const [nests, birds, other] of [
		[{ path: "/zz" }, { path: "/zz" }, '"nests" answers GET /zz already'],
		[{ path: "/zz" }, { path: "/docs" }, "every service answers GET /docs already"],
		[{ path: "/zz/:id/a" }, { path: "/zz/:name/a" }, '"nests" answers GET /zz/:id/a already'],
		[{ path: "/aa", aliases: ["/zz/**:id"] }, { path: "/zz/**:name" }, '"nests" answers GET /zz/**:id already'],
	] as const) {
		const message = `features: "birds" adds the route GET ${birds.path}, but ${other}`;
		assert.throws(() => assertDistinct(nests, birds), { message });
	}
	for (const route of [{ path: "/zz/all" }, { path: "/zz/:id", method: "PUT" }, { path: "/zz/:id", component: "auth" }] as const)
		assertDistinct({ path: "/zz/:id" }, route);
});

test.run();
