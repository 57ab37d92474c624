import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import "./answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { defineAuthBackend, defineRunner } from "../../contract/index.ts";
import { createService, type Service } from "../../service/service.ts";
import { countingBus } from "../engine/counting-bus.test-support.ts";

/** Says its lines and goes on until it is canceled. */
const speak = defineRunner("speak", () => ({
	description: "Says its lines.",
	capabilities: { streaming: true, cancellation: true },
	parameters: { lines: { type: "array", default: [] }, wait: { type: "boolean", default: false } },
	async run({ runnerParameters: { lines, wait }, emit, signal }) {
		for (const line of lines) await emit("stdout", `${String(line)}\n`);
		if (wait && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		return { succeeded: true, result: {} };
	},
}));

const backend = defineAuthBackend("site", ({ ready }: { ready?: Promise<void> | undefined }) => ({
	async authenticate({ username, password }) {
		await ready;
		return password === "a password" ? { username } : undefined;
	},
}));

/** A server of somebody else that the service is mounted in under `/automation`. */
export interface HostServer {
	readonly url: string;
	close(): Promise<void>;
}

export interface Mounted {
	readonly service: Service;
	readonly host: HostServer;
	/** Address of the service at the host. */
	readonly url: string;
	readonly log: readonly (readonly [message: string, fields: Readonly<Record<string, unknown>>])[];
	/** Those who follow the output of an execution now. */
	followers(): number;
	/** Sign in; the token. */
	signIn(headers?: Record<string, string>): Promise<string>;
}

export interface Host {
	readonly basePath?: string;
	/** What signing in waits for. Default nothing. */
	readonly ready?: Promise<void>;
	start(service: Service): Promise<HostServer>;
}

/** Run with a service without listeners that is mounted in a host, and stop both. */
export async function withMounted({ basePath = "", ready, start }: Host, body: (mounted: Mounted) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-mounted-"));
	const bus = countingBus();
	const log: [string, Readonly<Record<string, unknown>>][] = [];
	const note = (message: string, fields: Readonly<Record<string, unknown>> = {}) => void log.push([message, fields]);
	const service = createService(
		{
			features: shippedFeatures(),
			storage: memoryStorage(),
			event_bus: bus.plugin,
			runners: [speak()],
			auth: { backend: backend({ ready }), listen: false, trusted_proxies: ["127.0.0.1"] },
			api: { listen: false, max_body_size: 100_000 },
			stream: { listen: false },
			actionrunner: { graceful_shutdown: false },
			data_dir: directory,
		},
		{ directory, basePath, logger: { debug: note, info: note, warn: note, error: note } },
	);
	const host = await start(service);
	const url = `${host.url}/automation`;
	try {
		assert.equal((await fetch(`${url}/api/v1/`)).status, 503, "before the start");
		assert.deepEqual((await service.start()).addresses, {});
		await service.engine.actions.create({ name: "speak", runner_type: "speak" });
		await body({
			...{ service, host, url, log },
			followers: bus.followers,
			async signIn(headers = {}) {
				const authorization = `Basic ${Buffer.from("ann:a password").toString("base64")}`;
				const response = await fetch(`${url}/auth/v1/tokens`, { method: "POST", headers: { authorization, ...headers } });
				assert.equal(response.status, 201);
				return ((await response.json()) as { token: string }).token;
			},
		});
	} finally {
		await service.stop();
		await host.close();
		await rm(directory, { recursive: true });
	}
}

/** A server of `node:http` that listens. */
export async function listenOn(listener: RequestListener): Promise<HostServer> {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			server.close();
			server.closeIdleConnections();
			if (server.listening) await once(server, "close");
		},
	};
}
