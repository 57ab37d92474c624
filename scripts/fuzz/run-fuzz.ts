import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../core/testing/guarantees/random.test-support.ts";
import { sendBroken } from "./broken-http.ts";
import { findIncidents, type Incident, makeBatch, makeReading, repairs, type Sent, sendAll } from "./campaign.ts";
import type { Problem } from "./judge.ts";
import { Laboratory, learnFrom } from "./laboratory.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { Memory } from "./memory.ts";
import { Past } from "./past.ts";
import { findStrays } from "./places.ts";
import { prepare, type Target } from "./prepare.ts";
import { ServiceProcess } from "./service-process.ts";
import { type Minimal, shrink } from "./shrink.ts";

export interface FuzzOptions {
	readonly seed: number;
	/** How many requests are made, besides those that read again. */
	readonly requests: number;
	/** Seconds after which no more are made. */
	readonly seconds: number;
	/** Seconds in all to find the smallest requests for what goes wrong. */
	readonly shrinkSeconds: number;
	/** It ends with as many findings. */
	readonly most: number;
	/** Faults in the service, for the test of the fuzzer. */
	readonly planted?: string;
	readonly print: (line: string) => void;
}

/** Something that must not be, and how to see it again. */
export interface Finding extends Minimal {
	readonly problem: Problem;
	readonly seed: number;
	/** Whether it happened again with these requests alone. */
	readonly isSeenAgain: boolean;
}

/** Requests that are made before what the others brought is known. */
const groupSize = 10;
/** All is read again after as many. */
const groupsInBatch = 6;
/** Files and sockets that may be open at the end beyond those after the first batch. */
const handleGrowth = 30;
/** Milliseconds of a stall that counts although it was not seen again: no processor is that slow. */
const grave = 1_500;

/** Ask a service at random, and find what must not be. */
export async function runFuzz(options: FuzzOptions): Promise<readonly Finding[]> {
	const run = new FuzzRun(options);
	return run.run();
}

class FuzzRun {
	readonly #options: FuzzOptions;
	readonly #findings: Finding[] = [];
	readonly #seen = new Set<string>();
	readonly #reduced = new Set<string>();
	readonly #laboratory: Laboratory;
	readonly #until: number;
	#made = 0;
	#answered = 0;

	constructor(options: FuzzOptions) {
		this.#options = options;
		this.#laboratory = new Laboratory(options.planted ?? "", options.shrinkSeconds);
		this.#until = performance.now() + options.seconds * 1_000;
	}

	async run(): Promise<readonly Finding[]> {
		const started = performance.now();
		try {
			while (!this.#isDone()) await this.#withTarget((target, directory) => this.#fuzz(target, directory));
		} finally {
			await this.#laboratory.close();
		}
		const seconds = ((performance.now() - started) / 1_000).toFixed(0);
		this.#options.print(`seed ${this.#options.seed}: ${this.#answered} requests in ${seconds} s, ${this.#findings.length} findings`);
		return this.#findings;
	}

	#isDone(): boolean {
		const { requests, most } = this.#options;
		return this.#made >= requests || this.#findings.length >= most || performance.now() > this.#until;
	}

