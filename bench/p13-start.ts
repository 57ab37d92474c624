import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Benchmark, Resource } from "./harness/benchmark.ts";
import { useHistory } from "./harness/history.ts";
import { measureService, readTreeMemory } from "./harness/process-figures.ts";
import { startShipped } from "./harness/shipped-service.ts";
import { median } from "./harness/statistics.ts";

/** Seconds that a service gets to come to rest after its start. */
const settling = 10;
const mebibyte = 1.048576;

export const benchmark: Benchmark = {
	id: "P13",
	title: "the service as npm start runs it, process start to first answer, and at rest with a million executions stored",
	goals: [
		{ name: "start", label: "start of a service that has been started before", unit: "ms", direction: "at most", limits: [800] },
		{ name: "stored", label: "start with the executions stored ÷ start without", direction: "at most", limits: [1.1] },
		{ name: "memory", label: "resident memory at rest, all processes", unit: "MB", direction: "at most", limits: [110] },
		{ name: "processor", label: "processor time at rest of all processes, of one core", unit: "%", direction: "at most", limits: [0.5] },
		{ name: "first", label: "the very first start, which makes the tables", unit: "ms", direction: "at most", limits: [] },
	],
	async run(round) {
		const history = await round.use("history", async () => {
			const shared = await useHistory(round);
			// Not counted: the first start on it makes the administrator and brings the file into memory.
			await time(shared.dataDirectory);
			return { ...shared, stop: async () => {} };
		});
		const empty = await round.use("empty", makeEmpty);
		const starts = round.quick ? 1 : 3;
		const [stored, without] = await round.alternate(
			() => timeOften(history.dataDirectory, starts),
			() => timeOften(empty.dataDirectory, starts),
		);
		const { memory, processor } = await measureRest(history.dataDirectory, round.quick ? 3 : 30);
		return {
			values: { start: without, stored: stored / without, memory, processor, first: empty.first },
			detail:
				`${without.toFixed(0)} ms, with ${history.count} executions ${stored.toFixed(0)} ms, the very first ${empty.first.toFixed(0)} ms; ` +
				`at rest ${memory.toFixed(0)} MB, ${processor.toFixed(2)} % of a core`,
		};
	},
};

interface Empty extends Resource {
	readonly dataDirectory: string;
	/** Milliseconds of the first start. */
	readonly first: number;
}

/** A data directory in which nothing has run yet. */
async function makeEmpty(): Promise<Empty> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const dataDirectory = join(directory, "data");
	const first = await time(dataDirectory);
	// The next one keeps what it has made of the configuration file, so only those after it are alike.
	await time(dataDirectory);
	return { dataDirectory, first, stop: () => rm(directory, { recursive: true, force: true }) };
}

async function timeOften(dataDirectory: string, times: number): Promise<number> {
	const taken: number[] = [];
	for (let index = 0; index < times; index++) taken.push(await time(dataDirectory));
	return median(taken);
}

async function time(dataDirectory: string): Promise<number> {
	const service = await startShipped(dataDirectory);
	await service.stop();
	return service.milliseconds;
}

async function measureRest(dataDirectory: string, seconds: number): Promise<{ readonly memory: number; readonly processor: number }> {
	const service = await startShipped(dataDirectory);
	try {
		await pause(settling * 1_000);
		const { time: used } = await measureService(service.pid, () => pause(seconds * 1_000));
		const memory = (await readTreeMemory(service.pid)) * mebibyte;
		return { memory, processor: (100 * (used.server + used.launcher + used.processes)) / seconds };
	} finally {
		await service.stop();
	}
}
