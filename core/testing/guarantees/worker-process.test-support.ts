import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkerRecord } from "../../../plugins/feature-workers/client.ts";
import type { startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

type Service = Awaited<ReturnType<typeof startServiceProcess>>;

/** A worker in a process of its own, as it is shipped. */
export interface WorkerProcess {
	readonly pid: number;
	readonly directory: string;
	/** What it has logged. */
	log(): string;
	signal(name: NodeJS.Signals): void;
	/** KILL, and wait until the process is gone. */
	kill(): Promise<void>;
	/** The exit code, once it has ended. */
	readonly exited: Promise<number | null>;
}

export interface WorkerStart {
	/** Of the service, with its configuration; the worker's own is made in it. */
	readonly directory: string;
	readonly name: string;
	/** Where the service is reached. */
	readonly url: string;
	readonly key: string;
	readonly labels: string;
	readonly places?: number;
	readonly options?: readonly string[];
	readonly environment?: Readonly<Record<string, string>>;
}

const main = fileURLToPath(new URL("../../../dist/plugins/_shipped/main.js", import.meta.url));

/** What makes a service give runs to workers, with leases of seconds. */
export const workerOptions = { SVC_WORKERS_RUNNERS: "local-shell-cmd,local-shell-script", SVC_WORKERS_LEASE: "3" };

/** Start a worker; it may not be connected yet. */
export function startWorkerProcess(start: WorkerStart): WorkerProcess {
	const directory = join(start.directory, `worker-${start.name}`);
	const words = [
		"--labels",
		start.labels,
		"--name",
		start.name,
		"--data-dir",
		directory,
		"--config",
		join(start.directory, "svc.config.mjs"),
	];
	const child = spawn(process.execPath, [main, "worker", ...words, "--places", String(start.places ?? 4), ...(start.options ?? [])], {
		env: {
			...process.env,
			...{ SVC_API_URL: start.url, SVC_API_KEY: start.key, SVC_CLI_SKIP_CONFIG: "1", SVC_LOG_LEVEL: "debug", TMPDIR: start.directory },
			WORKER_MARK: start.name,
			...start.environment,
		},
		stdio: ["ignore", "ignore", "pipe"],
	});
	let log = "";
	child.stderr.on("data", (bytes) => {
		log += bytes;
	});
	const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
	return {
		pid: child.pid ?? 0,
		directory,
		log: () => log,
		signal: (name) => void child.kill(name),
		async kill() {
			child.kill("SIGKILL");
			await exited;
		},
		exited,
	};
}

/** A key that may take work and nothing else. */
export async function createWorkerKey({ api, token }: Service, scopes: readonly string[] = ["worker_take"]): Promise<string> {
	const headers = { "x-auth-token": token, "content-type": "application/json" };
	const answer = await fetch(`${api}/v1/apikeys`, { method: "POST", headers, body: JSON.stringify({ scopes }) });
	return ((await answer.json()) as { readonly key: string }).key;
}

/** Wait until a worker accepts jobs, or has another state. */
export async function connected({ client }: Service, name: string, state: WorkerRecord["state"] = "ready", seconds = 20): Promise<void> {
	await until(`worker ${name} is ${state}`, seconds, async () => {
		const { items } = await client.workers.list();
		return items.some((worker) => worker.name === name && worker.state === state) || undefined;
	});
}
