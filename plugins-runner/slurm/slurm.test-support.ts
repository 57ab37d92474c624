import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { findCommand, missing, requires, type SkippableTest } from "../../core/testing/requires.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { type ServerProcess, startServerProcess } from "../../core/testing/services/server-process.test-support.ts";
import { CuttingProxy } from "./cutting-proxy.test-support.ts";

const run = promisify(execFile);

/** A real cluster of one machine: munged, slurmctld and slurmd on ports of their own. */
export interface Slurm {
	/** What the cluster's machines share. */
	readonly directory: string;
	/** Of commands that reach the controller through the proxy: `cut` and `mend` part them from it. */
	readonly conf: string;
	readonly proxy: CuttingProxy;
	/** A command of Slurm, which reaches the controller directly. */
	ask(command: string, ...args: readonly string[]): Promise<string>;
	/** Ids of jobs that have not ended, and of tasks of arrays. */
	jobs(): Promise<readonly string[]>;
	/** Jobs that were ever accepted. */
	accepted(): Promise<number>;
	stop(): Promise<void>;
}

const requirement = () => {
	const commands = ["slurmctld", "slurmd", "munged", "sbatch"];
	return { command: commands.find((command) => missing({ command }) !== undefined) ?? "sbatch", root: true } as const;
};

/** A test function for tests that need Slurm's servers. */
export function slurmTest(test: SkippableTest): ReturnType<typeof requires>["test"] {
	return requires(test, requirement()).test;
}

/** One cluster for all tests of a file; undefined where they are skipped. */
export async function startSlurmIfThere(): Promise<Slurm | undefined> {
	return missing(requirement()) === undefined ? startSlurm() : undefined;
}

export async function startSlurm(): Promise<Slurm> {
	const directory = await mkdtemp(join(tmpdir(), "svc-slurm-"));
	for (const name of ["munge", "state", "spool", "shared"]) await mkdir(join(directory, name));
	// Munge refuses a socket below a directory that is closed to others.
	for (const name of ["", "munge"]) await chmod(join(directory, name), 0o755);
	await writeFile(join(directory, "munge/key"), randomBytes(128), { mode: 0o400 });
	const [controllerPort, nodePort] = [await findFreePort(), await findFreePort()];
	const proxy = await CuttingProxy.start(controllerPort);
	const conf = join(directory, "slurm.conf");
	await writeFile(conf, toConfiguration(directory, controllerPort, nodePort));
	await writeFile(join(directory, "runner.conf"), toConfiguration(directory, proxy.port, nodePort));
	const servers: ServerProcess[] = [];
	const start = async (command: string, args: readonly string[], ready: RegExp) => {
		servers.unshift(await startServerProcess(findCommand(command) ?? command, args, { ready, env: { ...process.env, SLURM_CONF: conf } }));
	};
	const ask = async (command: string, ...args: readonly string[]) =>
		(await run(command, args, { env: { PATH: process.env["PATH"], SLURM_CONF: conf } })).stdout;
	const stop = async () => {
		// As slurmd takes its jobs' processes for its children only until it ends itself.
		await ask("scancel", "--me", "--signal=KILL", "--full").catch(() => {});
		await ask("scancel", "--me").catch(() => {});
		for (const server of servers) await server.end("SIGTERM");
		proxy.stop();
		await rm(directory, { recursive: true, force: true });
	};
	try {
		await startMunge(directory, servers);
		await start("slurmctld", ["-D", "-f", conf], /Running as primary controller|slurmctld version .* started/);
		await start("slurmd", ["-D", "-f", conf], /slurmd started|CPUs=/);
		while (!(await ask("sinfo", "--noheader", "--format=%T").catch(() => "")).includes("idle")) await delay(50);
	} catch (error) {
		await stop();
		throw error;
	}
	return { directory: join(directory, "shared"), conf: join(directory, "runner.conf"), proxy, ask, stop, ...counts(directory, ask) };
}

async function startMunge(directory: string, servers: ServerProcess[]): Promise<void> {
	const file = (name: string) => join(directory, "munge", name);
	const args = ["--foreground", "--force", "--num-threads=2", `--socket=${file("socket")}`, `--key-file=${file("key")}`];
	const places = [`--pid-file=${file("pid")}`, `--seed-file=${file("seed")}`, `--log-file=${file("log")}`];
	servers.unshift(await startServerProcess(findCommand("munged") ?? "munged", [...args, ...places], { ready: /Created \d+ work thread/ }));
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

function toConfiguration(directory: string, controllerPort: number, nodePort: number): string {
	const [machine = "localhost"] = hostname().split(".");
	return [
		"ClusterName=tests",
		`SlurmctldHost=${machine}(127.0.0.1)`,
		`SlurmctldPort=${controllerPort}`,
		`SlurmdPort=${nodePort}`,
		"SlurmUser=root",
		"SlurmdUser=root",
		"AuthType=auth/munge",
		`AuthInfo=socket=${directory}/munge/socket`,
		"CredType=cred/munge",
		"ProctrackType=proctrack/linuxproc",
		"TaskPlugin=task/none",
		"SelectType=select/cons_tres",
		"SelectTypeParameters=CR_CPU",
		"SlurmdParameters=config_overrides",
		"MpiDefault=none",
		"ReturnToService=2",
		"KillWait=30",
		"MessageTimeout=5",
		"SchedulerType=sched/backfill",
		"SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1,sched_interval=1",
		"JobAcctGatherType=jobacct_gather/none",
		`StateSaveLocation=${directory}/state`,
		`SlurmdSpoolDir=${directory}/spool`,
		`SlurmctldPidFile=${directory}/slurmctld.pid`,
		`SlurmdPidFile=${directory}/slurmd.pid`,
		`SlurmctldLogFile=${directory}/slurmctld.log`,
		`SlurmdLogFile=${directory}/slurmd.log`,
		`NodeName=${machine} NodeAddr=127.0.0.1 CPUs=64 RealMemory=1000 State=UNKNOWN`,
		`PartitionName=main Nodes=${machine} Default=YES State=UP`,
		`PartitionName=other Nodes=${machine} State=UP`,
		"",
	].join("\n");
}
