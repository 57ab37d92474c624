import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../../plugins/_shipped/client.ts";
import type { Random } from "./random.test-support.ts";
import { type ServiceFiles, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";

export interface FleetOptions extends ServiceFiles {
	readonly size: number;
}

/** Services that share what they work at; they may be killed one by one. */
export class WorkflowFleet {
	readonly size: number;
	readonly #files: ServiceFiles;
	readonly #services: (ServiceProcess | undefined)[];
	#token: string | undefined;

	constructor({ size, ...files }: FleetOptions) {
		this.size = size;
		this.#files = files;
		this.#services = Array.from({ length: size }, () => undefined);
	}

	/** Of one that runs. */
	get client(): Client {
		const [running] = this.#running();
		if (running === undefined) throw new Error("no service runs");
		return running.client;
	}

	/** Start what does not run. */
	async start(): Promise<void> {
		for (const [index, service] of this.#services.entries()) {
			if (service !== undefined) continue;
			const started = await startServiceProcess({ ...this.#files, ...(this.#token !== undefined && { token: this.#token }) });
			this.#token = started.token;
			this.#services[index] = started;
		}
	}

	async killOne(random: Random): Promise<void> {
		const index = random(this.size);
		const service = this.#services[index];
		this.#services[index] = undefined;
		await service?.kill();
	}

	async kill(): Promise<void> {
		for (const service of this.#running()) await service.kill();
	}

	async stop(): Promise<void> {
		for (const [index, service] of this.#services.entries()) {
			if (service === undefined) continue;
			const code = await service.stop();
			if (code !== 0) throw new Error(`service ${index} ended with ${code}`);
			this.#services[index] = undefined;
		}
	}

	/** Answer what is asked for so many milliseconds, at least once. */
	async answerQuestions(milliseconds: number): Promise<void> {
		const until = performance.now() + milliseconds;
		do {
			const { items } = await this.client.inquiries.list({ limit: 100 });
			// Somebody else, or a time-out, may have been faster.
			for (const { id } of items) await this.client.inquiries.respond(id, { continue: true }).catch(() => undefined);
			await delay(Math.max(0, Math.min(20, until - performance.now())));
		} while (performance.now() < until);
	}

	#running(): readonly ServiceProcess[] {
		return this.#services.flatMap((service) => service ?? []);
	}
}
