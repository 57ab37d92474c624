import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Resource } from "./benchmark.ts";
import { type Child, startChild } from "./child.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import { printProfile, profileOptions } from "./profile.ts";
import { writeBenchPack } from "./workflow-pack.ts";

/** A running service, signed in to as its administrator. */
export interface Service extends Resource {
	readonly pid: number;
	readonly api: HttpClient;
	readonly stream: HttpClient;
	readonly apiAddress: string;
	readonly streamAddress: string;
	readonly token: string;
	/** Begins or ends to count, in a service that was started for it (`processes/counted.mjs`). */
	readonly count: Child["ask"];
}

export const ownBuild = fileURLToPath(new URL("../../dist", import.meta.url));

interface ServerFacts {
	readonly addresses: { readonly api: string; readonly auth: string; readonly stream: string };
}

export interface ServiceOptions {
	/** Directory of the build to start; default `dist` of this project. */
	readonly build?: string;
	/** Whether it can count what it does. */
	readonly counted?: boolean;
	/** Memory it holds for no reason. */
	readonly ballastMegabytes?: number;
	/** Data directory with a database; default an empty one. */
	readonly dataDirectory?: string;
	/** Event streams that one user may have open; default as the service has it. */
	readonly streamsPerUser?: number;
	/** Seed of V8's hashes and random numbers, for comparisons of builds. Default: another one in each process, as in production. */
	readonly seed?: number;
	/** Address of a PostgreSQL database; default SQLite in the data directory. */
	readonly url?: string;
	/** Whether workers may carry out commands. */
	readonly workers?: boolean;
	/** Whether the service measures itself for Prometheus. */
	readonly metrics?: boolean;
	/** Address that spans are sent to. */
	readonly spansTo?: string;
}

/** Start the built service, unless told otherwise on an empty database in a temporary directory (`TMPDIR` chooses the disk). */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const remove = () => rm(directory, { recursive: true, force: true });
	try {
		const service = await startIn(directory, options);
		return {
			...service,
			async stop() {
				await service.stop();
				await printProfile(directory);
				await remove();
			},
		};
	} catch (error) {
		await remove();
		throw error;
	}
}

/**
 * Returns options of V8 with which processes with the same seed decide alike. With a single thread, they also compile and collect garbage
 * at the same points of the work.
 */
function toRepeatableV8Options(seed: number | undefined): readonly string[] {
	return seed === undefined ? [] : ["--single-threaded", `--hash-seed=${seed}`, `--random-seed=${seed}`];
}

async function startIn(
	directory: string,
	{
		build = ownBuild,
		counted = false,
		seed,
		ballastMegabytes = 0,
		dataDirectory,
		streamsPerUser,
		url,
		workers,
		metrics,
		spansTo,
	}: ServiceOptions,
): Promise<Service> {
	const packs = join(directory, "packs");
	await writeBenchPack(packs);
	const paths = { dataDirectory: dataDirectory ?? join(directory, "data"), passwordFile: join(directory, "htpasswd"), packs };
	const child = await startChild("server.mjs", {
		input: { build, ...paths, ballastMegabytes, streamsPerUser, url, workers, metrics, spansTo },
		env: { SVC_ADMIN_PASSWORD: password },
		nodeOptions: [...profileOptions(directory), ...(counted ? countingOptions : []), ...toRepeatableV8Options(seed)],
		answers: counted,
	});
	const { addresses } = child.facts as ServerFacts;
	const token = await signIn(addresses.auth);
	const headers = { "x-auth-token": token };
	const api = createHttpClient(addresses.api, headers);
	const stream = createHttpClient(addresses.stream, headers);
	return {
		pid: child.pid,
		api,
		stream,
		apiAddress: addresses.api,
		streamAddress: addresses.stream,
		token,
		count: child.ask,
		async stop() {
			api.stop();
			stream.stop();
			await child.stop();
		},
	};
}

const countingOptions = ["--import", new URL("../processes/counted.mjs", import.meta.url).href];

const password = randomBytes(12).toString("hex");

async function signIn(address: string): Promise<string> {
	const client = createHttpClient(address, { authorization: `Basic ${Buffer.from(`admin:${password}`).toString("base64")}` });
	try {
		const { token } = JSON.parse(await client.post("/auth/v1/tokens", "{}")) as { readonly token: string };
		return token;
	} finally {
		client.stop();
	}
}
