import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import "./answers-hook.test-support.ts";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
	defineAuthBackend,
	defineRunner,
	defineSensor,
	type GitPack,
	type RbacConfig,
	type StoragePlugin,
	type SvcConfig,
} from "../../contract/index.ts";
import type { FeaturePlugin } from "../../features/feature-plugin.ts";
import { createLogger } from "../../service/logger.ts";
import { createService } from "../../service/service.ts";
import { createBackend } from "../backends/backend.test-support.ts";
import type { PackFiles } from "./whole-service.test-support.ts";

/** Everybody whose password begins with their name; the rest of it, behind a colon, names their groups. */
const anybody = defineAuthBackend("anybody", () => ({
	authenticate: async ({ username, password }) => {
		const [name, groups = ""] = password.split(":");
		return name === username ? { username, groups: groups === "" ? [] : groups.split(",") } : undefined;
	},
}));

/** Says a word. */
const speak = defineRunner("speak", () => ({
	description: "Says a word.",
	capabilities: { streaming: true, cancellation: true },
	parameters: { pin: { type: "string", secret: true } },
	async run({ emit }) {
		await emit("stdout", "a word aloud\n");
		return { succeeded: true, result: { said: "a result kept" } };
	},
}));

/** Waits. */
const watcher = defineSensor("watcher", () => ({
	description: "Watches.",
	trigger_types: [{ name: "seen" }],
	run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
}));

type Answer = Readonly<Record<string, unknown>>;

export interface GuardedService {
	readonly urls: { readonly auth: string; readonly api: string; readonly stream: string };
	readonly log: string[];
	/** Directory of the packs. */
	readonly packs: string;
	readonly directory: string;
	/** A token for a user in these groups. */
	signIn(username: string, options?: { readonly groups?: string; readonly ttl?: number }): Promise<string>;
	/** Ask the API with a token; its status and JSON. */
	ask(token: string, method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Answer }>;
	/** Create an execution of `default.speak`, or of another action, and wait for its end; its id. */
	run(token: string, action?: string, parameters?: object): Promise<string>;
	/** Seconds to add to the time. */
	pass(seconds: number): void;
}

export interface GuardedOptions {
	readonly rbac?: RbacConfig & { readonly enable?: boolean };
	readonly auth?: SvcConfig["auth"];
	/** Time passes only by `pass`. */
	readonly isTimeFrozen?: boolean;
	/** Features besides those that every service has. Default: all of the package. */
	readonly features?: readonly FeaturePlugin[];
	/** Besides `speak`. */
	readonly runners?: SvcConfig["runners"];
	readonly dialects?: NonNullable<SvcConfig["dialects"]>;
	readonly packs?: PackFiles;
	/** Packs in git that the service follows. */
	readonly followed?: readonly GitPack[];
	readonly content?: SvcConfig["content"];
	readonly telemetry?: NonNullable<SvcConfig["telemetry"]>;
	readonly api?: SvcConfig["api"];
	readonly stream?: SvcConfig["stream"];
	readonly audit?: NonNullable<SvcConfig["audit"]>;
	readonly workers?: NonNullable<SvcConfig["workers"]>;
	readonly webui?: NonNullable<SvcConfig["webui"]>;
	/** Puts something between the service and its storage. */
	readonly storage?: (plugin: StoragePlugin) => StoragePlugin;
}

/** Run with a service with access control, the administrator `root` the actions `default.speak` and `default.whisper`, and the sensor `default.watcher`. */
export async function withGuardedService(
	test: (service: GuardedService) => Promise<void>,
	{ rbac = {}, auth = {}, isTimeFrozen = false, runners = [], packs = {}, followed = [], ...given }: GuardedOptions = {},
): Promise<void> {
	const backend = createBackend();
	const directory = await mkdtemp(join(tmpdir(), "svc-guarded-"));
	for (const [path, text] of Object.entries(packs)) {
		await mkdir(dirname(join(directory, "packs", path)), { recursive: true });
		await writeFile(join(directory, "packs", path), text, { mode: 0o755 });
	}
	const log: string[] = [];
	const stream = { write: (text: string) => log.push(text) };
	const started = Date.now();
	let passed = 0;
	const assignments = [...(rbac.assignments ?? []), { username: "root", roles: ["admin"] }];
	const service = createService(
		{
			features: given.features ?? shippedFeatures(),
			storage: given.storage?.(backend.storage) ?? backend.storage,
			event_bus: backend.eventBus,
			runners: [speak(), ...runners],
			...(given.dialects !== undefined && { dialects: given.dialects }),
			packs: [...(Object.keys(packs).length > 0 ? [join(directory, "packs")] : []), ...followed],
			...(given.content !== undefined && { content: given.content }),
			sensors: [watcher()],
			...(given.telemetry !== undefined && { telemetry: given.telemetry }),
			auth: { port: 0, backend: anybody(), ...auth },
			rbac: { enable: true, ...rbac, assignments },
			api: { port: 0, ...given.api },
			stream: { port: 0, ...given.stream },
			...(given.audit !== undefined && { audit: given.audit }),
			...(given.workers !== undefined && { workers: given.workers }),
			...(given.webui !== undefined && { webui: given.webui }),
		},
		{
			directory,
			clock: { now: () => (isTimeFrozen ? started : Date.now()) * 1_000 + passed },
			logger: createLogger({ level: "debug", format: "json", mask_secrets: true, mask_secrets_blacklist: [] }, { debug: false, stream }),
		},
	);
	const { addresses } = await service.start();
	const urls = { auth: addresses.auth ?? "", api: addresses.api ?? "", stream: addresses.stream ?? "" };
	const ask: GuardedService["ask"] = async (token, method, path, body) => {
		const response = await fetch(urls.api + path, {
			method,
			headers: { "x-auth-token": token, "content-type": "application/json" },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Answer };
	};
	const signIn: GuardedService["signIn"] = async (username, { groups = "", ttl } = {}) => {
		const authorization = `Basic ${Buffer.from(`${username}:${username}${groups && `:${groups}`}`).toString("base64")}`;
		const response = await fetch(`${urls.auth || urls.api}/tokens`, {
			method: "POST",
			headers: { authorization },
			body: JSON.stringify({ ttl }),
		});
		return String(((await response.json()) as Answer)["token"]);
	};
	try {
		const root = await signIn("root");
		for (const name of ["speak", "whisper"]) await ask(root, "POST", "/v1/actions", { name, runner_type: "speak" });
		await test({
			urls,
			log,
			packs: join(directory, "packs"),
			directory,
			ask,
			signIn,
			async run(token, action = "default.speak", parameters = { pin: "a secret pin" }) {
				const { body } = await ask(token, "POST", "/v1/executions", { action, parameters });
				await (await fetch(`${urls.stream}/executions/${String(body["id"])}/output`, { headers: { "x-auth-token": root } })).text();
				return String(body["id"]);
			},
			pass(seconds) {
				passed += seconds * 1_000_000;
			},
		});
	} finally {
		await service.stop();
		await backend.release();
		await rm(directory, { recursive: true, force: true });
	}
}
