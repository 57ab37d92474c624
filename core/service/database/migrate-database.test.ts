import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { createOldFile } from "../../../plugins/storage-knex/old-database.test-support.ts";
import { withPlace } from "../../testing/database/database.test-support.ts";

test("the plan of a new database is one line, and makes nothing", () =>
	withPlace(async ({ directory, svc }) => {
		const file = join(directory, "data", "svc.db");
		const { code, stdout } = await svc(["db", "migrate", "--plan"]);
		assert.deepEqual([code, stdout], [0, `${file}: a new database will be created\n`]);
		assert.equal(existsSync(file), false);
	}));

test("a new database is created, once", () =>
	withPlace(async ({ directory, process, svc }) => {
		const file = join(directory, "data", "svc.db");
		const { code, stdout } = await process(["db", "migrate"]);
		assert.deepEqual([code, stdout], [0, `${file}: the schema has been created\n`]);
		assert.equal(existsSync(file), true);
		for (const words of [
			["db", "migrate"],
			["db", "migrate", "--plan"],
		]) {
			assert.equal((await svc(words)).stdout, "The schema is up to date.\n");
		}
	}));

test("the plan of a database of an earlier version names each change, and these are made", () =>
	withPlace(async ({ directory, svc }) => {
		const old = await createOldFile();
		await mkdir(join(directory, "data"));
		await copyFile(join(old.directory, "svc.db"), join(directory, "data", "svc.db"));
		await old.remove();
		const [title, ...changes] = (await svc(["db", "migrate", "--plan"])).stdout.split("\n");
		assert.equal(title, "Changes to be made:");
		assert.ok(changes.length > 2, changes.join());
		assert.equal((await svc(["db", "migrate"])).stdout, ["Changes made:", ...changes].join("\n"));
		assert.equal((await svc(["db", "migrate"])).stdout, "The schema is up to date.\n");
	}));

test("a storage without a schema has nothing to change", () =>
	withPlace(async ({ svc }) => assert.equal((await svc(["db", "migrate"])).stdout, "The schema is up to date.\n"), {
		storage: "memoryStorage()",
	}));

test.run();
