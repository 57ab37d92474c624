import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import { withPlace } from "../../testing/database/database.test-support.ts";

test("a plan shows what the schema needs and makes nothing", () =>
	withPlace(async ({ directory, svc }) => {
		const { code, stdout } = await svc(["db", "migrate", "--plan"]);
		assert.equal(code, 0);
		assert.match(stdout, /^Changes to be made:\n {2}0001-\S+\n/);
		assert.equal(existsSync(join(directory, "data", "svc.db")), false);
	}));

test("what was planned is made, once", () =>
	withPlace(async ({ directory, svc }) => {
		const plan = (await svc(["db", "migrate", "--plan"])).stdout.split("\n").slice(1);
		const { code, stdout } = await svc(["db", "migrate"]);
		assert.equal(code, 0);
		assert.deepEqual(stdout.split("\n").slice(1), plan);
		assert.equal(existsSync(join(directory, "data", "svc.db")), true);
		for (const words of [
			["db", "migrate"],
			["db", "migrate", "--plan"],
		]) {
			assert.equal((await svc(words)).stdout, "The schema is up to date.\n");
		}
	}));

test("a storage without a schema has nothing to change", () =>
	withPlace(async ({ svc }) => assert.equal((await svc(["db", "migrate"])).stdout, "The schema is up to date.\n"), {
		storage: "memoryStorage()",
	}));

test.run();
