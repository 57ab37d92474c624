import "../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { defineAuthBackend, defineRunner, isSvcError, type SvcConfig } from "../contract/index.ts";
import { type CreateOptions, createService, type Service } from "./service.ts";

async function withService(
	body: (service: Service) => Promise<void>,
	config: Partial<SvcConfig> = {},
	options: CreateOptions = {},
): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-service-"));
	const listener = { host: "127.0.0.1", port: 0 };
	const service = createService(
		{
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [noop()],
			log: { level: "error" },
			api: listener,
			stream: { ...listener, listen: false },
			...config,
			auth: { enable: false, listen: false, ...config.auth },
			data_dir: directory,
		},
		{ directory, ...options },
	);
	try {
		await body(service);
	} finally {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

const isAnswering = (url: string) =>
	fetch(`${url}/v1/`).then(
		(response) => response.ok,
		() => false,
	);

test("a service answers once it has started and no longer when it has stopped", () =>
	withService(async (service) => {
		const { addresses } = await service.start();
		assert.ok(addresses.api !== undefined);
		assert.equal(await isAnswering(addresses.api), true);
		await service.stop();
		assert.equal(await isAnswering(addresses.api), false);
	}));

test("a service that is stopped while it starts ends stopped", () =>
	withService(async (service) => {
		const starting = service.start();
		await service.stop();
		const url = await starting.then(
			({ addresses }) => addresses.api,
			(error: unknown) => {
				// It had only just begun.
				assert.ok(isSvcError(error, "SVC_UNAVAILABLE"));
				return undefined;
			},
		);
		if (url !== undefined) assert.equal(await isAnswering(url), false);
	}));

test("several services live in one process without knowing of each other", () =>
	withService((first) =>
		withService(async (second) => {
			const [{ addresses: one }, { addresses: two }] = await Promise.all([first.start(), second.start()]);
			const post = (url = "") =>
				fetch(`${url}/v1/executions`, {
					method: "POST",
					headers: { "content-type": "application/json" },
					body: JSON.stringify({ action: "core.noop" }),
				});
			assert.equal((await post(one.api)).status, 201);
			const list = await (await fetch(`${two.api}/v1/executions`)).json();
			assert.deepEqual(list, []);
			await first.stop();
			assert.equal(await isAnswering(two.api ?? ""), true);
		}),
	));

test("stopping a service that was never started is fine", () => withService(async () => {}));

/** A runner that does something while it starts, and tells that it has been stopped. */
function defineStarting(name: string, start: () => Promise<void>, stop = () => {}) {
	return defineRunner(name, () => ({
		...{ description: name, parameters: {}, capabilities: {} },
		start,
		stop: async () => stop(),
		run: async () => ({ succeeded: true, result: {} }),
	}))();
}

test("runners start together: one that waits for a process does not hold up the others", () => {
	let meet = () => {};
	const met = new Promise<void>((resolve) => {
		meet = resolve;
	});
	const runners = [defineStarting("waiting", () => met), defineStarting("last", async () => meet())];
	return withService((service) => service.start().then(() => {}), { runners });
});

test("a runner that cannot start ends the start once the others have started, and they are stopped", () => {
	const told: string[] = [];
	const slow = defineStarting(
		"slow",
		() => new Promise((resolve) => setImmediate(() => resolve(void told.push("started")))),
		() => told.push("stopped"),
	);
	const failing = defineStarting("failing", () => Promise.reject(new Error("no such luck")));
	return withService(
		async (service) => {
			await assert.rejects(service.start(), /no such luck/);
			assert.deepEqual(told, ["started", "stopped"]);
		},
		{ runners: [failing, slow] },
	);
});

test("a data directory that others may read is said at the start", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-service-"));
	const warned: unknown[] = [];
	const silent = () => {};
	const logger = { debug: silent, info: silent, error: silent, warn: (_message: string, fields: unknown) => void warned.push(fields) };
	const auth = { enable: false, listen: false };
	const config = { storage: memoryStorage(), event_bus: memoryBus(), runners: [noop()], auth, api: { port: 0 }, stream: { port: 0 } };
	try {
		for (const [mode, count] of [
			[0o700, 0],
			[0o755, 1],
		] as const) {
			await chmod(directory, mode);
			const service = createService({ ...config, data_dir: directory }, { logger });
			await service.start();
			await service.stop();
			assert.equal(JSON.stringify(warned).split("is accessible to other users of the machine").length - 1, count);
		}
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

test("a port that is taken ends the start with the option's name, and nothing stays open", () =>
	withService(async (holder) => {
		const { addresses } = await holder.start();
		const port = Number(new URL(addresses.api ?? "").port);
		await withService(
			async (service) => {
				await assert.rejects(service.start(), { code: "SVC_CONFIG", message: /^api\.port: / });
			},
			{ api: { host: "127.0.0.1", port } },
		);
	}));

test("no administrator is made, and none is told of, when a port is taken", async () => {
	const users = new Map<string, string>();
	const backend = defineAuthBackend("site", () => ({
		authenticate: async ({ username, password }) => (users.get(username) === password ? { username } : undefined),
		isEmpty: async () => users.size === 0,
		addUser: async ({ username, password }) => void users.set(username, password),
	}));
	await withService(async (holder) => {
		const { addresses } = await holder.start();
		const told: string[] = [];
		const config: Partial<SvcConfig> = {
			auth: { enable: true, backend: backend() },
			api: { host: "127.0.0.1", port: Number(new URL(addresses.api ?? "").port) },
		};
		await withService((service) => assert.rejects(service.start(), { code: "SVC_CONFIG" }), config, {
			onFirstUser: ({ username, password }) => told.push(username, password ?? ""),
		});
		assert.deepEqual([told, [...users].flat()], [[], []]);
		const free = { ...config, api: { host: "127.0.0.1", port: 0 } };
		await withService(
			async (service) => {
				await service.start();
				assert.deepEqual(told, [...users].flat());
				assert.equal(told[0], "admin");
			},
			free,
			{ onFirstUser: ({ username, password }) => told.push(username, password ?? "") },
		);
	});
});

test.run();
