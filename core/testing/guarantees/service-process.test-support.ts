import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "../../../plugins/_shipped/client.ts";
import { describeProcess, findByEnvironment } from "./processes.test-support.ts";
import { until } from "./until.test-support.ts";

/** A service in a process of its own, as it is shipped: the built command with a configuration file. */
export interface ServiceProcess {
	readonly pid: number;
	readonly api: string;
	readonly token: string;
	readonly client: Client;
	/** Lines of its log so far. */
	log(): readonly string[];
	/** KILL, and wait until the process is gone. */
	kill(): Promise<void>;
	/** TERM, and wait; the exit code. */
	stop(): Promise<number | null>;
	/** TERM, without waiting. */
	terminate(): void;
	/** The exit code, once it has ended. */
	readonly exited: Promise<number | null>;
}

export interface ServiceFiles {
	/** Holds configuration, database and everything else; may be used by one service after another. */
	readonly directory: string;
	/** From an earlier start on the same directory; without it a new one is asked for. */
	readonly token?: string;
	/** Whether commands outlive the service. */
	readonly survive?: boolean;
	/** Runners besides those of local commands and noop: folder below plugins-runner, and the call that makes it. */
	readonly runners?: Readonly<Record<string, string>>;
	/** Features besides those that every service has, as calls of the features of this package. Default: all of the package. */
	readonly features?: readonly FeatureCall[];
	/** Members of its configuration besides those made of the rest, such as `rbac: { enable: true },`. */
	readonly members?: string;
	/** Level of its log. Default: warn. */
	readonly level?: string;
	/** Its configuration file, in place of one made of the rest. */
	readonly config?: string;
	/** Directory that holds packs. */
	readonly packs?: string;
	/** Address of a PostgreSQL database that several services share, with leases of seconds. Default: SQLite in `directory`. */
	readonly postgres?: string;
	/** Variables of the service, besides those of this process. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Kills the process at its start when it aborts. */
	readonly signal?: AbortSignal;
}

/** A feature of this package, as a configuration lists it. */
export type FeatureCall = `${(typeof featureFolders)[keyof typeof featureFolders]}()`;

/** What each folder of a feature of this package exports. */
const featureFolders = {
	"plugins/feature-aliases": "aliases",
	"plugins/feature-audit": "audit",
	"plugins/feature-pack-installer": "packInstaller",
	"plugins/feature-web-ui": "webUi",
	"plugins/feature-workers": "workers",
} as const;

/** All features of this package. */
export const featureCalls: readonly FeatureCall[] = ["webUi()", "audit()", "aliases()", "workers()", "packInstaller()"];

const built = fileURLToPath(new URL("../../../dist/", import.meta.url));
const password = "guarantees";
/** Seconds until others take over what a dead service has held. */
const sharedLease = 3;

/** Start and wait until it answers. Rejects when it ends before. */
export async function startServiceProcess(files: ServiceFiles): Promise<ServiceProcess> {
	const { directory, token, signal } = files;
	if (!existsSync(join(built, "plugins/_shipped/main.js"))) throw new Error("there is no build: npm run build");
	const config = files.config ?? (await writeServiceConfig(files));
	const child = spawn(process.execPath, [join(built, "plugins/_shipped/main.js"), "serve", "--config", config], {
		env: { ...process.env, ...files.environment, TMPDIR: directory, SVC_DATA_DIR: join(directory, "data"), SVC_ADMIN_PASSWORD: password },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const kill = () => void child.kill("SIGKILL");
	const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
	signal?.addEventListener("abort", kill, { once: true });
	const { pid } = child;
	let logged = "";
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		logged += text;
	});
	if (pid === undefined) throw new Error("the service cannot be started");
	try {
		const api = await readAddress(child, signal);
		const usedToken =
			token ?? (await createClient({ apiUrl: `${api}/v1`, authUrl: `${api}/auth/v1` }).signIn({ username: "admin", password })).token;
		return {
			pid,
			api,
			token: usedToken,
			log: () => logged.split("\n"),
			client: createClient({ apiUrl: `${api}/v1`, streamUrl: `${api}/stream/v1`, token: usedToken }),
			async kill() {
				kill();
				await exited;
			},
			async stop() {
				child.kill("SIGTERM");
				return exited;
			},
			terminate: () => void child.kill("SIGTERM"),
			exited,
		};
	} catch (error) {
		kill();
		await exited;
		throw error;
	} finally {
		signal?.removeEventListener("abort", kill);
	}
}

