// test-timeout: 240
// test-waits
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { createClient, type ExecutionRecord } from "../../features/clients.ts";
import { isFinal } from "./ledger.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { endLeftovers, nothingLeft, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const lines = 150;
const text = (word: string) => Array.from({ length: lines }, (_, index) => `${word} ${index}\n`).join("");
/** Takes some three seconds. */
const printing = `i=0; while [ $i -lt ${lines} ]; do echo line $i; echo ä€🙂 $i >&2; i=$((i+1)); sleep 0.02; done; exit 3`;

interface Scene {
	readonly directory: string;
	start(options?: { readonly survive: boolean }): Promise<ServiceProcess>;
	run(service: ServiceProcess, cmd: string): Promise<string>;
	settled(service: ServiceProcess, id: string): Promise<ExecutionRecord>;
	/** Until the execution's output holds so many lines. */
	printed(service: ServiceProcess, id: string, count: number): Promise<void>;
}

function scene(name: string, survive: boolean, body: (scene: Scene) => Promise<void>): void {
	test(name, async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-survive-"));
		const services: ServiceProcess[] = [];
		try {
			await body({
				directory,
				async start(options = { survive }) {
					const [first] = services;
					const service = await startServiceProcess({ directory, ...options, ...(first !== undefined && { token: first.token }) });
					services.push(service);
					return service;
				},
				run: async ({ client }, cmd) => (await client.executions.create({ action: "core.local", parameters: { cmd } })).id,
				settled: ({ client }, id) =>
					until("the execution is final", 30, async () => {
						const record = await client.executions.get(id);
						return isFinal(record) ? record : undefined;
					}),
				async printed({ client }, id, count) {
					await until(`${count} lines are printed`, 20, async () => {
						const output = await client.executions.output(id, { type: "stdout" });
						return output.split("\n").length > count || undefined;
					});
				},
			});
			// A little after the end is on disk.
			await until("what the runs kept is gone", 10, async () => (await listRuns(directory)).length === 0 || undefined);
		} finally {
			for (const service of services) await service.kill();
			endLeftovers(directory);
			await rm(directory, { recursive: true, force: true });
		}
	});
}

/** Directories of runs that are over must be gone. */
async function listRuns(directory: string): Promise<string[]> {
	const runs = join(directory, "data/runs/local-shell-cmd");
	return existsSync(runs) ? readdir(runs) : [];
}

async function assertWhole({ client }: ServiceProcess, record: ExecutionRecord): Promise<void> {
	assert.equal(record.status, "failed");
	assert.equal(record.result?.["return_code"], 3);
	for (const [type, word] of [
		["stdout", "line"],
		["stderr", "ä€🙂"],
	] as const) {
		assert.equal(record.result?.[type], text(word).trimEnd());
		assert.equal(await client.executions.output(record.id, { type }), text(word));
	}
	assert.deepEqual(
		record.log.map(({ status }) => status),
		["requested", "scheduled", "running", "failed"],
	);
}

scene(
	"a command outlives a killed service, and its output has no gap and no repeat",
	true,
	async ({ directory, start, run, settled, printed }) => {
		const first = await start();
		const id = await run(first, printing);
		await printed(first, id, 20);
		await first.kill();
		const second = await start();
		await assertWhole(second, await settled(second, id));
		assert.equal(await second.stop(), 0);
		await nothingLeft(directory, 5);
	},
);

scene("nor after kills at random moments, also while it is looked for", true, async ({ directory, start, run, settled }) => {
	const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
	const random = createRandom(seed);
	let service = await start();
	const ids = await Promise.all(Array.from({ length: 5 }, () => run(service, printing)));
	for (let round = 0; round < 6; round += 1) {
		await delay(random(300));
		await service.kill();
		service = await start();
	}
	for (const id of ids) {
		const record = await settled(service, id);
		// One that the first kill met between its state and its start never began.
		if (record.status !== "abandoned") await assertWhole(service, record);
		else assert.equal(await service.client.executions.output(id), "", `KILL_SEED=${seed}`);
	}
	assert.equal(await service.stop(), 0);
	await nothingLeft(directory, 5);
	// A kill between an end and what follows it leaves a directory until the sweep, which comes at once where no run may go on.
	await (await start({ survive: false })).stop();
});

scene("what ended while no service ran is told with its exit code", true, async ({ directory, start, run, settled }) => {
	const first = await start();
	const done = join(directory, "done");
	const id = await run(first, `echo begun; touch '${directory}/begun'; sleep 0.5; echo over; touch '${done}'; exit 7`);
	await until("it has begun", 10, () => existsSync(join(directory, "begun")) || undefined);
	await first.kill();
	await until("it is over", 10, () => existsSync(done) || undefined);
	const second = await start();
	const { status, result } = await settled(second, id);
	assert.deepEqual([status, result?.["return_code"], result?.["stdout"]], ["failed", 7, "begun\nover"]);
});

scene("a service that is stopped leaves commands and their tokens alone", true, async ({ directory, start, run, settled }) => {
	const first = await start();
	const file = join(directory, "token");
	const id = await run(
		first,
		`echo "$SVC_ACTION_AUTH_TOKEN" >'${file}.new'; mv '${file}.new' '${file}'; while [ ! -e '${file}.used' ]; do sleep 0.1; done; echo over`,
	);
	await until("the command has begun", 10, () => existsSync(file) || undefined);
	assert.equal(await first.stop(), 0);
	const second = await start();
	const token = (await readFile(file, "utf8")).trim();
	const own = createClient({ apiUrl: `${second.api}/v1`, token });
	assert.equal((await own.executions.get(id)).status, "running");
	await writeFile(`${file}.used`, "");
	assert.equal((await settled(second, id)).status, "succeeded");
	await assert.rejects(own.executions.get(id), /Unauthorized/);
});

scene("a command that was found again can be canceled with all it started", true, async ({ directory, start, run, settled, printed }) => {
	const first = await start();
	const id = await run(first, "trap '' TERM; sleep 300 & (setsid sleep 300 & sleep 300) & echo ready; wait");
	await printed(first, id, 1);
	await first.kill();
	const second = await start();
	await second.client.executions.cancel(id);
	assert.equal((await settled(second, id)).status, "canceled");
	assert.equal(await second.stop(), 0);
	endLeftovers(directory);
});

scene(
	"without survive_restart it ends abandoned, and nothing of it is left",
	false,
	async ({ directory, start, run, settled, printed }) => {
		const first = await start();
		const id = await run(first, printing);
		await printed(first, id, 20);
		await first.kill();
		await nothingLeft(directory, 5);
		const second = await start();
		const { status } = await settled(second, id);
		assert.equal(status, "abandoned");
		const output = await second.client.executions.output(id, { type: "stdout" });
		assert.ok(text("line").startsWith(output) && output !== text("line"));
	},
);

test.run();
