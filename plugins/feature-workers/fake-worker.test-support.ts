import type { JsonObject } from "../../core/contract/index.ts";
import type { HandedJob, WorkerNews, WorkerPoll, Workers } from "./workers-exports.ts";

/** What a worker would say over HTTP, said to an engine. */
export class FakeWorker {
	readonly name: string;
	readonly user: string;
	/** What it has been given and not ended, by id. */
	readonly jobs = new Map<string, HandedJob>();
	readonly #labels: readonly string[];
	readonly #instance: string;

	/** @param instance 32 hexadecimal digits; default made of the name */
	constructor(name: string, { labels = ["far"], user = "edge", instance = Buffer.from(name).toString("hex").padEnd(32, "0") } = {}) {
		this.name = name;
		this.user = user;
		this.#labels = labels;
		this.#instance = instance;
	}

	/** Ask for work. */
	async poll({ workers }: { readonly workers: Workers }, given: Partial<WorkerPoll> = {}): Promise<WorkerNews> {
		const jobs = [...this.jobs.values()].map(({ id, fence }) => ({ id, fence, told: false }));
		const body = {
			...{ instance: this.#instance, name: this.name, hostname: "edge", pid: 1, version: "0.1.0", labels: this.#labels },
			...{ runners: ["scripted"], places: 4, free: 4 - jobs.length, draining: false, jobs, wait: 0, ...given },
		};
		const principal = { username: this.user, isAdmin: false, authentication: { method: "API key", location: "header" } } as const;
		const news = await workers.poll(body, principal, new AbortController().signal);
		for (const id of news.lost) this.jobs.delete(id);
		for (const job of news.jobs) this.jobs.set(job.id, job);
		return news;
	}

	/** Hand over output. */
	output({ workers }: { readonly workers: Workers }, { id, fence }: Pick<HandedJob, "id" | "fence">, sequence: number, data: string) {
		return workers.reports.output(id, { fence, sequence, pieces: [{ type: "stdout", data }] }, this.reporter());
	}

	/** Hand over a good end, with some last output. */
	async end(
		{ workers }: { readonly workers: Workers },
		{ id, fence }: Pick<HandedJob, "id" | "fence">,
		{ sequence = 1, data = "", result = {} }: { readonly sequence?: number; readonly data?: string; readonly result?: JsonObject } = {},
	): Promise<void> {
		const pieces = data === "" ? [] : [{ type: "stdout", data } as const];
		await workers.reports.end(id, { fence, sequence, pieces, succeeded: true, result }, this.reporter());
		this.jobs.delete(id);
	}

	/** Who it is to the service, which lets it do everything. */
	reporter() {
		return { username: this.user, assertLabels: () => undefined };
	}
}
