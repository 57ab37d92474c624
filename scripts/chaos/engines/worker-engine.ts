import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pick } from "../../../core/testing/guarantees/random.test-support.ts";
import type { ServiceProcess } from "../../../core/testing/guarantees/service-process.test-support.ts";
import {
	connected,
	createWorkerKey,
	startWorkerProcess,
	type WorkerProcess,
} from "../../../core/testing/guarantees/worker-process.test-support.ts";
import { type CuttingProxy, startCuttingProxy } from "../../../core/testing/web/cutting-proxy.test-support.ts";
import type { ChaosEngine } from "./chaos-engine.ts";
import { config } from "./config.ts";

const label = "far";

/** Commands on two workers, which reach the service over a line that can be cut. */
export class WorkerChaos implements ChaosEngine {
	readonly name = "worker";
	readonly action = { runner_type: "local-shell-cmd", parameters: { worker_labels: { default: [label], immutable: true } } };
	readonly ledger: string;
	/** A worker that is killed takes its commands along. */
	readonly isLasting = false;
	/** On a slow machine a worker is away for longer than its lease, without anybody's doing. */
	readonly excuses = /worker/;
	readonly faults = {
		cut: {
			run: async (random: (limit: number) => number) => {
				for (let cuts = 1 + random(4); cuts > 0; cuts -= 1) {
					this.#line?.cut();
					await delay(random(300));
				}
			},
		},
		kill: {
			run: async (random: (limit: number) => number) => {
				const worker = pick(random, [...this.#workers]);
				this.#workers.delete(worker);
				await worker.kill();
				this.#start();
			},
		},
	};
	readonly #directory: string;
	readonly #workers = new Set<WorkerProcess>();
	#line: CuttingProxy | undefined;
	#key = "";
	#count = 0;

	/** @param directory of the service's files, where it has its own */
	constructor(directory: string, ledgers: string) {
		this.#directory = directory;
		this.ledger = join(ledgers, "worker");
	}

	async attach(service: ServiceProcess): Promise<void> {
		if (this.#line !== undefined) return this.#line.aim(service.api);
		this.#line = await startCuttingProxy(service.api);
		this.#key = await createWorkerKey(service);
		for (const name of [this.#start(), this.#start()]) await connected(service, name, "ready", 120);
	}

	async left() {
		return [];
	}

	async stop(): Promise<void> {
		for (const worker of this.#workers) await worker.kill();
		this.#workers.clear();
		await this.#line?.close();
	}

	/** Its name. */
	#start(): string {
		const name = `far-${++this.#count}`;
		const place = { directory: this.#directory, url: this.#line?.url ?? "", key: this.#key };
		const settings = { options: ["--config", config], environment: { CHAOS_ENGINES: "{}" } };
		this.#workers.add(startWorkerProcess({ ...place, ...settings, name, labels: label }));
		return name;
	}
}
