import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "../../plugins/_shipped/client.ts";
import type { PostgresProxy } from "../../plugins/storage-knex/postgres-proxy.test-support.ts";
import { createFalseClock, type FalseClock } from "./false-clock.ts";

const program = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));
const config = fileURLToPath(new URL("./svc.config.ts", import.meta.url));
const password = "chaos";

export interface NodeSettings {
	readonly name: string;
	/** Holds what the nodes share beside the database: password file, datastore key. */
	readonly directory: string;
	/** Where its log goes. */
	readonly logs: string;
	readonly environment: Readonly<Record<string, string>>;
	/** Its way to the database. */
	readonly proxy: Pick<PostgresProxy, "url" | "freeze" | "thaw">;
	/** Parts of the service that it runs; default all. */
	readonly only?: string;
}

/** A way to ask a node. */
export interface Access {
	readonly api: string;
	readonly token: string;
	readonly client: Client;
}

/** A process of the service, which can be ended and started again, and made to stand still. */
export class ChaosNode {
	readonly name: string;
	readonly #settings: NodeSettings;
	readonly #clock: FalseClock;
	#child: ChildProcess | undefined;
	#exited: Promise<number | null> = Promise.resolve(null);
	#access: Access | undefined;
	#isUp = false;
	#isEnded = false;

	constructor(settings: NodeSettings) {
		const { name, directory } = settings;
		this.name = name;
		this.#settings = settings;
		this.#clock = createFalseClock(join(directory, `${name}.clock`));
	}

	/** Undefined while it does not run. */
	pid(): number | undefined {
		return this.#child?.pid;
	}

	/** Whether it has started and not been ended. */
	isUp(): boolean {
		return this.#isUp;
	}

	/** Undefined while it does not answer, or has no API. */
	access(): Access | undefined {
		return this.#access;
	}

	/** Start it and wait until it answers. */
	async start(): Promise<void> {
		const data = join(this.#settings.directory, "data");
		await mkdir(data, { recursive: true, mode: 0o700 });
		await this.#clock.set(0);
		if (this.#isEnded) throw new Error(`${this.name} was ended for good`);
		const started = this.#spawn(data);
		const exited = new Promise<number | null>((resolve) => started.once("exit", resolve));
		this.#child = started;
		this.#exited = exited;
		void exited.then(() => {
			if (this.#child !== started) return;
			this.#child = undefined;
			this.#access = undefined;
			this.#isUp = false;
		});
		const api = await readAddress(started, exited);
		const signedIn = api === undefined ? undefined : await signIn(api, () => this.#child === started);
		if (this.#child !== started) return;
		this.#access = signedIn;
		this.#isUp = true;
	}

	async kill(): Promise<void> {
		this.#access = undefined;
		this.#child?.kill("SIGKILL");
		await this.#exited;
	}

	/** Kill it for good. */
	async end(): Promise<void> {
		this.#isEnded = true;
		await this.kill();
	}

	/** TERM; the exit code. */
	async stop(): Promise<number | null> {
		this.#access = undefined;
		this.#child?.kill("SIGCONT");
		this.#child?.kill("SIGTERM");
		return this.#exited;
	}

	freeze(): void {
		this.#child?.kill("SIGSTOP");
	}

	thaw(): void {
		this.#child?.kill("SIGCONT");
	}

	/** Set its clock so many seconds off the right time, from the next moment on. */
	setClock(seconds: number): Promise<void> {
		return this.#clock.set(seconds);
	}

	/** Nothing goes to its database or comes from there until `openDatabase`; no connection ends. */
	closeDatabase(): void {
		this.#settings.proxy.freeze();
	}

	openDatabase(): void {
		this.#settings.proxy.thaw();
	}

	#spawn(data: string): ChildProcess {
		const { name, directory, logs, environment, proxy, only } = this.#settings;
		const args = [program, "serve", "--config", config, ...(only === undefined ? [] : ["--only", only])];
		const log = openSync(join(logs, `${name}.log`), "a");
		const started = spawn(process.execPath, args, {
			env: {
				...process.env,
				...environment,
				...this.#clock.environment,
				CHAOS_DATABASE_URL: proxy.url,
				TMPDIR: directory,
				SVC_DATA_DIR: data,
				SVC_ADMIN_PASSWORD: password,
				SVC_NODE_NAME: name,
			},
			stdio: ["ignore", "pipe", log],
		});
		closeSync(log);
		return started;
	}
}

/** Where its API listens; undefined for a node that has none, once it listens for questions about its health. */
async function readAddress(child: ChildProcess, exited: Promise<unknown>): Promise<string | undefined> {
	let printed = "";
	const found = new Promise<string | undefined>((resolve) => {
		child.stdout?.on("data", (piece) => {
			printed += piece;
			const [, address] = /^API\s+(http\S+)\/v1$/m.exec(printed) ?? [];
			if (/^Health /m.test(printed)) resolve(address);
		});
	});
	const gone = exited.then(() => Promise.reject(new Error("a node ended at its start; its log says why")));
	gone.catch(() => undefined);
	return Promise.race([found, gone]);
}

/** The database may be away just now. */
async function signIn(api: string, isAlive: () => boolean): Promise<Access | undefined> {
	const addresses = { apiUrl: `${api}/v1`, authUrl: `${api}/auth/v1`, streamUrl: `${api}/stream/v1` };
	while (isAlive()) {
		try {
			const { token } = await createClient(addresses).signIn({ username: "admin", password });
			return { api, token, client: createClient({ ...addresses, token }) };
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "SVC_UNAVAILABLE")) throw error;
			await delay(200);
		}
	}
	return undefined;
}
