import * as assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { createService, type Service } from "../../service/service.ts";
import { requires } from "../test-requirements.ts";
import { until } from "./until.test-support.ts";

const { test: mountTest } = requires(test, { command: "mount", root: true });

/** Run with a service whose database is in the directory. */
async function withService(directory: string, use: (service: Service, warnings: readonly string[]) => Promise<void>, ready?: () => void) {
	const warnings: string[] = [];
	const note = (message: string) => void warnings.push(message);
	const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
	const service = createService(
		{
			storage: knexStorage({ client: "sqlite", file: join(directory, "svc.db") }),
			event_bus: memoryBus(),
			runners: [noop()],
			auth: { enable: false, listen: false },
			api: { listen: false },
			stream: { listen: false },
			// Heartbeats come at a third of it.
			scheduler: { lease: 1 },
			data_dir: join(directory, "data"),
		},
		{ directory, logger },
	);
	try {
		const started = service.start();
		ready?.();
		await started;
		await use(service, warnings);
	} finally {
		await service.stop();
	}
}

async function askReady({ fetch }: Service): Promise<{ readonly status: number; readonly reasons?: readonly string[] }> {
	const answer = await fetch(new Request("http://svc/api/v1/health/ready"));
	const { reasons } = (await answer.json()) as { readonly reasons?: readonly string[] };
	return { status: answer.status, ...(reasons !== undefined && { reasons }) };
}

mountTest("a service whose disk is full is not ready, and ready again when there is room", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-full-"));
	execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m", "svc-test", directory]);
	try {
		await withService(directory, async (service) => {
			assert.equal((await askReady(service)).status, 200);
			const ballast = join(directory, "ballast");
			await assert.rejects(writeFile(ballast, Buffer.alloc(8 * 1024 * 1024)), /ENOSPC/);
			const statusIs = (wanted: number) => async () => {
				const asked = await askReady(service);
				return asked.status === wanted ? asked : undefined;
			};
			const { reasons } = await until("the service is not ready", 20, statusIs(503));
			assert.deepEqual(reasons, ["storage"]);
			await truncate(ballast, 0);
			await until("the service is ready again", 20, statusIs(200));
		});
	} finally {
		execFileSync("umount", ["-l", directory]);
		await rm(directory, { recursive: true, force: true });
	}
});

const holder = `
const database = new (require(process.argv[1]))(process.argv[2]);
database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
process.stdout.write("held");
process.stdin.resume();
process.stdin.once("end", () => process.exit());
`;

test("a start waits while another program has locked the file, and goes on when it lets go", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-locked-"));
	try {
		const libsql = createRequire(import.meta.url).resolve("libsql");
		// An empty file is a new database.
		await writeFile(join(directory, "svc.db"), "");
		const other = spawn(process.execPath, ["-e", holder, libsql, join(directory, "svc.db")], { stdio: ["pipe", "pipe", "inherit"] });
		await new Promise((resolve) => other.stdout.once("data", resolve));
		let heldFor = 0;
		const begun = performance.now();
		const letGo = () =>
			void setTimeout(() => {
				heldFor = performance.now() - begun;
				other.stdin.end();
			}, 700);
		await withService(
			directory,
			async (service, warnings) => {
				assert.ok(heldFor > 0, "it has not waited");
				assert.equal((await askReady(service)).status, 200);
				assert.ok(warnings.includes("storage is unavailable; the start is retried until it is available"), warnings.join("\n"));
			},
			letGo,
		);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
