import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createResources, type Resource } from "./harness/benchmark.ts";
import { runChild } from "./harness/child.ts";
import { inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { useHistory } from "./harness/history.ts";
import { describeMachine } from "./harness/machine.ts";
import { type Service, type ServiceOptions, startService } from "./harness/service.ts";
import { median } from "./harness/statistics.ts";
import { startFollowers } from "./harness/stream-followers.ts";

// How costs grow with what a service has, as processor time of one operation, which others on the machine do not lengthen as they do the
// time that passes: `node --import tsx bench/growth.ts [--quick]`, after a build. Results are in bench/NOTES.md.
const quick = process.argv.includes("--quick");
const seconds = quick ? 1 : 5;
const rounds = quick ? 1 : 3;
const noop = JSON.stringify({ action: "core.noop", parameters: {} });
const shared = createResources();

function print(what: string, figures: readonly number[], unit: string): void {
	const range = `${Math.min(...figures).toPrecision(3)} to ${Math.max(...figures).toPrecision(3)}`;
	process.stdout.write(`  ${what}: ${median(figures).toPrecision(3)} ${unit} (${range})\n`);
}

/** Milliseconds of the server for one execution of `core.noop`, each round. */
async function measureNoop(service: Service): Promise<number[]> {
	const figures: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const { processorTime } = await runLoad(service, { body: noop, inFlight, seconds });
		figures.push(processorTime.server);
	}
	return figures;
}

async function withService(options: ServiceOptions, use: (service: Service) => Promise<void>): Promise<void> {
	const service = await startService(options);
	try {
		await use(service);
	} finally {
		await service.stop();
	}
}

async function growHistory(): Promise<void> {
	process.stdout.write("history: core.noop, processor time of the server for an execution\n");
	await withService({}, async (service) => print("0 executions", await measureNoop(service), "ms"));
	const { dataDirectory, count } = await useHistory({ quick, share: shared.use });
	await withService({ dataDirectory }, async (service) => print(`${count} executions`, await measureNoop(service), "ms"));
}

async function growRules(): Promise<void> {
	process.stdout.write("rules: an event of a trigger with ten rules, none of which matches, processor time of finding and deciding them\n");
	for (const all of [10, 100, 1_000, 10_000]) {
		const figures: number[] = [];
		for (let round = 0; round < rounds; round++) figures.push(1_000 * (await matchRules(all)));
		print(`${all} rules`, figures, "µs");
	}
}

async function matchRules(all: number): Promise<number> {
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	try {
		const input = { dataDirectory, wanted: 10, others: all - 10, events: quick ? 5_000 : 50_000, changes: 10 };
		return ((await runChild("match-rules.mjs", { input })) as { readonly event: number }).event;
	} finally {
		await rm(dataDirectory, { recursive: true, force: true });
	}
}

async function growFollowers(): Promise<void> {
	process.stdout.write("followers of the general stream: core.noop, processor time of the server for an execution\n");
	await withService({ streamsPerUser: 0 }, async (service) => {
		for (const count of [1, 10, 100, 500]) {
			// The load itself is one.
			const none: Resource = { stop: async () => undefined };
			const others = count === 1 ? none : await startFollowers(service, count - 1, "/v1/stream?events=svc.execution__update");
			try {
				print(`${count} followers`, await measureNoop(service), "ms");
			} finally {
				await others.stop();
			}
		}
	});
}

process.stdout.write(`${await describeMachine()}\n`);
try {
	await growRules();
	await growFollowers();
	await growHistory();
} finally {
	await shared.stop();
}
