import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
	type ServiceFiles,
	type ServiceProcess,
	startServiceProcess,
} from "../../../core/testing/guarantees/service-process.test-support.ts";
import { workerOptions } from "../../../core/testing/guarantees/worker-process.test-support.ts";
import type { Client } from "../../../plugins/_shipped/client.ts";
import type { ChaosEngine } from "./chaos-engine.ts";
import { config } from "./config.ts";
import { workerLease } from "./worker-engine.ts";

/** The service that the engines belong to: one after another on the same files. */
export class EngineService {
	readonly #directory: string;
	readonly #engines: readonly ChaosEngine[];
	#files: ServiceFiles | undefined;
	#running: ServiceProcess | undefined;

	constructor(directory: string, engines: readonly ChaosEngine[]) {
		this.#directory = directory;
		this.#engines = engines;
	}

	/** Of the service that runs, or ran last. */
	get client(): Client {
		if (this.#running === undefined) throw new Error("the service has not been started");
		return this.#running.client;
	}

	/** @param without by engine, what is taken out of its runner */
	async start(without: object): Promise<void> {
		const directory = this.#directory;
		const options = Object.fromEntries(this.#engines.map(({ name, options }) => [name, options ?? {}]));
		const environment = {
			...workerOptions,
			SVC_WORKERS_LEASE: String(workerLease),
			CHAOS_ENGINES: JSON.stringify(options),
			CHAOS_WITHOUT: JSON.stringify(without),
			CHAOS_PACKS: join(directory, "packs"),
		};
		this.#files = { directory, config, environment };
		await this.#begin(this.#files);
	}

	/** Kill it, and start it again after so many milliseconds. */
	async restart(away: number): Promise<void> {
		const { token = "" } = this.#running ?? {};
		await this.kill();
		await delay(away);
		if (this.#files !== undefined) await this.#begin({ ...this.#files, token });
	}

	async kill(): Promise<void> {
		await this.#running?.kill();
	}

	async #begin(files: ServiceFiles): Promise<void> {
		this.#running = await startServiceProcess(files);
		for (const engine of this.#engines) await engine.attach?.(this.#running);
	}
}
