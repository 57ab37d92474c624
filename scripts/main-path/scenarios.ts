import { execFileSync } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ServiceUnderTest, withService } from "../../core/testing/http/service.test-support.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { enteredFiles } from "./instrument.ts";

// Runs in a copy of the sources in which every function reports its file when it is called. Prints, as JSON, how many files each scenario
// enters and how often it goes from one file to another.

/**
 * A scenario is repeated until the least counts have not fallen for as many times. The least is counted, because a poll in the background may
 * come in between, which is more often the case on a busy machine.
 */
const steadyRepetitions = 9;
const maxRepetitions = 60;
/** Milliseconds without a call after which a scenario has ended. */
const quietTime = 40;
/** Storage plugins are not counted: a site chooses its own. */
const isCounted = (file: string) => !file.startsWith("plugins/storage-") && !file.includes(".test-support.");

interface Counts {
	readonly files: number;
	readonly changes: number;
}

const all = globalThis as unknown as Record<string, string[] | undefined>;

async function count(scenario: () => Promise<unknown>): Promise<Counts> {
	const entered: string[] = [];
	all[enteredFiles] = entered;
	await scenario();
	for (let before = -1; before !== entered.length; ) {
		before = entered.length;
		await pause(quietTime);
	}
	all[enteredFiles] = undefined;
	const counted = entered.filter(isCounted);
	return {
		files: new Set(counted).size,
		changes: counted.filter((file, index) => index > 0 && file !== counted[index - 1]).length,
	};
}

async function countLeast(scenario: () => Promise<unknown>): Promise<Counts> {
	let least = await count(scenario);
	for (let done = 1, steady = 0; steady < steadyRepetitions && done < maxRepetitions; done += 1) {
		const { files, changes } = await count(scenario);
		steady = files < least.files || changes < least.changes ? 0 : steady + 1;
		least = { files: Math.min(least.files, files), changes: Math.min(least.changes, changes) };
	}
	return least;
}

const post = async ({ ask }: ServiceUnderTest, path: string, body: object) => {
	const response = await ask(path, { method: "POST", body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as { readonly id: string };
};

/** One chunk from the pipe of a process to a client that follows the output. */
async function countChunk(service: ServiceUnderTest, directory: string): Promise<Counts> {
	const pipe = join(directory, "pipe");
	execFileSync("mkfifo", [pipe]);
	const { id } = await post(service, "/v1/executions", { action: "core.local", parameters: { cmd: `cat ${pipe}` } });
	const writer = await open(pipe, "w");
	const answer = await service.ask(`/stream/v1/executions/${id}/output`);
	const chunks = answer.body?.getReader();
	const counts = await countLeast(async () => {
		await writer.write("line\n");
		await chunks?.read();
	});
	await chunks?.cancel();
	await writer.close();
	return counts;
}

await withService(
	async (service) => {
		const directory = await mkdtemp(join(tmpdir(), "svc-main-path-"));
		try {
			const trigger = { type: "core.svc.webhook", parameters: { url: "hook" } };
			await post(service, "/v1/rules", { name: "hooked", enabled: true, trigger, action: { ref: "core.noop" } });
			const results = {
				noop: await countLeast(() => post(service, "/v1/executions", { action: "core.noop" })),
				echo: await countLeast(() => post(service, "/v1/executions", { action: "core.local", parameters: { cmd: "echo one" } })),
				webhook: await countLeast(() => post(service, "/v1/webhooks/hook", {})),
				chunk: await countChunk(service, directory),
			};
			process.stdout.write(`${JSON.stringify(results)}\n`);
		} finally {
			await rm(directory, { recursive: true, force: true });
		}
	},
	{ runners: [noop(), localCommand()], backend: { durable: true } },
);
