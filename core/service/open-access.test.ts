import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type GuardedOptions, withGuardedService } from "../testing/http/guarded-service.test-support.ts";

/** What a service with this configuration warns of at its start, as far as it is about administrators. */
async function findWarnings(options: GuardedOptions): Promise<readonly Record<string, unknown>[]> {
	let found: readonly Record<string, unknown>[] = [];
	await withGuardedService(async ({ log }) => {
		const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
		found = lines.filter(({ level, message }) => level === "warn" && String(message).includes("is an administrator"));
	}, options);
	return found;
}

test("a start without access control says that every user is an administrator, and how to change it", async () => {
	const [warning, ...others] = await findWarnings({ rbac: { enable: false } });
	assert.deepEqual([warning?.["message"], warning?.["reason"]], ["every user is an administrator", "rbac.enable is false"]);
	assert.match(String(warning?.["hint"]), /^set rbac\.enable: true/);
	assert.deepEqual(others, []);
});

test("a start without authentication says that everybody is an administrator, and how to change it", async () => {
	const [warning, ...others] = await findWarnings({ auth: { enable: false }, rbac: { enable: false } });
	assert.match(String(warning?.["message"]), /^authentication is off: every client is an administrator/);
	assert.match(String(warning?.["hint"]), /^set auth\.enable: true/);
	assert.deepEqual(others, []);
});

test("a start with access control does not warn", async () => {
	assert.deepEqual(await findWarnings({}), []);
});

test.run();
