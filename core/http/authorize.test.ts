import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { silentLogger } from "../testing/run-context.ts";
import { assertRecordPermission, assertRoutePermission } from "./authorize.ts";

/** Permissions that the guard was asked for. */
function createScene(route: object, { isAdmin = false } = {}) {
	const asked: unknown[][] = [];
	const principal = { username: "maria", isAdmin };
	const guard = { assert: (...[, ...given]: unknown[]) => void asked.push(given) };
	const context = { guard, principal, logger: silentLogger, path: { id: "1" } };
	return {
		asked,
		globally: () => assertRoutePermission({ path: "/things", ...route } as never, principal as never, context as never),
		onRecord: () => assertRecordPermission(route as never, context as never),
	};
}

const isForbidden = (error: unknown) => isSvcError(error, "SVC_FORBIDDEN");

test("a route for administrators refuses other users, and asks the guard nothing", () => {
	const { globally, asked } = createScene({ permission: "admin" });
	assert.throws(globally, isForbidden);
	assert.deepEqual(asked, []);
	createScene({ permission: "admin" }, { isAdmin: true }).globally();
});

test("a route with a permission asks for it once, before or after the record is known", async () => {
	for (const [route, before, after] of [
		[{ permission: "public" }, [], []],
		[{ permission: "authenticated" }, [], []],
		[{ permission: "rule_list" }, [["rule_list"]], [["rule_list"]]],
		[{ permission: "rule_view", resource: () => ({ uid: "rule:1" }) }, [], [["rule_view", { uid: "rule:1" }]]],
		[{ permission: "rule_view", resource: () => ({ uid: "rule:1", permission: "rule_modify" }) }, [], [["rule_modify", { uid: "rule:1" }]]],
	] as const) {
		const { globally, onRecord, asked } = createScene(route);
		globally();
		assert.deepEqual(asked, before);
		await onRecord();
		assert.deepEqual(asked, after);
	}
});

test("a record that leads to another one has the handler read that one", async () => {
	const { onRecord } = createScene({ permission: "rule_view", resource: () => ({ uid: "rule:2", path: { id: "2" } }) });
	assert.deepEqual(await onRecord(), { id: "2" });
});

test.run();
