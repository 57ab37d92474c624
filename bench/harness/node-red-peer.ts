import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Resource } from "./benchmark.ts";
import { startChild } from "./child.ts";
import { createHttpClient } from "./http-client.ts";

/** What a webhook that starts a command is held against: a flow of Node-RED that answers with what the command has printed. */
export interface NodeRedPeer extends Resource {
	/** Deliveries that were answered, as milliseconds each. */
	measure(load: { readonly body: string; readonly inFlight: number; readonly seconds: number }): Promise<{
		readonly perSecond: number;
		readonly milliseconds: readonly number[];
	}>;
}

/** The newest that runs on the same Node as the service. */
const version = "4.1.8";

export async function startNodeRedPeer(command: string): Promise<NodeRedPeer> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const remove = () => rm(directory, { recursive: true, force: true });
	try {
		const install = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", directory, `node-red@${version}`];
		await promisify(execFile)("npm", install, { cwd: directory });
		// It starts commands by bash, which takes the socket that Node gives it for a login from elsewhere and reads what is in the home directory.
		const child = await startChild("node-red.mjs", { input: { directory, command }, env: { HOME: directory } });
		const { address } = child.facts as { readonly address: string };
		const client = createHttpClient(address);

		const run = async (body: string, inFlight: number, seconds: number): Promise<number[]> => {
			const taken: number[] = [];
			const until = performance.now() + seconds * 1_000;
			const worker = async () => {
				while (performance.now() < until) {
					const started = performance.now();
					await client.post("/hook", body);
					taken.push(performance.now() - started);
				}
			};
			await Promise.all(Array.from({ length: inFlight }, worker));
			return taken;
		};

		return {
			async measure({ body, inFlight, seconds }) {
				await run(body, inFlight, Math.min(seconds, 1));
				const started = performance.now();
				const milliseconds = await run(body, inFlight, seconds);
				return { perSecond: milliseconds.length / ((performance.now() - started) / 1_000), milliseconds };
			},
			async stop() {
				client.stop();
				await child.stop();
				await remove();
			},
		};
	} catch (error) {
		await remove();
		throw error;
	}
}
