import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { moveDatabase } from "../../../plugins/_shipped/move-database.ts";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import type { DatabaseOperations } from "../../cli/context.ts";
import { type EntityKind, type EntityMap, entityKinds, type FieldType, type Storage, type StoragePlugin } from "../../contract/index.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { backUpDatabase, restoreDatabase } from "../../service/database/back-up-database.ts";
import { migrateDatabase } from "../../service/database/migrate-database.ts";
import { CapturedText } from "../cli/captured-text.test-support.ts";
import { silentLogger } from "../run-context.ts";
import { createOptions } from "../service-options.ts";

const built = fileURLToPath(new URL("../../../dist/", import.meta.url));

// The kinds of all features of the package.
shippedFeatures();

export const kinds = Object.keys(entityKinds) as EntityKind[];

export interface Place {
	readonly directory: string;
	/** Configuration of a service with SQLite in the data directory, or with the storage that is given as text. */
	readonly config: string;
	readonly env: Readonly<Record<string, string>>;
	open<T>(plugin: StoragePlugin, use: (storage: Storage) => Promise<T>): Promise<T>;
	/** Run the built command `svc serve` on free ports. */
	serve(env: Readonly<Record<string, string>>): RunningService;
	/** Run the command in this process. */
	svc(words: readonly string[]): Promise<CommandEnd>;
	/** Run the built command. */
	process(words: readonly string[], kill?: Kill): Promise<CommandEnd>;
}

export interface CommandEnd {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** When to kill a command with KILL: so many milliseconds after it has written so many lines to stderr. */
export interface Kill {
	readonly lines: number;
	readonly milliseconds: number;
}

export interface RunningService {
	/** Resolves when a line with the text is logged from here on. */
	logged(text: string): Promise<void>;
	signal(name: NodeJS.Signals): void;
	/** The exit code. */
	readonly exited: Promise<number | null>;
}

export async function withPlace(
	use: (place: Place) => Promise<void>,
	{ storage = 'knexStorage({ client: "sqlite" })' }: { readonly storage?: string } = {},
): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-database-"));
	const config = join(directory, "svc.config.mjs");
	const env = { SVC_DATA_DIR: join(directory, "data"), SVC_LOG_LEVEL: "error" };
	await writeFile(config, toConfig(storage));
	try {
		await use({
			directory,
			config,
			env,
			async open(plugin, work) {
				const opened = plugin.create();
				const dataDirectory = join(directory, "data");
				const context = { logger: silentLogger, clock: getSystemClock(), dataDirectory, nodeId: "node", options: createOptions() };
				try {
					await opened.start?.(context);
					return await work(opened);
				} finally {
					await opened.stop?.();
				}
			},
			serve: (given) => startService(config, { ...process.env, ...env, ...freePorts, SVC_LOG_LEVEL: "info", ...given }),
			svc: (words) => runHere([...words, "--config", config], { ...process.env, ...env }),
			process: (words, kill) => runCommand([...words, "--config", config], { ...process.env, ...env }, kill),
		});
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

function toConfig(storage: string): string {
	const at = (file: string) => JSON.stringify(new URL(`file://${built}${file}/index.js`).href);
	return `import { memoryBus } from ${at("plugins/event-bus-memory")};
import { memoryStorage } from ${at("plugins/storage-memory")};
import { knexStorage } from ${at("plugins/storage-knex")};
import { aliases } from ${at("plugins/feature-aliases")};
import { audit } from ${at("plugins/feature-audit")};
import { packInstaller } from ${at("plugins/feature-pack-installer")};
import { workers } from ${at("plugins/feature-workers")};
const features = [audit(), aliases(), workers(), packInstaller()];
export default { features, storage: ${storage}, event_bus: memoryBus(), runners: [], auth: { enable: false }};
void memoryStorage;
`;
}

const freePorts = { SVC_API_PORT: "0", SVC_AUTH_PORT: "0", SVC_STREAM_PORT: "0" };

function startService(config: string, env: NodeJS.ProcessEnv): RunningService {
	const words = [join(built, "plugins/_shipped/main.js"), "serve", "--config", config];
	const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "pipe"] });
	const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
	return {
		exited,
		signal: (name) => void child.kill(name),
		async logged(text) {
			let logged = "";
			const found = new Promise<void>((resolve) =>
				child.stderr.on("data", (bytes) => {
					logged += bytes;
					if (logged.includes(text)) resolve();
				}),
			);
			const ended = exited.then((code) => {
				if (!logged.includes(text)) throw new Error(`the service has ended with ${code}: ${logged}`);
			});
			await Promise.race([found, ended]);
		},
	};
}