/**
 * Wait until nothing is left of a killed service and of what it started. What is left after `seconds` is named.
 *
 * @param lasting pack whose actions may go on
 */
export async function nothingLeft(directory: string, seconds: number, lasting?: string): Promise<void> {
	const find = () => {
		const goingOn = lasting === undefined ? [] : findByEnvironment(`SVC_ACTION_PACK_NAME=${lasting}\0`);
		return findByEnvironment(toMark(directory)).filter((pid) => !goingOn.includes(pid));
	};
	await until("nothing is left of the service", seconds, () => find().length === 0 || undefined).catch((error: unknown) => {
		throw new Error(`processes that a killed service left behind: ${find().map(describeProcess).join(", ")}`, { cause: error });
	});
}

/** End whatever a service has left behind after all, so that a test that fails leaves nothing. */
export function endLeftovers(directory: string): void {
	for (const pid of findByEnvironment(toMark(directory))) process.kill(pid, "SIGKILL");
}

/** A variable that the service hands on to its launcher, and that to every process: it shows whose they are. */
function toMark(directory: string): string {
	return `TMPDIR=${directory}`;
}

/** Writes the configuration file of a service, and returns its path. */
export async function writeServiceConfig(files: ServiceFiles): Promise<string> {
	const path = join(files.directory, "svc.config.mjs");
	await writeFile(path, createConfig(files));
	return path;
}

function createConfig({ survive = false, runners = {}, packs, postgres, features = featureCalls, ...rest }: ServiceFiles): string {
	const imports = {
		...(postgres === undefined ? { "plugins/event-bus-memory": "memoryBus" } : { "plugins/event-bus-postgres": "postgresBus" }),
		// A feature that is imported without being called leaves no trace in the process.
		...featureFolders,
		"plugins/storage-knex": "knexStorage",
		"plugins-auth/flat-file": "flatFile",
		"plugins-runner/local-command": "localCommand",
		"plugins-runner/noop": "noop",
		...Object.fromEntries(Object.entries(runners).map(([folder, call]) => [`plugins-runner/${folder}`, call.split("(")[0]])),
	};
	const calls = [`localCommand({ survive_restart: ${survive} })`, "noop()", ...Object.values(runners)];
	return `${Object.entries(imports)
		.map(([file, name]) => `import { ${name} } from ${JSON.stringify(new URL(`file://${built}${file}/index.js`).href)};`)
		.join("\n")}
export default {
	features: [${features.join(", ")}],
	${toDatabase(postgres)}
	runners: [${calls.join(", ")}],
	packs: ${JSON.stringify(packs === undefined ? [] : [packs])},
	auth: { backend: flatFile(), listen: false },
	api: { port: 0 },
	stream: { listen: false },
	log: { level: "${rest.level ?? "warn"}" },
	${rest.members ?? ""}
};
`;
}

function toDatabase(url: string | undefined): string {
	if (url === undefined) return 'storage: knexStorage({ client: "sqlite" }), event_bus: memoryBus(),';
	const address = JSON.stringify(url);
	const storage = `storage: knexStorage({ client: "postgres", url: ${address} })`;
	return `${storage}, event_bus: postgresBus({ url: ${address} }), scheduler: { lease: ${sharedLease} },`;
}

/** The address the service prints once it listens. */
function readAddress(child: ChildProcess, signal: AbortSignal | undefined): Promise<string> {
	return new Promise((resolve, reject) => {
		let [printed, errors] = ["", ""];
		child.stdout?.on("data", (bytes) => {
			printed += bytes;
			const address = /^API\s+(http\S+)\/v1$/m.exec(printed)?.[1];
			if (address !== undefined) resolve(address);
		});
		child.stderr?.on("data", (bytes) => {
			errors += bytes;
		});
		child.once("exit", () =>
			reject(new Error(signal?.aborted ? "the service was killed at its start" : `the service did not start: ${errors}`)),
		);
	});
}
