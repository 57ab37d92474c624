import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { optionSections } from "../../core/contract/options.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";

const command = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));

/** The parts of a container in a manifest that determine how it runs. */
export interface Container {
	readonly args: readonly string[];
	readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: Readonly<Record<string, unknown>> }[];
	readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly [string, ...string[]] } } };
	readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
	readonly startupProbe: Probe;
	readonly livenessProbe: Probe;
	readonly readinessProbe: Probe;
}

interface Probe {
	readonly httpGet: { readonly path: string; readonly port: string };
	/** Default 1. */
	readonly timeoutSeconds?: number;
}

export interface PodPlace {
	readonly name: string;
	/** Directory of the test. It contains `/secrets`, the configuration and `/data`. */
	readonly directory: string;
	/** The member `database-url` of the secret. */
	readonly databaseUrl: string;
}

/** Default ports of the service. */
const defaultPorts = { api: optionSections.api.port.default, health: optionSections.node.health_port.default } as const;

/** Runs a container of the manifests as a process of this machine, with its arguments, variables, probes and hook. */
export class Pod {
	readonly #container: Container;
	readonly #place: PodPlace;
	readonly #ports = { api: 0, health: 0 };
	#child: ChildProcess | undefined;
	#log = "";

	constructor(container: Container, place: PodPlace) {
		this.#container = container;
		this.#place = place;
	}

	get api(): string {
		return `http://127.0.0.1:${this.#ports.api}`;
	}

	/** Starts the process and waits until the readiness probe succeeds. */
	async start(): Promise<this> {
		await this.begin();
		await this.becomesReady();
		return this;
	}

	/** Starts the process. */
	async begin(): Promise<void> {
		for (const name of ["api", "health"] as const) this.#ports[name] = await findFreePort();
		const args = this.#container.args.map((text) => this.#toHere(text));
		const child = spawn(process.execPath, [command, ...args], { env: this.#toEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
		for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => void (this.#log += String(piece)));
		this.#child = child;
	}

	async becomesReady(): Promise<void> {
		await until(`${this.#place.name} is ready`, 100, async () => {
			if (this.#child?.exitCode !== null) throw new Error(`${this.#place.name} has ended: ${this.#log}`);
			return (await this.passes("readinessProbe")) || undefined;
		});
	}

	/** Runs a probe as the kubelet does: finds the port by its name, and applies the time-out of the probe. */
	async passes(name: "startupProbe" | "livenessProbe" | "readinessProbe"): Promise<boolean> {
		const { httpGet, timeoutSeconds = 1 } = this.#container[name];
		const named = this.#container.ports.find((port) => port.name === httpGet.port);
		const port =
			named?.containerPort === defaultPorts.health ? this.#ports.health : named?.containerPort === defaultPorts.api && this.#ports.api;
		if (!port) throw new Error(`${name}: the container has no port "${httpGet.port}" that the service listens on`);
		const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
		const answer = await fetch(`http://127.0.0.1:${port}${httpGet.path}`, { signal, redirect: "manual" }).catch(() => undefined);
		await answer?.body?.cancel();
		return answer !== undefined && answer.status >= 200 && answer.status < 400;
	}

	/** Ends the process as Kubernetes does: runs the hook, then sends TERM. Returns the exit code. */
	async remove(): Promise<number | null> {
		const child = this.#child;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
		const [, ...args] = this.#container.lifecycle.preStop.exec.command;
		await promisify(execFile)(process.execPath, args);
		const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
		child.kill("SIGTERM");
		return exited;
	}

	kill(): void {
		this.#child?.kill("SIGKILL");
	}

	#toEnvironment(): NodeJS.ProcessEnv {
		const { name, directory, databaseUrl } = this.#place;
		const given = this.#container.env.map(({ name: variable, value, valueFrom }) => {
			const known = valueFrom === undefined ? value : "fieldRef" in valueFrom ? name : databaseUrl;
			return [variable, this.#toHere(known ?? "")];
		});
		const ports = { SVC_API_PORT: String(this.#ports.api), SVC_NODE_HEALTH_PORT: String(this.#ports.health) };
		return { ...process.env, SVC_DATA_DIR: join(directory, name), ...Object.fromEntries(given), ...ports };
	}

	#toHere(text: string): string {
		return text.replace(/^\/(secrets|opt\/svc)(?=\/)/, this.#place.directory);
	}
}
