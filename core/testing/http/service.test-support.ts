import * as assert from "node:assert/strict";
import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import "./answers-hook.test-support.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flatFile } from "../../../plugins-auth/flat-file/index.ts";
import { defineRunner, type OptionsInput, type Storage, type StoragePlugin, type SvcConfig } from "../../contract/index.ts";
import { createLogger } from "../../service/logger.ts";
import { createService } from "../../service/service.ts";
import { type BackendOptions, createBackend } from "../backends/backend.test-support.ts";

/** Says its lines; with `wait` it goes on until it is canceled. Its parameters hold secrets, nested ones too. */
export const speak = defineRunner("speak", () => ({
	description: "Says its lines.",
	capabilities: { streaming: true, cancellation: true },
	parameters: {
		lines: { type: "array", default: [] },
		wait: { type: "boolean", default: false },
		pin: { type: "string", secret: true },
		options: { type: "object", properties: { pin: { type: "string", secret: true } } },
	},
	async run({ runnerParameters: { lines, wait }, emit, signal }) {
		for (const line of lines) await emit("stdout", `${String(line)}\n`);
		if (wait && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		return { succeeded: !wait, result: { spoken: lines.length } };
	},
}));

/** "a password" at bcrypt's least cost: a start that makes its first user, and a sign-in, take longer than most tests. */
const quickUsers = "admin:$2b$04$r78Zv4dJj1G1HNDeA3Pj4.byEramPrapu603AnvJQaZJJh3VBFRu2\n";
/** The same at the cost that the service takes. */
const slowUsers = "admin:$2b$10$YJrr/zPzdFBrwsFPpuDKCe4XagRQ7pf9qx6u.2hL.PjWoMiF6qYRO\n";

export type WireRecord = Readonly<Record<string, unknown>>;

export interface ServiceUnderTest {
	readonly urls: { readonly auth: string; readonly api: string; readonly stream: string };
	/** Empty unless the configuration has that listener. */
	readonly healthUrl: string;
	readonly token: string;
	/** Every log line so far. */
	readonly log: string[];
	/** Where the service keeps its records, to put such there as it would refuse itself. */
	storage(): Storage;
	/** Ask the API with a token. */
	ask(path: string, init?: RequestInit): Promise<Response>;
	/** Create an execution of `default.speak`; its id. */
	speak(parameters: object): Promise<string>;
	/** Wait until the output stream of an execution has ended; its text. */
	ended(id: string): Promise<string>;
}

/** Run with a whole service on the chosen backend with one administrator, and stop it. */
export async function withService(
	run: (service: ServiceUnderTest) => Promise<void>,
	options: OptionsInput &
		Partial<Pick<SvcConfig, "runners" | "packs" | "dialects" | "telemetry" | "rbac">> & {
			readonly backend?: BackendOptions;
			/** Stands before the storage of the service. */
			readonly wrap?: (plugin: StoragePlugin) => StoragePlugin;
			/** Whether a password takes as long to verify as where the service has made its users. Default false. */
			readonly isPasswordSlow?: boolean;
		} = {},
): Promise<void> {
	const { backend: backendOptions, wrap = (plugin) => plugin, isPasswordSlow = false, ...config } = options;
	const backend = createBackend(backendOptions);
	const directory = await mkdtemp(join(tmpdir(), "svc-http-"));
	await writeFile(join(directory, "htpasswd"), isPasswordSlow ? slowUsers : quickUsers);
	const log: string[] = [];
	const stream = { write: (text: string) => log.push(text) };
	const storages: Storage[] = [];
	const create = () => {
		const storage = backend.storage.create();
		storages.push(storage);
		return storage;
	};
	const service = createService(
		{
			features: shippedFeatures(),
			storage: wrap({ ...backend.storage, create }),
			event_bus: backend.eventBus,
			runners: [speak()],
			...config,
			// Runs that wait to be canceled would hold up the stop.
			actionrunner: { graceful_shutdown: false, ...config.actionrunner },
			auth: { port: 0, backend: flatFile({ file: join(directory, "htpasswd") }) },
			api: { port: 0, ...config.api },
			stream: { port: 0, ...config.stream },
			data_dir: directory,
		},
		{
			directory,
			logger: createLogger({ level: "debug", format: "json", mask_secrets: true, mask_secrets_blacklist: [] }, { debug: false, stream }),
		},
	);
	try {
		const { addresses } = await service.start();
		const { auth = "", api = "", stream: streamUrl = "", health: healthUrl = "" } = addresses;
		const token = await signIn(auth);
		const ask = (path: string, init: RequestInit = {}) =>
			fetch(api + path, { ...init, headers: { "x-auth-token": token, "content-type": "application/json", ...(init.headers as object) } });
		await ask("/v1/actions", { method: "POST", body: JSON.stringify({ name: "speak", runner_type: "speak" }) });
		await run({
			urls: { auth, api, stream: streamUrl },
			healthUrl,
			token,
			log,
			ask,
			storage: () => storages.at(-1) as Storage,
			async speak(parameters) {
				const response = await ask("/v1/executions", { method: "POST", body: JSON.stringify({ action: "default.speak", parameters }) });
				return ((await response.json()) as { id: string }).id;
			},
			async ended(id) {
				const answer = await ask(`/stream/v1/executions/${id}/output`);
				const text = await answer.text();
				assert.equal(answer.status, 200, text);
				return text;
			},
		});
	} finally {
		await service.stop();
		await backend.release();
		await rm(directory, { recursive: true, force: true });
	}
}

async function signIn(auth: string): Promise<string> {
	const authorization = `Basic ${Buffer.from("admin:a password").toString("base64")}`;
	const response = await fetch(`${auth}/auth/v1/tokens`, { method: "POST", headers: { authorization } });
	return ((await response.json()) as { token: string }).token;
}