async function runHere(words: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandEnd> {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const database: DatabaseOperations = {
		migrate: (options) => migrateDatabase({ ...options, env }),
		move: (options) => moveDatabase({ ...options, env }),
		backup: (options) => backUpDatabase({ ...options, env }),
		restore: (options) => restoreDatabase({ ...options, env }),
	};
	const code = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {}, database });
	return { code, stdout: stdout.text, stderr: stderr.text };
}

function runCommand(words: readonly string[], env: NodeJS.ProcessEnv, kill: Kill | undefined): Promise<CommandEnd> {
	const child = spawn(process.execPath, [join(built, "plugins/_shipped/main.js"), ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
	let timer: NodeJS.Timeout | undefined;
	let [stdout, stderr] = ["", ""];
	child.stdout.on("data", (bytes) => {
		stdout += bytes;
	});
	child.stderr.on("data", (bytes) => {
		stderr += bytes;
		const isTime = kill !== undefined && stderr.split("\n").length > kill.lines;
		if (isTime) timer ??= setTimeout(() => child.kill("SIGKILL"), kill.milliseconds);
	});
	return new Promise((resolve) =>
		child.once("close", (code) => {
			clearTimeout(timer);
			resolve({ code, stdout, stderr });
		}),
	);
}

const texts = ["plain", "", "Zoë ключ 鍵 🗝", "quote \" and \\ and ' and \n", "null\u0000and\u0001control", "__proto__", "x".repeat(5_000)];

function toValue(type: FieldType, seed: number): unknown {
	switch (type) {
		case "text":
			return seed % 11 === 0 ? null : `${texts[seed % texts.length]}${seed}`;
		case "integer":
			return seed * 1_000_003;
		case "real":
			return seed / 7;
		case "boolean":
			return seed % 2 === 0;
		case "json":
			return seed % 5 === 0
				? null
				: { z: [seed, null, texts[seed % texts.length]], a: { [`m${seed % 3}`]: 1.5, 10: "ten", 9: "nine" }, b: true };
	}
}

/** Output of a run that prints much, which storages may keep outside of its row. */
const toLongOutput = (id: string) => ({ execution_id: id, data: `${id} é 🗝\n`.repeat(1_000) });

/** Records of a kind with values of every sort, and different from one another. */
export function createRecords<K extends EntityKind>(kind: K, count: number): EntityMap[K][] {
	const fields = Object.entries(entityKinds[kind].fields) as [string, FieldType][];
	return Array.from({ length: count }, (_, index) => {
		const values = fields.map(([name, type], place) => [name, toValue(type, index * 31 + place * 7 + 1)] as const);
		const id = (index * 7_919 + 1).toString(16).padStart(24, "0");
		const longOutput = kind === "output_chunk" && index % 4 === 0 ? toLongOutput(id) : {};
		return { ...Object.fromEntries(values), ...longOutput, id } as unknown as EntityMap[K];
	});
}

/** Put so many records of every kind into a storage. */
export async function fill(storage: Storage, count: number): Promise<void> {
	for (const kind of kinds) {
		const records = createRecords(kind, count);
		for (let start = 0; start < count; start += 100) await storage.insert(kind, records.slice(start, start + 100));
	}
}
