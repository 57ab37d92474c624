import "../http/answers-hook.test-support.ts";
// test-timeout: 600
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { type Client, createClient, type OutputChunkRecord } from "../../../plugins/_shipped/client.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { openEvents } from "../../client/api-client.ts";
import { toErrorMessage } from "../../contract/index.ts";
import { createService } from "../../service/service.ts";
import { rounds } from "../extent.test-support.ts";
import { follow, type Text } from "./follower.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { createScript } from "./script.test-support.ts";
import { until } from "./until.test-support.ts";

// FOLLOW_RUNS says how many runs there are, FOLLOW_SEED repeats what a failed test has tried.
const runs = rounds({ short: 16, full: 32 }, "FOLLOW_RUNS");
const firstSeed = Number(process.env["FOLLOW_SEED"] ?? Date.now() % 1_000_000);
const atOnce = 24;
/** What each run is followed by; a channel means only that one. */
const followers = [undefined, undefined, "stdout", "stderr"] as const;

async function withService(body: (client: Client) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-follow-"));
	const service = createService(
		{
			storage: knexStorage({ client: "sqlite", file: join(directory, "svc.db") }),
			event_bus: memoryBus(),
			runners: [localCommand()],
			auth: { enable: false, listen: false },
			api: { port: 0 },
			// Streams that were cut off count until the server has noticed: 97 are open at once, and more are not gone yet.
			stream: { listen: false, max_per_user: 500 },
			log: { level: "error" },
			data_dir: directory,
		},
		{ directory },
	);
	try {
		const { addresses } = await service.start();
		await body(createClient({ apiUrl: `${addresses.api}/v1`, streamUrl: `${addresses.api}/stream/v1` }));
	} finally {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

/** Everything that the general stream says of output from now on, by execution. */
async function watchOutput({ addresses }: Client, signal: AbortSignal): Promise<ReadonlyMap<string, Text>> {
	const texts = new Map<string, Text>();
	await new Promise<void>((resolve, reject) => {
		const read = async () => {
			const query = { events: "svc.execution.output__create" };
			for await (const { data } of openEvents(`${addresses.streamUrl}/stream`, { query, signal }, resolve)) {
				const chunk = JSON.parse(data) as OutputChunkRecord;
				const text = texts.get(chunk.execution_id) ?? { stdout: "", stderr: "", other: "" };
				text[chunk.output_type] += chunk.data;
				texts.set(chunk.execution_id, text);
			}
		};
		read().catch((error: unknown) => signal.aborted || reject(error));
	});
	return texts;
}

test(`${runs} runs followed by clients that come, go and come back: every byte once, one end`, () =>
	withService(async (client) => {
		const watching = new AbortController();
		const general = await watchOutput(client, watching.signal);
		let started = 0;
		let connections = 0;

		const runOne = async (seed: number) => {
			const random = createRandom(seed);
			const { cmd, stdout, stderr } = createScript(random);
			const { id } = await client.executions.create({ action: "core.local", parameters: { cmd } });
			const url = `${client.addresses.streamUrl}/executions/${id}/output`;
			const options = (type: (typeof followers)[number], index: number) => ({
				url,
				random: createRandom(seed * followers.length + index),
				...(type !== undefined && { type }),
			});
			const followed = await Promise.all(followers.map((type, index) => follow(options(type, index))));
			for (const [index, { text, connections: used }] of followed.entries()) {
				connections += used;
				if (followers[index] !== "stderr") assert.equal(text.stdout, stdout);
				if (followers[index] !== "stdout") assert.equal(text.stderr, stderr);
			}
			assert.equal((await client.executions.get(id)).status, "succeeded");
			assert.equal(await client.executions.output(id, { type: "stdout" }), stdout);
			await until("the general stream has said it all", 10, () => {
				const text = general.get(id);
				return ((text?.stdout ?? "") === stdout && (text?.stderr ?? "") === stderr) || undefined;
			});
		};

		const work = async () => {
			while (started < runs) {
				const seed = firstSeed + started++;
				await runOne(seed).catch((cause: unknown) => {
					throw new Error(`FOLLOW_SEED=${seed}: ${toErrorMessage(cause)}`, { cause });
				});
			}
		};
		await Promise.all(Array.from({ length: atOnce }, work));
		watching.abort();
		process.stdout.write(`${runs} runs, ${connections} connections\n`);
	}));

test.run();
