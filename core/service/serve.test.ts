import * as assert from "node:assert/strict";
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { withPlace } from "../testing/database/database.test-support.ts";
import { requires } from "../testing/test-requirements.ts";
import { findCache } from "./serve.ts";

test("USR2 asks for a garbage collection, and the service goes on", () =>
	withPlace(async ({ serve }) => {
		const service = serve({ SVC_GARBAGECOLLECTOR_COLLECTION_INTERVAL: "86400" });
		await service.logged("engine started");
		for (const _ of ["once", "again"]) {
			const ended = service.logged("requested garbage collection has ended");
			service.signal("SIGUSR2");
			await ended;
		}
		service.signal("SIGTERM");
		assert.equal(await service.exited, 0);
	}));

test("a cache is kept only in a data directory that no other user can write to", async () => {
	const home = await mkdtemp(join(tmpdir(), "svc-serve-"));
	const [file, data] = [join(home, "svc.config.ts"), join(home, "data")];
	const cache = join(data, "cache");
	const set = (directory: string, mode: number) => chmod(directory, mode).then(() => findCache(file, {}));
	try {
		assert.deepEqual(findCache(file, {}), {});
		await mkdir(data);
		for (const mode of [0o777, 0o770, 0o702]) assert.deepEqual(await set(data, mode), {}, mode.toString(8));
		assert.deepEqual(await set(data, 0o755), { cacheDirectory: cache });
		assert.equal((await stat(cache)).mode & 0o777, 0o700);
		assert.deepEqual(findCache(join(home, "other/svc.config.ts"), { SVC_DATA_DIR: data }), { cacheDirectory: cache });
		assert.deepEqual(await set(cache, 0o770), {});
		await rm(cache, { recursive: true });
		await symlink(home, cache);
		assert.deepEqual(await set(home, 0o777), {});
		await rm(cache);
		await writeFile(cache, "");
		assert.deepEqual(findCache(file, {}), {});
	} finally {
		await rm(home, { recursive: true });
	}
});

requires(test, { root: true }).test("no cache is kept in a data directory of another user", async () => {
	const home = await mkdtemp(join(tmpdir(), "svc-serve-"));
	try {
		await mkdir(join(home, "data"), { mode: 0o700 });
		await chown(join(home, "data"), 65_534, 65_534);
		assert.deepEqual(findCache(join(home, "svc.config.ts"), {}), {});
	} finally {
		await rm(home, { recursive: true });
	}
});

test.run();
