import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Resource } from "./benchmark.ts";
import { startChild } from "./child.ts";
import { createHttpClient } from "./http-client.ts";

/** What accepting is held against: h3 that inserts one row for each `POST`, durably, on the same disk as the service's database. */
export interface InsertPeer extends Resource {
	/** `POST`s a second of one body. */
	measure(load: { readonly body: string; readonly inFlight: number; readonly seconds: number }): Promise<number>;
}

export function startInsertPeer(): Promise<InsertPeer> {
	return startRowsPeer("insert.mjs");
}

/** The same for deliveries that each start so many executions: the least that these take as well. */
export function startExecutionsPeer(executions: number): Promise<InsertPeer> {
	return startRowsPeer("insert-executions.mjs", { executions });
}

/**
 * The least of a service that keeps what this one keeps, by its own storage: `byRule` says whether with the indexes that lists of what a rule has
 * done need.
 */
export function startDeliveriesPeer(options: {
	readonly executions: number;
	readonly ruleCount: number;
	readonly byRule: boolean;
}): Promise<InsertPeer> {
	return startRowsPeer("store-deliveries.mjs", options);
}

async function startRowsPeer(program: string, input: object = {}): Promise<InsertPeer> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const child = await startChild(program, { input: { file: join(directory, "rows.db"), dataDirectory: directory, ...input } });
	const { address } = child.facts as { readonly address: string };
	const client = createHttpClient(address);

	async function post(body: string, inFlight: number, seconds: number): Promise<number> {
		const until = performance.now() + seconds * 1000;
		let count = 0;
		const worker = async () => {
			while (performance.now() < until) {
				await client.post("/rows", body);
				count += 1;
			}
		};
		await Promise.all(Array.from({ length: inFlight }, worker));
		return count;
	}

	return {
		async measure({ body, inFlight, seconds }) {
			await post(body, inFlight, 0.5);
			const started = performance.now();
			const count = await post(body, inFlight, seconds);
			return count / ((performance.now() - started) / 1000);
		},
		async stop() {
			client.stop();
			await child.stop();
			await rm(directory, { recursive: true, force: true });
		},
	};
}
