import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { type ServerProcess, startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { findCommand, missing, requires, type SkippableTest } from "../../core/testing/test-requirements.ts";
import { Accounting } from "./accounting.test-support.ts";
import { CuttingProxy } from "./cutting-proxy.test-support.ts";
import { toConfiguration } from "./slurm-configuration.test-support.ts";

const run = promisify(execFile);

/** A real cluster of one machine: munged, slurmctld and slurmd on ports of their own. */
export interface Slurm {
	/** What the cluster's machines share. */
	readonly directory: string;
	/** Of commands that reach the controller through the proxy: `cut` and `mend` part them from it. */
	readonly conf: string;
	readonly proxy: CuttingProxy;
	/** Undefined where there is none. */
	readonly accounting: Accounting | undefined;
	/** A command of Slurm, which reaches the controller directly. */
	ask(command: string, ...args: readonly string[]): Promise<string>;
	/** Ids of jobs that have not ended, and of tasks of arrays. */
	jobs(): Promise<readonly string[]>;
	/** Jobs that were ever accepted. */
	accepted(): Promise<number>;
	/** The controller is ended and comes back with nothing of what it knew: its jobs are removed, and numbers begin anew. */
	forget(): Promise<void>;
	/** The controller is killed, and comes back after so many milliseconds with what it knew. */
	restart(away: number): Promise<void>;
	/** The daemon of its node is killed, and comes back after so many milliseconds: jobs go on without it. */
	restartNode(away: number): Promise<void>;
	/** Resolves once its node can take jobs. */
	isIdle(): Promise<void>;
	stop(): Promise<void>;
}

const requirement = () => {
	const commands = ["slurmctld", "slurmd", "munged", "sbatch", "slurmdbd", "mariadbd"];
	return { command: commands.find((command) => missing({ command }) !== undefined) ?? "sbatch", root: true } as const;
};

/** A test function for tests that need Slurm's servers. */
export function slurmTest(test: SkippableTest): ReturnType<typeof requires>["test"] {
	return requires(test, requirement()).test;
}

/** One cluster for all tests of a file; undefined where they are skipped. */
export async function startSlurmIfThere(given: { readonly accounting?: boolean } = {}): Promise<Slurm | undefined> {
	return missing(requirement()) === undefined ? startSlurm(given) : undefined;
}

/** @param accounting whether it has `sacct`, and ends jobs that take too much memory */
export async function startSlurm({ accounting: isAccounted = false } = {}): Promise<Slurm> {
	const directory = await mkdtemp(join(tmpdir(), "svc-slurm-"));
	for (const name of ["munge", "state", "spool", "shared"]) await mkdir(join(directory, name));
	// Munge refuses a socket below a directory that is closed to others.
	for (const name of ["", "munge"]) await chmod(join(directory, name), 0o755);
	await writeFile(join(directory, "munge/key"), randomBytes(128), { mode: 0o400 });
	const servers = new Servers(directory);
	try {
		await servers.start("munged", toMungeArguments(join(directory, "munge")), /Created \d+ work thread/);
		const accounting = isAccounted ? await Accounting.create(directory) : undefined;
		servers.accounting = accounting;
		await accounting?.start();
		const [controllerPort, nodePort] = [await findFreePort(), await findFreePort()];
		const site = { directory, controllerPort, nodePort, accountingPort: accounting?.port };
		const proxy = await CuttingProxy.start(controllerPort);
		servers.proxy = proxy;
		await writeFile(servers.conf, toConfiguration(site));
		const conf = join(directory, "runner.conf");
		await writeFile(conf, toConfiguration({ ...site, controllerPort: proxy.port }));
		await servers.startController();
		await servers.startNode();
		await servers.isIdle();
		const parts = { directory: join(directory, "shared"), conf, proxy, accounting, ask: servers.ask };
		return {
			...parts,
			stop: () => servers.stop(),
			forget: () => servers.forget(),
			restart: (away) => servers.restart(away),
			restartNode: (away) => servers.restartNode(away),
			isIdle: () => servers.isIdle(),
			...counts(directory, servers.ask),
		};
	} catch (error) {
		await servers.stop();
		throw error;
	}
}

/** What runs for a cluster. */
class Servers {
	readonly conf: string;
	accounting: Accounting | undefined;
	proxy: CuttingProxy | undefined;
	readonly #directory: string;
	readonly #running = new Map<string, ServerProcess>();

	constructor(directory: string) {
		this.#directory = directory;
		this.conf = join(directory, "slurm.conf");
	}

	readonly ask = async (command: string, ...args: readonly string[]) =>
		(await run(command, args, { env: { PATH: process.env["PATH"], SLURM_CONF: this.conf } })).stdout;

	async start(command: string, args: readonly string[], ready: RegExp): Promise<void> {
		const env = { ...process.env, SLURM_CONF: this.conf };
		this.#running.set(command, await startServerProcess(findCommand(command) ?? command, args, { ready, env }));
	}

	startController(...more: readonly string[]): Promise<void> {
		return this.start("slurmctld", ["-D", "-f", this.conf, ...more], /Running as primary controller/);
	}

	startNode(): Promise<void> {
		return this.start("slurmd", ["-D", "-f", this.conf], /slurmd started|CPUs=/);
	}

	async isIdle(): Promise<void> {
		while (!(await this.ask("sinfo", "--noheader", "--format=%T").catch(() => "")).includes("idle")) await delay(50);
	}

	async forget(): Promise<void> {
		await this.#running.get("slurmctld")?.end("SIGKILL");
		await this.startController("-c");
	}

	async restart(away: number): Promise<void> {
		await this.#running.get("slurmctld")?.end("SIGKILL");
		await delay(away);
		await this.startController();
	}

	async restartNode(away: number): Promise<void> {
		const slurmd = this.#running.get("slurmd");
		// What it has begun holds what it prints to, so that this is not closed with it.
		const exited = slurmd && once(slurmd.child, "exit");
		slurmd?.child.kill("SIGKILL");
		await exited;
		await delay(away);
		await this.startNode();
	}

	async stop(): Promise<void> {
		// As slurmd takes its jobs' processes for its children only until it ends itself.
		await this.ask("scancel", "--me", "--signal=KILL", "--full").catch(() => {});
		await this.ask("scancel", "--me").catch(() => {});
		for (const server of [...this.#running.values()].reverse()) await server.end("SIGTERM");
		await this.accounting?.end();
		this.proxy?.stop();
		await rm(this.#directory, { recursive: true, force: true });
	}
}

function toMungeArguments(directory: string): readonly string[] {
	const file = (name: string) => join(directory, name);
	const args = ["--foreground", "--force", "--num-threads=2", `--socket=${file("socket")}`, `--key-file=${file("key")}`];
	return [...args, `--pid-file=${file("pid")}`, `--seed-file=${file("seed")}`, `--log-file=${file("log")}`];
}

function counts(directory: string, ask: Slurm["ask"]): Pick<Slurm, "jobs" | "accepted"> {
	return {
		async jobs() {
			const states = "PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING,STOPPED,REQUEUED";
			const text = await ask("squeue", "--noheader", "--array", `--states=${states}`, "--format=%i");
			return text.split("\n").filter((line) => line !== "");
		},
		async accepted() {
			const log = await readFile(join(directory, "slurmctld.log"), "utf8");
			return log.match(/_slurm_rpc_submit_batch_job: JobId=\d+/g)?.length ?? 0;
		},
	};
}
