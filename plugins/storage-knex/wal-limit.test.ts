import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { knexStorage } from "./index.ts";
import { spawnChild } from "./spawn-child.test-support.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";
import { WalLimiter } from "./wal-limit.ts";

const { test: mountTest } = requires(test, { command: "mount", root: true });
const megabyte = 1_048_576;

const isRefused = (error: unknown) => isSvcError(error, "SVC_UNAVAILABLE") && /its volume has [\d.]+ MB left/.test(error.message);

mountTest(
	"a database that has filled its volume and was killed starts again with all that was acknowledged, and goes on when there is room",
	() =>
		withDirectory(async (directory) => {
			execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "svc-test", directory]);
			try {
				await writeFile(join(directory, "ballast"), Buffer.alloc(4 * megabyte));
				const child = spawnChild("fill", directory);
				while (!child.lines.at(-1)?.startsWith("refused")) await child.waitForLines(child.lines.length + 1);
				await child.kill();
				const [refusal, ...acknowledged] = child.lines.slice(2).toReversed();
				assert.match(refusal ?? "", /its volume has [\d.]+ MB left, but the write needs/);
				const log = (await stat(join(directory, "svc.db-wal"))).size;
				assert.ok(log < 11 * megabyte, `the log has ${log} bytes`);
				const database = (await stat(join(directory, "svc.db"))).size;
				assert.ok(database > 12 * megabyte, `the database has only ${database} bytes`);

				const storage = knexStorage({ client: "sqlite" }).create();
				try {
					await storage.start?.(toContext(directory));
					assert.equal(await storage.count("trace", {}), acknowledged.length);
					// A write needs two bytes for each character and a reserve, so this one exceeds the free space by the reserve.
					const { bavail, bsize } = await statfs(directory);
					const write = () => storage.insert("trace", [createTrace("y".repeat((bavail * bsize) / 2))]);
					await assert.rejects(write, isRefused);
					await rm(join(directory, "ballast"));
					await write();
				} finally {
					await storage.stop?.();
				}
			} finally {
				execFileSync("umount", ["-l", directory]);
			}
		}),
);

test("the log is bounded by a quarter of the room, and a write is refused that would leave too little to empty it", () =>
	withDirectory(async (directory) => {
		const said: string[] = [];
		let free = 40 * megabyte;
		const log = new WalLimiter({ exec: (sql) => void said.push(sql) }, join(directory, "svc.db"), () => free);
		log.prepareTransaction({ rows: 1, size: 10 });
		assert.deepEqual(said, ["PRAGMA wal_autocheckpoint = 2048", `PRAGMA journal_size_limit = ${16 * megabyte}`]);
		log.prepareTransaction({ rows: 1, size: 10 });
		assert.equal(said.length, 2, "nothing has changed");
		await writeFile(join(directory, "svc.db-wal"), Buffer.alloc(2 * megabyte));
		free = 3 * megabyte;
		assert.throws(() => log.prepareTransaction({ rows: 1, size: 10 }), isRefused);
		assert.equal(said.at(-1), "PRAGMA wal_checkpoint(TRUNCATE)", "the log is emptied before a write is refused");
		await writeFile(join(directory, "svc.db-wal"), "");
		free = 5 * megabyte;
		log.prepareTransaction({ rows: 1, size: 10 });
		assert.throws(() => log.prepareTransaction({ rows: 1, size: 10 * megabyte }), isRefused);
	}));

test.run();