	/** Until all is done, or something went wrong: what is stored then may go on going wrong. */
	async #fuzz(target: Target, directory: string): Promise<void> {
		const past = new Past();
		const groups = Array.from({ length: groupsInBatch }, () => (memory: Memory) => this.#make(memory));
		let atFirst: number | undefined;
		while (!this.#isDone()) {
			past.begin();
			for (const group of [...groups, () => repairs, makeReading]) {
				if (await this.#send(target, directory, group(target.memory), past)) return;
			}
			for (const problem of await sendBroken(target, createRandom(this.#options.seed + this.#made))) this.#add({ problem, requests: [] });
			atFirst ??= await countHandles(target);
		}
		if (atFirst === undefined) return;
		const grown = (await countHandles(target)) - atFirst;
		if (grown > handleGrowth)
			this.#add({ problem: { kind: "handles", detail: `${grown} more files are open than at first` }, requests: [] });
		await this.#restart(target, directory);
	}

	#make(memory: Memory): readonly FuzzRequest[] {
		const { seed, requests } = this.#options;
		const batch = makeBatch(seed, this.#made, Math.min(groupSize, requests - this.#made), memory);
		this.#made += batch.length;
		return batch;
	}

	/** Whether something went wrong. */
	async #send(target: Target, directory: string, requests: readonly FuzzRequest[], past: Past): Promise<boolean> {
		const sent = await sendAll(target, requests);
		this.#answered += sent.length;
		for (const { request, answer } of inOrder(requests, sent)) {
			const isTaken = answer.status !== undefined && answer.status < 300;
			past.add(request, isTaken, isTaken ? learnFrom(target, request, answer.text) : []);
		}
		const incidents = await findIncidents(target, sent);
		const strays = await findStrays(directory);
		if (strays.length > 0) incidents.push({ problem: { kind: "stray", detail: strays.join(", ") }, suspects: past.changes });
		for (const incident of incidents) await this.#investigate(incident, past);
		return incidents.length > 0;
	}

	async #investigate(incident: Incident, past: Past): Promise<void> {
		if (this.#findings.length >= this.#options.most || isKnown(this.#seen, incident.problem, incident.suspects)) return;
		const { problem, suspects } = incident;
		this.#options.print(`seed ${this.#options.seed}: ${problem.kind}: ${problem.detail.slice(0, 300)}; looking for the smallest requests`);
		const minimal = await shrink(incident, past, this.#laboratory);
		const cpu = Number(/computing for (\d+)/.exec(problem.detail)?.[1] ?? Number.POSITIVE_INFINITY);
		if (minimal.problem === undefined && problem.kind === "stall" && cpu < grave) {
			// Many things at once, on a slow machine, and none of them by itself.
			return this.#options.print(`seed ${this.#options.seed}: not seen again: ${problem.detail}`);
		}
		if (minimal.problem !== undefined && isKnown(this.#reduced, minimal.problem, minimal.requests)) return;
		this.#add(
			{ problem: minimal.problem ?? problem, requests: minimal.requests.length > 0 ? minimal.requests : suspects },
			minimal.problem !== undefined,
		);
	}

	/** What is stored must not keep the service from starting, nor from answering. */
	async #restart({ service, sender, callers, memory, secrets }: Target, directory: string): Promise<void> {
		const stopped = await service.stop();
		if (stopped !== undefined) this.#add({ problem: stopped, requests: [] });
		try {
			const again = await ServiceProcess.start(directory, this.#options.planted ?? "", true);
			const target = { service: again, sender, callers, memory, secrets };
			try {
				const past = new Past();
				past.begin();
				await this.#send(target, directory, makeReading(memory), past);
			} finally {
				await again.kill();
			}
		} catch (error) {
			this.#add({ problem: { kind: "restart", detail: String(error) }, requests: [] });
		}
	}

	#add(found: { readonly problem: Problem; readonly requests: readonly FuzzRequest[] }, isSeenAgain = false): void {
		this.#findings.push({ ...found, isSeenAgain, seed: this.#options.seed });
	}

	async #withTarget(run: (target: Target, directory: string) => Promise<void>): Promise<void> {
		const directory = await mkdtemp(join(tmpdir(), "svc-fuzz-"));
		try {
			const target = await prepare(directory, this.#options.planted ?? "");
			try {
				await run(target, directory);
			} finally {
				target.sender.close();
				await target.service.kill();
			}
		} finally {
			await rm(directory, { recursive: true, force: true });
		}
	}
}

/** One of each kind at the same routes is enough; from then on it is known. */
function isKnown(known: Set<string>, { kind }: Problem, requests: readonly FuzzRequest[]): boolean {
	const key = `${kind} ${requests.map(({ method, path, route }) => `${method} ${route?.path ?? path.split("?")[0]}`).join(", ")}`;
	if (known.has(key)) return true;
	known.add(key);
	return false;
}

/** In the order in which they were made, whenever they were answered. */
function inOrder(requests: readonly FuzzRequest[], sent: readonly Sent[]): readonly Sent[] {
	const answers = new Map(sent.map((one) => [one.request, one]));
	return requests.flatMap((request) => answers.get(request) ?? []);
}

/** Of the service alone: connections of the test are closed first. */
async function countHandles({ service, sender }: Target): Promise<number> {
	sender.close();
	await new Promise((resolve) => setTimeout(resolve, 300));
	return service.handles();
}
