import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pick, type Random } from "../../../core/testing/guarantees/random.test-support.ts";
import type { ServiceProcess } from "../../../core/testing/guarantees/service-process.test-support.ts";
import {
	connected,
	createWorkerKey,
	startWorkerProcess,
	type WorkerProcess,
} from "../../../core/testing/guarantees/worker-process.test-support.ts";
import { type CuttingProxy, startCuttingProxy } from "../../../core/testing/web/cutting-proxy.test-support.ts";
import { type ChaosEngine, forAWhile, type Loss, type UnsuccessfulRun } from "./chaos-engine.ts";
import { config } from "./config.ts";
import { killCommand } from "./running-commands.ts";

const label = "far";

/** Seconds for which a worker holds what it runs: longer than a busy machine, or a line to it, is away, but where that is meant. */
export const workerLease = 20;

/** Commands on two workers, which reach the service over a line that can be cut, closed, and swallow everything. */
export class WorkerChaos implements ChaosEngine {
	readonly name = "worker";
	readonly action = { runner_type: "local-shell-cmd", parameters: { svc_worker_labels: { default: [label], immutable: true } } };
	readonly ledger: string;
	readonly mayTimeOut = true;
	/** A killed command has the status of one that ran out of time, and an error that names the signal. */
	readonly removed = /^exit code -?\d+$|^the process was ended by signal \d+ /;
	readonly faults = {
		cut: async (random: Random) => {
			for (let cuts = 1 + random(4); cuts > 0; cuts -= 1) {
				this.#line?.cut();
				await delay(random(300));
			}
		},
		refuse: (random: Random) =>
			forAWhile(
				random,
				() => this.#line?.refuse(),
				() => this.#line?.admit(),
			),
		freeze: (random: Random) =>
			forAWhile(
				random,
				() => this.#line?.freeze(),
				() => this.#line?.thaw(),
			),
		/** For longer than its lease. */
		lapse: async (random: Random) => {
			const isFrozen = random(2) === 0;
			if (isFrozen) this.#line?.freeze();
			else this.#line?.refuse();
			await delay(workerLease * 1_000 + random(2_000));
			if (isFrozen) this.#line?.thaw();
			else await this.#line?.admit();
		},
		kill: async (random: Random) => {
			const [name, worker] = pick(random, [...this.#workers]);
			this.#workers.delete(name);
			await worker.kill();
			this.#killed.set(name, worker);
			this.#start();
		},
	};
	readonly #directory: string;
	readonly #ledgers: string;
	readonly #workers = new Map<string, WorkerProcess>();
	readonly #killed = new Map<string, WorkerProcess>();
	#line: CuttingProxy | undefined;
	#key = "";
	#count = 0;

	/** @param directory of the service's files, where it has its own */
	constructor(directory: string, ledgers: string) {
		this.#directory = directory;
		this.#ledgers = ledgers;
		this.ledger = join(ledgers, this.name);
	}

	async attach(service: ServiceProcess): Promise<void> {
		if (this.#line !== undefined) return this.#line.aim(service.api);
		this.#line = await startCuttingProxy(service.api);
		this.#key = await createWorkerKey(service);
		for (const name of [this.#start(), this.#start()]) await connected(service, name, "ready", 120);
	}

	async wasAsked({ id }: UnsuccessfulRun["record"]): Promise<boolean> {
		return [...this.#workers.values(), ...this.#killed.values()].some((worker) => worker.log().includes(id));
	}

	async findLoss({ record, reason, begun, mishaps }: UnsuccessfulRun): Promise<Loss | undefined> {
		const name = /^the worker "([^"]+)"/.exec(reason)?.[1];
		if (name === undefined) return undefined;
		if (this.#killed.has(name)) return { what: "its worker was killed" };
		const isLapsed = mishaps.some(({ what }) => what === "lapse");
		// The answer that brought it came too late, or not at all.
		if (begun === 0 && isLapsed) return { what: "its worker was cut off before it began" };
		const log = this.#workers.get(name)?.log() ?? "";
		const hasLetGo = log.split("\n").some((line) => line.includes("does not respond in time") && line.includes(record.liveaction.id));
		if (!hasLetGo) return undefined;
		if (isLapsed) return { what: "its worker was cut off for longer than its lease" };
		// On a slow machine a service is back later.
		const away = mishaps.filter(({ engine, from, to }) => engine === undefined && to - from > (workerLease * 2_000) / 3);
		return away.length > 0 ? { what: "the service was away for longer than its lease" } : undefined;
	}

	takeAway(random: Random): Promise<string | undefined> {
		return killCommand(this.#ledgers, this.name, random);
	}

	async left() {
		return [];
	}

	async stop(): Promise<void> {
		for (const worker of this.#workers.values()) await worker.kill();
		this.#workers.clear();
		await this.#line?.close();
	}

	/** Its name. */
	#start(): string {
		const name = `far-${++this.#count}`;
		const place = { directory: this.#directory, url: this.#line?.url ?? "", key: this.#key };
		const settings = { options: ["--config", config], environment: { CHAOS_ENGINES: "{}" } };
		this.#workers.set(name, startWorkerProcess({ ...place, ...settings, name, labels: label }));
		return name;
	}
}
